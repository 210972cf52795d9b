"""The rank of X of one problem, by the rule of :mod:`.determined_directions`.

Up to some hundred rows or columns it comes from the spectrum of the smaller of XᵀX and XXᵀ. For a
larger table only min(rank, K) is needed, and the first K pivots of a Cholesky factorisation give
it; its whole rank where the different rows are few.
"""

from __future__ import annotations

import numpy as np

from .determined_directions import SMALLEST_SHARE, on_rows, spectrum
from .problem import Problem

__all__ = ["rank_and_residual", "rank_up_to"]

# The spectrum of this many rows or columns takes a tenth of a second.
_MOST = 600


def rank_and_residual(problem: Problem, most: int) -> tuple[int, float] | None:
    """Return the rank of X and the residual sum of squares on all columns.

    None where X is large and the rank may be above ``most``.

    Examples
    --------
    >>> from projstg._core.data.problem import DenseProblem
    >>> X = np.random.default_rng(0).standard_normal((20, 4))
    >>> X[:, 3] = X[:, 0] - X[:, 1]
    >>> problem = DenseProblem.of_rows(X, 2.0 * X[:, 2], 20.0, 20.0)
    >>> rank, left = rank_and_residual(problem, 10)
    >>> rank, round(left, 9)
    (3, 0.0)
    """
    found = _of_spectrum(problem)
    if found is None and not problem.has_more_rows(most):
        return _of_pivots(problem, most)
    return found


def _of_spectrum(problem: Problem) -> tuple[int, float] | None:
    """Return rank and residual from eigenvalues; None where they are too many."""
    n_columns = problem.b.size
    if min(problem.height, n_columns) > _MOST:
        return None
    if problem.is_wide:
        return _of_some_columns(problem)
    if problem.X is not None and problem.height < n_columns:
        return _of_rows(problem.X, problem.y)  # type: ignore[arg-type] # y comes with X
    found = spectrum(problem.G[None], problem.b[None], problem.yy)
    found = on_rows(problem, np.arange(n_columns)[None], found)
    return int(np.sum(found.values > 0.0)), float(found.rss[0])


def _of_rows(X: np.ndarray, y: np.ndarray) -> tuple[int, float]:
    """Return rank and residual from XXᵀ, the smaller matrix where X is wide."""
    found = spectrum(X @ X.T, X @ (X.T @ y), y @ y)
    inside = (y @ found.vectors)[found.values > 0.0]
    return inside.size, float(y @ y - inside @ inside)


def _of_some_columns(problem: Problem) -> tuple[int, float] | None:
    """Return the rank and the residual where some of the columns have the full rank already."""
    full, n_columns = problem.height - round(problem.n - problem.dof), problem.b.size
    size = min(2 * problem.height, n_columns)
    some = np.random.default_rng(0).choice(n_columns, size, replace=False)
    rank, residual = _of_rows(*problem.rows_of(np.sort(some)))
    return (rank, residual) if rank == full else None


def rank_up_to(problem: Problem, most: int) -> int:
    """Return the rank of X, or ``most`` where it is larger."""
    found = _of_spectrum(problem)
    return _of_pivots(problem, most)[0] if found is None else min(found[0], most)


def _of_pivots(problem: Problem, most: int) -> tuple[int, float]:
    """Return the number of pivots, at most ``most``, and the residual on their columns.

    Next comes the column with most norm left.
    """
    b, along = problem.b, np.zeros(0)
    left = np.array(problem.diagonal, dtype=float)
    smallest = SMALLEST_SHARE * left.max(initial=0.0)
    factor = np.zeros((0, left.size))
    while len(factor) < min(most, left.size):
        pivot = int(np.argmax(left))
        if not left[pivot] > smallest:
            break
        row = problem.rows(np.asarray([pivot]))[0] - factor[:, pivot] @ factor
        row = row / np.sqrt(left[pivot])
        inside = (b[pivot] - factor[:, pivot] @ along) / np.sqrt(left[pivot])
        along = np.append(along, inside)
        factor = np.concatenate([factor, row[None]])
        left = left - row * row
        left[pivot] = 0.0
    return len(factor), problem.yy - float(along @ along)
