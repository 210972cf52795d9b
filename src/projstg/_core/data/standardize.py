"""Columns of mean square one, so that no answer depends on the unit of a column."""

from __future__ import annotations

from ..arrays.backend import Array, namespace
from .batch import Batch

__all__ = ["standardized"]


def standardized(batch: Batch, tolerance: Array | float = 0.0) -> tuple[Batch, Array]:
    """Return problems with columns of mean square one, and the scale divided out, (B, D).

    A column whose mean square is not above ``tolerance`` is only rounding: it becomes exactly zero
    and its scale is zero.
    """
    xp = namespace(batch.b)
    mean_square = batch.diagonal / batch.n[:, None]
    varies = mean_square > tolerance
    scale = xp.sqrt(xp.where(varies, mean_square, xp.zeros_like(mean_square)))
    factor = xp.where(varies, 1.0 / xp.where(varies, scale, xp.ones_like(scale)), scale)
    return batch.scaled(factor), scale
