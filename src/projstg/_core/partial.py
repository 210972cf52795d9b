"""Columns that are in for certain: what is left to explain once they have explained their part.

Forcing columns A into a fit and taking their least-squares part out of y and of every other column
are the same thing (Frisch and Waugh). So gates need to know nothing about forced columns: they
are fitted to what A leaves, where A itself is zero and cannot be chosen.
"""

from __future__ import annotations

from .backend import Array, namespace, take_along
from .spectrum import SMALLEST_SHARE
from .statistics import GramQuadratic, Problem, RowQuadratic, standardized

__all__ = ["coefficients_of", "forced_mask", "partialled"]


def partialled(problem: Problem, forced: Array) -> tuple[Problem, Array]:
    """Return standardised problems without the part of columns ``forced``, (F,), and the scales.

    A coefficient of the new problem divided by its scale, (B, D), is one of the old.
    """
    xp = namespace(problem.b)
    indices = xp.broadcast_to(forced, (problem.b.shape[0], forced.shape[0]))
    rows = problem.rows(indices)
    on_columns = _solved(problem, indices, rows)
    b = take_along(problem.b, indices)[:, :, None]
    on_y = _solved(problem, indices, b)
    freedom = problem.degrees_of_freedom - forced.shape[0]
    left: Problem
    if isinstance(problem, RowQuadratic):
        columns = xp.take(problem.X, forced, axis=-1)
        X, y = problem.X - columns @ on_columns, problem.y - (columns @ on_y)[:, :, 0]
        left = RowQuadratic(X, y, problem.n, freedom)
    else:
        G = problem.G - xp.matrix_transpose(rows) @ on_columns
        yy = problem.yy - xp.sum(b * on_y, axis=(1, 2))
        left = GramQuadratic(
            G,
            problem.b - (xp.matrix_transpose(rows) @ on_y)[:, :, 0],
            xp.maximum(yy, xp.zeros_like(yy)),
            problem.n,
            freedom,
        )
    return standardized(left, _tolerance(problem, forced))


def coefficients_of(problem: Problem, forced: Array, beta: Array) -> Array:
    """Return the least-squares coefficients (B, F) of forced columns beside those of the others."""
    xp = namespace(beta)
    indices = xp.broadcast_to(forced, (beta.shape[0], forced.shape[0]))
    rest = take_along(problem.b, indices) - (problem.rows(indices) @ beta[:, :, None])[:, :, 0]
    return _solved(problem, indices, rest[:, :, None])[:, :, 0]


def _solved(problem: Problem, indices: Array, rhs: Array) -> Array:
    """Return G_AA⁺ rhs, (B, F, E); dependent columns share the minimum norm."""
    xp = namespace(rhs)
    size = indices.shape[-1]
    places = xp.broadcast_to(indices[:, None, :], (*indices.shape, size))
    inverse = xp.linalg.pinv(take_along(problem.rows(indices), places), rtol=SMALLEST_SHARE)
    return inverse @ rhs


def forced_mask(forced: Array, n_features: int) -> Array:
    """Return the mask, (D,), of columns ``forced``, (F,)."""
    xp = namespace(forced)
    return xp.any(xp.arange(n_features, device=forced.device)[:, None] == forced, axis=-1)


def _tolerance(problem: Problem, forced: Array) -> Array:
    """Return the mean square at which a column is no longer there: any, for a forced one.

    A column of which only a smallest share is left lies in the span of the forced ones.
    """
    xp = namespace(problem.b)
    is_forced = forced_mask(forced, problem.b.shape[-1])
    least = xp.full(is_forced.shape, SMALLEST_SHARE, dtype=problem.b.dtype, device=forced.device)
    return xp.where(is_forced, xp.inf, least)
