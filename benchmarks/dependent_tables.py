"""Does "auto" ever select columns that depend on each other?

    python benchmarks/dependent_tables.py --jobs 2 [--tables 2000]

Tables with copies of columns, scaled and rounded copies, sums of columns, and text with one 0/1
column for each level; D from 5 to 60, N from 30 to 20 000. A selected support is dependent where
the smallest eigenvalue of its correlations is at most 10⁻¹² of the largest, which is the rule for
rank of the package. Printed are the dependent ones by kind, with the first few indices.
"""

import argparse
from collections import Counter

import numpy as np
from joblib import Parallel, delayed, parallel_config

from projstg import ProjectedSTG
from projstg._core.data.determined_directions import SMALLEST_SHARE

ROOT = 20261202


def copies(rng, X):
    """Some columns once more."""
    return X[:, rng.choice(X.shape[1], 2)]


def scaled(rng, X):
    """Some columns in another unit, and shifted."""
    return X[:, rng.choice(X.shape[1], 2)] * rng.lognormal(0, 3, 2) + rng.normal(size=2)


def rounded(rng, X):
    """Some columns to eight digits: the same up to the rule for rank."""
    few = X[:, rng.choice(X.shape[1], 2)]
    return np.round(few, 8)


def sums(rng, X):
    """Sums and differences of columns."""
    weights = rng.choice([-1.0, 0.0, 1.0], (X.shape[1], 2), p=[0.2, 0.6, 0.2])
    weights[:2] = 1.0
    return X @ weights


def levels(rng, X):
    """A text with all its levels, of which one or two have an effect."""
    n_levels = int(rng.integers(2, 6))
    found = rng.integers(0, n_levels, len(X))
    return (found[:, None] == np.arange(n_levels)).astype(float)


KINDS = (copies, scaled, rounded, sums, levels)


def table(index):
    """The kind of a table, X and y."""
    rng = np.random.default_rng([ROOT, index])
    kind = KINDS[index % len(KINDS)]
    n = int(np.exp(rng.uniform(np.log(30), np.log(20_000))))
    X = rng.normal(size=(n, int(rng.integers(3, 55))))
    X = np.column_stack([X, kind(rng, X)])
    X = X[:, rng.permutation(X.shape[1])]
    k = int(rng.integers(1, min(8, X.shape[1])))
    true = rng.choice(X.shape[1], k, replace=False)
    signal = X[:, true] @ rng.normal(size=k)
    noise = np.std(signal) / np.sqrt(np.exp(rng.uniform(np.log(0.3), np.log(30.0))))
    return kind.__name__, X, signal + noise * rng.normal(size=n)


def is_dependent(X, support):
    """Whether the selected columns depend on each other."""
    if support.sum() < 2:
        return False
    values = np.linalg.eigvalsh(np.corrcoef(X[:, support], rowvar=False))
    return bool(values[0] <= SMALLEST_SHARE * values[-1])


def trial(index):
    """The kind of a table and whether the answer is dependent."""
    kind, X, y = table(index)
    return kind, is_dependent(X, ProjectedSTG().fit(X, y).support_)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with parallel_config("loky", inner_max_num_threads=1):
        found = Parallel(n_jobs=options.jobs)(delayed(trial)(i) for i in range(options.tables))
    every = Counter(kind for kind, _ in found)
    bad = Counter(kind for kind, dependent in found if dependent)
    for kind, n in every.items():
        print(f"{kind:8} {bad[kind]:4} of {n} dependent")
    first = [i for i, (_, dependent) in enumerate(found) if dependent][:10]
    print(f"{sum(bad.values())} of {len(found)} dependent; the first: {first}")


if __name__ == "__main__":
    main()
