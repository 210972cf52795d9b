"""Forced columns: the problem that is left when their least-squares part is taken out.

Forcing columns A into a fit and taking their least-squares part out of y and of every other column
are the same thing (Frisch and Waugh). So gates need to know nothing about forced columns: they
are fitted to what A leaves, where A itself is zero and cannot be selected.

With X_A = U√Λ Vᵀ the part is UUᵀX; sums alone give it as G_A·ᵀ G_AA⁺ G_A·, which has few digits
where forced columns are nearly dependent, or another column nearly depends on them. For such a
problem the rows are used, if they are available.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, take_along, to_numpy
from .determined_directions import ENOUGH_DIGITS, SMALLEST_SHARE
from .quadratic import GramQuadratic, RowQuadratic, SmallProblem
from .standardize import standardized

__all__ = [
    "ForcedCoefficients",
    "forced_coefficients",
    "forced_mask",
    "partialled",
    "without_part",
]


def partialled(problem: SmallProblem, forced: Array) -> tuple[SmallProblem, Array]:
    """Return standardised problems without the part of columns ``forced``, (F,), and the scales.

    A coefficient of the new problem divided by its scale, (B, D), is one of the old.
    """
    return standardized(without_part(problem, forced), _tolerance(problem, forced))


def without_part(problem: SmallProblem, forced: Array) -> SmallProblem:
    """Return problems without the part of columns ``forced``, (F,), in the scale they had."""
    if isinstance(problem, RowQuadratic):
        return _left_of_rows(problem, forced)
    left = _left_of_sums(problem, forced)
    for i in _without_digits(problem, forced):
        left = _with(left, i, _left_of_rows(_rows_of(problem, i), forced).gram)
    return left


class ForcedCoefficients(NamedTuple):
    """Least-squares coefficients of forced columns, given the coefficients of the others."""

    alone: Array
    """The forced coefficients if all others are zero, (B, F)."""
    shift: Array
    """What one unit of another coefficient subtracts from a forced one, (B, F, D)."""

    def beside(self, beta: Array) -> Array:
        """Return the forced coefficients, (B, F), given those of all columns, ``beta`` (B, D)."""
        return self.alone - (self.shift @ beta[:, :, None])[:, :, 0]


def forced_coefficients(problem: SmallProblem, forced: Array) -> ForcedCoefficients:
    """Return the coefficients of columns ``forced``, (F,), for any coefficients of the others."""
    xp = namespace(problem.b)
    if isinstance(problem, RowQuadratic):
        columns = xp.take(problem.X, forced, axis=-1)
        inverse = xp.linalg.pinv(columns, rtol=SMALLEST_SHARE**0.5)
        return ForcedCoefficients((inverse @ problem.y[..., None])[..., 0], inverse @ problem.X)
    indices = _indices(problem, forced)
    inverse, b = _inverse(problem, indices), take_along(problem.b, indices)
    found = ForcedCoefficients((inverse @ b[..., None])[..., 0], inverse @ problem.rows(indices))
    for i in _without_digits(problem, forced):
        own = forced_coefficients(_rows_of(problem, i), forced)
        found = ForcedCoefficients(_put(found.alone, i, own.alone), _put(found.shift, i, own.shift))
    return found


def _left_of_rows(problem: RowQuadratic, forced: Array) -> RowQuadratic:
    xp = namespace(problem.b)
    U = _directions(xp.take(problem.X, forced, axis=-1))
    inside = xp.matrix_transpose(U)
    y = problem.y - (U @ (inside @ problem.y[..., None]))[..., 0]
    freedom = problem.degrees_of_freedom - forced.shape[0]
    return RowQuadratic(problem.X - U @ (inside @ problem.X), y, problem.n, freedom)


def _left_of_sums(problem: GramQuadratic, forced: Array) -> GramQuadratic:
    xp = namespace(problem.b)
    indices = _indices(problem, forced)
    rows, b = problem.rows(indices), take_along(problem.b, indices)[:, :, None]
    inverse = _inverse(problem, indices)
    G = problem.G - xp.matrix_transpose(rows) @ (inverse @ rows)
    yy = problem.yy - xp.sum(b * (inverse @ b), axis=(1, 2))
    return GramQuadratic(
        0.5 * (G + xp.matrix_transpose(G)),
        problem.b - (xp.matrix_transpose(rows) @ (inverse @ b))[:, :, 0],
        xp.maximum(yy, xp.zeros_like(yy)),
        problem.n,
        problem.degrees_of_freedom - forced.shape[0],
    )


def _without_digits(problem: GramQuadratic, forced: Array) -> list[int]:
    """Return which problems of a batch need their rows: sums have too few digits for them."""
    if problem.rows_at is None:
        return []
    xp = namespace(problem.b)
    indices = _indices(problem, forced)
    rows = problem.rows(indices)
    values = xp.linalg.eigvalsh(_block(problem, indices))
    left = problem.diagonal - xp.sum(rows * (_inverse(problem, indices) @ rows), axis=1)
    left = xp.where(forced_mask(forced, left.shape[-1]), xp.inf, left / problem.n[:, None])
    is_clear = (values[:, 0] > ENOUGH_DIGITS * values[:, -1]) & xp.all(
        left > ENOUGH_DIGITS, axis=-1
    )
    return np.flatnonzero(~to_numpy(is_clear)).tolist()


def _rows_of(problem: GramQuadratic, i: int) -> RowQuadratic:
    """Return problem i, a batch of one, through its rows."""
    xp = namespace(problem.b)
    X, y = (
        xp.asarray(side[None], device=problem.b.device, dtype=problem.b.dtype)
        for side in problem.rows_at(i, np.arange(problem.b.shape[-1]))  # type: ignore[misc]
    )
    return RowQuadratic(X, y, problem.n[i : i + 1], problem.degrees_of_freedom[i : i + 1])


def _with(batch: GramQuadratic, i: int, own: GramQuadratic) -> GramQuadratic:
    """Return the batch with its problem i replaced."""
    return GramQuadratic(
        _put(batch.G, i, own.G),
        _put(batch.b, i, own.b),
        _put(batch.yy, i, own.yy),
        batch.n,
        batch.degrees_of_freedom,
    )


def _put(values: Array, i: int, own: Array) -> Array:
    """Return values (B, ...) with own (1, ...) at place i."""
    return namespace(values).concat([values[:i, ...], own, values[i + 1 :, ...]], axis=0)


def _directions(X: Array) -> Array:
    """Return an orthonormal basis U, (B, N, F), of columns (B, N, F), zero beyond their rank."""
    xp = namespace(X)
    U, roots, _ = xp.linalg.svd(X, full_matrices=False)
    counts = roots > SMALLEST_SHARE**0.5 * xp.max(roots, axis=-1, keepdims=True)
    return U * xp.astype(counts, X.dtype)[..., None, :]


def _indices(problem: SmallProblem, forced: Array) -> Array:
    return namespace(forced).broadcast_to(forced, (problem.b.shape[0], forced.shape[0]))


def _block(problem: SmallProblem, indices: Array) -> Array:
    """Return G_AA, (B, F, F)."""
    places = (*indices.shape, indices.shape[-1])
    wanted = namespace(indices).broadcast_to(indices[:, None, :], places)
    return take_along(problem.rows(indices), wanted)


def _inverse(problem: SmallProblem, indices: Array) -> Array:
    """Return G_AA⁺, (B, F, F); it gives dependent columns the solution of minimum norm."""
    return namespace(problem.b).linalg.pinv(_block(problem, indices), rtol=SMALLEST_SHARE)


def forced_mask(forced: Array, n_features: int) -> Array:
    """Return the mask, (D,), of columns ``forced``, (F,)."""
    xp = namespace(forced)
    return xp.any(xp.arange(n_features, device=forced.device)[:, None] == forced, axis=-1)


def _tolerance(problem: SmallProblem, forced: Array) -> Array:
    """Return the mean square up to which a column counts as zero, (D,); ∞ for a forced one.

    A column with so small a share left lies in the span of the forced ones.
    """
    xp = namespace(problem.b)
    is_forced = forced_mask(forced, problem.b.shape[-1])
    least = xp.full(is_forced.shape, SMALLEST_SHARE, dtype=problem.b.dtype, device=forced.device)
    return xp.where(is_forced, xp.inf, least)
