"""Is the posterior computed as it is defined? Problems are drawn from the prior itself.

    python benchmarks/calibration.py --jobs 2 [--problems 1000]

Simulation-based calibration of ``criterion="evidence"``: κ from the grid, K from its prior (or
given) and a support, by a walk under the prior itself, coefficients N(0, σ²/κ) of columns at mean
square one, σ = 1. The grid is cut to 0.1 … 30, in the draws and in the fit alike,
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
from projstg._core.data.column_spectrum import column_products, spectrum
from projstg._core.data.standard_table import as_tables
from projstg._core.score import criterion as scoring
from projstg._core.score.prior import log_mean_determinants, log_supports, size_prior
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
TOLERANCE, STEPS = 0.05, 2000
KAPPA = 10.0 ** np.arange(-1.0, 1.75, 0.5)


def judge():
    """The criterion of the draws: effects around zero, over fewer ridges."""
    n = KAPPA.size
    ridges = scoring.Ridges(KAPPA, np.full(n, 2.0 * np.log(n)), np.full(n, np.inf))
    return replace(scoring.CRITERIA["evidence"], ridges=ridges)


def prior_of_columns(R, n):
    """The log prior of a support at each ridge, from the correlations of its columns."""
    values, soft = np.linalg.eigvalsh(R)[:, None], SCORE.repeated
    left = (n * values + KAPPA) / (n + KAPPA)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.log(left * values * (1.0 + soft) / (values + soft))
    return 0.5 * np.sum(np.where(values > 0.0, factors, -np.inf), axis=0)


def from_prior(rng, X, log_prior):
    """A ridge and a support, by a Metropolis walk that begins at a size from its prior.

    A step flips a column, exchanges one for another, or draws the ridge anew.
    """
    n, d = X.shape
    R, sizes = X.T @ X / n, np.arange(log_prior.size)
    problem = as_tables(X[None], X[None, :, 0]).problem(0)
    of = column_products(problem, np.zeros(d, dtype=bool))
    means = log_mean_determinants(spectrum(of, n), of.n_columns, float(n), KAPPA, sizes[-1])
    of_size = log_prior - log_supports(d, sizes) - 0.5 * means

    def log_mass(mask):
        own = np.flatnonzero(mask)
        if own.size > sizes[-1]:
            return np.full(KAPPA.size, -np.inf)
        return of_size[:, own.size] + prior_of_columns(R[np.ix_(own, own)], n)

    mask, size = np.zeros(d, dtype=bool), rng.choice(sizes, p=np.exp(log_prior))
    mask[rng.choice(d, size, replace=False)] = True
    now, place = log_mass(mask), 0
    for step in range(STEPS):
        if step % 4 == 0:
            shares = np.exp(now - now.max()) if np.isfinite(now.max()) else np.ones(KAPPA.size)
            place = rng.choice(KAPPA.size, p=shares / shares.sum())
        other = mask.copy()
        if step % 2:
            other[rng.integers(d)] ^= True
        elif 0 < mask.sum() < d:
            other[[rng.choice(np.flatnonzero(mask)), rng.choice(np.flatnonzero(~mask))]] ^= True
        found = log_mass(other)
        if np.log(rng.random()) < found[place] - now[place] or not np.isfinite(now[place]):
            mask, now = other, found
    return KAPPA[place], mask


def drawn(kind, index):
    """A table, its response, and the support, all from the prior."""
    rng = np.random.default_rng([ROOT, KINDS.index(kind), index])
    n, d = int(np.exp(rng.uniform(*np.log(ROWS)))), int(rng.choice(COLUMNS))
    design = DESIGNS[rng.integers(len(DESIGNS))]
    X = make_sparse_regression(n, d, 1, noise_std=1.0, **design, root=ROOT, repetition=index).X
    X = X - X.mean(axis=0)
    X = X / np.sqrt(np.mean(X**2, axis=0))
    prior = size_prior(0, min(d, n - 3), d)
    if kind == "given":
        prior = np.where(np.arange(prior.size) == rng.integers(1, MOST_GIVEN + 1), 0.0, -np.inf)
    kappa, truth = from_prior(rng, X, prior)
    beta = rng.standard_normal(int(truth.sum())) / np.sqrt(kappa)
    y = X[:, truth] @ beta + rng.standard_normal(n)
    return X, y, truth


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
