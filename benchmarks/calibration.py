"""Is the posterior computed as it is defined? Problems are drawn from the prior itself.

    python benchmarks/calibration.py --jobs 2 [--problems 1000]

Simulation-based calibration of ``criterion="evidence"``: κ from the grid, K from its prior (or
given), a support that is accepted with the prior of its columns at κ, coefficients N(0, σ²/κ) of
columns at mean square one, σ = 1. The grid is cut to 0.1 … 30, in the draws and in the fit alike,
so that probabilities of all sizes occur. Whatever is stated must then happen as
often: a gap is an error of computing, not of the prior. A *miss* is a gap beyond 0.05 and beyond
2.5 standard errors, clustered by problem, in a bin of at least 200 cases (100 problems for
supports).
"""

import argparse
from dataclasses import replace

import numpy as np
from worlds import in_bins, in_one_bin, in_parallel, print_table, reliability

from projstg import ProjectedSTG
from projstg._core.data.column_spectrum import column_spectrum
from projstg._core.data.standard_table import as_table
from projstg._core.score import criterion as scoring
from projstg._core.score.prior import log_mean_determinants, size_prior
from projstg._core.score.score_settings import SCORE
from projstg.datasets import make_sparse_regression

ROOT, KINDS = 20261203, ("given", "free")
DESIGNS = (
    {"design": "gaussian"},
    {"design": "toeplitz", "rho": 0.7},
    {"design": "block", "rho": 0.6},
    {"design": "equicorrelated", "rho": 0.4},
)
COLUMNS, ROWS, MOST_GIVEN = (12, 24, 40), (30, 90), 8
TOLERANCE = 0.05
KAPPA = 10.0 ** np.arange(-1.0, 1.75, 0.5)


def judge():
    """The criterion of the draws: effects around zero, over fewer ridges."""
    n = KAPPA.size
    ridges = scoring.Ridges(KAPPA, np.full(n, 2.0 * np.log(n)), np.full(n, np.inf))
    return replace(scoring.CRITERIA["evidence"], ridges=ridges)


def ridge_and_size(rng, prior, of, n):
    """A ridge and a size, from their priors divided by what the columns take on average."""
    means = log_mean_determinants(of, np.full(1, float(n)), KAPPA, prior.size - 1)[0]
    weights = np.exp(prior - 0.5 * means)
    place = rng.choice(weights.size, p=weights.ravel() / weights.sum())
    i, k = np.unravel_index(place, weights.shape)
    return KAPPA[i], int(k)


def prior_of_columns(R, n, kappa):
    """The prior of a support, from the correlations of its columns, at a ridge."""
    values, soft = np.linalg.eigvalsh(R), SCORE.repeated
    left = (n * values + kappa) / (n + kappa)
    return np.sqrt(np.prod(left * values * (1.0 + soft) / (values + soft)))


def drawn(kind, index):
    """A table, its response, and the support, all from the prior."""
    rng = np.random.default_rng([ROOT, KINDS.index(kind), index])
    n, d = int(np.exp(rng.uniform(*np.log(ROWS)))), int(rng.choice(COLUMNS))
    design = DESIGNS[rng.integers(len(DESIGNS))]
    X = make_sparse_regression(n, d, 1, noise_std=1.0, **design, root=ROOT, repetition=index).X
    X = X - X.mean(axis=0)
    X = X / np.sqrt(np.mean(X**2, axis=0))
    R = X.T @ X / n
    of = column_spectrum(as_table(X[None], X[None, :, 0]).problem, np.zeros(d, dtype=bool))
    prior = size_prior(0, min(d, n - 3), d)
    if kind == "given":
        prior = np.where(np.arange(prior.size) == rng.integers(1, MOST_GIVEN + 1), 0.0, -np.inf)
    while True:
        kappa, k = ridge_and_size(rng, prior, of, n)
        support = rng.choice(d, k, replace=False)
        if rng.random() < prior_of_columns(R[np.ix_(support, support)], n, kappa):
            break
    beta = rng.standard_normal(k) / np.sqrt(kappa)
    y = X[:, support] @ beta + rng.standard_normal(n)
    return X, y, np.isin(np.arange(d), support)


def trial(kind, index):
    """What was stated of one problem, in bins, and what was true."""
    scoring.CRITERIA["evidence"] = judge()
    X, y, truth = drawn(kind, index)
    size = int(truth.sum()) if kind == "given" else "auto"
    model = ProjectedSTG(size, criterion="evidence").fit(X, y)
    chosen = model.support_
    return {
        "inclusion": in_bins(model.inclusion_probability_, truth),
        "exactly": in_one_bin(model.support_probability_, np.array_equal(chosen, truth)),
        "all belong": in_one_bin(model.all_belong_probability_, not np.any(chosen & ~truth)),
        "method": model.accuracy_.method,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000, help="of each kind")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    for kind in KINDS:
        questions = [(kind, index) for index in range(options.problems)]
        rows = in_parallel(trial, questions, options.jobs)
        methods = [row["method"] for row in rows]
        counts = ", ".join(f"{methods.count(one)} {one}" for one in sorted(set(methods)))
        print(f"\nK {kind}: {len(rows)} problems, {counts}")
        for name in ("inclusion", "exactly", "all belong"):
            lines = reliability([row[name] for row in rows], name, TOLERANCE)
            print_table(name, lines)


if __name__ == "__main__":
    main()
