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
        columns = with_candidates(problem, columns, _greedy_supports(problem, columns, k_max))
    return columns


def with_candidates(
    problem: WideProblem, columns: np.ndarray, supports: Sequence[np.ndarray]
) -> np.ndarray:
    """Return columns (W,) and those most correlated with what any of the supports leaves of y."""
    if not supports:
        return columns
    # Standardised columns all have the same norm.
    joining = _largest(np.abs(problem.left_by(supports)), PIPELINE.joining_candidates)
    return np.union1d(columns, joining)


def _greedy_supports(problem: WideProblem, columns: np.ndarray, k_max: int) -> list[np.ndarray]:
    """Return the supports of a greedy path after 1, 2, 4 … steps, up to ``k_max``."""
    (order,) = forward_selection(Batch.of([problem.subset(columns)]), k_max).order
    _, first = np.unique(order, return_index=True)
    # A path that ends early repeats a column.
    length = int(np.argmin(np.isin(np.arange(order.size + 1), first)))
    return [columns[order[: 2**step]] for step in range(length.bit_length())]


def _largest(values: np.ndarray, size: int) -> np.ndarray:
    """Return the places of the ``size`` largest values of each row, in increasing order."""
    size = min(size, values.shape[1])
    found = [np.argpartition(-row, size - 1)[:size] for row in values]
    return np.unique(np.asarray(found, dtype=np.int64))
