"""The rows of a batch of tables, kept as they came, and columns of them as a problem has them.

A tall table is solved from its sums. Some fits need more digits than sums carry, and to know how
many different rows there are takes the rows; both ask here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .backend import Array, to_numpy
from .statistics import RowQuadratic

__all__ = ["TableRows"]


@dataclass(frozen=True, eq=False)
class TableRows:
    """Tables X (B, N, D), y (B, N), weights (B, N) or None, and how problems were made of them."""

    X: Array
    y: Array
    weights: Array | None
    centre: bool
    scale: Array
    """What each column was divided by, (B, D); zero for a column that became zero."""
    y_scale: Array
    """(B,)."""
    which: np.ndarray
    """The table of each problem, (P,)."""
    places: np.ndarray
    """The column of its table that each column of a problem is, (P, W)."""

    @classmethod
    def of(
        cls, X: Array, y: Array, weights: Array | None, centre: bool, scale: Array, y_scale: Array
    ) -> TableRows:
        """Return the rows of problems that have all tables and all their columns."""
        which, every = np.arange(X.shape[0]), np.arange(X.shape[-1])
        places = np.broadcast_to(every, (which.size, every.size))
        return cls(X, y, weights, centre, scale, y_scale, which, places)

    def columns(self, i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return columns ``indices`` (W,) of problem i, centred, weighted and scaled, and y."""
        own, at = int(self.which[i]), self.places[i][indices]
        scale = to_numpy(self.scale[own, ...])[at]
        varies = scale > 0.0
        X = to_numpy(self.X[own, ...])[:, at].astype(np.float64)
        X = np.where(varies, X / np.where(varies, scale, 1.0), 0.0)
        y = to_numpy(self.y[own, ...]).astype(np.float64) / float(self.y_scale[own])
        weights = None if self.weights is None else to_numpy(self.weights[own, ...])
        rows = RowQuadratic.from_rows(X, y, weights, centre=self.centre)
        return rows.X, rows.y

    def has_more_rows(self, i: int, count: int) -> bool:
        """Return whether problem i has more than ``count`` different rows."""
        own, seen = int(self.which[i]), set()
        X = to_numpy(self.X[own, ...])
        weighs = np.ones(len(X)) if self.weights is None else to_numpy(self.weights[own, ...])
        for row in X[weighs > 0.0]:
            seen.add((row[self.places[i]] + 0.0).tobytes())  # −0 is 0
            if len(seen) > count:
                return True
        return False

    def problems(self, chosen: np.ndarray) -> TableRows:
        """Return the rows of the chosen members of a batch."""
        return replace(self, which=self.which[chosen], places=self.places[chosen])

    def among(self, indices: np.ndarray) -> TableRows:
        """Return the rows of the problems of the columns ``indices`` (P, W) alone."""
        indices = np.broadcast_to(indices, (len(self.places), indices.shape[-1]))
        return replace(self, places=np.take_along_axis(self.places, indices, axis=1))
