r"""How correlated the columns of a table are, as a whole: the eigenvalues of their correlations.

X (N, D) has as many that are not zero from XXᵀ as from XᵀX: the smaller one is decomposed. Where
both are large some of the columns are looked at, since an average over pairs and larger sets of
columns is known well enough from them.

Columns that must be selected are taken out of the others first (:mod:`.partial_out`), and their own
eigenvalues are kept apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .determined_directions import SMALLEST_SHARE
from .partial_out import without_part
from .quadratic import Problem, RowQuadratic, WideQuadratic, in_memory, on_host

__all__ = ["ColumnSpectrum", "column_spectrum"]

# An average over sets of columns as large as supports hardly differs where more are looked at.
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
    problem = on_host(problem)
    n, forced = problem.n.astype(float)[:, None], np.flatnonzero(always)
    varies = (problem.diagonal > 0.0) & ~always
    left = without_part(in_memory(problem), forced) if forced.size else problem
    small, columns = _smaller_side(left, np.flatnonzero(varies.any(axis=0)))
    own = np.zeros((len(n), 0))
    if forced.size:
        own = np.linalg.eigvalsh(_inner_products(problem, forced))
    counts = own > SMALLEST_SHARE * np.max(own, axis=-1, keepdims=True, initial=0.0)
    return ColumnSpectrum(
        np.maximum(np.linalg.eigvalsh(small)[:, ::-1], 0.0) / n,
        np.sum(varies[:, columns], axis=1),
        np.where(counts, own / n, 1.0),
        np.sum(counts, axis=1),
    )


def _smaller_side(problem: Problem, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return XXᵀ, (B, N, N), or XᵀX, (B, M, M), and which of ``columns`` these are of."""
    if isinstance(problem, RowQuadratic) and problem.X.shape[1] < min(columns.size, _MOST + 1):
        X = problem.X[..., columns].astype(float)
        return X @ X.swapaxes(-1, -2), columns
    if columns.size > _MOST:
        columns = np.sort(np.random.default_rng(0).choice(columns, _MOST, replace=False))
    return _inner_products(problem, columns), columns


def _inner_products(problem: Problem, columns: np.ndarray) -> np.ndarray:
    """Return XᵀX of columns (M,), (B, M, M); all of G is formed only where it is small."""
    if isinstance(problem, WideQuadratic):
        return problem.columns(columns[None]).gram.G
    if isinstance(problem, RowQuadratic) and problem.b.shape[1] > 4 * _MOST:
        X = problem.X[..., columns].astype(float)
        return X.swapaxes(-1, -2) @ X
    G: np.ndarray = problem.gram.G[:, columns[:, None], columns]
    return G.astype(float, copy=False)
