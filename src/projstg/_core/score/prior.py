r"""The prior over supports: of their sizes, and of the supports of one size.

A support S of K columns has the prior

    prior(K)/C(D, K) · (|C_SS|/|C|_K)^½ · (|R_SS|/|R_SS + εI|)^½ (1 + ε)^(K/2).

* log prior(K) is :func:`size_prior`, log C(D, K) is :func:`log_supports`; :func:`costs_of_sizes`
  has both.
* **No credit for correlation.** R are the correlations of the columns, and C are those that a ridge
  leaves, (G + κI)/(n + κ): ones on the diagonal, the others multiplied by n/(n + κ). The evidence
  at κ has the factor |I + G_SS/κ|^−½, the *volume* of the prior of the coefficients, which is
  larger for correlated columns: independent priors of coefficients make a copy of a column cheap.
  With |C_SS|^½ it is (1 + n/κ)^(−K/2), as if columns were not correlated, and no determinant is
  left (:func:`volumes`).
* **Relative to its size.** |C|_K is the mean of |C_SS| over all supports of K columns of the table
  (that contain those which must be selected). So a support loses this prior only to others of its
  size, and sizes have about the prior they are given, however correlated the columns are and
  however few the rows, by which independent columns are correlated, too. (With the mean of the
  roots they would have it exactly, but that has no closed form.)
* **No repetition** (*dilution*). An eigenvalue λ of R_SS far below ε says that one of the columns
  repeats others; it has the root of λ(1 + ε)/(λ + ε) as a factor, zero where columns depend on each
  other, and nearly one where λ is far above ε. It is part of a support's score
  (:func:`spectral_dilution`, :mod:`.dilution`). It is not relative to a size: where many columns
  are nearly the same, large supports have less prior than their size was given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from ..data.column_spectrum import ColumnProducts, column_products
from ..data.problem import Problem
from ..kernel import library
from ..kernel.twin import answered_by
from .score_settings import SCORE

__all__ = [
    "costs_of_sizes",
    "log_mean_determinants",
    "log_supports",
    "size_prior",
    "spectral_dilution",
    "volumes",
]


def log_supports(n_columns: int, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of supports of each size among ``n_columns``."""
    return gammaln(n_columns + 1.0) - gammaln(sizes + 1.0) - gammaln(n_columns - sizes + 1.0)


def size_prior(k_min: int, k_max: int, n_columns: int) -> np.ndarray:
    """Return the log prior of sizes 0 … K_max, (K_max + 1,): −∞ below K_min and above D.

    From K_min on it is the beta-binomial distribution with parameters 1 and 3, in proportion to
    (D − K + 1)(D − K + 2), D = ``n_columns`` being the number of columns that could be selected: a
    mild pull to few columns, which expects a quarter of them. A uniform prior gives the one full
    support of a narrow table as much as all supports of half its columns together
    (docs/how_sure.md).
    """
    prior, most = np.full(k_max + 1, -np.inf), min(k_max, n_columns)
    left = n_columns - np.arange(k_min, most + 1)
    prior[k_min : most + 1] = np.log((left + 1.0) * (left + 2.0))
    return prior - np.logaddexp.reduce(prior)


def log_mean_determinants(
    values: np.ndarray, n_columns: int, n: float, kappa: np.ndarray, most: int
) -> np.ndarray:
    """Return log of the mean of |C_SS| over all S of each size 0 … ``most``, (R, most + 1).

    κ is (R,); ``values`` are the eigenvalues λ of XᵀX/n, largest first, those left out being zero.
    The eigenvalues of C are c = (nλ + κ)/(n + κ), and the sum over all S of one size is their
    elementary symmetric polynomial. One eigenvalue after another, the m-th makes the mean
    (m − K)/m times what it was, plus K c/m times the mean for K − 1: all terms are positive. Where
    λ = 0, the mean is c^K. Sizes larger than the number of columns have the last of those that
    exist.
    """
    sizes, m = np.arange(most + 1), max(n_columns - values.size, 0)
    with np.errstate(divide="ignore"):
        alone = sizes * np.log(kappa / (n + kappa))[:, None]
        logs = np.where(sizes <= m, alone, -np.inf)
        for value in values[: n_columns - m]:
            m += 1
            c = np.log((n * value + kappa) / (n + kappa))[:, None]
            longer = logs + np.log(np.maximum(m - sizes, 0) / m)
            with_it = logs[:, :-1] + c + np.log(sizes[1:] / m)
            longer[:, 1:] = np.logaddexp(longer[:, 1:], with_it)
            logs = longer
    return _filled(logs, n_columns)


def _filled(logs: np.ndarray, n_columns: int) -> np.ndarray:
    if logs.shape[1] > n_columns:
        logs[:, n_columns + 1 :] = logs[:, n_columns, None]
    return logs


def _compiled_means(
    of: Sequence[ColumnProducts], n: np.ndarray, kappa: np.ndarray, most: int
) -> list[np.ndarray]:
    """Return what :func:`_means` returns, by the compiled kernel."""
    logs = np.empty((len(of), most + 1, kappa.size))
    means = library.MeansRecord.of(
        B=len(of),
        M=len(of[0].matrix),
        n_columns=np.asarray([one.n_columns for one in of]),
        matrices=[one.matrix for one in of],
        n=n,
        R=kappa.size,
        n_sizes=most + 1,
        kappa=np.ascontiguousarray(kappa),
        logs=logs,
    )
    if library.KERNEL.projstg_mean_determinants(means):
        raise MemoryError(f"no memory for the prior of supports of up to {most} columns")
    return [_filled(own.T, one.n_columns) for own, one in zip(logs, of, strict=True)]


@answered_by(_compiled_means)
def _means(
    of: Sequence[ColumnProducts], n: np.ndarray, kappa: np.ndarray, most: int
) -> list[np.ndarray]:
    """Return :func:`log_mean_determinants` for matrices of one shape; n is (B,)."""
    return [
        log_mean_determinants(one.spectrum(rows), one.n_columns, rows, kappa, most)
        for one, rows in zip(of, n.tolist(), strict=True)
    ]


def volumes(
    problems: Sequence[Problem], kappa: np.ndarray, most: int, always: np.ndarray
) -> list[np.ndarray]:
    """Return −2 log of volume and prior together, (1 + n/κ)^(−K/2)/|C|_K^½, each (R, most + 1).

    They are those of sizes 0 … ``most`` of problems of one shape; κ is (R,). Beside columns that
    must be selected, ``always`` (D,), |C|_K is their determinant times the mean of what is left of
    the others, all of which least squares, not a ridge, takes out: this is exact for small and for
    large κ.
    """
    sizes, n = np.arange(most + 1), np.asarray([problem.n for problem in problems])
    of = [column_products(problem, always) for problem in problems]
    found = []
    for relative, forced, rows in zip(
        _means(of, n, kappa, most), (one.forced for one in of), n.tolist(), strict=True
    ):
        if forced.size:
            own = (rows * forced + kappa[:, None]) / (rows + kappa[:, None])
            relative = relative[:, np.maximum(sizes - forced.size, 0)]
            relative = relative + np.sum(np.log(own), axis=-1)[:, None]
        found.append(sizes * np.log1p(rows / kappa)[:, None] + relative)
    return found


def spectral_dilution(values: np.ndarray, n: float) -> np.ndarray:
    """Return −2 log of the part against repetition, from eigenvalues of G_SS, (..., K).

    Zeros are left out.
    """
    is_null, repeated = values == 0.0, SCORE.repeated
    shares = np.where(is_null, 1.0, values / n)
    return np.sum(np.log((shares + repeated) / (shares * (1.0 + repeated))), axis=-1)


def costs_of_sizes(log_prior: np.ndarray, n_free: int, n_locked: int) -> np.ndarray:
    """Return −2 log of what the size adds to a support's prior, infinite where there are none.

    ``log_prior`` has one entry for each size 0 … K_max, −∞ for sizes not asked for; ``n_free``
    columns could be selected, of which ``n_locked`` must be.
    """
    sizes = np.arange(log_prior.size)
    asked = np.isfinite(log_prior) & (sizes >= n_locked) & (sizes <= n_free)
    costs = np.full(sizes.size, np.inf)
    choices = log_supports(n_free - n_locked, sizes[asked] - n_locked)
    costs[asked] = 2.0 * (choices - log_prior[asked])
    return costs
