"""Of few rows and very many columns: what is stated beside what all supports of two columns say.

    python benchmarks/enumerated_wide.py --jobs 2 --problems 100

Supports have at most two columns, so that all of them can be scored (4.5 million of 3000 columns).
Printed are the largest error of a column's probability, beside the largest that is stated, and the
errors of the probabilities of sizes and of the likeliest support.
"""

import argparse

import numpy as np
from joblib import Parallel, delayed, parallel_config

from projstg._core.data.standard_table import as_tables
from projstg._core.pipeline.size_ladder import ladder
from projstg._core.posterior.drawing import drawn
from projstg._core.posterior.exploration import counted_around
from projstg._core.posterior.target import target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.prior import size_prior
from projstg.experiments.machine import commit

SHAPES = (8, 1500), (12, 3000)
NOISE, EFFECTS, AT_ONCE = (0.3, 1.0, 3.0), (1, 2, 0), 20_000


def all_costs(own):
    """The costs of no column, of each, and of all pairs, with the pairs."""
    n_columns = own.always.size
    pairs = np.column_stack(np.triu_indices(n_columns, 1))
    parts = [own.scores(pairs[i : i + AT_ONCE]) for i in range(0, len(pairs), AT_ONCE)]
    none = own.cost(np.empty(0, dtype=np.int64))
    ones = own.scores(np.arange(n_columns)[:, None]) + own.cost_of_size[1]
    return none, ones, np.concatenate(parts) + own.cost_of_size[2], pairs


def compared(shape, index):
    """Errors of what is stated in one problem."""
    (n_rows, n_columns), rng = shape, np.random.default_rng([index, *shape])
    X, n_effects = rng.standard_normal(shape), EFFECTS[index // 3 % 3]
    y = X[:, :n_effects].sum(axis=1) + NOISE[index % 3] * rng.standard_normal(n_rows)
    problem = as_tables(X[None], y[None]).problem(0)
    prior = size_prior(0, 2, n_columns)
    own = target(problem, CRITERIA["common-size"], prior, always=np.zeros(n_columns, dtype=bool))
    none, ones, twos, pairs = all_costs(own)
    lowest = min(none, ones.min(), twos.min())
    weights = [np.exp(-0.5 * (cost - lowest)) for cost in (none, ones, twos)]
    total = sum(np.sum(one) for one in weights)
    of_pairs = sum(np.bincount(members, weights[2], n_columns) for members in pairs.T)
    inclusion = (weights[1] + of_pairs) / total
    sizes = np.array([np.sum(one) for one in weights]) / total
    posterior = drawn(counted_around(own, ladder(own, 0).found), 0)
    said = posterior.about(posterior.likeliest)
    exactly = np.exp(-0.5 * (own.cost(posterior.likeliest) - lowest)) / total
    off = np.abs(said.inclusion - inclusion)
    return {
        "inclusion": float(off.max()),
        "stated": said.accuracy.largest_error,
        "covered": bool(np.all(off <= 2.0 * said.accuracy.largest_error)),
        "sizes": float(np.abs(said.sizes - sizes).max()),
        "exactly": float(abs(said.exactly - exactly)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=100, help="of each shape")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"commit {commit()}")
    print("rows columns problems  inclusion: median, 95 %, largest  stated  covered  sizes exactly")
    for shape in SHAPES:
        with parallel_config(backend="loky", inner_max_num_threads=1):
            rows = Parallel(n_jobs=options.jobs)(
                delayed(compared)(shape, i) for i in range(options.problems)
            )
        values = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        median, most, largest = np.quantile(values["inclusion"], [0.5, 0.95, 1.0])
        sizes, exactly = (np.quantile(values[name], 0.95) for name in ("sizes", "exactly"))
        print(
            f"{shape[0]:4} {shape[1]:7} {len(rows):8}  {median:17.3f} {most:5.3f} {largest:8.3f}"
            f"  {np.median(values['stated']):6.3f} {values['covered'].mean():8.1%}"
            f"  {sizes:5.3f} {exactly:7.3f}"
        )


if __name__ == "__main__":
    main()
