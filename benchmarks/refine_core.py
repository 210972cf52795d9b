"""What the search finds, and what it costs, on the paper's designs and on large tables.

For each cell, on fresh problems: the share of true supports returned; *optimisation failures*, a
returned score worse than the truth's; *statistical failures*, a returned score better than the
truth's; the limit, the share in which nothing found beats the truth; and milliseconds of one
search beside one abess fit of the same data in the same run (medians). The search starts from one
support proposed by the gates (not timed here) and from random ones.

Run: ``python benchmarks/refine_core.py [cells|large|small|tight] [problems a cell] [seed]``
"""

import os
import sys
from itertools import combinations
from math import log, sqrt
from statistics import median
from time import perf_counter

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from projstg._core.evidence import CRITERIA, support_scores
from projstg._core.optimize import alternate
from projstg._core.refine import refine
from projstg._core.statistics import RowQuadratic, Statistics, standardized

try:
    from abess import LinearRegression
except ImportError:  # without the extra "peers" the column stays empty
    LinearRegression = None

D = 64
CELLS = [
    *(("gaussian", s, N, 10) for s in (0.5, 1.0) for N in (20, 25, 30, 35, 40, 45, 50, 60, 70)),
    *((d, s, N, 10) for d in ("bernoulli", "toeplitz") for s in (0.5, 1.0) for N in (30, 40, 50)),
    *(("gaussian", sigma, 40, K) for sigma in (0.5, 1.0) for K in (2, 4, 6, 8, 12)),
    *(("gaussian", sigma, 40, K) for K in (14, 16, 20) for sigma in (0.5, 1.0)),
]


def draw_design(rng, design, n_rows, n_columns):
    if design == "bernoulli":
        return rng.choice([-1.0, 1.0], (n_rows, n_columns))
    X = rng.standard_normal((n_rows, n_columns))
    if design == "gaussian":
        return X
    rho = float(design.removeprefix("toeplitz") or 0.3)
    for d in range(1, n_columns):
        X[:, d] = rho * X[:, d - 1] + sqrt(1.0 - rho * rho) * X[:, d]
    return X


def draw(seed, design, n_rows, n_columns, K, sigma=None, snr=None):
    rng = np.random.default_rng(seed)
    X = draw_design(rng, design, n_rows, n_columns)
    support = np.sort(rng.choice(n_columns, K, replace=False))
    signal = X[:, support] @ rng.choice([-1.0, 1.0], K)
    noise = sigma if snr is None else np.std(signal) / sqrt(snr)
    return X, signal + noise * rng.standard_normal(n_rows), support


def gate_start(problem, K, sigma, n_rows):
    """The K largest coefficients of the gates at the paper's λ, C = 0.2 and a wide τ."""
    alpha = 0.2 * sqrt(2 * sigma**2 * log(max(D - K, 2)) * log(max(K, 2)) / n_rows)
    beta = alternate(problem, np.full(1, alpha), 2.0).beta
    return np.argsort(-np.abs(beta), axis=-1)[:, None, :K]


def peer_seconds(X, y, K):
    """Seconds of one abess fit, and its support."""
    if LinearRegression is None:
        return float("nan"), np.empty(0)
    start = perf_counter()
    coef = LinearRegression(support_size=K, thread=1).fit(X, y).coef_
    return perf_counter() - start, np.flatnonzero(coef)


def timed_search(problem, K, starts, criterion, seed):
    begin = perf_counter()
    generators = [np.random.default_rng(seed)]
    found = refine(problem, K, starts=starts, generators=generators, criterion=criterion)
    return found, perf_counter() - begin


def trial(design, sigma, n_rows, K, seed, i):
    """One problem under both criteria; a row each, and one limit from all that was found."""
    key = [seed, n_rows, K, int(10 * sigma), len(design), i]
    X, y, truth = draw(key, design, n_rows, D, K, sigma=sigma)
    problem, _ = standardized(RowQuadratic.from_rows(X[None], y[None], centre=False))
    starts = gate_start(problem, K, sigma, n_rows)
    peer, _ = peer_seconds(X, y, K)
    searches = {c: timed_search(problem, K, starts, c, [seed, i]) for c in CRITERIA}
    everything = np.concatenate([found.optima[0].supports for found, _ in searches.values()])
    rows = {}
    for name, (found, seconds) in searches.items():
        true_score = support_scores(problem, truth[None, None], CRITERIA[name])[0, 0]
        best = support_scores(problem, everything[None], CRITERIA[name]).min()
        worse = found.objective[0] - true_score
        right = np.array_equal(found.support[0], truth)
        rows[name] = (right, worse > 1e-6, worse < -1e-6, best >= true_score - 1e-6,
                      seconds, peer, found.n_starts[0])  # fmt: skip
    return rows


def cells(n_problems, seed):
    """The anchors' cells, and means over those with K ≤ 12."""
    print("| criterion | design | σ | N | K | recovered | optimisation | statistical | limit |"
          " ms | × abess | starts |")  # fmt: skip
    print("|---" * 12 + "|")
    pooled = {name: [] for name in CRITERIA}
    for design, sigma, n_rows, K in CELLS:
        trials = [trial(design, sigma, n_rows, K, seed, i) for i in range(n_problems)]
        for name in CRITERIA:
            rows = list(zip(*(one[name] for one in trials), strict=True))
            right, search, score, limit = (np.mean(column) for column in rows[:4])
            seconds, peer = median(rows[4]), median(rows[5])
            print(
                f"| {name} | {design} | {sigma} | {n_rows} | {K} | {right:.3f} | {search:.3f} "
                f"| {score:.3f} | {limit:.3f} | {1000 * seconds:.1f} | {seconds / peer:.1f} "
                f"| {np.mean(rows[6]):.0f} |",
                flush=True,
            )
            if K <= 12 and n_rows >= 25:
                pooled[name].append((right, search, limit))
    for name, means in pooled.items():
        right, search, limit = np.mean(means, axis=0)
        print(f"{name}, K <= 12 and N >= 25 pooled: recovered {right:.4f}, "
              f"limit {limit:.4f}, optimisation {search:.4f}")  # fmt: skip


LARGE = [
    ("gaussian", 100, 1000, 15, 10, 20),
    ("toeplitz0.9", 150, 1000, 20, 10, 20),
    ("gaussian", 500, 100_000, 30, 10, 1),
    ("toeplitz0.5", 100_000, 1000, 50, 1, 1),
]


def large(n_problems, seed):
    """Larger tables; the seconds include the statistics (standardising, the Gram matrix)."""
    for design, n_rows, n_columns, K, snr, most in LARGE:
        rows = []
        for i in range(min(n_problems, most)):
            X, y, truth = draw([seed, i], design, n_rows, n_columns, K, snr=snr)
            peer, chosen = peer_seconds(X, y, K)
            begin = perf_counter()
            if n_rows > n_columns:
                raw = Statistics.from_rows(X[None], y[None]).quadratic()
            else:
                raw = RowQuadratic.from_rows(X[None], y[None])
            problem, _ = standardized(raw)
            found = refine(problem, K, generators=[np.random.default_rng([seed, i])])
            seconds = perf_counter() - begin
            worse = found.objective[0] - support_scores(problem, truth[None, None])[0, 0]
            right, theirs = np.array_equal(found.support[0], truth), np.array_equal(chosen, truth)
            rows.append((right, worse > 1e-6, worse < -1e-6, theirs, seconds, peer))
        right, search, score, theirs, seconds, peer = zip(*rows, strict=True)
        print(
            f"{design} N={n_rows} D={n_columns} K={K} SNR={snr}: recovered {np.mean(right):.3f} "
            f"(abess {np.mean(theirs):.3f}), optimisation {np.mean(search):.3f}, statistical "
            f"{np.mean(score):.3f}, {median(seconds):.3f} s, abess {median(peer):.3f} s, "
            f"ratio {median(seconds) / median(peer):.2f}",
            flush=True,
        )


def draw_small(rng, batch, n_rows, n_columns):
    """Problems with columns more or less alike, some of them active, and noise or none."""
    X = rng.standard_normal((batch, n_rows, n_columns))
    X += rng.choice([0.0, 0.0, 1.0, 3.0]) * rng.standard_normal((batch, n_rows, 1))
    beta = rng.standard_normal((batch, n_columns)) * (rng.random((batch, n_columns)) < 0.5)
    y = (X @ beta[..., None])[..., 0]
    y += rng.choice([0.0, 0.01, 0.3, 1.0, 3.0]) * rng.standard_normal((batch, n_rows))
    return standardized(RowQuadratic.from_rows(X, y), 1e-20)[0]


def count_misses(shapes, label, n_problems, seed, batch=50):
    """Compare with the best of all supports on problems of random shapes (N, D, K)."""
    rng, misses = np.random.default_rng(seed), dict.fromkeys(CRITERIA, 0)
    for _ in range(0, n_problems, batch):
        n_rows, n_columns, K = shapes(rng)
        problem = draw_small(rng, batch, n_rows, n_columns)
        every = np.asarray(list(combinations(range(n_columns), K)))
        every = np.broadcast_to(every, (batch, *every.shape))
        for name, criterion in CRITERIA.items():
            generators = [np.random.default_rng([seed, i]) for i in range(batch)]
            found = refine(problem, K, generators=generators, criterion=name)
            best = support_scores(problem, every, criterion).min(axis=1)
            misses[name] += int(np.sum(found.objective > best + 1e-6 * (1.0 + np.abs(best))))
    print(f"{n_problems} problems with {label}, misses: {misses}", flush=True)


def small(n_problems, seed):
    """Random problems with D ≤ 12 against the best of all supports."""

    def shapes(rng):
        n_columns = int(rng.integers(2, 13))
        return int(rng.integers(3, 31)), n_columns, int(rng.integers(1, n_columns + 1))

    count_misses(shapes, "D <= 12", n_problems, seed)


def tight(n_problems, seed):
    """Just beyond what is enumerated, and with few rows to spare."""

    def shapes(rng):
        K = int(rng.integers(2, 7))
        return int(rng.integers(K + 2, 31)), int(rng.integers(13, 17)), K

    count_misses(shapes, "13 <= D <= 16", n_problems, seed)


def main():
    what, *numbers = [*sys.argv[1:], "cells"][: max(1, len(sys.argv) - 1)]
    defaults = {"cells": 200, "large": 20, "small": 10_000, "tight": 2000}
    n_problems = int(numbers[0]) if numbers else defaults[what]
    seed = int(numbers[1]) if len(numbers) > 1 else 2024
    {"cells": cells, "large": large, "small": small, "tight": tight}[what](n_problems, seed)


if __name__ == "__main__":
    main()
