"""The columns that quick searches of a very wide problem look at.

A greedy path among all columns needs a pass over X for each step, and so does a search before its
answer is final. For a proposal that is too much. So the path goes among some of the columns, at
first those most correlated with y. One pass over X then gives the correlation of all columns with
what the path leaves of y after 1, 2, 4, 8 … steps, in one product, and those most correlated with
each of these residuals join. A few such passes take the place of some hundred.

What is proposed is searched again, and that search looks at all columns before its answer is final.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.batch import Batch
from ..data.wide_problem import WideProblem
from ..greedy.matching_pursuit import forward_selection
from .pipeline_settings import PIPELINE

__all__ = ["candidate_columns", "with_candidates"]


def candidate_columns(problem: WideProblem, k_max: int) -> np.ndarray:
    """Return columns (W,), in increasing order, for supports of up to ``k_max`` columns."""
    columns = _largest(np.abs(problem.b)[None], PIPELINE.first_candidates)
    for _ in range(PIPELINE.candidate_passes):
        residuals = _residuals(problem, columns, k_max)
        columns = np.union1d(columns, _most_correlated(problem, residuals))
    return columns


def with_candidates(
    problem: WideProblem, columns: np.ndarray, supports: Sequence[np.ndarray]
) -> np.ndarray:
    """Return columns (W,) and those most correlated with what any of the supports leaves of y."""
    left = [_left(problem.target, problem.dense(support)) for support in supports]
    return np.union1d(columns, _most_correlated(problem, np.stack(left, axis=1)))


def _left(y: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return what least squares on X (N, K) leaves of y (N,)."""
    Q, _ = np.linalg.qr(X)
    return y - Q @ (y @ Q)


def _residuals(problem: WideProblem, columns: np.ndarray, k_max: int) -> np.ndarray:
    """Return what a greedy path leaves of y after 1, 2, 4 … steps, up to ``k_max``, (N, S)."""
    few = problem.subset(columns)
    (order,) = forward_selection(Batch.of([few]), k_max).order
    _, first = np.unique(order, return_index=True)
    # A path that ends early repeats a column.
    length = int(np.argmin(np.isin(np.arange(order.size + 1), first)))
    y, (Q, _) = problem.target, np.linalg.qr(few.X[:, order[:length]])  # type: ignore[index]
    left = y[:, None] - np.cumsum(Q * (y @ Q), axis=1)
    return left[:, 2 ** np.arange(length.bit_length()) - 1]


def _most_correlated(problem: WideProblem, residuals: np.ndarray) -> np.ndarray:
    """Return the columns most correlated with any of the residuals (N, S), in one pass."""
    # Standardised columns all have the same norm.
    found = np.empty((residuals.shape[1], problem.b.size), dtype=np.float32)
    for places, products in problem.along(residuals):
        found[:, places] = np.abs(products)
    return _largest(found, PIPELINE.joining_candidates)


def _largest(values: np.ndarray, size: int) -> np.ndarray:
    """Return the places of the ``size`` largest values of each row, in increasing order."""
    size = min(size, values.shape[1])
    found = [np.argpartition(-row, size - 1)[:size] for row in values]
    return np.unique(np.asarray(found, dtype=np.int64))
