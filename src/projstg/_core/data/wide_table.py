"""From a wide table that is not copied to a standardised problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from .batch import Batch
from .different_rows import different_rows, most_counted
from .frame import Frame
from .shared_sums import TINY, vary
from .standard_table import ROUNDING, StandardTables
from .wide_problem import MANY_COLUMNS, WideProblem, column_moments

__all__ = ["wide_table"]


def wide_table(
    X: Any, y: np.ndarray, weights: np.ndarray | None, *, centre: bool, never: np.ndarray
) -> StandardTables:
    """Return the problem of X (N, D), floats, dense or CSC, y (N,) and weights (N,) or None.

    Columns of ``never``, a mask (D,), and those that do not vary are left out.
    """
    each = np.ones(len(y)) if weights is None else weights
    n, roots = float(each.sum()), np.sqrt(each)
    y_mean = float(each @ y) / n if centre else 0.0
    left = y - y_mean
    largest = float(np.max(np.abs(left), initial=0.0)) or 1.0
    size = largest * float(np.sqrt(each @ (left / largest) ** 2 / n))
    is_constant = size <= ROUNDING * np.finfo(np.float64).eps * abs(y_mean)
    y_scale = 1.0 if is_constant else size
    response = np.zeros_like(y) if is_constant else left / y_scale
    with np.errstate(over="ignore", invalid="ignore"):
        x_mean, square, along = column_moments(X, each, response, centre=centre)
    suspects = square < TINY
    if issparse(X):
        suspects &= np.diff(X.indptr) > 0
    if not np.isfinite(square).all() or vary(X, suspects):
        raise ValueError(
            "squares of numbers in X are too large or too small for a number; divide these columns "
            "by constants."
        )
    smallest = (ROUNDING * np.finfo(np.float64).eps * x_mean) ** 2
    varies = (square > smallest) & ~never
    columns = np.flatnonzero(varies) if varies.any() else np.arange(1)
    varies, scale = varies[columns], np.sqrt(np.where(varies, square, 0.0))[columns]
    factor = np.where(varies, 1.0 / np.where(varies, scale, 1.0), 0.0)
    x_mean = x_mean[columns]
    problem = WideProblem(
        table=X,
        used=columns,
        mean=x_mean,
        factor=factor,
        roots=roots,
        target=roots * response,
        b=along[columns] * factor,
        diagonal=np.where(varies, n, 0.0),
        n=n,
        dof=n - 1.0 if centre else n,
    )
    own = scale[None], x_mean[None], np.full(1, y_mean), np.full(1, y_scale)
    units = Frame(X.shape[1], columns, *own)
    if columns.size > MANY_COLUMNS:
        return StandardTables(None, units, wide=problem)
    cells = different_rows(X, most_counted(columns.size), columns)
    few_rows = None if cells is None else len(cells)
    batch = Batch.of([problem.subset(np.arange(columns.size))])
    return StandardTables(batch, units, few_rows=few_rows)
