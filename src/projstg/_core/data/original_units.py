"""Coefficients of standardised columns in the units of the data.

``scale``, (..., D), is what each column was divided by, zero for one that does not vary;
``y_scale``, a number or (..., 1), is what y was divided by.
"""

from __future__ import annotations

from ..arrays.backend import Array, clip, namespace, quiet

__all__ = ["NOTHING", "in_range"]

NOTHING = 1e-12
"""A standardised coefficient below this is rounding, and may vanish in the units of the data."""


def in_range(coef: Array, scale: Array, y_scale: Array | float) -> Array:
    """Return coefficients (..., D) in the units of the data, with a finite number for each.

    One that is too large becomes the largest float, one that is too small zero.
    """
    xp = namespace(coef)
    varies = scale > 0.0
    with quiet():
        unscaled = coef / xp.where(varies, scale, xp.ones_like(scale)) * y_scale
    largest = float(xp.finfo(coef.dtype).max)
    keeps = varies & ~xp.isnan(unscaled)
    return clip(xp.where(keeps, unscaled, xp.zeros_like(coef)), -largest, largest)
