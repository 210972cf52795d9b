"""Randomised matching pursuit: all runs in one call against a loop over runs; and its recovery.

python benchmarks/randomized_omp.py [--recovery N_PROBLEMS]

Two loops, both with the draws of the estimator: one refits by ``lstsq`` after each column, the
other calls the package's own kernel for one run at a time. The medians are of interleaved fits, in
seconds of the processor (one thread), so that other work on the machine counts less.
"""

import argparse
from time import process_time

import numpy as np
from problems import draw_many, recovery

from projstg import RandomizedOMP
from projstg._core.data.batch import centred_rows
from projstg._core.data.standard_table import as_tables
from projstg._core.greedy.matching_pursuit import (
    SoftmaxCorrelation,
    largest_correlation,
    matching_pursuits,
)
from projstg._core.greedy.randomized_pursuit import randomized_omp

K, N_RUNS, TEMPERATURE, N_FEATURES = 10, 100, 0.75, 64
# σ, N, and the rates of scikit-learn's OMP and of randomised OMP measured elsewhere, 100 problems.
CELLS = [
    (0.5, 25, 0.01, 0.00),
    (0.5, 30, 0.06, 0.04),
    (0.5, 35, 0.16, 0.20),
    (0.5, 40, 0.27, 0.39),
    (0.5, 45, 0.31, 0.56),
    (0.5, 50, 0.54, 0.68),
    (0.5, 60, 0.73, 0.85),
    (1.0, 25, 0.00, 0.00),
    (1.0, 30, 0.02, 0.01),
    (1.0, 35, 0.06, 0.02),
    (1.0, 40, 0.07, 0.14),
    (1.0, 45, 0.15, 0.28),
    (1.0, 50, 0.28, 0.48),
    (1.0, 60, 0.51, 0.74),
]


def top(mean_coef, X):
    support = np.zeros(N_FEATURES, dtype=bool)
    support[np.argsort(-np.abs(mean_coef) * np.linalg.norm(X, axis=0), kind="stable")[:K]] = True
    return support


def draws(seed=0):
    return np.random.default_rng([seed, K]).random((N_RUNS, K))


def loop_of_refits(X, y):
    """Each run on its own, with ``lstsq`` after each column."""
    norms, mean_coef = np.linalg.norm(X, axis=0), np.zeros(N_FEATURES)
    for own in draws():
        order, beta, residual = [], None, y
        for uniform in own:
            score = (X.T @ residual / norms) ** 2
            weight = np.exp((score - score.max()) / (2.0 * TEMPERATURE))
            weight[order] = 0.0
            total = np.cumsum(weight)
            order.append(int(np.searchsorted(total, uniform * total[-1], side="right")))
            beta = np.linalg.lstsq(X[:, order], y)[0]
            residual = y - X[:, order] @ beta
        mean_coef[order] += beta / N_RUNS
    return top(mean_coef, X)


def loop_of_kernels(X, y):
    """Each run on its own, by the kernel the estimator calls once."""
    problem = centred_rows(X[None], y[None], centre=False)[0].by_sums
    mean_coef, temperature = np.zeros(N_FEATURES), np.full((1, 1), TEMPERATURE)
    for own in draws():
        run = matching_pursuits(problem, K, 1, SoftmaxCorrelation(temperature, own[None]))
        mean_coef[run.order[0]] += run.coef[0] / N_RUNS
    return top(mean_coef, X)


def together(X, y, seeds):
    """The supports of many problems in one call, as masks."""
    tables = as_tables(X, y, centre=False)
    temperature = TEMPERATURE / tables.units.y_scale**2
    chosen, _ = randomized_omp(tables.batch, K, temperature, N_RUNS, seeds)
    return np.any(chosen[:, :, None] == np.arange(N_FEATURES), axis=1)


def side_by_side(X, y):
    return together(X[None], y[None], [0])[0]


def estimator(X, y):
    return RandomizedOMP(K, n_runs=N_RUNS, fit_intercept=False).fit(X, y).support_


def speed(n_problems=30):
    X, y, _ = draw_many(5, 0.5, 40, K, n_problems)
    methods = {
        "side by side": side_by_side,
        "the estimator's fit": estimator,
        "loop, lstsq": loop_of_refits,
        "loop, own kernel": loop_of_kernels,
    }
    seconds = {name: [] for name in methods}
    supports = {name: [] for name in methods}
    for rows, target in zip(X, y, strict=True):
        for name, fit in methods.items():
            start = process_time()
            supports[name].append(fit(rows, target))
            seconds[name].append(process_time() - start)
    start = process_time()
    together(X, y, [0] * n_problems)
    many = (process_time() - start) / n_problems
    medians = {name: float(np.median(times)) for name, times in seconds.items()}
    print(f"{N_RUNS} runs, N=40, D={N_FEATURES}, K={K}, {n_problems} problems: median ms of a fit,")
    print("and how many times as long the loops take; loop with lstsq, loop of the own kernel")
    loops = [medians["loop, lstsq"], medians["loop, own kernel"]]
    for name, value in {**medians, "all in one call": many}.items():
        ratios = "  ".join(f"{loop / value:5.1f}×" for loop in loops)
        print(f"  {name:20s} {1e3 * value:6.2f} ms  {ratios}")
    same = all(np.array_equal(some, supports["side by side"]) for some in supports.values())
    print(f"  the same supports: {same}")


def raw_omp(X, y):
    """scikit-learn's OMP, which does not scale the columns."""
    from sklearn.linear_model import OrthogonalMatchingPursuit

    fits = (
        OrthogonalMatchingPursuit(n_nonzero_coefs=K, fit_intercept=False).fit(*pair)
        for pair in zip(X, y, strict=True)
    )
    return np.stack([fit.coef_ != 0.0 for fit in fits])


def unit_omp(X, y):
    """The same pursuit on columns of unit norm: temperature zero."""
    problem = centred_rows(X, y, centre=False)[0].by_sums
    order = matching_pursuits(problem, K, 1, largest_correlation).order
    return np.any(order[:, :, None] == np.arange(N_FEATURES), axis=1)


def rates(n_problems, root=77):
    print(f"exact recovery, {n_problems} problems a cell (expected: measured elsewhere, 100)")
    print("sigma   N | OMP expected, here | rand. OMP expected, here (z) | OMP, unit columns")
    deviations = []
    for sigma, n, omp, randomized in CELLS:
        X, y, truth = draw_many(root, sigma, n, K, n_problems)
        here = recovery(together(X, y, range(n_problems)), truth)
        pooled = (100 * randomized + n_problems * here) / (100 + n_problems)
        error = np.sqrt(pooled * (1 - pooled) * (1 / 100 + 1 / n_problems))
        deviations.append((here - randomized) / error if error > 0 else 0.0)
        plain, unit = (recovery(fit(X, y), truth) for fit in (raw_omp, unit_omp))
        print(
            f"  {sigma:3.1f}  {n:3d} |     {omp:.2f}   {plain:.2f}    |     {randomized:.2f}   "
            f"{here:.2f} ({deviations[-1]:+.1f})       |  {unit:.2f}",
            flush=True,
        )
    beyond = int(np.sum(np.abs(deviations) > 2.0))
    print(f"beyond two standard errors: {beyond} of {len(CELLS)}; {np.max(np.abs(deviations)):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recovery", type=int, default=0, help="problems a cell, e.g. 100")
    options = parser.parse_args()
    speed()
    if options.recovery:
        rates(options.recovery)


if __name__ == "__main__":
    main()
