"""How many different rows a table has, from numbers of 64 bits that stand for its rows.

A weight of three is a row that is there three times. It adds degrees of freedom, but as many
columns as there are *different* rows fit any y without error. Sums over rows do not show how many
these are, so they keep a hash of each different row, until there are more than any fit could need.

The hash of a row is the sum of those of its cells, each mixed with the place of its column
(:mod:`..arrays.mixed_bits`). A cell of zero adds nothing, so a column that was zero in all rows
before changes no hash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays.mixed_bits import mixed_bits, random_from

__all__ = ["different_rows", "most_counted", "rows_of_both"]

# Text that is read as a stream has new columns with its new levels: rows may be few beside the
# columns that come later. So many hashes take 8 kB.
_FEWEST_COUNTED = 1000
# Rows and columns of a block: few, because most tables are settled by the first.
_BLOCK_ROWS, _BLOCK_COLUMNS = 8192, 64


def most_counted(n_columns: int) -> int:
    """Return how many different rows sums count: one more than their columns can fit, or many."""
    return max(n_columns + 2, _FEWEST_COUNTED)


def different_rows(X: Any, most: int, columns: np.ndarray | None = None) -> np.ndarray | None:
    """Return a hash of each different row of X (N, D), in order; None where more than ``most``.

    X may be dense or sparse, of any real type: what is equal in double is equal, −0 and 0 are.
    ``columns``, (W,), are those that count, by default all.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [2.0, 3.0], [1.0, -0.0]])
    >>> different_rows(X, 5).size, different_rows(X, 1), different_rows(X, 2, np.array([1])).size
    (2, None, 2)
    """
    found: np.ndarray | None = np.empty(0, dtype=np.uint64)
    first, last = 0, most + 1  # so many rows settle it for most tables
    while found is not None and first < X.shape[0]:
        found = rows_of_both(found, _hashes(X, slice(first, last), most, columns), most)
        first, last = last, last + _BLOCK_ROWS
    return found


def rows_of_both(one: np.ndarray | None, other: np.ndarray | None, most: int) -> np.ndarray | None:
    """Return the hashes that are in one of two sets; None where there are more than ``most``."""
    if one is None or other is None:
        return None
    both = np.union1d(one, other)
    return both if both.size <= most else None


def _hashes(X: Any, rows: slice, most: int, columns: np.ndarray | None) -> np.ndarray | None:
    """Return a hash of each different row of a block; None as soon as there are too many."""
    n_columns = X.shape[1] if columns is None else columns.size
    found = np.zeros(1, dtype=np.uint64)
    for first in range(0, n_columns, _BLOCK_COLUMNS):
        places = slice(first, min(first + _BLOCK_COLUMNS, n_columns))
        cells = _cells(X, rows, places if columns is None else columns[places])
        bits = np.ascontiguousarray(cells + 0.0, dtype=np.float64).view(np.uint64)  # −0 is 0
        # Of a small whole number only the high bits of the double are not zero, and a product of
        # these has no others: they are copied to the low half first.
        bits = bits ^ (bits >> np.uint64(32))
        keys = random_from(first, bits.shape[1], 0) | np.uint64(1)  # odd: no bit of a cell is lost
        found = found + mixed_bits(bits * keys).sum(axis=1, dtype=np.uint64)
        if np.unique(found).size > most:
            return None
    return np.unique(found)


def _cells(X: Any, rows: slice, columns: Any) -> np.ndarray:
    """Return a block of X, dense; first the cut that its layout makes cheap."""
    if not issparse(X):
        return X[rows][:, columns]
    few = X[:, columns][rows] if X.format == "csc" else X[rows][:, columns]
    return few.toarray()
