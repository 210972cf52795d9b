"""A prepared table with its rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._extras import extra
from ..estimators.batch import fit_many
from ..estimators.projected_stg import ProjectedSTG
from ..sources.folds import fold_of_rows, random_of_rows
from .level_columns import Factor
from .notes import Note
from .prepared import MOST_SHOWN, FoldFits, SomeRows, SquaredErrors, fold_fits

__all__ = ["PreparedRows", "RowFolds"]

# The most numbers that the rows of all folds may have together; above it, one fold at a time.
_MOST_NUMBERS = 50_000_000


class PreparedRows(NamedTuple):
    """A problem: columns that vary, all numbers finite."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    names: list[str]
    target: str
    always: np.ndarray
    """Mask of the columns that must be chosen."""
    rows: np.ndarray
    """The rows of the table that were kept."""
    notes: list[Note]
    factors: tuple[Factor, ...] = ()
    """The text columns among the columns."""

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

    def fitted(self, params: dict) -> ProjectedSTG:
        """Return a model with these parameters, fitted to all rows."""
        return ProjectedSTG(**params).fit(self.X, self.y, self.weights)

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

    def some(self, rows: np.ndarray) -> PreparedRows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=self.X[rows], y=self.y[rows], weights=weights, rows=self.rows[rows])

    def some_rows(self, seed: int) -> SomeRows:
        """Return at most :data:`MOST_SHOWN` rows, those with the least random numbers."""
        few = np.sort(np.argsort(random_of_rows(0, self.n_rows, seed))[:MOST_SHOWN])
        return SomeRows(self.X[few], self.y[few])

    def folds(self, n_folds: int, seed: int) -> RowFolds:
        """Return the rows in folds."""
        fold = fold_of_rows(0, self.n_rows, n_folds, seed)
        return RowFolds(self, [np.flatnonzero(fold != i) for i in range(n_folds)], fold)

    def write_csv(self, path: Path, columns: list[str], header: list[str]) -> None:
        """Write these columns and the target, of the rows used."""
        values = [*(self.X[:, self.names.index(name)] for name in columns), self.y]
        frame = extra("pandas", "cli").DataFrame(dict(enumerate(values)))
        frame.set_axis(header, axis=1).to_csv(path, index=False)


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    return float(np.average(values, weights=weights))


class RowFolds(NamedTuple):
    """Rows in memory, in folds."""

    data: PreparedRows
    trains: list[np.ndarray]
    """The rows outside each fold."""
    fold: np.ndarray
    """The fold of each row, (N,)."""

    def fits(self, params: dict) -> FoldFits:
        """Fit to the rows outside each fold, each with the seed of ``params``."""
        k, n_numbers = params["n_features_to_select"], len(self.trains) * self.data.X.size
        if k is None or self.data.weights is not None or n_numbers > _MOST_NUMBERS:
            return fold_fits([self.data.some(rows).fitted(params) for rows in self.trains])
        (n_folds, n_columns), sizes = (len(self.trains), self.data.X.shape[1]), self._sizes()
        found = FoldFits(
            np.empty((n_folds, n_columns), dtype=bool),
            np.empty((n_folds, n_columns)),
            np.empty(n_folds),
        )
        for size in np.unique(sizes):  # folds have one size, or two
            own = np.flatnonzero(sizes == size)
            for field, values in zip(found, self._fits_together(params, own), strict=True):
                field[own] = values
        return found

    def _sizes(self) -> np.ndarray:
        return np.array([rows.size for rows in self.trains])

    def _fits_together(self, params: dict, folds: np.ndarray) -> FoldFits:
        """Fit to the rows outside some folds, which are as many for each."""
        rows = np.stack([self.trains[i] for i in folds])
        own = {**params, "random_state": [params["random_state"]] * len(folds)}
        fits = fit_many(self.data.X[rows], self.data.y[rows], **own)
        return FoldFits(fits.support, fits.coef, fits.intercept)

    def errors(self, i: int, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on fold i; the mean is that of the other rows."""
        mean = self.data.some(self.trains[i]).mean()
        return self.data.some(self.fold == i).errors_about(coef, intercept, mean)
