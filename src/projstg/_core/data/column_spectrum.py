r"""How correlated the columns of a table are, as a whole: the eigenvalues of their correlations.

X (N, D) has as many that are not zero from XXᵀ as from XᵀX: the smaller one is decomposed. Where
both are large some of the columns are looked at, since an average over pairs and larger sets of
columns is known well enough from them.

Columns that must be selected are taken out of the others first (their least-squares part, as in
:mod:`.partial_out`), and their own eigenvalues are kept apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays.backend import to_numpy
from .determined_directions import SMALLEST_SHARE
from .quadratic import Problem, RowQuadratic

__all__ = ["ColumnSpectrum", "column_spectrum"]

# Of 800 columns, independent or correlated by up to 0.9, so many give the logarithm of a mean over
# sets of up to fifty columns to 0.05; a hundred give it to 0.7.
_MOST = 250


class ColumnSpectrum(NamedTuple):
    """The eigenvalues of XᵀX/n of each problem, whose columns have the squared norm n."""

    values: np.ndarray
    """(B, M): of the columns that may be selected, largest first. All others are zero. Those beyond
    ``n_columns`` are of no column."""
    n_columns: np.ndarray
    """(B,): how many columns may be selected; those looked at, where some are left out."""
    forced: np.ndarray
    """(B, F): of the columns that must be selected, as far as they are independent; then ones."""
    n_forced: np.ndarray
    """(B,): how many these are."""


def column_spectrum(problem: Problem, always: np.ndarray) -> ColumnSpectrum:
    """Return that of standardised problems; ``always``, (D,), are the columns that must be in."""
    n = np.broadcast_to(to_numpy(problem.n), problem.b.shape[:1]).astype(float)[:, None]
    varies = (to_numpy(problem.diagonal) > 0.0) & ~always
    columns, forced = np.flatnonzero(varies.any(axis=0)), np.flatnonzero(always)
    n_rows = problem.X.shape[-2] if isinstance(problem, RowQuadratic) else columns.size
    if min(columns.size, n_rows) > _MOST:
        columns = np.sort(np.random.default_rng(0).choice(columns, _MOST, replace=False))
    if isinstance(problem, RowQuadratic) and n_rows < columns.size:
        small, own = _of_rows(to_numpy(problem.X), columns, forced)
    else:
        small, own = _of_columns(_inner_products(problem, np.append(columns, forced)), forced.size)
    counts = own > SMALLEST_SHARE * np.max(own, axis=-1, keepdims=True, initial=0.0)
    return ColumnSpectrum(
        np.maximum(np.linalg.eigvalsh(small)[:, ::-1], 0.0) / n,
        np.sum(varies[:, columns], axis=1),
        np.where(counts, own / n, 1.0),
        np.sum(counts, axis=1),
    )


def _of_rows(
    X: np.ndarray, columns: np.ndarray, forced: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return XXᵀ, (B, N, N), of columns without the forced ones' part, and those's eigenvalues."""
    X, must = X[..., columns].astype(float), X[..., forced].astype(float)
    if not forced.size:
        return X @ X.swapaxes(-1, -2), np.empty((len(X), 0))
    U, roots, _ = np.linalg.svd(must, full_matrices=False)
    U = U * (roots > SMALLEST_SHARE**0.5 * np.max(roots, axis=-1, keepdims=True))[..., None, :]
    X = X - U @ (U.swapaxes(-1, -2) @ X)
    return X @ X.swapaxes(-1, -2), roots * roots


def _of_columns(G: np.ndarray, n_forced: int) -> tuple[np.ndarray, np.ndarray]:
    """Return XᵀX, (B, M, M), and the same, where G (B, M + F, M + F) has the forced ones last."""
    if not n_forced:
        return G, np.empty((len(G), 0))
    size = G.shape[-1] - n_forced
    must, beside = G[:, size:, size:], G[:, size:, :size]
    inverse = np.linalg.pinv(must, rtol=SMALLEST_SHARE, hermitian=True)
    left = G[:, :size, :size] - beside.swapaxes(-1, -2) @ inverse @ beside
    return left, np.linalg.eigvalsh(must)


def _inner_products(problem: Problem, columns: np.ndarray) -> np.ndarray:
    """Return G at columns (M,), (B, M, M); all of it is formed only where most columns are in."""
    if isinstance(problem, RowQuadratic) and problem.b.shape[1] > 4 * _MOST:
        X = to_numpy(problem.X)[..., columns].astype(float)
        return X.swapaxes(-1, -2) @ X
    G = to_numpy(problem.gram.G)
    return G[..., columns[:, None], columns].astype(float, copy=False)
