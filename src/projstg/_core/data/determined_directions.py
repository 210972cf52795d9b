r"""Least squares on K columns along the eigenvectors of their Gram matrix, and the rule for rank.

With G_SS = VΛVᵀ and c = Vᵀb_S, least squares has the coefficient c_d/λ_d along direction d and
takes c_d²/λ_d off the residual. Scores, coefficients, standard errors and ranks all come from this
one decomposition, so that they belong to the same fit.

**One rule for rank.** A direction with λ ≤ 10⁻¹² of the largest is not determined by the rows (the
columns, standardised, agree to six digits): it takes nothing off the residual, and the coefficients
along it are zero, which is the solution of minimum norm. Six digits, because λ is a square: 10⁻¹²
of λ is 10⁻⁶ of a length, and below that XᵀX holds only rounding.

**On the rows.** The rounding of the Gram matrix is divided by the smallest λ, as a share of the
largest, and by the residual, as a share of yᵀy. Where the product of the two shares is below 10⁻⁵
and the rows are available, the same directions come from the singular values of X_S = U√Λ Vᵀ, and
the residual from y − UUᵀy itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .problem import Problem

__all__ = [
    "ENOUGH_DIGITS",
    "SMALLEST_SHARE",
    "Spectrum",
    "coefficients",
    "lacks_digits",
    "on_rows",
    "spectrum",
    "without_digits",
]

SMALLEST_SHARE = 1e-12
"""A direction is determined if its eigenvalue is above this share of the largest."""
ENOUGH_DIGITS = 1e-5
"""The share above which sums of squares have enough digits.

Their rounding is some 10⁻¹⁵ of the whole, so that a residual has nine digits at least.
"""
# This many numbers (8 MB) are decomposed at once.
_AT_ONCE = 1_000_000


class Spectrum(NamedTuple):
    """Supports along their directions; λ, c and c²/λ are zero where not determined."""

    values: np.ndarray
    """λ, (..., K)."""
    vectors: np.ndarray
    """V, (..., K, K)."""
    along: np.ndarray
    """c, (..., K)."""
    taken: np.ndarray
    """c²/λ, (..., K)."""
    rss: np.ndarray
    """The residual sum of squares, (...)."""


def spectrum(G: np.ndarray, b: np.ndarray, yy: np.ndarray | float) -> Spectrum:
    """Return the directions of supports with G_SS (..., K, K), b_S (..., K) and yᵀy (...)."""
    values, vectors = np.linalg.eigh(G)
    return _along(values, vectors, (b[..., None, :] @ vectors)[..., 0, :], yy)


def _along(
    values: np.ndarray, vectors: np.ndarray, along: np.ndarray, yy: np.ndarray | float
) -> Spectrum:
    """Return the directions, with zeros where the rule for rank says: not determined."""
    K = values.shape[-1]
    if K == 0:
        return Spectrum(values, vectors, along, along, np.broadcast_to(yy, values.shape[:-1]))
    smallest = max(SMALLEST_SHARE, K * float(np.finfo(values.dtype).eps))
    determined = values > smallest * np.max(values, axis=-1, keepdims=True)
    along = np.where(determined, along, 0.0)
    taken = along * along / np.where(determined, values, 1.0)
    rss = yy - np.sum(taken, axis=-1)
    return Spectrum(np.where(determined, values, 0.0), vectors, along, taken, rss)


def coefficients(of: Spectrum, along: np.ndarray | None = None) -> np.ndarray:
    """Return G_SS⁺ b_S, (..., K), or G_SS⁺ r for another right-hand side r with ``along`` = Vᵀr."""
    along = of.along if along is None else along
    is_null = of.values == 0.0
    inside = np.where(is_null, 0.0, along) / np.where(is_null, 1.0, of.values)
    return (of.vectors @ inside[..., None])[..., 0]


def on_rows(problem: Problem, members: np.ndarray, found: Spectrum) -> Spectrum:
    """Return the directions of supports ``members`` (C, K) of one problem.

    Where the Gram matrix has too few digits they are computed again from the rows, if there are
    any.
    """
    lost = without_digits(problem, found)
    if not lost.size:
        return found
    found = Spectrum(*(np.array(field) for field in found))
    columns, places = np.unique(members[lost], return_inverse=True)
    places = places.reshape(lost.size, -1)
    X, y = problem.rows_of(columns)
    size = max(1, _AT_ONCE // (len(X) * places.shape[1]))
    for first in range(0, lost.size, size):
        some = lost[first : first + size]
        parts = X.T[places[first : first + size]].swapaxes(-1, -2)
        for field, new in zip(found, _of_rows(parts, y), strict=True):
            field[some] = new
    return found


def without_digits(problem: Problem, found: Spectrum) -> np.ndarray:
    """Return which of C supports need the rows: the Gram matrix has too few digits for them."""
    if not (problem.has_rows and found.values.size):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(lacks_digits(found, problem.yy))


def lacks_digits(found: Spectrum, yy: np.ndarray | float) -> np.ndarray:
    """Return for which of C supports the Gram matrix has too few digits, (C,)."""
    largest = np.max(found.values, axis=-1, initial=0.0)
    smallest = np.min(np.where(found.values > 0.0, found.values, np.inf), axis=-1, initial=np.inf)
    share = np.where(largest > 0.0, smallest / np.where(largest > 0.0, largest, 1.0), 1.0)
    return np.asarray(share * found.rss < ENOUGH_DIGITS * yy)


def _of_rows(X: np.ndarray, y: np.ndarray) -> Spectrum:
    """Return the directions of columns X (C, N, K) and y (N,)."""
    K = X.shape[-1]
    short = K - X.shape[-2]
    if short > 0:  # rows of zeros change nothing
        X, y = np.pad(X, ((0, 0), (0, short), (0, 0))), np.pad(y, (0, short))
    U, roots, Vt = np.linalg.svd(X, full_matrices=False)
    onto = y @ U
    of = _along(roots * roots, Vt.swapaxes(-1, -2), roots * onto, np.asarray(y @ y))
    onto = np.where(of.values > 0.0, onto, 0.0)
    left = y - (U @ onto[..., None])[..., 0]
    return of._replace(taken=onto * onto, rss=np.sum(left * left, axis=-1))
