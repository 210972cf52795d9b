"""Greedy choice of columns, one at a time, from rows of G on demand.

:func:`forward_selection` adds in each step the column that lowers the residual most. It is a
pivoted Cholesky factorisation of G that stops early: every column knows its correlation with the
residual, e, and the squared norm the columns before it have left, h; adding column j lowers the
residual sum of squares by e_j²/h_j.
"""

from __future__ import annotations

from typing import NamedTuple

from .backend import Array, namespace
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
    found: list[Array] = []
    order: list[Array] = []
    remains: list[Array] = []
    for _ in range(n_steps):
        usable = left > smallest
        gain = xp.where(usable, correlation * correlation, xp.zeros_like(left))
        gain = gain / xp.where(usable, left, xp.ones_like(left))
        j = xp.argmax(gain, axis=-1)
        is_j = xp.astype(columns == j[:, None], left.dtype)
        root = xp.sqrt(xp.sum(xp.where(usable, left, xp.ones_like(left)) * is_j, axis=-1))
        row = problem.rows(j[:, None])[:, 0, :]
        for other in found:
            row = row - other * xp.sum(other * is_j, axis=-1)[:, None]
        row = row / root[:, None]
        adds = xp.astype(xp.max(gain, axis=-1) > 0.0, left.dtype)
        correlation = correlation - row * (adds * xp.sum(correlation * is_j, -1) / root)[:, None]
        left = (left - adds[:, None] * row * row) * (1.0 - is_j)
        rss = xp.maximum(rss - xp.max(gain, axis=-1), xp.zeros_like(rss))
        found.append(row)
        order.append(j)
        remains.append(rss)
    if not order:
        empty = xp.zeros_like(problem.b)[:, :0]
        return ForwardPath(xp.astype(empty, xp.int64), empty)
    return ForwardPath(xp.stack(order, axis=-1), xp.stack(remains, axis=-1))
