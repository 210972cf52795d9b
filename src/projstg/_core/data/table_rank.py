"""The rank of X of one problem, a batch of one, by the rule of :mod:`.determined_directions`.

Up to some hundred rows or columns it comes from the spectrum of the smaller of XᵀX and XXᵀ. For a
larger table only min(rank, K) is needed, and the first K pivots of a Cholesky factorisation give
it; its whole rank where the different rows are few.
"""

from __future__ import annotations

import numpy as np

from ..arrays.backend import to_numpy
from .determined_directions import SMALLEST_SHARE, on_rows, spectrum
from .quadratic import Problem, RowQuadratic, WideQuadratic

__all__ = ["rank_and_residual", "rank_up_to"]

# The spectrum of this many rows or columns takes a tenth of a second.
_MOST = 600


def rank_and_residual(problem: Problem, most: int) -> tuple[int, float] | None:
    """Return the rank of X and the residual sum of squares on all columns.

    None where X is large and the rank may be above ``most``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((1, 20, 4))
    >>> X[..., 3] = X[..., 0] - X[..., 1]
    >>> rank, left = rank_and_residual(RowQuadratic.from_rows(X, 2.0 * X[..., 2]), 10)
    >>> rank, round(left, 9)
    (3, 0.0)
    """
    found = _of_spectrum(problem)
    if found is None and not problem.has_more_rows(most):
        return _of_pivots(problem, most)
    return found


def _of_spectrum(problem: Problem) -> tuple[int, float] | None:
    """Return rank and residual from eigenvalues; None where they are too many."""
    n_columns = problem.b.shape[-1]
    if isinstance(problem, WideQuadratic):
        return _of_some_columns(problem)
    if isinstance(problem, RowQuadratic) and problem.X.shape[-2] < n_columns:
        return _of_rows(problem) if problem.X.shape[-2] <= _MOST else None
    return _of_columns(problem) if n_columns <= _MOST else None


def _of_columns(problem: Problem) -> tuple[int, float]:
    found = spectrum(to_numpy(problem.gram.G), to_numpy(problem.b), to_numpy(problem.yy))
    every = np.arange(problem.b.shape[-1])[None]
    found = on_rows(problem, np.zeros(1, dtype=np.int64), every, found)
    return int(np.sum(found.values > 0.0)), float(found.rss[0])


def _of_rows(problem: RowQuadratic) -> tuple[int, float]:
    """Return rank and residual from XXᵀ, the smaller matrix where X is wide."""
    X, y = to_numpy(problem.X)[0], to_numpy(problem.y)[0]
    found = spectrum(X @ X.T, X @ (X.T @ y), y @ y)
    inside = (y @ found.vectors)[found.values > 0.0]
    return inside.size, float(y @ y - inside @ inside)


def _of_some_columns(problem: WideQuadratic) -> tuple[int, float] | None:
    """Return the rank and the residual where some of the columns have the full rank already."""
    full = problem.n_rows - round(float(problem.n[0] - problem.degrees_of_freedom[0]))
    size = min(2 * problem.n_rows, problem.b.shape[-1])
    if problem.n_rows > _MOST:
        return None
    some = np.random.default_rng(0).choice(problem.b.shape[-1], size, replace=False)
    rank, residual = _of_rows(problem.columns(np.sort(some)[None]))
    return (rank, residual) if rank == full else None


def rank_up_to(problem: Problem, most: int) -> int:
    """Return the rank of X, or ``most`` where it is larger."""
    found = _of_spectrum(problem)
    return _of_pivots(problem, most)[0] if found is None else min(found[0], most)


def _of_pivots(problem: Problem, most: int) -> tuple[int, float]:
    """Return the number of pivots, at most ``most``, and the residual on their columns.

    Next comes the column with most norm left.
    """
    b, along = to_numpy(problem.b)[0], np.zeros(0)
    left = np.array(problem.diagonal[0], dtype=float)
    smallest = SMALLEST_SHARE * left.max(initial=0.0)
    factor = np.zeros((0, left.size))
    while len(factor) < min(most, left.size):
        pivot = int(np.argmax(left))
        if not left[pivot] > smallest:
            break
        row = problem.rows(np.asarray([[pivot]]))[0, 0] - factor[:, pivot] @ factor
        row = row / np.sqrt(left[pivot])
        inside = (b[pivot] - factor[:, pivot] @ along) / np.sqrt(left[pivot])
        along = np.append(along, inside)
        factor = np.concatenate([factor, row[None]])
        left = left - row * row
        left[pivot] = 0.0
    return len(factor), float(to_numpy(problem.yy)[0] - along @ along)
