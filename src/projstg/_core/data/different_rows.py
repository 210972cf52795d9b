"""How many different rows a table has, from numbers of 64 bits that stand for its cells.

A weight of three is a row that is there three times. It adds degrees of freedom, but as many
columns as there are *different* rows fit any y without error. Sums over rows do not show how many
these are, so they keep the hashed cells of each different row, until there are more than any fit
could need. Columns may be left out or reordered later: then rows that differed in these alone are
one.

Rows are compared by the sum of their hashed cells, each mixed with the place of its column
(:mod:`..arrays.mixed_bits`). A cell of zero adds nothing, so a column that was zero in all rows
before changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays.mixed_bits import mixed_bits, random_from

__all__ = ["different_rows", "most_counted", "n_different", "rows_of_both"]

# Text that is read as a stream has new columns with its new levels: rows may be few beside the
# columns that come later. So many rows of ten columns take 80 kB.
_FEWEST_COUNTED = 1000
# Rows and columns of a block: few, because most tables are settled by the first.
_BLOCK_ROWS, _BLOCK_COLUMNS = 8192, 64


def most_counted(n_columns: int) -> int:
    """Return how many different rows sums count: one more than their columns can fit, or many."""
    return max(n_columns + 2, _FEWEST_COUNTED)


def different_rows(X: Any, most: int, columns: np.ndarray | None = None) -> np.ndarray | None:
    """Return the hashed cells (M, W) of each different row of X (N, D); None of more than ``most``.

    X may be dense or sparse, of any real type: what is equal in double is equal, −0 and 0 are.
    ``columns``, (W,), are those that count, by default all.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0]])
    >>> len(different_rows(X, 5)), different_rows(X, 1), len(different_rows(X, 2, np.array([1])))
    (2, None, 2)
    """
    columns = np.arange(X.shape[1]) if columns is None else columns
    found: np.ndarray | None = np.empty((0, columns.size), dtype=np.uint64)
    first, last = 0, most + 1  # so many rows settle it for most tables
    while found is not None and first < X.shape[0]:
        found = rows_of_both(found, _of_block(X, slice(first, last), most, columns), most)
        first, last = last, last + _BLOCK_ROWS
    return found


def rows_of_both(one: np.ndarray | None, other: np.ndarray | None, most: int) -> np.ndarray | None:
    """Return the rows that are in one of two sets, once; None where there are more than ``most``.

    Both are hashed cells, (M, W) and (M', W).
    """
    if one is None or other is None:
        return None
    both = np.concatenate([one, other])
    _, first = np.unique(_keys(both, 0), return_index=True)
    return both[first] if first.size <= most else None


def n_different(cells: np.ndarray) -> int:
    """Return how many of some rows of hashed cells, (M, W), are different."""
    return np.unique(_keys(cells, 0)).size


def _keys(cells: np.ndarray, place: int) -> np.ndarray:
    """Return the part that columns from the ``place`` on have in the keys of rows, (M,)."""
    odd = random_from(place, cells.shape[1], 0) | np.uint64(1)  # no bit of a cell is lost
    return mixed_bits(cells * odd).sum(axis=1, dtype=np.uint64)


def _of_block(X: Any, rows: slice, most: int, columns: np.ndarray) -> np.ndarray | None:
    """Return the different rows of a block; None as soon as there are too many."""
    X = X[rows]
    found, firsts = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64)
    for first in range(0, columns.size, _BLOCK_COLUMNS):
        some = columns[first : first + _BLOCK_COLUMNS]
        found = found + _keys(_hashed(X, some), first)
        firsts = np.unique(found, return_index=True)[1]
        if firsts.size > most:
            return None
    return _hashed(X[firsts], columns)


def _hashed(X: Any, columns: np.ndarray) -> np.ndarray:
    """Return the hashed cells of some columns, (N, W); a cell of zero is zero."""
    cells = X[:, columns].toarray() if issparse(X) else X[:, columns]
    bits = np.ascontiguousarray(cells + 0.0, dtype=np.float64).view(np.uint64)  # −0 is 0
    return mixed_bits(bits)
