r"""A least-squares problem through a wide X as it came: sparse, in single precision, or on a disk.

Columns are centred and scaled on the fly: with means x̄, scales s and roots √w of the weights,

    Zᵀv = (Xᵀ(√w ⊙ v) − x̄ · (√w)ᵀv) / s,

so products with all columns need X itself and nothing as large. They are in double, a block of
columns at a time. Columns that a search looks at are made into rows of a
:class:`~.problem.DenseProblem`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .different_rows import different_rows
from .problem import DenseProblem, left_over

__all__ = ["MANY_COLUMNS", "WideProblem", "column_moments"]

MANY_COLUMNS = 2000
"""With more columns nothing is made of all of them at once."""

# A block of a dense X has so many numbers in double (8 MB), of products with it as many.
_BLOCK = 1 << 20
# So many cells of a sparse X are looked at together.
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class WideProblem:
    """One standardised problem."""

    table: Any
    """X as it came, (N, D): an array of any real type, also memory-mapped, or sparse by columns
    (CSC)."""
    used: np.ndarray
    """The columns of X that the problem has, (W,), in increasing order."""
    mean: np.ndarray
    """What is subtracted from each, (W,)."""
    factor: np.ndarray
    """What each is multiplied by, (W,); zero for a column that does not vary."""
    roots: np.ndarray
    """√w, (N,)."""
    target: np.ndarray
    """y, (N,), centred, weighted and scaled."""
    b: np.ndarray
    """Zᵀy, (W,)."""
    diagonal: np.ndarray
    """The squared norms of the columns, (W,)."""
    n: float
    dof: float
    known: dict[Any, Any] = field(default_factory=dict)
    """What a pass over X has found, for whoever needs it again."""

    is_wide = has_rows = True
    X = y = None

    @property
    def promise(self) -> np.ndarray:
        """The share of yᵀy that each column explains alone, times n, (W,)."""
        return self.b**2 / np.where(self.diagonal > 0.0, self.diagonal, 1.0)

    @property
    def relevant(self) -> np.ndarray:
        """None: they would take some passes over X."""
        return np.empty(0, dtype=np.int64)

    @property
    def yy(self) -> float:
        """yᵀy."""
        return float(self.target @ self.target)

    @property
    def height(self) -> int:
        """N."""
        return self.target.size

    def dense(self, places: np.ndarray) -> np.ndarray:
        """Return columns at ``places`` (K,), centred, weighted and scaled, (N, K)."""
        few = self.table[:, self.used[places]]
        few = few.toarray() if issparse(few) else few
        return (few - self.mean[places]) * self.factor[places] * self.roots[:, None]

    def along(self, V: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield places of columns and VᵀZ there, (K, W'), for V (N, K)."""
        weighted = V * self.roots[:, None]
        off = weighted.sum(axis=0)[:, None]
        for places, found in _products(self.table, self.used, weighted):
            found -= off * self.mean[places]
            found *= self.factor[places]
            yield places, found

    def left_by(self, supports: Sequence[np.ndarray]) -> np.ndarray:
        """Return Xᵀr for what least squares on each support, (K,), leaves of y, (S, W)."""
        left = np.stack([left_over(self.dense(own), self.target) for own in supports], axis=1)
        found = np.empty((left.shape[1], self.b.size), dtype=np.float32)
        for places, products in self.along(left):
            found[:, places] = products
        return found

    def row_blocks(self, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield places of columns and rows of G there, (K, W'), of ``columns`` (K,)."""
        return self.along(self.dense(columns))

    def rows(self, columns: np.ndarray) -> np.ndarray:
        """Return rows of G, (K, D); as large as K columns of it."""
        found = np.empty((columns.size, self.b.size))
        for places, some in self.row_blocks(columns):
            found[:, places] = some
        return found

    @property
    def G(self) -> np.ndarray:
        """XᵀX, where it is small."""
        return self.products(np.arange(self.b.size))

    def products(self, columns: np.ndarray) -> np.ndarray:
        """Return the inner products of some columns, (W,), with each other."""
        return self.subset(columns).G

    def products_of(self, supports: np.ndarray) -> np.ndarray:
        """Return those of the columns of supports (S, K), (S, K, K)."""
        used, places = np.unique(supports, return_inverse=True)
        return self.subset(used).products_of(places.reshape(supports.shape))

    def subset(self, columns: np.ndarray) -> DenseProblem:
        """Return the problem of some columns, (W,), alone, in memory."""
        numbers = (self.b[columns], self.yy, self.n, self.dof, self.diagonal[columns])
        return DenseProblem(*numbers, self.dense(columns), self.target)

    def owned(self) -> WideProblem:
        """Return the same problem with a copy of its columns: nobody else can change them."""
        return replace(self, table=self.table[:, self.used].copy(), used=np.arange(self.b.size))

    def has_more_rows(self, count: int) -> bool:
        """Return whether there are more than ``count`` different rows of X."""
        return self.height > count and different_rows(self.table, count, self.used) is None

    def rows_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X_S and y."""
        return self.dense(columns), self.target

    def without_source(self) -> WideProblem:
        """Return the problem: X is all it has."""
        return self


def _products(X: Any, used: np.ndarray, V: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield places among the columns ``used``, (W,), and VᵀX there, (K, W'), in double."""
    if not issparse(X):
        for places, block in _dense_blocks(X, used):
            yield places, V.T @ block
        return
    step = max(_BLOCK // max(V.shape[1], 1), 256)
    for first in range(0, used.size, step):
        places = slice(first, min(first + step, used.size))
        block = X[:, used[places] if used.size < X.shape[1] else places]
        yield places, np.asarray((block.T @ V).T, dtype=np.float64)


def _dense_blocks(X: np.ndarray, used: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield places among the columns ``used``, (W,), and these columns in double, overwritten."""
    step = min(max(_BLOCK // X.shape[0], 256), used.size)
    room, is_all = np.empty((X.shape[0], step)), used.size == X.shape[1]
    for first in range(0, used.size, step):
        places = slice(first, min(first + step, used.size))
        block = room[:, : places.stop - first]
        np.copyto(block, X[:, places] if is_all else X[:, used[places]])
        yield places, block


def column_moments(X: Any, weights: np.ndarray, y: np.ndarray, *, centre: bool) -> np.ndarray:
    """Return mean, mean square about it, and inner product with y of each column, (3, D).

    Rows have weights (N,), and y (N,) has the mean zero. The mean is zero unless ``centre`` says
    that it is taken out.

    A column that is constant, also one that is the same number in every row of a sparse X, has the
    mean square zero up to the rounding of its mean.
    """
    return (_sparse_moments if issparse(X) else _dense_moments)(X, weights, y, centre)


def _sparse_moments(X: Any, weights: np.ndarray, y: np.ndarray, centre: bool) -> np.ndarray:
    n, of_y = float(weights.sum()), float(weights @ y)
    found = np.zeros((3, X.shape[1]))
    for first, last in _column_ranges(X.indptr):
        cells = slice(X.indptr[first], X.indptr[last])
        at = np.repeat(np.arange(last - first), np.diff(X.indptr[first : last + 1]))
        values, own = X.data[cells].astype(np.float64), weights[X.indices[cells]]
        beside = y[X.indices[cells]]

        def summed(cells: np.ndarray, at: np.ndarray = at, size: int = last - first) -> np.ndarray:
            return np.bincount(at, cells, minlength=size)

        mean = summed(own * values) / n if centre else np.zeros(last - first)
        along = summed(own * beside * values)
        absent = np.maximum(n - summed(own), 0.0)
        values -= mean[at]
        rest = (summed(own * values) - absent * mean) / n if centre else np.zeros_like(mean)
        # Twice, because the first mean is rounded: a constant column becomes zero.
        values -= rest[at]
        mean += rest
        square = (summed(own * values * values) + absent * mean**2) / n
        found[:, first:last] = mean, square, along - of_y * mean
    return found


def _column_ranges(starts: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield first and last of ranges of columns with a bounded number of cells; (D + 1,) starts."""
    first, n_columns = 0, starts.size - 1
    while first < n_columns:
        last = int(np.searchsorted(starts, starts[first] + _CELLS, side="right")) - 1
        last = min(max(last, first + 1), n_columns)
        yield first, last
        first = last


def _dense_moments(X: np.ndarray, weights: np.ndarray, y: np.ndarray, centre: bool) -> np.ndarray:
    n, found = float(weights.sum()), np.zeros((3, X.shape[1]))
    sides = np.stack([weights / n if centre else 0.0 * weights, weights * y])
    for places, block in _dense_blocks(X, np.arange(X.shape[1])):
        mean = sides[0] @ block
        block -= mean
        # Twice, because the first mean is rounded: a constant column becomes zero.
        rest, along = sides @ block
        block -= rest
        square = np.einsum("n,nd,nd->d", weights, block, block) / n
        found[:, places] = mean + rest, square, along
    return found
