"""A prepared table with its rows in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ...estimators.projected_stg import ProjectedSTG
from ...sources import Statistics
from ...sources.folds import fold_of_rows, random_of_rows
from ..words.notes import Note
from ..words.row_names import FileRows, rows_in_words
from .level_columns import Factor
from .prepared import MOST_SHOWN, Folds, RowResiduals, SomeRows, SquaredErrors
from .recipe import Recipe
from .sum_folds import SumFolds
from .target_facts import TargetValues, correlations, value_counts

__all__ = ["PreparedRows", "RowFolds", "RowPart"]

# The most numbers that the sums of all folds may have (0.4 GB). At 1000 rows and 2000 columns a fit
# from sums takes a fifth of the time of one from rows, and less where there are more rows.
_MOST_SUMS = 50_000_000


class PreparedRows(NamedTuple):
    """A problem: columns that vary, all numbers finite."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    """(N,), all positive."""
    names: list[str]
    target: str
    always: np.ndarray
    """Mask of the columns that must be chosen."""
    rows: np.ndarray
    """The rows of the table that were kept."""
    notes: list[Note]
    recipe: Recipe
    factors: tuple[Factor, ...] = ()
    """The text columns among the columns."""
    files: tuple[FileRows, ...] = ()
    """Whose rows follow each other in the table, where there are several."""

    def in_words(self, rows: Sequence[int]) -> str:
        """Return rows that are used by their numbers in the table, or in their files."""
        return rows_in_words([int(self.rows[row]) for row in rows], self.files)

    @property
    def n_rows(self) -> int:
        """Rows that are used."""
        return len(self.y)

    @property
    def n_numbers(self) -> int:
        """Numbers that a fit works on."""
        return self.X.size

    @property
    def weight_sum(self) -> float:
        """Σw, or the number of rows."""
        return float(len(self.y) if self.weights is None else self.weights.sum())

    def fitted(self, params: dict, *callbacks: Any) -> ProjectedSTG:
        """Return a model with these parameters, fitted to all rows."""
        model = ProjectedSTG(**params).set_callbacks(*callbacks)
        return model.fit(self.X, self.y, self.weights).set_callbacks()

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on all rows; the mean is their own."""
        return self.errors_about(coef, intercept, self.mean())

    def errors_about(self, coef: np.ndarray, intercept: float, mean: float) -> SquaredErrors:
        """Return those of a prediction, compared with a mean."""
        w = np.ones_like(self.y) if self.weights is None else self.weights
        off = self.y - self.X @ coef - intercept
        return SquaredErrors(float(np.sum(w * off**2)), float(np.sum(w * (self.y - mean) ** 2)))

    def mean(self) -> float:
        """Return the mean of the target."""
        return _mean(self.y, self.weights)

    def deviation(self, place: int) -> float:
        """Return the standard deviation of a column, whatever its unit."""
        values = self.X[:, place]
        size = float(np.max(np.abs(values))) or 1.0
        scaled = values / size
        centred = scaled - _mean(scaled, self.weights)
        return size * float(np.sqrt(_mean(centred**2, self.weights)))

    def target_values(self) -> TargetValues:
        """Return which values the target has."""
        y = self.y
        return TargetValues(float(y.min()), float(y.max()), value_counts(y, {}))

    def correlations(self) -> np.ndarray:
        """Return the correlation of each column with the target, (D,)."""
        return correlations(self.X, self.y, self.weights)

    def residuals(self, coef: np.ndarray, intercept: float) -> Iterator[RowResiduals]:
        """Yield those of all rows, in one piece."""
        yield RowResiduals(self.y, self.y - self.X @ coef - intercept)

    def some(self, rows: np.ndarray) -> PreparedRows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=self.X[rows], y=self.y[rows], weights=weights, rows=self.rows[rows])

    def some_rows(self, seed: int) -> SomeRows:
        """Return at most :data:`MOST_SHOWN` rows, those with the least random numbers."""
        keys, last = random_of_rows(0, self.n_rows, seed), min(MOST_SHOWN, self.n_rows) - 1
        few = np.sort(np.argpartition(keys, last)[:MOST_SHOWN])
        return SomeRows(self.X[few], self.y[few])

    def folds(self, n_folds: int, seed: int) -> Folds:
        """Return the rows in folds, as sums where these have room and digits enough."""
        if (n_folds + 3) * len(self.names) ** 2 <= _MOST_SUMS:
            try:
                statistics = Statistics(folds=n_folds, random_state=seed)
                return SumFolds(statistics.update(self.X, self.y, self.weights))
            except ValueError:  # squares that a double cannot hold
                pass
        return RowFolds(self, fold_of_rows(0, self.n_rows, max(n_folds, 1), seed))

    def write_csv(self, path: Path, columns: list[str], header: list[str]) -> None:
        """Write these columns and the target, of the rows used."""
        values = [*(self.X[:, self.names.index(name)] for name in columns), self.y]
        frame = extra("pandas", "cli").DataFrame(dict(enumerate(values)))
        frame.set_axis(header, axis=1).to_csv(path, index=False)


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    return float(np.average(values, weights=weights))


class RowPart(NamedTuple):
    """Rows to learn from, and rows to judge."""

    train: PreparedRows
    test: PreparedRows

    def fitted(self, params: dict) -> ProjectedSTG:
        """Return a model with these parameters, fitted to the rows to learn from."""
        return self.train.fitted(params)

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on the others; the mean is that of the rows learned from."""
        return self.test.errors_about(coef, intercept, self.train.mean())


class RowFolds(NamedTuple):
    """Rows in memory, in folds."""

    data: PreparedRows
    fold: np.ndarray
    """The fold of each row, (N,)."""

    @property
    def are_small(self) -> bool:
        """Each of them is a copy of nearly all rows."""
        return False

    def whole(self) -> RowPart:
        """Return all rows, to learn from and to judge."""
        return RowPart(self.data, self.data)

    def part(self, i: int) -> RowPart:
        """Return the rows outside fold i, to be judged on that fold."""
        return RowPart(self.data.some(self.fold != i), self.data.some(self.fold == i))
