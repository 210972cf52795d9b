"""Prediction averaged over supports, in the units of the data; computed when first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .._core.data.frame import Frame
from .._core.posterior.averaging import AveragedFit, Averaging, SmallEffects, Worlds
from .._threads import in_threads
from ._new_response import NewResponse

__all__ = ["AveragedModel"]


# Of masks of supports; with fewer a second thread costs more than it saves.
_MANY_NUMBERS = 100_000


class AveragedModel:
    """The averaged coefficients of one table."""

    def __init__(self, averaging: Averaging, frame: Frame) -> None:
        self._averaging, self._frame = averaging, frame.among(averaging.columns)
        problem = averaging.problem
        self._dof = problem.dof
        # The mean of y is known from n rows.
        self._of_mean = (problem.n - problem.dof) / problem.n

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "_worlds"}
        return kept | {"_averaging": self._averaging.without_rows()}

    @property
    def columns(self) -> np.ndarray:
        """The columns of the table that have a part in it, (M,)."""
        return self._frame.columns

    @cached_property
    def fit(self) -> AveragedFit:
        """The coefficients, of these columns standardised."""
        is_long = self._averaging.supports.masks.size > _MANY_NUMBERS
        return self._worlds.fit(in_threads) if is_long else self._worlds.fit()

    def small_effects(self, support: np.ndarray) -> SmallEffects | None:
        """Return what is known of small effects beside a support (K,), if they were looked for."""
        places = self._averaging.columns[np.isin(self.columns, support)]
        return self._worlds.small_effects(places)

    @cached_property
    def _worlds(self) -> Worlds:
        return self._averaging.without_rows().worlds()  # the same digits as from a pickle

    def response(self) -> NewResponse:
        """Return what is known of a new response, given rows of ``columns``."""
        return NewResponse(
            self._frame.x_mean,
            self._frame.scale,
            self._frame.y_mean,
            self._frame.y_scale,
            self.fit.coef,
            self.fit.noise * (1.0 + self._of_mean),
            self._dof,
            self.fit.spread,
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the mean of y at each row."""
        return self.response().predict(X[:, self.columns])

    def std(self, X: np.ndarray) -> np.ndarray:
        """Return the standard deviation of a new y at each row, noise and all."""
        return self.response().std(X[:, self.columns])

    def interval(self, X: np.ndarray, level: float) -> np.ndarray:
        """Return where a new y lies with this probability, (N, 2)."""
        return self.response().interval(X[:, self.columns], level)
