"""How long cross-validation takes beside scikit-learn's LassoCV: medians of interleaved runs.

python benchmarks/cv_speed.py [--problems 5]
"""

import argparse
from time import perf_counter

import numpy as np
from problems import draw
from sklearn.linear_model import LassoCV

from projstg import ProjectedSTG, ProjectedSTGCV

CELLS = [(0.5, 200, 500), (1.0, 200, 500), (2.0, 200, 500), (1.0, 100, 64)]
METHODS = {
    "LassoCV, 100 values": lambda: LassoCV(cv=5),
    "C, 20 values": lambda: ProjectedSTGCV(alpha_scales=20, cv=5),
    "C, 20 values, 1se": lambda: ProjectedSTGCV(alpha_scales=20, cv=5, rule="1se"),
    "one gate fit": lambda: ProjectedSTG(None),
}


def exact(fitted, truth):
    """Whether the columns in the fit are the true ones."""
    return np.array_equal(np.asarray(fitted.coef_) != 0, truth)


def measured(problems, methods):
    """Median seconds and recoveries of each method, the methods taking turns."""
    seconds = {name: [] for name in methods}
    hits = dict.fromkeys(methods, 0)
    for X, y, truth in problems:
        for name, make in methods.items():
            start = perf_counter()
            fitted = make().fit(X, y)
            seconds[name].append(perf_counter() - start)
            hits[name] += exact(fitted, truth)
    return {name: float(np.median(times)) for name, times in seconds.items()}, hits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=5)
    n_problems = parser.parse_args().problems
    print("5 folds, one thread, K=10; the counts of exact supports are not a comparison")
    for sigma, n, n_features in CELLS:
        drawn = [draw(7, sigma, n, 10, r, n_features) for r in range(n_problems)]
        measured(drawn[:1], METHODS)  # tables are made and caches filled
        medians, hits = measured(drawn, METHODS)
        base = medians["LassoCV, 100 values"]
        print(f"N={n} D={n_features} sigma={sigma}:")
        for name, value in medians.items():
            share = f"{hits[name]}/{n_problems} exact"
            print(f"  {name:20s} {1e3 * value:8.1f} ms {value / base:6.1f}×  {share}", flush=True)


if __name__ == "__main__":
    main()
