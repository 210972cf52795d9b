"""Sums over the rows of a table, block by block: all that least squares needs.

:class:`CentredSums` holds (n, Σw, x̄, ȳ, XᵀX, Xᵀy, yᵀy) about the means, and how many different rows
there are where these are few. Blocks of rows merge in any order; they are merged centred (Chan,
Golub and LeVeque), because subtracting n·x̄x̄ᵀ at the end cancels when the means are large.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays.backend import Array
from .batch import centred_rows
from .different_rows import most_counted, n_different, rows_of_both

__all__ = ["CentredSums"]


@dataclass(frozen=True, eq=False)
class CentredSums:
    """Sufficient statistics of rows (x, y) with weights, about their means.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.centred_sums import CentredSums
    >>> X, y = np.arange(12.0).reshape(1, 6, 2), np.arange(6.0)[None]
    >>> whole = CentredSums.from_rows(X, y)
    >>> first, rest = (CentredSums.from_rows(X[:, i], y[:, i]) for i in np.split(np.arange(6), [4]))
    >>> parts = first.merge(rest)
    >>> bool(np.allclose(whole.G, parts.G)), parts.n_rows
    (True, 6)
    """

    n_rows: int
    n: Array
    x_mean: Array
    y_mean: Array
    G: Array
    b: Array
    yy: Array
    cells: np.ndarray | None = None
    """Hashed, (M, D), of the different rows of X (:mod:`.different_rows`); None where these are
    many, or not known."""

    @classmethod
    def from_rows(cls, X: Array, y: Array, weights: Array | None = None) -> CentredSums:
        """Return the sums of X (B, N, D), y (B, N), weights (B, N) or None."""
        rows, x_mean, y_mean = centred_rows(X, y, weights)
        return cls(X.shape[-2], rows.n, x_mean, y_mean, rows.G, rows.b, rows.yy)

    def merge(self, other: CentredSums) -> CentredSums:
        """Return the sums of both sets of rows together."""
        n = self.n + other.n
        dx, dy = other.x_mean - self.x_mean, other.y_mean - self.y_mean
        share = other.n / n
        between = self.n * share
        return CentredSums(
            n_rows=self.n_rows + other.n_rows,
            n=n,
            x_mean=self.x_mean + _column(share) * dx,
            y_mean=self.y_mean + share * dy,
            G=self.G + other.G + _column(_column(between)) * dx[..., :, None] * dx[..., None, :],
            b=self.b + other.b + _column(between * dy) * dx,
            yy=self.yy + other.yy + between * dy * dy,
            cells=rows_of_both(self.cells, other.cells, most_counted(self.b.shape[-1])),
        )

    def widened(self, n_columns: int) -> CentredSums:
        """Return the sums with so many more columns, zero in all rows; for NumPy."""
        x_mean, b = (np.pad(one, ((0, 0), (0, n_columns))) for one in (self.x_mean, self.b))
        G = np.pad(self.G, ((0, 0), (0, n_columns), (0, n_columns)))
        cells = None if self.cells is None else np.pad(self.cells, ((0, 0), (0, n_columns)))
        return replace(self, x_mean=x_mean, G=G, b=b, cells=cells)

    def among(self, columns: np.ndarray) -> CentredSums:
        """Return the sums of some columns, (W,), in their order; for NumPy."""
        x_mean, b = (one[..., columns] for one in (self.x_mean, self.b))
        cells = None if self.cells is None else self.cells[:, columns]
        G = self.G[..., columns[:, None], columns]
        return replace(self, x_mean=x_mean, G=G, b=b, cells=cells)

    def response(self, place: int) -> CentredSums:
        """Return the sums with one of several responses that share X (:mod:`.shared_sums`)."""
        few = slice(place, place + 1)
        return replace(self, y_mean=self.y_mean[few], b=self.b[few], yy=self.yy[few])

    def about_zero(self) -> CentredSums:
        """Return the sums as they are without subtracting the means, which are zero then."""
        n, x, y = self.n, self.x_mean, self.y_mean
        return replace(
            self,
            x_mean=0.0 * x,
            y_mean=0.0 * y,
            G=self.G + _column(_column(n)) * x[..., :, None] * x[..., None, :],
            b=self.b + _column(n * y) * x,
            yy=self.yy + n * y * y,
        )

    @property
    def n_different(self) -> int | None:
        """How many different rows there are; None where they are many, or not known."""
        return None if self.cells is None else n_different(self.cells)


def _column(value: Array) -> Array:
    """Return an array (...) as (..., 1), to broadcast with (..., D); a number is unchanged."""
    return value[..., None] if hasattr(value, "ndim") else value
