"""Greedy choice of columns, one at a time, from rows of G on demand.

:func:`forward_selection` adds in each step the column that lowers the residual most. It is a
pivoted Cholesky factorisation of G that stops early: every column knows its correlation with the
residual, e, and the squared norm the columns before it have left, h; adding column j lowers the
residual sum of squares by e_j²/h_j.
"""

from __future__ import annotations

from typing import NamedTuple

from .backend import Array, namespace, take_along
from .statistics import Quadratic

__all__ = ["ForwardPath", "forward_selection"]

# Columns with less than this many units in the last place of their norm left are rounding.
_ROUNDING = 64


class ForwardPath(NamedTuple):
    """The columns in the order they came in, (..., K), and what was left of yᵀy after each."""

    order: Array
    rss: Array


def forward_selection(problem: Quadratic, n_steps: int) -> ForwardPath:
    """Add ``n_steps`` columns to each problem of a batch with one leading axis.

    Where no column adds anything any more the residual stays as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.statistics import RowQuadratic
    >>> X, y = np.eye(4)[None, :, :3], np.array([[1.0, 3.0, 2.0, 0.5]])
    >>> forward_selection(RowQuadratic.from_rows(X, y, centre=False), 2)
    ForwardPath(order=array([[1, 2]]), rss=array([[5.25, 1.25]]))
    """
    xp = namespace(problem.b)
    left, correlation, rss = problem.diagonal, problem.b, problem.yy
    smallest = left * (_ROUNDING * xp.finfo(left.dtype).eps)
    columns = xp.arange(left.shape[-1], device=left.device)
    found = xp.zeros((left.shape[0], n_steps, left.shape[1]), dtype=left.dtype, device=left.device)
    order, remains = [], []
    for step in range(n_steps):
        usable = xp.where(left > smallest, left, xp.inf)
        gain = correlation * correlation / usable
        j = xp.argmax(gain, axis=-1, keepdims=True)
        row = problem.rows(j)
        if step:
            before = found[:, :step, :]
            is_j = xp.astype(columns == j, left.dtype)
            row = row - xp.matrix_transpose(before @ is_j[:, :, None]) @ before
        root = xp.sqrt(take_along(usable, j))  # infinite if no column has anything left
        row = row[:, 0, :] / root
        projection = take_along(correlation, j) / root
        found[:, step, :] = row
        correlation = correlation - row * projection
        left = left - row * row
        rss = xp.maximum(rss - projection[:, 0] ** 2, xp.zeros_like(rss))
        order.append(j[:, 0])
        remains.append(rss)
    if not order:
        return ForwardPath(xp.astype(problem.b[:, :0], xp.int64), problem.b[:, :0])
    return ForwardPath(xp.stack(order, axis=-1), xp.stack(remains, axis=-1))
