"""What an answer asks of a table that has been prepared, with its rows in memory or as sums.

Rows in memory are :class:`.prepared_rows.PreparedRows`; of a file that does not fit into memory
there are sums over the rows, :class:`.large_files.prepared_sums.PreparedSums`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...estimators.projected_stg import ProjectedSTG
from ..words.notes import Note
from .level_columns import Factor
from .recipe import Recipe
from .target_facts import TargetValues

__all__ = [
    "MOST_SHOWN",
    "Folds",
    "Part",
    "Prepared",
    "RowResiduals",
    "SomeRows",
    "SquaredErrors",
]

MOST_SHOWN = 1000
"""So many rows are shown in a picture."""


class SquaredErrors(NamedTuple):
    """Sums of squares over some rows, with weights."""

    error: float
    """Σ w (y − ŷ)²."""
    total: float
    """Σ w (y − mean)²."""

    @property
    def r_squared(self) -> float:
        """1 − error / total."""
        return 1.0 - self.error / self.total if self.total > 0.0 else float("nan")


class SomeRows(NamedTuple):
    """A few rows, drawn at random."""

    X: np.ndarray
    """(M, D)."""
    y: np.ndarray
    """(M,)."""


class RowResiduals(NamedTuple):
    """What a prediction leaves in some rows."""

    y: np.ndarray
    """The target, (M,)."""
    off: np.ndarray
    """The target less the prediction, (M,)."""


class Part(Protocol):
    """Some of the rows, to learn from, and others to judge what was learned."""

    def fitted(self, params: dict) -> ProjectedSTG:
        """Return a model with these parameters, fitted to the rows to learn from."""

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on the others; the mean is that of the rows learned from."""


class Folds(Protocol):
    """The rows in folds, each of which is left out once."""

    @property
    def are_small(self) -> bool:
        """Whether several of them may be in memory at once."""

    def whole(self) -> Part:
        """Return all rows, to learn from and to judge."""

    def part(self, i: int) -> Part:
        """Return the rows outside fold i, to be judged on that fold."""


class Prepared(Protocol):
    """A problem: columns that vary, all numbers finite."""

    @property
    def names(self) -> list[str]:
        """Of the columns."""

    @property
    def target(self) -> str:
        """The name of the target."""

    @property
    def always(self) -> np.ndarray:
        """The mask of the columns that must be chosen, (D,)."""

    @property
    def notes(self) -> list[Note]:
        """What was decided on the way."""

    @property
    def recipe(self) -> Recipe:
        """How the columns are made of those of the table."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The text columns among the columns."""

    @property
    def n_rows(self) -> int:
        """Rows that are used; each has a positive weight."""

    @property
    def n_numbers(self) -> int:
        """Numbers that a fit works on."""

    @property
    def weight_sum(self) -> float:
        """Σw, or the number of rows."""

    def fitted(self, params: dict, *callbacks: Any) -> ProjectedSTG:
        """Return a model with these parameters, fitted to all rows; callbacks hear of the fit."""

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on all rows; the mean is their own."""

    def deviation(self, place: int) -> float:
        """Return the standard deviation of a column."""

    def target_values(self) -> TargetValues:
        """Return which values the target has, over all rows."""

    def correlations(self) -> np.ndarray:
        """Return the correlation of each column with the target, over all rows, (D,)."""

    def residuals(self, coef: np.ndarray, intercept: float) -> Iterator[RowResiduals]:
        """Yield those of all rows, in pieces; a large file is read again for them."""

    def some_rows(self, seed: int) -> SomeRows:
        """Return at most :data:`MOST_SHOWN` rows."""

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return the rows in folds; 0: only as a whole."""

    def write_csv(self, path: Path, columns: list[str], header: list[str]) -> None:
        """Write these columns and the target, of the rows used."""
