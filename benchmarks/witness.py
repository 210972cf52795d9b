"""Does the default miss a support that its own posterior prefers by far?

    python benchmarks/witness.py --jobs 2 --json docs/witness.jsonl
    python benchmarks/witness.py --json docs/witness.jsonl --show
    python benchmarks/witness.py --jobs 2 --mode stopped --cells "60 2000" --problems 600
    python benchmarks/witness.py --jobs 2 --mode seeds --problems 60

The second command prints the table from the file alone; a run that was stopped goes on from it.
"stopped" has a callback that stops the search of sizes before its end, so that it misses more:
``accuracy_.is_accurate`` should be false in these. "seeds" fits with two seeds, and says how often
they give different answers, and whether one of the two then says that it is not accurate.

The witnesses of a problem are the true columns, and the fit that is told their number. If the
better of them costs less than the answer of "auto" by more than 6 (−2 log, so e³ = 20 times as
likely), then "auto" has missed it: it searched too little, whatever is true. Costs are those of the
posterior: the evidence and the prior, computed anew for all three supports.

Settings were chosen with ``--tune``: other cells, and problems from another root.
"""

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_config

from projstg import ProjectedSTG
from projstg._core.data.standard_table import as_tables
from projstg._core.data.wide_problem import MANY_COLUMNS
from projstg._core.data.wide_table import wide_table
from projstg._core.pipeline.largest_size import largest_size
from projstg._core.posterior.target import target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.prior import size_prior
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import commit

ROOTS = {"report": 20261119, "tune": 7}
# Rows, columns, K.
SHAPES = {
    "report": ((40, 64, 6), (40, 200, 7), (60, 1000, 6), (60, 2000, 8), (150, 10_000, 12)),
    "tune": ((50, 2000, 6), (60, 2000, 8), (80, 2000, 10), (45, 500, 7), (50, 100, 9)),
}
DESIGNS = {
    "iid": {"design": "gaussian"},
    "AR": {"design": "toeplitz", "rho": 0.8},
    "blocks": {"design": "block", "rho": 0.64, "block_size": 10},
    "factors": {"design": "gaussian"},
}
SNRS = (5.0, 30.0, 60.0)
MISSED, BLOCK = 6.0, 10


def cells(which):
    """(rows, columns, K, design, signal-to-noise ratio)."""
    return [(*shape, *rest) for shape in SHAPES[which] for rest in product(DESIGNS, SNRS)]


def drawn(which, cell, index):
    """X, y and the true columns."""
    n, d, k, design, snr = cell
    setting = {"n_samples": n, "n_features": d, "n_informative": k, **DESIGNS[design]}
    problem = make_sparse_regression(**setting, snr=snr, root=ROOTS[which], repetition=index)
    X, truth = problem.X, np.flatnonzero(problem.support)
    if design != "factors":
        return X, problem.y, truth
    # Five common factors have half of the variance of each column.
    rng = np.random.default_rng([ROOTS[which], index, n, d, k])
    common = rng.standard_normal((n, 5)) @ rng.standard_normal((5, d)) / np.sqrt(5.0)
    X = (X + common) / np.sqrt(2.0)
    signal = X @ problem.coef
    noise = np.std(signal) / np.sqrt(snr) * rng.standard_normal(n)
    return X, signal + noise, truth


def target_of(X, y):
    """What the posterior of "auto" is proportional to."""
    if X.shape[1] > MANY_COLUMNS:
        table = wide_table(X, y, None, centre=True, never=np.zeros(X.shape[1], dtype=bool))
    else:
        table = as_tables(X[None], y[None])
    problem = table.problem(0)
    nobody, n_free = np.zeros(X.shape[1], dtype=bool), int(np.sum(problem.diagonal > 0.0))
    prior = size_prior(0, largest_size(problem, n_free), n_free)
    return target(problem, CRITERIA["common-size"], prior, always=nobody)


class Stop:
    """A callback that stops the search of sizes as soon as it may be stopped."""

    def setup(self, estimator, context):
        """Begin."""

    def teardown(self, estimator, context):
        """End."""

    def on_fit_task_begin(self, estimator, context):
        """Nothing is done."""

    def on_fit_task_end(self, estimator, context):
        """Ask to stop after a step of that stage."""
        return context.task_name == "step" and context.parent.task_name == "sizes"


def one(which, cell, index, mode):
    """How much the better witness costs less than "auto", and what "auto" says."""
    X, y, truth = drawn(which, cell, index)
    auto = ProjectedSTG()
    if mode == "stopped":
        auto.set_callbacks(Stop())
    auto.fit(X, y)
    other = {}
    if mode == "seeds":
        again = ProjectedSTG(random_state=1).fit(X, y)
        other["same"] = bool(np.array_equal(auto.support_, again.support_))
        other["both"] = bool(auto.accuracy_.is_accurate and again.accuracy_.is_accurate)
    given = ProjectedSTG(len(truth), probabilities=False).fit(X, y)
    of = target_of(X, y)
    costs = [of.cost(np.flatnonzero(mask)) for mask in (auto.support_, given.support_)]
    costs.append(of.cost(truth))
    return other | {
        "cell": list(cell),
        "index": index,
        "behind": costs[0] - min(costs[1:]),
        "none": float(auto.size_probability_[0]) if auto.size_probability_ is not None else 0.0,
        "auto": bool(np.array_equal(np.flatnonzero(auto.support_), truth)),
        "given": bool(np.array_equal(np.flatnonzero(given.support_), truth)),
        "accurate": bool(auto.accuracy_ is not None and auto.accuracy_.is_accurate),
    }


def show(rows):
    """A line for each cell, and the pooled share of misses."""
    print(" rows columns  K design    SNR problems given  auto missed none>.5 accurate")
    by_cell = {}
    for row in rows:
        by_cell.setdefault(tuple(row["cell"]), []).append(row)
    for cell in [*sorted(by_cell, key=str), None]:
        own = rows if cell is None else by_cell[cell]
        missed = [row for row in own if row["behind"] > MISSED]
        name = "{:5} {:7} {:2} {:8} {:4.0f}".format(*cell) if cell else f"{'pooled':29}"
        given, auto = (np.mean([row[kind] for row in own]) for kind in ("given", "auto"))
        none, accurate = (sum(row[kind] > 0.5 for row in missed) for kind in ("none", "accurate"))
        share = len(missed) / len(own)
        print(f"{name} {len(own):8} {given:5.2f} {auto:5.2f} {share:6.2%} {none:7} {accurate:5}")
    missed = [row for row in rows if row["behind"] > MISSED]
    doubtful = sum(not row["accurate"] for row in missed)
    print(f"not accurate: {doubtful} of {len(missed)} missed,", end=" ")
    rest = [row for row in rows if row["behind"] <= MISSED]
    print(f"{sum(not row['accurate'] for row in rest)} of {len(rest)} others")
    asked = [row for row in rows if "same" in row]
    if asked:
        apart = [row for row in asked if not row["same"]]
        alike = [row for row in asked if row["same"]]
        print(f"two seeds differ in {len(apart)} of {len(asked)},", end=" ")
        print(f"{sum(not row['both'] for row in apart)} of them not accurate;", end=" ")
        print(f"of the others {sum(not row['accurate'] for row in alike)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=300, help="of each cell")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--show", action="store_true", help="the table of the file")
    parser.add_argument("--tune", action="store_true", help="the cells that settings are chosen on")
    parser.add_argument("--mode", choices=("plain", "stopped", "seeds"), default="plain")
    parser.add_argument("--cells", help="those of which the name, as printed, has this")
    options = parser.parse_args()
    which = "tune" if options.tune else "report"
    rows = []
    if options.json and options.json.exists():
        rows = [json.loads(line) for line in options.json.read_text("utf-8").splitlines()]
    if options.show:
        show(rows)
        return
    asked = [cell for cell in cells(which) if (options.cells or "") in " ".join(map(str, cell))]
    if not asked:
        parser.error(
            f"no cell has {options.cells!r}; give a part of one like '60 2000 8 iid 30.0'."
        )
    done = {(tuple(row["cell"]), row["index"]) for row in rows}
    print(f"commit {commit()}")
    for cell in asked:
        left = [i for i in range(options.problems) if (cell, i) not in done]
        with parallel_config(backend="loky", inner_max_num_threads=1):
            new = Parallel(n_jobs=options.jobs)(
                delayed(one)(which, cell, i, options.mode) for i in left
            )
        rows += new
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in new)
    show(rows)


if __name__ == "__main__":
    main()
