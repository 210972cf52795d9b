"""K_max, the largest number of columns that a posterior or a criterion considers."""

from __future__ import annotations

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem
from ..data.table_rank import rank_and_residual
from .pipeline_settings import PIPELINE

__all__ = ["largest_size"]

# More columns than any table has.
_UNKNOWN = 10**9


def largest_size(problem: Problem, n_free: int) -> int:
    """Return K_max of one problem: it leaves two degrees of freedom, without repeated rows.

    Repeated rows add degrees of freedom, but as many columns as there are different rows fit
    without error, and every such support would look certain.
    """
    most = int(float(np.max(to_numpy(problem.degrees_of_freedom))) + 1e-6)
    return max(min(n_free, min(most, _perfect_size(problem)) - 2, PIPELINE.most_columns), 0)


def _perfect_size(problem: Problem) -> int:
    """Return how many columns fit any y on these rows without error, or a very large number.

    The large number means: all columns together leave an error, or they fit y with rows to spare
    (which is not by chance), or the table is too large to compute its rank.
    """
    found = rank_and_residual(problem)
    if found is None:
        return _UNKNOWN
    rank, error = found
    has_error = error > PIPELINE.no_error * float(to_numpy(problem.yy)[0])
    return _UNKNOWN if has_error or _has_more_rows(problem, rank) else rank


def _has_more_rows(problem: Problem, rank: int) -> bool:
    """Return whether there are more different rows than the rank, and the intercept, can fit."""
    n, dof = (float(to_numpy(one)[0]) for one in (problem.n, problem.degrees_of_freedom))
    most = rank + round(n - dof)
    return n > most if problem.source is None else problem.source.has_more_rows(0, most)
