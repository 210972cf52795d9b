"""The rows of a batch of tables as they came, and their columns as a problem has them.

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

from ..arrays.backend import Array, namespace, to_numpy
from .different_rows import different_rows

__all__ = ["BLOCK_ROWS", "MOST_FACTORED", "TableRows", "chosen"]

BLOCK_ROWS = 8192
"""Rows are read in blocks of this many, so that a tall table is never copied whole."""
MOST_FACTORED = 300
"""A table with up to this many columns is factored once (R has 0.7 MB).

With more columns, only the columns needed are factored, each time.
"""


@dataclass(frozen=True, eq=False)
class TableRows:
    """Tables X (B, N, D), y (B, N), weights (B, N) or None, and how they became problems."""

    X: Array
    used: np.ndarray
    """The columns of X that the tables have, (W,)."""
    y: Array
    weights: Array | None
    centre: bool
    y_left: Array
    """y less its mean, (B, N); y itself without an intercept."""
    x_mean: Array
    """The mean of each column, (B, W), zero without an intercept."""
    scale: Array
    """What each column was divided by, (B, W); zero for a column that became zero."""
    y_scale: Array
    """What y was divided by, (B,)."""
    which: np.ndarray
    """The table of each problem, (P,)."""
    places: np.ndarray
    """(P, V): column v of problem p is column ``places[p, v]`` of its table."""
    factors: dict[int, np.ndarray] = field(default_factory=dict)
    """R of the tables that have been factored whole."""

    @classmethod
    def of(
        cls,
        X: Array,
        used: np.ndarray,
        y: Array,
        weights: Array | None,
        centre: bool,
        y_left: Array,
        x_mean: Array,
        scale: Array,
        y_scale: Array,
    ) -> TableRows:
        """Return the rows of problems that have all tables and all their columns."""
        which = np.arange(X.shape[0])
        places = np.broadcast_to(np.arange(used.size), (which.size, used.size))
        return cls(X, used, y, weights, centre, y_left, x_mean, scale, y_scale, which, places)

    def owned(self) -> TableRows:
        """Return the same rows, copied."""
        xp = namespace(self.X)
        weights = None if self.weights is None else xp.asarray(self.weights, copy=True)
        X, y, y_left = (xp.asarray(one, copy=True) for one in (self.X, self.y, self.y_left))
        own = (self.x_mean, self.scale, self.y_scale, self.which, self.places, self.factors)
        return TableRows(X, self.used, y, weights, self.centre, y_left, *own)

    def raw(self, problems: np.ndarray) -> tuple[Array, Array, Array | None]:
        """Return X, y and weights of the tables of some problems, as they came."""
        own = self.which[problems]
        weights = None if self.weights is None else chosen(self.weights, own)
        return chosen(self.X, own), chosen(self.y, own), weights

    def columns(self, i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return columns ``indices`` (W,) of problem i, centred, weighted and scaled, and y.

        Inner products are those of the problem; the number of rows may be smaller.
        """
        own, at = int(self.which[i]), self.places[i][indices]
        n_columns = self.used.size
        if n_columns > MOST_FACTORED:
            found = self._factor(own, at)
            return found[:, :-1], found[:, -1]
        if own not in self.factors:
            self.factors[own] = self._factor(own, np.arange(n_columns))
        return self.factors[own][:, at], self.factors[own][:, -1]

    def _factor(self, own: int, at: np.ndarray) -> np.ndarray:
        """Return [X y] of one table at some columns, or fewer rows with the same inner products."""
        found = np.zeros((0, at.size + 1))
        for block in self._blocks(own, at):
            found = np.concatenate([found, block])
            if len(found) > 2 * found.shape[1]:
                found = np.asarray(np.linalg.qr(found, mode="r"))
        return found

    def _blocks(self, own: int, at: np.ndarray) -> Iterator[np.ndarray]:
        """Yield blocks of rows of [X y], centred, weighted and scaled."""
        n_rows = self.X.shape[-2]
        slices = [slice(i, i + BLOCK_ROWS) for i in range(0, n_rows, BLOCK_ROWS)]
        weights = np.ones(n_rows)
        if self.weights is not None:
            weights = to_numpy(self.weights[own, ...]).astype(np.float64)
        mean = np.zeros(at.size + 1)
        if self.centre:  # what rounding has left of the means
            sums = (weights[rows] @ self._scaled(own, at, rows) for rows in slices)
            mean = sum(sums) / weights.sum()
        for rows in slices:
            yield np.sqrt(weights[rows])[:, None] * (self._scaled(own, at, rows) - mean)

    def _scaled(self, own: int, at: np.ndarray, rows: slice) -> np.ndarray:
        """Return some rows of [X y] in units of the problem, zero where a column became zero.

        Means are subtracted before scaling: in the units of the data that loses no digits.
        """
        xp = namespace(self.X)
        mean, scale = (to_numpy(one[own, ...])[at] for one in (self.x_mean, self.scale))
        places = xp.asarray(self.used[at], device=self.X.device)
        X = to_numpy(xp.take(self.X[own, rows, :], places, axis=-1)).astype(np.float64) - mean
        X = np.where(scale > 0.0, X / np.where(scale > 0.0, scale, 1.0), 0.0)
        y = to_numpy(self.y_left[own, rows]).astype(np.float64) / float(self.y_scale[own])
        return np.column_stack([X, y])

    def has_more_rows(self, i: int, count: int) -> bool:
        """Return whether X of problem i has more than ``count`` different rows of weight > 0."""
        own, places = int(self.which[i]), self.used[self.places[i]]
        X = to_numpy(self.X[own, ...])
        if (
            self.weights is not None
            and not (weighs := to_numpy(self.weights[own, ...]) > 0.0).all()
        ):
            X = X[weighs]
        return len(X) > count and different_rows(X, count, places) is None

    def problems(self, chosen: np.ndarray) -> TableRows:
        """Return the rows of the chosen members of a batch."""
        return replace(self, which=self.which[chosen], places=self.places[chosen])

    def among(self, indices: np.ndarray) -> TableRows:
        """Return the rows of the problems of the columns ``indices`` (P, W) alone."""
        indices = np.broadcast_to(indices, (len(self.places), indices.shape[-1]))
        return replace(self, places=np.take_along_axis(self.places, indices, axis=1))


def chosen(batch: Array, members: np.ndarray) -> Array:
    """Return members of a batch along its first axis; the batch itself if all are chosen."""
    if np.array_equal(members, np.arange(batch.shape[0])):
        return batch
    xp = namespace(batch)
    return xp.take(batch, xp.asarray(members, device=batch.device), axis=0)
