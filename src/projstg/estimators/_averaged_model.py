"""Prediction averaged over supports, in the units of the data; computed when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.special import stdtrit
from sklearn.utils import gen_batches

from .._core.arrays.backend import to_numpy
from .._core.data.standard_table import StandardTable
from .._core.posterior.averaging import AveragedFit, Averaging, SmallEffects

__all__ = ["AveragedModel"]

# Standard deviations are computed of blocks of rows with this many numbers: each needs a few more.
_BLOCK = 1 << 22


class AveragedModel:
    """The averaged coefficients of one table."""

    def __init__(self, averaging: Averaging, table: StandardTable, *, fit_intercept: bool) -> None:
        self._averaging = averaging
        scale, mean, y_mean, y_scale, n, dof = (
            to_numpy(one)[0]
            for one in (
                table.scale,
                table.x_mean,
                table.y_mean,
                table.y_scale,
                table.problem.n,
                table.problem.degrees_of_freedom,
            )
        )
        columns = averaging.columns
        self._scale, self._mean = scale[columns], mean[columns]
        self._y_mean, self._y_scale, self._dof = float(y_mean), float(y_scale), float(dof)
        # The mean of y is known from n rows.
        self._of_mean = 1.0 / float(n) if fit_intercept else 0.0

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_averaging": self._averaging.without_rows()}

    @cached_property
    def _fit(self) -> AveragedFit:
        return self._averaging.without_rows().fit()  # the same digits as from a pickle

    def small_effects(self, support: np.ndarray) -> SmallEffects | None:
        """Return what is known of small effects beside a support (K,), if they were looked for."""
        return self._averaging.without_rows().small_effects(support)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the mean of y at each row."""
        return self._y_mean + self._y_scale * (self._standardized(X) @ self._fit.coef)

    def std(self, X: np.ndarray) -> np.ndarray:
        """Return the standard deviation of a new y at each row, noise and all."""
        blocks = gen_batches(X.shape[0], max(_BLOCK // X.shape[1], 1))
        return np.concatenate([self._std(self._standardized(X[rows])) for rows in blocks])

    def _std(self, Z: np.ndarray) -> np.ndarray:
        # Squares of what is far away would overflow.
        reach = np.maximum(np.max(np.abs(Z), axis=1, initial=0.0), 1.0)
        spread = np.maximum(self._fit.spread(Z / reach[:, None]), 0.0)
        noise = self._fit.noise * (1.0 + self._of_mean) / reach / reach
        return np.asarray(self._y_scale * reach * np.sqrt(spread + noise))

    def quantile(self, level: float) -> float:
        """Return how many standard deviations an interval of this level reaches to either side.

        It is Student's, with the degrees of freedom ν of the table; the variance of the noise is
        known as rss/(ν − 2), or rss where ν is small (:mod:`.._core.score.shrunk`).
        """
        dof = max(self._dof, 1.0)
        return -float(stdtrit(dof, 0.5 - 0.5 * level)) * float(np.sqrt(max(dof - 2.0, 1.0) / dof))

    def _standardized(self, X: np.ndarray) -> np.ndarray:
        few: Any = X[:, self._averaging.columns]
        few = few.toarray() if issparse(few) else few
        return np.asarray((few - self._mean) / self._scale)
