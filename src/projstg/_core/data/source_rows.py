"""The rows of one table as they came, and its columns as a problem has them.

A tall table is solved from its sums. Two things need the rows themselves: fits that need more
digits than sums have, and the number of different rows.

Least squares depends on [X y] only through its triangular factor R, [X y] = QR: the same singular
values, the same projections, in as many rows as there are columns. So a tall table is read once, in
blocks, and R is used instead of its rows from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, to_numpy
from .different_rows import different_rows
from .frame import Units

__all__ = ["BLOCK_ROWS", "MOST_FACTORED", "RawTables", "SourceRows"]

BLOCK_ROWS = 8192
"""Rows are read in blocks of this many, so that a tall table is never copied whole."""
MOST_FACTORED = 300
"""A table with up to this many columns is factored once (R has 0.7 MB).

With more columns, only the columns needed are factored, each time.
"""


class RawTables(NamedTuple):
    """B tables as they came, and how they became problems."""

    X: Array
    """(B, N, D)."""
    weights: Array | None
    """(B, N), or None."""
    y_left: Array
    """y less its mean, (B, N); y itself without an intercept."""
    centre: bool
    used: np.ndarray
    """The columns of X that the tables have, (W,)."""
    units: Units

    def some(self, function: Callable[[Array], Array]) -> RawTables:
        """Return what a function makes of each array that has an axis of tables."""
        weights = None if self.weights is None else function(self.weights)
        units = Units(*map(function, self.units))
        return self._replace(
            X=function(self.X), weights=weights, y_left=function(self.y_left), units=units
        )


@dataclass(frozen=True, eq=False)
class SourceRows:
    """The rows of one table as they came, and its columns as a problem has them."""

    tables: RawTables
    number: int
    """Of the table."""
    places: np.ndarray
    """Column v of the problem is column ``places[v]`` of the table, (V,)."""
    whole: list[np.ndarray] = field(default_factory=list)
    """R of all columns, once it has been computed."""

    def owned(self) -> SourceRows:
        """Return the same rows, the columns that are used copied: nobody else can change them."""
        own = self.tables.some(lambda one: np.array(to_numpy(one[self.number, ...]))[None])
        own = own._replace(X=own.X[:, :, own.used], used=np.arange(own.used.size))
        return replace(self, tables=own, number=0, whole=[*self.whole])

    def columns(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return columns ``indices`` (W,) of the problem, centred, weighted and scaled, and y.

        Inner products are those of the problem; the number of rows may be smaller.
        """
        at, n_columns = self.places[indices], self.tables.used.size
        if n_columns > MOST_FACTORED:
            found = self._factor(at)
            return found[:, :-1], found[:, -1]
        if not self.whole:
            self.whole.append(self._factor(np.arange(n_columns)))
        found = self.whole[0]  # two threads may have made it
        return found[:, at], found[:, -1]

    def _factor(self, at: np.ndarray) -> np.ndarray:
        """Return [X y] at some columns, or fewer rows with the same inner products."""
        found = np.zeros((0, at.size + 1))
        for block in self._blocks(at):
            found = np.concatenate([found, block])
            if len(found) > 2 * found.shape[1]:
                found = np.asarray(np.linalg.qr(found, mode="r"))
        return found

    def _blocks(self, at: np.ndarray) -> Iterator[np.ndarray]:
        """Yield blocks of rows of [X y], centred, weighted and scaled."""
        n_rows = self.tables.X.shape[1]
        slices = [slice(i, i + BLOCK_ROWS) for i in range(0, n_rows, BLOCK_ROWS)]
        weights, mean = self._weights(n_rows), np.zeros(at.size + 1)
        if self.tables.centre:  # what rounding has left of the means
            mean = sum(weights[rows] @ self._scaled(at, rows) for rows in slices) / weights.sum()
        for rows in slices:
            yield np.sqrt(weights[rows])[:, None] * (self._scaled(at, rows) - mean)

    def _weights(self, n_rows: int) -> np.ndarray:
        weights = self.tables.weights
        if weights is None:
            return np.ones(n_rows)
        return to_numpy(weights[self.number, ...]).astype(np.float64)

    def _scaled(self, at: np.ndarray, rows: slice) -> np.ndarray:
        """Return some rows of [X y] in units of the problem, zero where a column became zero.

        Means are subtracted before scaling: in the units of the data that loses no digits.
        """
        X, _, y_left, _, used, units = self.tables
        i = self.number
        scale, mean = (to_numpy(one[i, ...])[at] for one in (units.scale, units.x_mean))
        own = to_numpy(X[i, rows, :])[:, used[at]].astype(np.float64) - mean
        own = np.where(scale > 0.0, own / np.where(scale > 0.0, scale, 1.0), 0.0)
        y = to_numpy(y_left[i, rows]).astype(np.float64) / float(units.y_scale[i])
        return np.column_stack([own, y])

    def has_more_rows(self, count: int) -> bool:
        """Return whether X has more than ``count`` different rows of weight > 0."""
        X, columns = to_numpy(self.tables.X[self.number, ...]), self.tables.used[self.places]
        weighs = self._weights(len(X)) > 0.0
        X = X if weighs.all() else X[weighs]
        return len(X) > count and different_rows(X, count, columns) is None

    def among(self, columns: np.ndarray) -> SourceRows:
        """Return the rows of the problem of some columns, (W,), alone."""
        return replace(self, places=self.places[columns])
