"""Does a credible group hold a true column as often as it says, and how large is it?

    python benchmarks/credible_groups.py --jobs 2

Two kinds of problems, in which exact recovery is often impossible. *Blocks*: 60 columns in blocks
of ten with correlation 0.9, 40 to 200 rows, 2 to 6 true columns of one size, signal-to-noise ratios
from 1 to 20. *Neighbours*: Hastie, Tibshirani and Tibshirani's beta-type 2, 100 rows, 1000 columns,
the first five true, Cov(x_l, x_m) = ρ^|l−m| with ρ = 0.35 and 0.7, ratios 2.07 and 6. K comes from
the data. A group covers if one of its columns is true.
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from projstg import ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import commit

ROOT, LEVEL = 20261116, 0.95
NEIGHBOURS = {
    f"neighbours, ρ = {rho}": {
        "n_samples": 100,
        "n_features": 1000,
        "n_informative": 5,
        "design": "toeplitz",
        "rho": rho,
        "positions": "first",
        "signal": "ones",
        "snr": snr,
    }
    for rho, snr in ((0.35, 2.07), (0.7, 6.0))
}


def blocks(index):
    """The setting of one problem with blocks of correlated columns."""
    rng = np.random.default_rng([ROOT, index])
    return {
        "n_samples": int(np.exp(rng.uniform(*np.log([40, 200])))),
        "n_features": 60,
        "n_informative": int(rng.integers(2, 7)),
        "design": "block",
        "rho": 0.9,
        "snr": float(np.exp(rng.uniform(*np.log([1, 20])))),
    }


def trial(kind, index):
    """One row for each group: stated, covered, size, weakest correlation; and what was selected."""
    setting = NEIGHBOURS.get(kind) or blocks(index)
    problem = make_sparse_regression(**setting, root=ROOT, repetition=index)
    model = ProjectedSTG().fit(problem.X, problem.y)
    groups = [
        (
            group.probability,
            bool(problem.support[group.features].any()),
            len(group.features),
            group.weakest_correlation,
        )
        for group in model.credible_groups(LEVEL)
    ]
    is_exact = bool(np.array_equal(model.support_, problem.support))
    return groups, is_exact, int(problem.support.sum())


def show(kind, outcomes):
    """Print coverage beside what was stated, over all problems of a kind."""
    groups = np.asarray([group for own, _, _ in outcomes for group in own])
    n_true = sum(k for _, _, k in outcomes)
    by_problem = [np.sum([s - c for s, c, _, _ in own]) for own, _, _ in outcomes]
    error = np.sqrt(np.sum(np.square(by_problem))) / len(groups)
    sizes = groups[:, 2]
    print(
        f"{kind}: {len(outcomes)} problems, {np.mean([e for _, e, _ in outcomes]):.2f} recovered "
        f"exactly; {len(groups)} groups for {n_true} true columns\n"
        f"   stated {groups[:, 0].mean():.3f}, covered {groups[:, 1].mean():.3f} "
        f"(standard error {error:.3f}, by problem)\n"
        f"   sizes: one {np.mean(sizes == 1):.2f}, two or three "
        f"{np.mean((sizes == 2) | (sizes == 3)):.2f}, more {np.mean(sizes > 3):.2f}, "
        f"largest {sizes.max():.0f}; of more than one: covered "
        f"{groups[sizes > 1, 1].mean():.3f} of {np.sum(sizes > 1)}, weakest correlation "
        f"{np.median(groups[sizes > 1, 3]):.2f} in the median"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=400, help="of each kind")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"level {LEVEL}, commit {commit()}")
    for kind in ("blocks", *NEIGHBOURS):
        run = Parallel(options.jobs)(delayed(trial)(kind, i) for i in range(options.problems))
        show(kind, run)


if __name__ == "__main__":
    main()
