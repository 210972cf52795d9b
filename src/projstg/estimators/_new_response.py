"""What is known of a new response: its mean and its spread, in the units of the data.

A fitted model averages over supports: its coefficients come from the core, in standardised columns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import stdtrit

from .._core.data.frame import Frame
from .._core.posterior.averaging import AveragedFit, Averaging

__all__ = ["NewResponse", "averaged_fit"]

# Standard deviations are computed of blocks of rows with this many numbers: each needs a few more.
_BLOCK = 1 << 22


def averaged_fit(frame: Frame, averaging: Averaging) -> tuple[AveragedFit, Frame]:
    """Return the averaged coefficients of a table, and the frame of the columns that have one."""
    return averaging.fit(), frame.among(averaging.columns)


class NewResponse(NamedTuple):
    """A new response at rows of D columns: z·β plus noise, with z standardised."""

    mean: np.ndarray
    """Of the columns, (D,)."""
    scale: np.ndarray
    """(D,)."""
    y_mean: float
    y_scale: float
    coef: np.ndarray
    """The mean of β, (D,)."""
    noise: float
    """The variance of noise and mean, in units of ``y_scale``."""
    degrees_of_freedom: float
    spread: Callable[[np.ndarray], np.ndarray]
    """The variance of z·β at rows (N, D), in units of ``y_scale``."""

    @classmethod
    def of(cls, fit: AveragedFit, frame: Frame) -> NewResponse:
        """Return that of averaged coefficients of the columns of a frame."""
        n, dof = fit.directions.n, fit.directions.dof
        noise = fit.noise * (1.0 + (n - dof) / n)  # the mean of y is known from n rows
        units = (frame.x_mean, frame.scale, frame.y_mean, frame.y_scale)
        return cls(*units, fit.coef, noise, dof, fit.spread)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the mean of y at each row."""
        return np.asarray(self.y_mean + self.y_scale * (self._standardized(X) @ self.coef))

    def std(self, X: np.ndarray) -> np.ndarray:
        """Return the standard deviation of a new y at each row, noise and all."""
        n_rows = max(_BLOCK // max(X.shape[1], 1), 1)
        blocks = (X[start : start + n_rows] for start in range(0, X.shape[0], n_rows))
        return np.concatenate([np.empty(0), *(self._std(self._standardized(b)) for b in blocks)])

    def _std(self, Z: np.ndarray) -> np.ndarray:
        # Squares of what is far away would overflow.
        reach = np.maximum(np.max(np.abs(Z), axis=1, initial=0.0), 1.0)
        spread = np.maximum(self.spread(Z / reach[:, None]), 0.0)
        return np.asarray(self.y_scale * reach * np.sqrt(spread + self.noise / reach / reach))

    def interval(self, X: np.ndarray, level: float) -> np.ndarray:
        """Return where a new y lies with this probability, (N, 2).

        It is Student's, with the degrees of freedom ν of the table; the variance of the noise is
        known as rss/(ν − 2), or rss where ν is small (:mod:`.._core.score.shrunk`).
        """
        dof = max(self.degrees_of_freedom, 1.0)
        quantile = -float(stdtrit(dof, 0.5 - 0.5 * level)) * np.sqrt(max(dof - 2.0, 1.0) / dof)
        mean, reach = self.predict(X), quantile * self.std(X)
        return np.column_stack([mean - reach, mean + reach])

    def _standardized(self, X: Any) -> np.ndarray:
        rows = X.toarray() if issparse(X) else X
        return np.asarray((rows - self.mean) / self.scale)
