"""Folds of a table as sums over their rows: a fit from sums takes the time of no rows at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...estimators.projected_stg import ProjectedSTG
from ...sources import Statistics
from .prepared import SquaredErrors

__all__ = ["SumFolds", "SumPart"]


class SumPart(NamedTuple):
    """Sums over the rows to learn from, and over those to judge."""

    train: Statistics
    test: Statistics

    def fitted(self, params: dict) -> ProjectedSTG:
        """Return a model with these parameters, fitted to the rows to learn from."""
        return ProjectedSTG(**params).fit(self.train)

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on the others; the mean is that of the rows learned from."""
        mean = float(self.train.y_mean[0])
        return SquaredErrors(*self.test.squared_errors(coef, intercept, mean))


class SumFolds(NamedTuple):
    """Sums over the rows, by fold. Those outside a fold are added up when they are asked for."""

    statistics: Statistics

    @property
    def are_small(self) -> bool:
        """Sums are: tables have them in folds only if they are."""
        return True

    def whole(self) -> SumPart:
        """Return all rows, to learn from and to judge."""
        whole = self.statistics.without_folds()
        return SumPart(whole, whole)

    def part(self, i: int) -> SumPart:
        """Return the rows outside fold i, to be judged on that fold."""
        return SumPart(*self.statistics.fold(i))
