"""Forced columns: the problem that is left when their least-squares part is taken out.

Forcing columns A into a fit and taking their least-squares part out of y and of every other column
are the same thing (Frisch and Waugh). So gates need to know nothing about forced columns: they
are fitted to what A leaves, where A itself is zero and cannot be selected.

With X_A = U√Λ Vᵀ the part is UUᵀX; sums alone give it as G_A·ᵀ G_AA⁺ G_A·, which has few digits
where forced columns are nearly dependent, or another column nearly depends on them. For such a
problem the rows are used, if they are available.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array
from .batch import Batch
from .determined_directions import ENOUGH_DIGITS, SMALLEST_SHARE
from .problem import DenseProblem, Problem
from .standardize import standardized

__all__ = ["ForcedColumns", "forced_columns", "partialled", "without_part"]


def partialled(problem: Problem, forced: np.ndarray) -> tuple[DenseProblem, np.ndarray]:
    """Return the standardised problem without the part of columns ``forced``, (F,), and the scales.

    A coefficient of the new problem divided by its scale, (D,), is one of the old. A column with so
    small a share left that it lies in the span of the forced ones has the scale zero, as these.
    """
    left, smallest = without_part(problem, forced), np.full(problem.b.size, SMALLEST_SHARE)
    smallest[forced] = np.inf
    batch, scale = standardized(Batch.of([left]), smallest)
    return batch.problem(0), scale[0]


def without_part(problem: Problem, forced: np.ndarray) -> DenseProblem:
    """Return the problem without the part of columns ``forced``, (F,), in the scale it had."""
    if problem.X is not None:
        return _left_of_rows(problem, problem.X, problem.y, forced)  # type: ignore[arg-type]
    if not _has_digits(problem, forced):
        left = _left_of_rows(problem, *problem.rows_of(np.arange(problem.b.size)), forced)
        return replace(left, X=None, y=None, sums=left.G)
    rows, b, inverse = problem.rows(forced), problem.b[forced], _inverse(problem, forced)
    G = problem.G - rows.T @ (inverse @ rows)
    return DenseProblem.of_sums(
        0.5 * (G + G.T),
        problem.b - rows.T @ (inverse @ b),
        max(problem.yy - float(b @ (inverse @ b)), 0.0),
        problem.n,
        problem.dof - forced.size,
    )


class ForcedColumns(NamedTuple):
    """Columns that were taken out, and what gives their least-squares coefficients back.

    Those of many problems, (B,) each, are arrays with one more axis in front.
    """

    places: Array
    """Where they are among the columns, (F,)."""
    unit: Array
    """A coefficient that is left divided by this, (D,), is one of the columns as they were."""
    alone: Array
    """The forced coefficients if all others are zero, (F,)."""
    shift: Array
    """What one unit of another coefficient subtracts from a forced one, (F, D)."""


def forced_columns(problem: Problem, forced: np.ndarray, scale: np.ndarray) -> ForcedColumns:
    """Return columns ``forced``, (F,), with the scale, (D,), that :func:`partialled` returned."""
    unit = np.where(scale > 0.0, scale, 1.0)
    if problem.X is None and _has_digits(problem, forced):
        inverse, b = _inverse(problem, forced), problem.b[forced]
        return ForcedColumns(forced, unit, inverse @ b, inverse @ problem.rows(forced))
    X, y = problem.rows_of(np.arange(problem.b.size))
    inverse = np.linalg.pinv(X[:, forced], rtol=SMALLEST_SHARE**0.5)
    return ForcedColumns(forced, unit, inverse @ y, inverse @ X)


def _left_of_rows(
    problem: Problem, X: np.ndarray, y: np.ndarray, forced: np.ndarray
) -> DenseProblem:
    U, roots, _ = np.linalg.svd(X[:, forced], full_matrices=False)
    U = U * (roots > SMALLEST_SHARE**0.5 * np.max(roots))  # zero beyond the rank
    left, of_y = X - U @ (U.T @ X), y - U @ (U.T @ y)
    return DenseProblem.of_rows(left, of_y, problem.n, problem.dof - forced.size)


def _has_digits(problem: Problem, forced: np.ndarray) -> bool:
    """Return whether sums have enough digits, or nothing else is known."""
    if not problem.has_rows:
        return True
    rows, values = problem.rows(forced), np.linalg.eigvalsh(problem.products(forced))
    left = problem.diagonal - np.sum(rows * (_inverse(problem, forced) @ rows), axis=0)
    left = np.delete(left, forced) / problem.n
    is_clear = values[0] > ENOUGH_DIGITS * values[-1]
    return bool(is_clear and np.all(left > ENOUGH_DIGITS))


def _inverse(problem: Problem, forced: np.ndarray) -> np.ndarray:
    """Return G_AA⁺, (F, F); it gives dependent columns the solution of minimum norm."""
    return np.linalg.pinv(problem.products(forced), rtol=SMALLEST_SHARE)
