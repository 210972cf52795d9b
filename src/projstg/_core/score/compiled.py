"""Problems and judges as the compiled kernel takes them (:mod:`..kernel`).

Records keep the arrays they point at.
"""

from __future__ import annotations

import numpy as np

from ..data.problem import Problem
from ..kernel import library
from ..kernel.library import Record
from .criterion import Judge
from .score_settings import SCORE
from .tableau import Field

__all__ = ["field_record", "judge_record", "row_record"]


def field_record(field: Field) -> Record:
    """Return a problem as a search sees it."""
    return library.FieldRecord.of(
        D=field.b.size,
        G=np.ascontiguousarray(field.G),
        b=np.ascontiguousarray(field.b),
        yy=field.yy,
        dof=field.dof,
        n=field.n,
        floor=field.floor,
        excluded=np.ascontiguousarray(field.excluded),
        locked=np.ascontiguousarray(field.locked),
    )


def judge_record(judge: Judge) -> Record:
    """Return how supports are scored."""
    ridges, volume = judge.ridges, np.ascontiguousarray(judge.volume_of_size)
    return library.JudgeRecord.of(
        R=ridges.kappa.size,
        kappa=np.ascontiguousarray(ridges.kappa),
        zero_cost=np.ascontiguousarray(ridges.zero_cost),
        size_cost=np.ascontiguousarray(ridges.size_cost),
        n_sizes=volume.shape[1],
        volume=volume,
        repeated=SCORE.repeated,
        decades_of_size=SCORE.decades_of_size,
        counts_volume=judge.counts_volume,
        has_common_size=judge.has_common_size,
        is_diluted=judge.is_diluted,
    )


def row_record(problem: Problem, columns: np.ndarray, *, fetch: bool) -> Record | None:
    """Return the rows of a problem with some of its columns, or None.

    Rows that are not in memory as the problem has them are fetched only if asked for: that takes a
    pass over the table.
    """
    if problem.X is None and not (fetch and problem.has_rows):
        return None
    is_whole = problem.X is not None and columns.size == problem.b.size
    X, y = (problem.X, problem.y) if is_whole else problem.rows_of(columns)
    N, D = X.shape  # type: ignore[union-attr] # not None
    return library.RowsRecord.of(N=N, D=D, X=np.ascontiguousarray(X), y=np.ascontiguousarray(y))
