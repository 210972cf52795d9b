r"""Sums over the rows of one table with one or more responses, read once, in NumPy.

Rows are read in blocks that stay in the cache. Each block is moved by the mean of the block before,
so that the sums ZᵀZ of what is left, less m·z̄z̄ᵀ, lose no digits; a block whose mean is far from
there (as many spreads as ``_FAR``) is moved again by its own. Blocks are merged centred
(:meth:`.centred_sums.CentredSums.merge`).

A number that is not finite makes a sum that is not finite, so nothing is looked through for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .centred_sums import CentredSums
from .different_rows import different_rows, most_counted

__all__ = ["TINY", "are_in_range", "shared_sums", "vary"]

# Fewer rows in a block cost more calls, more rows leave the cache (50 columns: 3 MB).
_BLOCK_ROWS = 8192
# Where the square of a mean is this many times the variance, seven digits of sixteen may be lost
# otherwise by taking one from the other; a hundred times costs two.
_FAR = 100.0
TINY = float(np.finfo(np.float64).tiny) / float(np.finfo(np.float64).eps)
"""Squares below this have lost digits."""


def shared_sums(X: Any, Y: np.ndarray, weights: np.ndarray | None = None) -> CentredSums:
    """Return the sums of X (N, D), Y (N, T) and weights (N,) or None, each at least one row.

    X may be sparse by rows (CSR): blocks of it are made dense.

    The responses are the batch axis: b is (T, D), yᵀy and ȳ are (T,); G is (1, D, D), x̄ (1, D) and
    n (1,), for they are the same. Numbers may be of any real type; sums are in double.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    >>> sums = shared_sums(X, y[:, None])
    >>> sums.G.tolist(), sums.b.tolist(), sums.yy.tolist()
    ([[[70.0, 70.0], [70.0, 70.0]]], [[35.0, 35.0]], [17.5])
    """
    if weights is not None and not (weights > 0.0).all():
        weighs = ~(weights <= 0.0)  # what is not a number stays, and makes the sums no numbers
        X, Y, weights = X[weighs], Y[weighs], weights[weighs]
    size = min(len(Y), _BLOCK_ROWS)
    # Columns that are contiguous stay so: to turn them takes as long as to sum them.
    is_by_columns = not issparse(X) and X.flags.f_contiguous and not X.flags.c_contiguous
    order = "F" if is_by_columns else "C"
    room = [np.empty((size, X.shape[1]), order=order), np.empty((size, Y.shape[1]))]  # type: ignore[call-overload]
    # The first row moves a constant column to zero exactly, and each mean after it leaves it there.
    shift = [_dense(one[:1])[0].astype(np.float64) for one in (X, Y)]
    found: CentredSums | None = None
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, len(Y), _BLOCK_ROWS):
            rows = slice(first, first + _BLOCK_ROWS)
            own = None if weights is None else weights[rows].astype(np.float64)
            block = _block([_dense(X[rows]), Y[rows]], own, shift, room)
            shift = [block.x_mean[0], block.y_mean]
            found = block if found is None else found.merge(block)
    if found is None:
        raise ValueError("there are no rows")
    return replace(found, cells=different_rows(X, most_counted(X.shape[1])))


def _dense(rows: Any) -> np.ndarray:
    return rows.toarray() if issparse(rows) else rows


def _block(
    rows: list[np.ndarray],
    weights: np.ndarray | None,
    shift: list[np.ndarray],
    room: list[np.ndarray],
) -> CentredSums:
    """Return the sums of X and Y of one block, each less its ``shift``; ``room`` is overwritten."""
    n_rows = len(rows[0])
    moved = [space[:n_rows] for space in room]
    for side, by, space in zip(rows, shift, moved, strict=True):
        np.subtract(side, by, out=space, casting="unsafe")  # whole numbers and booleans, too
    each = np.ones(n_rows) if weights is None else weights
    n = float(each.sum())
    x, y = mean = [each @ space / n for space in moved]
    G, b, yy = _inner_products(moved, weights)
    if _is_far(x, np.diagonal(G) / n) or _is_far(y, yy / n):
        for space, by in zip(moved, mean, strict=True):
            space -= by
        shift = [one + by for one, by in zip(shift, mean, strict=True)]
        x, y = (each @ space / n for space in moved)
        G, b, yy = _inner_products(moved, weights)
    return CentredSums(
        n_rows=n_rows,
        n=np.full(1, n),
        x_mean=(shift[0] + x)[None],
        y_mean=shift[1] + y,
        G=(G - n * x[:, None] * x)[None],
        b=b - n * y[:, None] * x,
        yy=yy - n * y * y,
    )


def _inner_products(
    rows: list[np.ndarray], weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return XᵀX, YᵀX and the squares of Y."""
    X, Y = rows
    if weights is not None:
        roots = np.sqrt(weights)[:, None]
        X, Y = X * roots, Y * roots
    return X.T @ X, Y.T @ X, np.einsum("nt,nt->t", Y, Y)


def _is_far(mean: np.ndarray, mean_square: np.ndarray) -> bool:
    """Return whether some mean is far from zero, beside the spread around it."""
    square = mean * mean
    return bool(np.any(square > _FAR * np.maximum(mean_square - square, 0.0)))


def are_in_range(X: Any, Y: np.ndarray, sums: CentredSums) -> bool:
    """Return whether sums of X (N, D), Y (N, T) are numbers, and no column's squares vanished."""
    if not all(np.isfinite(one).all() for one in (sums.n, sums.G, sums.b, sums.yy, sums.y_mean)):
        return False
    return not (vary(X, np.diagonal(sums.G[0]) < TINY) or vary(Y, sums.yy < TINY))


def vary(X: Any, suspects: np.ndarray) -> bool:
    """Return whether one of the columns of a mask (D,) has more than one value."""
    columns = np.flatnonzero(suspects)
    for first in range(0, columns.size, 64):
        few = _dense(X[:, columns[first : first + 64]])
        if np.any(few != few[:1]):
            return True
    return False
