"""From a standardised problem back to the data: which columns it has, and their units.

Everything between here and the estimators knows only columns that may be selected, at mean square
one, and y at mean square one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, clip, namespace, quiet

__all__ = ["Frame", "in_range"]

# A standardised coefficient below this is rounding, and may vanish in the units of the data.
_NOTHING = 1e-12
_SMALLEST = float(np.finfo(np.float64).smallest_normal)


class Frame(NamedTuple):
    """What leads from the W columns of a problem to the D columns of the data.

    Of B problems with the same columns all but these have an axis more, (B, W) and (B,).
    """

    n_features: int
    """D."""
    columns: np.ndarray
    """Which columns of the data the problem has, (W,), in increasing order."""
    scale: Array
    """What each was divided by, (W,); zero for one that does not vary."""
    x_mean: Array
    """(W,), zero without an intercept."""
    y_mean: Any
    """Zero without an intercept."""
    y_scale: Any
    """What y less its mean was divided by: its root mean square, one where that is zero."""

    def each(self, function: Callable[[Array], Array]) -> Frame:
        """Return those of B problems with a function of each array that has an axis of these."""
        return Frame(*self[:2], *map(function, self[2:]))

    def problem(self, i: int) -> Frame:
        """Return that of problem i of B."""
        scale, x_mean, y_mean, y_scale = (field[i] for field in self[2:])
        return Frame(*self[:2], scale, x_mean, float(y_mean), float(y_scale))

    def among(self, places: np.ndarray) -> Frame:
        """Return that of a problem of some of the columns, (V,)."""
        columns, scale, x_mean = (one[places] for one in (self.columns, self.scale, self.x_mean))
        return self._replace(columns=columns, scale=scale, x_mean=x_mean)

    def mask(self, support: np.ndarray) -> np.ndarray:
        """Return the mask (D,) of columns of the problem, (K,)."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[self.columns[support]] = True
        return mask

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return values of the problem's columns, (W,), for all columns, (D,); others have zero."""
        whole = np.zeros(self.n_features, dtype=values.dtype)
        whole[self.columns] = values
        return whole

    def coef(self, support: np.ndarray, beta: np.ndarray) -> np.ndarray:
        """Return coefficients (K,) of columns of the problem, (K,), in the units of the data, (D,).

        The columns vary. A coefficient too large for a float is infinite, one too small NaN.
        """
        coef = np.zeros(self.n_features)
        with quiet():
            own = beta / self.scale[support] * self.y_scale
        own[(np.abs(beta) > _NOTHING) & (np.abs(own) < _SMALLEST)] = np.nan
        coef[self.columns[support]] = own
        return coef

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        """Return ȳ − x̄ᵀβ, (...), for coefficients (..., D) in the units of the data."""
        return self.y_mean - coef[..., self.columns] @ self.x_mean

    def score(self, score: float, dof: float) -> float:
        """Return a score for y in the units of the data: ν log(rss) changes by a constant."""
        return score + 2.0 * dof * float(np.log(self.y_scale))


def in_range(coef: Array, scale: Array, y_scale: Array | float) -> Array:
    """Return coefficients (..., D) in the units of the data, with a finite number for each.

    ``scale``, (..., D), is what the columns were divided by, zero for one that does not vary, and
    ``y_scale``, a number or (..., 1), what y was. A coefficient that is too large becomes the
    largest float, one that is too small zero.
    """
    xp = namespace(coef)
    varies = scale > 0.0
    with quiet():
        unscaled = coef / xp.where(varies, scale, xp.ones_like(scale)) * y_scale
    largest = float(xp.finfo(coef.dtype).max)
    keeps = varies & ~xp.isnan(unscaled)
    return clip(xp.where(keeps, unscaled, xp.zeros_like(coef)), -largest, largest)
