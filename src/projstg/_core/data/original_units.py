"""Coefficients of standardised columns in the units of the data.

``scale``, (B, D), is what each column was divided by, zero for one that does not vary; ``y_scale``,
(B,), is what y was divided by.
"""

from __future__ import annotations

from ..arrays.backend import Array, clip, namespace, quiet

__all__ = ["NOTHING", "in_range", "in_units"]

NOTHING = 1e-12
"""A standardised coefficient below this is rounding, and may vanish in the units of the data."""


def in_units(coef: Array, scale: Array, y_scale: Array) -> Array:
    """Return coefficients (B, D) of standardised columns in the units of the data.

    A coefficient too large for a float in these units becomes infinite, one too small NaN.
    """
    xp = namespace(coef)
    varies = scale > 0.0
    unit = xp.where(varies, scale, xp.ones_like(scale))
    with quiet():
        unscaled = coef / unit * y_scale[:, None]
    smallest = xp.finfo(coef.dtype).smallest_normal
    vanishes = (xp.abs(coef) > NOTHING) & (xp.abs(unscaled) < smallest)
    unscaled = xp.where(vanishes, xp.full_like(coef, xp.nan), unscaled)
    return xp.where(varies, unscaled, xp.zeros_like(coef))


def in_range(coef: Array, scale: Array, y_scale: Array) -> Array:
    """Return what :func:`in_units` returns, with a finite number for each.

    A coefficient that is too large becomes the largest float, one that is too small zero.
    """
    xp = namespace(coef)
    coef = in_units(coef, scale, y_scale)
    largest = float(xp.finfo(coef.dtype).max)
    return clip(xp.where(xp.isnan(coef), xp.zeros_like(coef), coef), -largest, largest)
