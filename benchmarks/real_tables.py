"""Ailerons and triazines: R² for K = 1..20 beside abess, the LASSO path and OMP, and the time.

    PROJSTG_DATA=folder python benchmarks/real_tables.py [--halves 10] [--out docs/real_tables.json]

In sample every method's columns are refitted by least squares on all rows. Out of sample the
columns are chosen and fitted on a random half of the rows and judged on the other; the halves are
the same for all. A LASSO path or OMP that has no point with exactly K columns counts with its best
support of fewer. Constant columns are dropped first.
"""

import argparse
import json
import subprocess
import sys
import warnings
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from abess import LinearRegression
from sklearn.linear_model import lars_path, lasso_path, orthogonal_mp
from table_peers import fitted, judged
from threadpoolctl import threadpool_limits

from projstg import ProjectedSTG, select
from projstg.datasets import fetch_ailerons, fetch_triazines

threadpool_limits(1)

SIZES = range(1, 21)
TABLES = {"ailerons": fetch_ailerons, "triazines": fetch_triazines}


def standardised(X, y):
    """Columns of mean zero and length one, y centred."""
    X = X - X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0), y - y.mean()


def by_criterion(criterion):
    def choose(X, y):
        return {k: ProjectedSTG(k, criterion=criterion).fit(X, y).support_ for k in SIZES}

    return choose


def by_abess(X, y):
    return {k: LinearRegression(support_size=k).fit(X, y).coef_ != 0 for k in SIZES}


def by_abess_path(X, y):
    """For each K the path of abess up to K, by a criterion that does not penalise the size."""
    found = {}
    for k in SIZES:
        model = LinearRegression(support_size=range(1, k + 1), ic_type="aic", ic_coef=0.0)
        found[k] = model.fit(X, y).coef_ != 0
    return found


def by_lasso_path(X, y):
    """Of all supports on the path with at most K columns, the one that fits best.

    The path comes from LARS, and where that ends early, because columns repeat each other, from
    coordinate descent too.
    """
    U, centred = standardised(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, _, path = lars_path(U, centred, method="lasso")
        _, more, _ = lasso_path(U, centred, n_alphas=100, eps=1e-5, precompute=True)
    return best_within([column != 0 for column in np.hstack([path, more]).T], X, y)


def by_omp(X, y):
    U, centred = standardised(X, y)
    found = []
    for k in SIZES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it ends early in the same case
            found.append(orthogonal_mp(U, centred, n_nonzero_coefs=k) != 0)
    return best_within(found, X, y)


def best_within(supports, X, y):
    scored = [(fitted(X, y, s)[2], int(s.sum()), s) for s in supports if s.any()]
    return {
        k: max((one for one in scored if one[1] <= k), key=lambda one: one[0])[2] for k in SIZES
    }


METHODS = {
    "projstg, least squares": by_criterion("least-squares"),
    "projstg, evidence": by_criterion("evidence"),
    "projstg, common size": by_criterion("common-size"),
    "abess": by_abess,
    "abess, path to K": by_abess_path,
    "LASSO path": by_lasso_path,
    "OMP": by_omp,
}


def in_sample(X, y):
    return {
        name: [float(fitted(X, y, supports[k])[2]) for k in SIZES]
        for name, supports in ((name, choose(X, y)) for name, choose in METHODS.items())
    }


def out_of_sample(X, y, n_halves):
    scores = {name: [] for name in METHODS}
    for repetition in range(n_halves):
        order = np.random.default_rng([296, repetition]).permutation(len(y))
        train, test = np.array_split(order, 2)
        varies = np.ptp(X[train], axis=0) > 0
        A, B = X[train][:, varies], X[test][:, varies]
        for name, choose in METHODS.items():
            supports = choose(A, y[train])
            scores[name].append([judged(A, y[train], B, y[test], supports[k]) for k in SIZES])
    return {name: np.mean(one, axis=0).tolist() for name, one in scores.items()}


def timed(call, repetitions):
    seconds = []
    for _ in range(repetitions):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return median(seconds)


PEER = """
import sys, pandas as pd
from abess import LinearRegression
frame = pd.read_csv(sys.argv[1])
X, y = frame.drop(columns=sys.argv[2]), frame[sys.argv[2]]
X = X.loc[:, X.max() > X.min()]
model = LinearRegression(support_size=range(1, 9)).fit(X.to_numpy(), y.to_numpy())
print(*X.columns[model.coef_ != 0])
"""


def times(frame, target, path, repetitions=5):
    """Median seconds at K = 8: abess's path over 1..8, the fit, the whole answer, the commands."""
    X, y = frame.drop(columns=target).to_numpy(), frame[target].to_numpy()
    run = [sys.executable, "-c", PEER, path, target]
    command = [sys.executable, "-m", "projstg", "select", path, "-t", target, "-k", "8"]
    return {
        "abess, path 1..8": timed(lambda: LinearRegression(support_size=range(1, 9)).fit(X, y), 9),
        "ProjectedSTG(8)": timed(lambda: ProjectedSTG(8).fit(X, y), 9),
        "select, no folds": timed(lambda: select(frame, target, 8, folds=0), repetitions),
        "select": timed(lambda: select(frame, target, 8), repetitions),
        "command, abess": timed(lambda: subprocess.run(run, check=True, capture_output=True), 3),
        "command, projstg select": timed(
            lambda: subprocess.run(command, check=True, capture_output=True), 3
        ),
    }


def shown(title, table):
    print(f"\n{title}")
    print(f"{'':24s}" + "".join(f"{k:>7d}" for k in SIZES))
    for name, values in table.items():
        print(f"{name:24s}" + "".join(f"{value:7.4f}" for value in values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--halves", type=int, default=10)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=TABLES)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    results = {}
    for name in given.tables:
        found = TABLES[name](as_frame=True)
        target = found.target_names[0]
        frame = found.frame.loc[:, found.frame.max() > found.frame.min()]
        X, y = frame.drop(columns=target).to_numpy(), frame[target].to_numpy()
        own = results[name] = {"n_samples": len(y), "n_columns": X.shape[1]}
        own["in_sample"] = in_sample(X, y)
        shown(f"{name}: R² in sample", own["in_sample"])
        ours = np.array(own["in_sample"]["projstg, least squares"])
        behind = {
            other: float(np.max(np.array(values) - ours))
            for other, values in own["in_sample"].items()
        }
        print("most that least squares here is behind:", behind)
        own["out_of_sample"] = out_of_sample(X, y, given.halves)
        own["n_halves"] = given.halves
        shown(f"{name}: R² on the other half, mean of {given.halves}", own["out_of_sample"])
        own["seconds"] = times(frame, target, found.source.split(", kept as ")[-1])
        print(
            "\n" + "\n".join(f"{what:26s}{1e3 * s:9.1f} ms" for what, s in own["seconds"].items())
        )
    head = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True
    )
    results["commit"] = head.stdout.strip()
    if given.out:
        given.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
