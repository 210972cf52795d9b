"""The rows of one table as they came, and its columns as a problem has them.

A tall table is solved from its sums. Two things need the rows themselves: fits that need more
digits than sums have, and the number of different rows.

Least squares depends on [X y] only through its triangular factor R, [X y] = QR: the same singular
values, the same projections, in as many rows as there are columns. So a tall table is read once, in
blocks, and R is used instead of its rows from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays.backend import Array, to_numpy
from .different_rows import different_rows
from .frame import Frame

__all__ = ["BLOCK_ROWS", "MOST_FACTORED", "SourceRows"]

BLOCK_ROWS = 8192
"""Rows are read in blocks of this many, so that a tall table is never copied whole."""
MOST_FACTORED = 300
"""A table with up to this many columns is factored once (R has 0.7 MB).

With more columns, only the columns needed are factored, each time.
"""


@dataclass(frozen=True, eq=False)
class SourceRows:
    """The rows of one table as they came, and its columns as a problem has them."""

    X: Array
    """(N, D)."""
    y_left: Array
    """y less its mean, (N,); y itself without an intercept."""
    weights: Array | None
    """(N,), or None."""
    centre: bool
    frame: Frame
    """The columns of X that the table has, and their units."""
    places: np.ndarray
    """Column v of the problem is column ``places[v]`` of the table, (V,)."""
    whole: list[np.ndarray] = field(default_factory=list)
    """R of all columns, once it has been computed."""

    def owned(self) -> SourceRows:
        """Return the same rows, the columns that are used copied: nobody else can change them."""
        X, y_left = to_numpy(self.X)[:, self.frame.columns], np.array(to_numpy(self.y_left))
        weights = None if self.weights is None else np.array(to_numpy(self.weights))
        frame = self.frame._replace(columns=np.arange(X.shape[1]))
        whole = [*self.whole]
        return replace(self, X=X, y_left=y_left, weights=weights, frame=frame, whole=whole)

    def columns(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return columns ``indices`` (W,) of the problem, centred, weighted and scaled, and y.

        Inner products are those of the problem; the number of rows may be smaller.
        """
        at, n_columns = self.places[indices], self.frame.columns.size
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
        n_rows = self.X.shape[0]
        slices = [slice(i, i + BLOCK_ROWS) for i in range(0, n_rows, BLOCK_ROWS)]
        weights, mean = self._weights(), np.zeros(at.size + 1)
        if self.centre:  # what rounding has left of the means
            mean = sum(weights[rows] @ self._scaled(at, rows) for rows in slices) / weights.sum()
        for rows in slices:
            yield np.sqrt(weights[rows])[:, None] * (self._scaled(at, rows) - mean)

    def _weights(self) -> np.ndarray:
        if self.weights is None:
            return np.ones(self.X.shape[0])
        return to_numpy(self.weights).astype(np.float64)

    def _scaled(self, at: np.ndarray, rows: slice) -> np.ndarray:
        """Return some rows of [X y] in units of the problem, zero where a column became zero.

        Means are subtracted before scaling: in the units of the data that loses no digits.
        """
        frame = self.frame.among(at)
        X = to_numpy(self.X[rows, :])[:, frame.columns].astype(np.float64) - frame.x_mean
        X = np.where(frame.scale > 0.0, X / np.where(frame.scale > 0.0, frame.scale, 1.0), 0.0)
        y = to_numpy(self.y_left[rows]).astype(np.float64) / frame.y_scale
        return np.column_stack([X, y])

    def has_more_rows(self, count: int) -> bool:
        """Return whether X has more than ``count`` different rows of weight > 0."""
        X, columns = to_numpy(self.X), self.frame.columns[self.places]
        weighs = self._weights() > 0.0
        X = X if weighs.all() else X[weighs]
        return len(X) > count and different_rows(X, count, columns) is None

    def among(self, columns: np.ndarray) -> SourceRows:
        """Return the rows of the problem of some columns, (W,), alone."""
        return replace(self, places=self.places[columns])
