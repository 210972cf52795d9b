"""K_max, the largest number of columns that a posterior or a criterion considers."""

from __future__ import annotations

from ..data.problem import Problem
from ..data.table_rank import rank_and_residual
from .pipeline_settings import PIPELINE

__all__ = ["largest_size"]


def largest_size(problem: Problem, n_free: int, n_redundant: int = 0) -> int:
    """Return K_max of one problem: it leaves two degrees of freedom, and is at most the rank of X.

    ``n_redundant`` of the columns that must be selected depend on others that must be, and do not
    count for the rank. Repeated rows, and weights, add degrees of freedom, but as many columns as
    there are different rows fit without error, and every such support would look certain.
    """
    most, n_means = int(problem.dof + 1e-6) - 2, round(problem.n - problem.dof)
    found = rank_and_residual(problem, PIPELINE.most_columns + 2)
    if found is not None:
        rank, error = found
        has_error = error > PIPELINE.no_error * problem.yy
        # Without an error left, and not because y is a combination of few columns of many rows, as
        # many columns as the rank fit any y.
        fits_any = not has_error and not problem.has_more_rows(rank + n_means)
        most = min(most, (rank - 2 if fits_any else rank) + n_redundant)
    return max(min(n_free, most, PIPELINE.most_columns), 0)
