"""Columns of mean square one, so that no answer depends on the unit of a column."""

from __future__ import annotations

from ..arrays.backend import Array, namespace
from .quadratic import SmallProblem

__all__ = ["standardized"]


def standardized(
    quadratic: SmallProblem, tolerance: Array | float = 0.0
) -> tuple[SmallProblem, Array]:
    """Return the problem with columns of mean square one, and the scale divided out, (..., D).

    A column whose mean square is not above ``tolerance`` is only rounding: it becomes exactly zero
    and its scale is zero.
    """
    xp = namespace(quadratic.b)
    mean_square = quadratic.diagonal / xp.asarray(quadratic.n)[..., None]
    varies = mean_square > tolerance
    scale = xp.sqrt(xp.where(varies, mean_square, xp.zeros_like(mean_square)))
    factor = xp.where(varies, 1.0 / xp.where(varies, scale, xp.ones_like(scale)), scale)
    return quadratic.scaled(factor), scale
