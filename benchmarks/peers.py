"""Do the other methods recover here as often as they did in an earlier measurement?

The Gaussian cells of the paper's figure 1 for which these methods were measured before (D = 64, K =
10, coefficients ±1, no intercept), 100 other problems each, the same for every method. ANCHORS are
the earlier rates, also of 100 problems: abess 0.4.11, pycasso's SCAD (the path point with exactly
K, else a failure), scikit-learn's OMP, randomised OMP with 100 runs, and the LASSO at the paper's λ
then top K (the table "exact-support recovery rates, measured" of the project's reference notes). z
is the difference of two rates in standard errors of the difference. Then come the methods without
an anchor, and how the rate of SCAD depends on γ and on the point of its path.

    python benchmarks/peers.py                      some five minutes on one core
    python benchmarks/peers.py --repetitions 10     half a minute
    python benchmarks/peers.py --only points        one of its parts: anchors, paths, points
"""

import argparse
import time
import warnings

import numpy as np
from problems import draw

from projstg import SCAD
from projstg.experiments.library_adapters import largest_columns
from projstg.experiments.registry import Known, available, method

ROOT, K, D = 20261115, 10, 64
ANCHORED = ("lasso", "omp", "randomized-omp", "abess")
PATHS = ("scad", "scad-top", "mcp", "mcp-top", "lasso-path-first", "lasso-path-refit")
COLUMNS = ("abess", "scad", "omp", "randomized-omp", "lasso")
ANCHORS = {
    (0.5, 25): (0.06, 0.01, 0.01, 0.00, 0.00),
    (0.5, 30): (0.17, 0.17, 0.06, 0.04, 0.07),
    (0.5, 35): (0.48, 0.43, 0.16, 0.20, 0.12),
    (0.5, 40): (0.73, 0.86, 0.27, 0.39, 0.29),
    (0.5, 45): (0.88, 0.94, 0.31, 0.56, 0.48),
    (0.5, 50): (0.96, 1.00, 0.54, 0.68, 0.61),
    (0.5, 60): (1.00, 1.00, 0.73, 0.85, 0.83),
    (1.0, 25): (0.00, 0.00, 0.00, 0.00, 0.00),
    (1.0, 30): (0.03, 0.00, 0.02, 0.01, 0.00),
    (1.0, 35): (0.15, 0.03, 0.06, 0.02, 0.00),
    (1.0, 40): (0.33, 0.14, 0.07, 0.14, 0.01),
    (1.0, 45): (0.60, 0.23, 0.15, 0.28, 0.01),
    (1.0, 50): (0.79, 0.42, 0.28, 0.48, 0.03),
    (1.0, 60): (0.94, 0.65, 0.51, 0.74, 0.14),
}
ANCHOR_PROBLEMS = 100


def measured(name, sigma, n, repetitions):
    """The rate of exact recovery and the median milliseconds of a fit."""
    right, seconds = [], []
    for repetition in range(repetitions):
        X, y, truth = draw(ROOT, sigma, n, K, repetition)
        model = method(name).make(Known(K, sigma, n, D, None, repetition))
        start = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - start)
        right.append(np.array_equal(model.get_support(), truth))
    return float(np.mean(right)), 1000.0 * float(np.median(seconds))


def standard_errors(rate, n, anchor, m=ANCHOR_PROBLEMS):
    """(rate − anchor) / its standard error under one rate for both; 0 where both are 0 or 1."""
    pooled = (n * rate + m * anchor) / (n + m)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    return 0.0 if error == 0.0 else (rate - anchor) / error


def against_anchors(names, repetitions):
    """Print each cell, and return z, (names, cells), and rate less anchor."""
    z, above = [], []
    for name in names:
        column = COLUMNS.index(name)
        milliseconds = []
        print(f"\n{method(name).label}\nsigma   N   rate  anchor      z")
        for (sigma, n), anchors in ANCHORS.items():
            rate, took = measured(name, sigma, n, repetitions)
            z.append(standard_errors(rate, repetitions, anchors[column]))
            above.append(rate - anchors[column])
            milliseconds.append(took)
            print(f"{sigma:5}  {n:2d}  {rate:.2f}    {anchors[column]:.2f}  {z[-1]:+.2f}")
        print(f"median {np.median(milliseconds):.1f} ms a fit", flush=True)
    shape = (len(names), len(ANCHORS))
    return np.reshape(z, shape), np.reshape(above, shape)


def summed_up(names, z, above):
    print()
    for name, own, difference in zip(names, z, above, strict=True):
        print(
            f"{method(name).label:9s} mean difference {difference.mean():+.3f}, "
            f"mean z {own.mean():+.2f}, |z| > 2 in {np.sum(np.abs(own) > 2)} of {own.size}"
        )
    print(
        f"together: |z| > 2 in {np.mean(np.abs(z) > 2.0):.1%} of {z.size} rates, "
        f"the largest {np.abs(z).max():.2f}"
    )


def paths(names, repetitions):
    """Print the rates of methods that have no anchor, with SCAD's anchor beside them."""
    print("\npaths\nsigma   N  pycasso  " + "  ".join(names))
    for (sigma, n), anchors in ANCHORS.items():
        rates = [measured(name, sigma, n, repetitions)[0] for name in names]
        shown = "  ".join(f"{rate:{len(name)}.2f}" for name, rate in zip(names, rates, strict=True))
        print(f"{sigma:5}  {n:2d}     {anchors[1]:.2f}  {shown}", flush=True)


def points(sigma, n, gamma, repetitions):
    """Print the rates of exact points (the first, last, any) and of the K largest at one point."""
    rates = []
    for repetition in range(repetitions):
        X, y, truth = draw(ROOT, sigma, n, K, repetition)
        model = SCAD(K, rule="top", gamma=gamma, fit_intercept=False).fit(X, y)
        n_nonzero = np.count_nonzero(model.coef_path_, axis=0)
        exact = model.coef_path_[:, n_nonzero == K].T != 0.0
        right = [np.array_equal(support, truth) for support in exact]
        enough = model.coef_path_[:, np.argmax(n_nonzero >= K)]
        first_top = np.array_equal(largest_columns(enough, X, K), truth)
        best_top = np.array_equal(model.support_, truth)
        rates.append([any(right[:1]), any(right[-1:]), any(right), first_top, best_top])
    shown = "   ".join(f"{rate:.2f}" for rate in np.mean(rates, axis=0))
    print(f"{sigma:5}  {n:2d}  {gamma:5}   {shown}", flush=True)


def all_points(repetitions):
    print("\nSCAD: exactly K at the first, last, any point; K largest at the first point, the best")
    for sigma, n in [(0.5, 35), (0.5, 40), (1.0, 50), (1.0, 60)]:
        for gamma in (3.0, 3.7):
            points(sigma, n, gamma, repetitions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--only", choices=("anchors", "paths", "points"), help="one part of it")
    options = parser.parse_args()
    parts = [options.only] if options.only else ["anchors", "paths", "points"]
    warnings.simplefilter("ignore")  # paths without a point of K columns are counted
    usable = [name for name in (*ANCHORED, "scad") if available(method(name)) is None]
    for name in usable:
        measured(name, 0.5, 40, 1)  # what is compiled is compiled now
    if "anchors" in parts:
        anchored = [name for name in usable if name in ANCHORED]
        summed_up(anchored, *against_anchors(anchored, options.repetitions))
    if "anchors" in parts and "scad" in usable:
        summed_up(["scad"], *against_anchors(["scad"], options.repetitions))
    if "paths" in parts and "scad" in usable:
        paths(PATHS, options.repetitions)
    if "points" in parts and "scad" in usable:
        all_points(options.repetitions)


if __name__ == "__main__":
    main()
