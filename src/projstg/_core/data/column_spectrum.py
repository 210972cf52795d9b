r"""How correlated the columns of a table are, as a whole: what has the eigenvalues of XᵀX.

X (N, D) has as many that are not zero from XXᵀ as from XᵀX: the smaller one is taken. Where both
are large some of the columns are looked at, since an average over pairs and larger sets of columns
is known well enough from them.

Columns that must be selected are taken out of the others first (:mod:`.partial_out`), and their own
eigenvalues are kept apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .determined_directions import SMALLEST_SHARE
from .partial_out import without_part
from .problem import Problem

__all__ = ["ColumnProducts", "column_products"]

# An average over sets of columns as large as supports hardly differs where more are looked at.
_MOST = 250


class ColumnProducts(NamedTuple):
    """Inner products of columns with the squared norm n, or of rows."""

    matrix: np.ndarray
    """(M, M): XᵀX of the columns that may be selected, or XXᵀ."""
    n_columns: int
    """How many columns may be selected; those looked at, where some are left out."""
    forced: np.ndarray
    """(F,): the eigenvalues of XᵀX/n of the columns that must be selected, as far as they are
    independent."""

    def spectrum(self, n: float) -> np.ndarray:
        """Return the eigenvalues of XᵀX/n, (M,), largest first.

        All others are zero. Those beyond ``n_columns`` are of no column.
        """
        return np.maximum(np.linalg.eigvalsh(self.matrix)[::-1], 0.0) / n


def column_products(problem: Problem, always: np.ndarray) -> ColumnProducts:
    """Return those of a problem; ``always``, (D,), are the columns that must be in."""
    forced, columns = np.flatnonzero(always), np.flatnonzero((problem.diagonal > 0.0) & ~always)
    left, own = problem, np.zeros(0)
    if forced.size:
        left = without_part(problem, forced)
        own = np.linalg.eigvalsh(problem.products(forced))
        own = own[own > SMALLEST_SHARE * own[-1]]
    X, is_all = left.X, columns.size == problem.b.size
    if X is not None and len(X) < min(columns.size, _MOST + 1):
        X = X if is_all else X[:, columns]
        matrix = X @ X.T
    elif is_all and columns.size <= _MOST:
        matrix = left.G
    else:
        if columns.size > _MOST:
            columns = np.sort(np.random.default_rng(0).choice(columns, _MOST, replace=False))
        matrix = left.products(columns)
    return ColumnProducts(matrix, columns.size, own / problem.n)
