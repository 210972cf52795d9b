"""The search against the best of all supports, on problems small enough to score every one.

python benchmarks/exhaustive.py small [problems] [seed]    D ≤ 12
python benchmarks/exhaustive.py tight [problems] [seed]    D = 13 … 16, few rows to spare
"""

import argparse
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from threadpoolctl import threadpool_limits

from projstg._core.data.batch import centred_rows
from projstg._core.data.standardize import standardized
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.search.best_support import refine
from projstg._core.search.search_settings import SEARCH

threadpool_limits(1)
# By itself it scores all supports of such small problems, too.
NOT_ENUMERATED = replace(SEARCH, n_enumerable=0)


def draw_small(rng, batch, n_rows, n_columns):
    """Problems with columns more or less alike, some of them active, and noise or none."""
    X = rng.standard_normal((batch, n_rows, n_columns))
    X += rng.choice([0.0, 0.0, 1.0, 3.0]) * rng.standard_normal((batch, n_rows, 1))
    beta = rng.standard_normal((batch, n_columns)) * (rng.random((batch, n_columns)) < 0.5)
    y = (X @ beta[..., None])[..., 0]
    y += rng.choice([0.0, 0.01, 0.3, 1.0, 3.0]) * rng.standard_normal((batch, n_rows))
    return standardized(centred_rows(X, y)[0], 1e-20)[0]


def count_misses(shapes, label, n_problems, seed, batch=50):
    """Compare with the best of all supports on problems of random shapes (N, D, K)."""
    rng, misses = np.random.default_rng(seed), dict.fromkeys(CRITERIA, 0)
    for _ in range(0, n_problems, batch):
        n_rows, n_columns, K = shapes(rng)
        drawn = draw_small(rng, batch, n_rows, n_columns)
        every = np.asarray(list(combinations(range(n_columns), K)))
        for (name, criterion), i in product(CRITERIA.items(), range(batch)):
            problem, generator = drawn.problem(i), np.random.default_rng([seed, i])
            options = {"criterion": name, "settings": NOT_ENUMERATED}
            found = refine(problem, K, generator=generator, **options).objective
            best = support_scores(problem, every, criterion).min()
            misses[name] += int(found > best + 1e-6 * (1.0 + abs(best)))
    print(f"{n_problems} problems with {label}, misses: {misses}", flush=True)


def small(n_problems, seed):
    """Random problems with D ≤ 12 against the best of all supports."""

    def shapes(rng):
        n_columns = int(rng.integers(2, 13))
        return int(rng.integers(3, 31)), n_columns, int(rng.integers(1, n_columns + 1))

    count_misses(shapes, "D <= 12", n_problems, seed)


def tight(n_problems, seed):
    """Problems with 13 ≤ D ≤ 16 and as few as K + 2 rows against the best of all supports."""

    def shapes(rng):
        K = int(rng.integers(2, 7))
        return int(rng.integers(K + 2, 31)), int(rng.integers(13, 17)), K

    count_misses(shapes, "13 <= D <= 16", n_problems, seed)


def main():
    jobs = {"small": (small, 10_000), "tight": (tight, 2000)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=jobs)
    parser.add_argument("problems", type=int, nargs="?")
    parser.add_argument("seed", type=int, nargs="?", default=2024)
    options = parser.parse_args()
    job, n_problems = jobs[options.job]
    job(options.problems or n_problems, options.seed)


if __name__ == "__main__":
    main()
