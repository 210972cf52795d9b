r"""How correlated the columns of a table are, as a whole: the eigenvalues of their correlations.

X (N, D) has as many that are not zero from XXᵀ as from XᵀX: the smaller one is decomposed. Where
both are large some of the columns are looked at, since an average over pairs and larger sets of
columns is known well enough from them.

Columns that must be selected are taken out of the others first (:mod:`.partial_out`), and their own
eigenvalues are kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kernel import library
from ..kernel.twin import answered_by
from .determined_directions import SMALLEST_SHARE
from .partial_out import without_part
from .problem import Problem

__all__ = ["ColumnSpectrum", "column_spectra"]

# An average over sets of columns as large as supports hardly differs where more are looked at.
_MOST = 250
# A larger matrix takes LAPACK less time than the kernel.
_MOST_COMPILED = 100


class ColumnSpectrum(NamedTuple):
    """The eigenvalues of XᵀX/n, where columns have the squared norm n."""

    values: np.ndarray
    """(M,): of the columns that may be selected, largest first. All others are zero. Those beyond
    ``n_columns`` are of no column."""
    n_columns: int
    """How many columns may be selected; those looked at, where some are left out."""
    forced: np.ndarray
    """(F,): of the columns that must be selected, as far as they are independent."""


def _is_for_kernel(matrices: Sequence[np.ndarray]) -> bool:
    """Return whether the kernel takes less time: the matrices are small."""
    return len(matrices[0]) <= _MOST_COMPILED


def _by_kernel(matrices: Sequence[np.ndarray]) -> np.ndarray:
    B, K = len(matrices), len(matrices[0])
    values, work = np.empty((B, K)), np.empty((K + 4) * K)
    of = {"B": B, "K": K, "matrices": matrices, "values": values, "work": work}
    library.KERNEL.projstg_eigenvalues(library.EigenvaluesRecord.of(**of))
    return np.sort(values)


@answered_by(_by_kernel, where=_is_for_kernel)
def _eigenvalues(matrices: Sequence[np.ndarray]) -> np.ndarray:
    """Return the eigenvalues of symmetric matrices (K, K), (B, K), in increasing order."""
    return np.linalg.eigvalsh(np.stack(matrices))


def column_spectra(problems: Sequence[Problem], always: np.ndarray) -> list[ColumnSpectrum]:
    """Return those of problems of one shape; ``always``, (D,), are the columns that must be in."""
    products, counts, forced = zip(*(_products(one, always) for one in problems), strict=True)
    n = np.asarray([problem.n for problem in problems])
    values = np.maximum(_eigenvalues(products)[:, ::-1], 0.0) / n[:, None]
    return [ColumnSpectrum(*of) for of in zip(values, counts, forced, strict=True)]


def _products(problem: Problem, always: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """Return what has the eigenvalues of XᵀX, and the other fields of the spectrum."""
    forced, columns = np.flatnonzero(always), np.flatnonzero((problem.diagonal > 0.0) & ~always)
    left, own = problem, np.zeros(0)
    if forced.size:
        left = without_part(problem, forced)
        own = np.linalg.eigvalsh(problem.products(forced))
        own = own[own > SMALLEST_SHARE * own[-1]]
    X, is_all = left.X, columns.size == problem.b.size
    if X is not None and len(X) < min(columns.size, _MOST + 1):
        X = X if is_all else X[:, columns]
        small = X @ X.T
    elif is_all and columns.size <= _MOST:
        small = left.G
    else:
        if columns.size > _MOST:
            columns = np.sort(np.random.default_rng(0).choice(columns, _MOST, replace=False))
        small = left.products(columns)
    return small, columns.size, own / problem.n
