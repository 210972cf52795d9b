"""Choose columns on a simulated problem of the paper and on scikit-learn's diabetes table.

Run it with ``make demo``. Nothing is downloaded. The seed is 0 and was not chosen for its result.
"""

from time import perf_counter

import numpy as np
from sklearn.datasets import load_diabetes

from projstg import ProjectedSTG

SEED = 0


def simulated_problem(n_samples=40, n_features=64, n_true=10, noise=0.5, seed=SEED):
    """Normal X, coefficients ±1 at random positions; the same draws as in docs/guide.md."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_features, size=n_true, replace=False)
    X = rng.standard_normal((n_samples, n_features))
    y = X[:, truth] @ rng.choice([-1.0, 1.0], size=n_true)
    return X, y + noise * rng.standard_normal(n_samples), np.sort(truth)


def timed_fit(X, y, n_features_to_select):
    """The fitted model and the seconds its ``fit`` took."""
    model = ProjectedSTG(n_features_to_select=n_features_to_select)
    start = perf_counter()
    model.fit(X, y)
    return model, perf_counter() - start


def listed(columns):
    return " ".join(str(column) for column in columns) or "none"


def show_simulated():
    X, y, truth = simulated_problem()
    model, seconds = timed_fit(X, y, n_features_to_select=len(truth))
    chosen = model.get_support(indices=True)
    print(f"Simulated: N=40 rows, D=64 columns, K=10 of them matter, noise 0.5, seed {SEED}")
    print(f"  chosen  {listed(chosen)}")
    print(f"  truth   {listed(truth)}")
    print(f"  hit     {listed(np.intersect1d(chosen, truth))}")
    print(f"  missed  {listed(np.setdiff1d(truth, chosen))}")
    print(f"  wrong   {listed(np.setdiff1d(chosen, truth))}")
    print(f"  time    {1000 * seconds:.1f} ms")


def show_diabetes():
    X, y = load_diabetes(as_frame=True, scaled=False, return_X_y=True)
    model, seconds = timed_fit(X, y, n_features_to_select=5)
    print(f"Diabetes: N={X.shape[0]} rows, D={X.shape[1]} columns, 5 wanted, truth unknown")
    print(f"  columns {listed(X.columns)}")
    print(f"  chosen  {listed(model.get_feature_names_out())}")
    print(f"  R2      {model.score(X, y):.3f} on the rows it was fitted to")
    print(f"  time    {1000 * seconds:.1f} ms")


if __name__ == "__main__":
    show_simulated()
    print()
    show_diabetes()
