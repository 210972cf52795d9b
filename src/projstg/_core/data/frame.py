"""From a standardised problem back to the data: which columns it has, and their units.

Everything between here and the estimators knows only columns that may be selected, at mean square
one, and y at mean square one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, quiet
from .original_units import NOTHING

__all__ = ["Frame", "Units"]

_SMALLEST = float(np.finfo(np.float64).smallest_normal)


class Units(NamedTuple):
    """What leads from standardised columns back to the data, for each of B tables."""

    scale: Array
    """What each column was divided by, (B, W); zero for a column that does not vary."""
    x_mean: Array
    """(B, W), zero without an intercept."""
    y_mean: Array
    """(B,), zero without an intercept."""
    y_scale: Array
    """What y less its mean was divided by, (B,): its root mean square, one where that is zero."""


class Frame(NamedTuple):
    """What leads from the W columns of a problem to the D columns of the data."""

    n_features: int
    """D."""
    columns: np.ndarray
    """Which columns of the data the problem has, (W,), in increasing order."""
    scale: np.ndarray
    """What each was divided by, (W,); zero for one that does not vary."""
    x_mean: np.ndarray
    """(W,), zero without an intercept."""
    y_mean: float
    y_scale: float

    @classmethod
    def of(cls, units: Units, i: int, columns: np.ndarray, n_features: int) -> Frame:
        """Return that of table i, which has some of the columns of the data."""
        y_mean, y_scale = float(units.y_mean[i]), float(units.y_scale[i])
        return cls(n_features, columns, units.scale[i], units.x_mean[i], y_mean, y_scale)

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
        own[(np.abs(beta) > NOTHING) & (np.abs(own) < _SMALLEST)] = np.nan
        coef[self.columns[support]] = own
        return coef

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        """Return ȳ − x̄ᵀβ, (...), for coefficients (..., D) in the units of the data."""
        return self.y_mean - coef[..., self.columns] @ self.x_mean

    def score(self, score: float, dof: float) -> float:
        """Return a score for y in the units of the data: ν log(rss) changes by a constant."""
        return score + 2.0 * dof * float(np.log(self.y_scale))
