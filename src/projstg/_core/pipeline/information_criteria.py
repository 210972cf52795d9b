"""The number of columns by an information criterion: the lowest over the best supports.

    BIC   ν log(rss/ν) + K log ν          EBIC   … + K (log ν + 2 log D)
    GIC   ν log(rss/ν) + K log(D) log log ν

D and K do not count the columns that must be selected. In the GIC D is at least two and log ν at
least one. The EBIC is that of abess and others, in which K log D stands for log C(D, K): by that
itself a column would cost the less the more there are, and with few rows ever more are chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..data.problem import Problem
from ..score.criterion import CRITERIA, Criterion
from ..score.evidence import support_scores
from .pipeline_settings import PIPELINE

__all__ = ["SELECTIONS", "information_size", "most_by_information", "size_penalty"]

SELECTIONS = ("evidence", "ebic", "bic", "gic")


def information_size(
    problem: Problem,
    name: str,
    search: Callable[[int], np.ndarray],
    k_min: int,
    k_max: int,
    n_free: int,
) -> int:
    """Return the size with the lowest information criterion; ``search(k)`` gives a support (K,).

    ``k_min`` of the ``n_free`` columns must be selected; :func:`most_by_information` limits
    ``k_max``.
    """
    nu = problem.dof
    least_squares: Criterion = CRITERIA["least-squares"]
    best, lowest = k_min, np.inf
    for k in range(k_min, k_max + 1):
        fit = float(support_scores(problem, search(k)[None], least_squares)[0])
        cost = fit + size_penalty(name, k - k_min, nu, n_free - k_min)
        if cost < lowest:
            best, lowest = k, cost
        is_far = cost > lowest + PIPELINE.far_worse
        if k - best >= (PIPELINE.most_worse if is_far else PIPELINE.patience):
            break
    return best


def most_by_information(problem: Problem, k_min: int, k_max: int) -> int:
    """Return the largest size that a criterion is asked about: each column needs some rows."""
    return min(k_max, max(k_min, int(problem.dof / PIPELINE.rows_for_each)))


def size_penalty(name: str, k: int, nu: float, n_columns: int) -> float:
    """Return what a criterion charges for k of n columns, to be added to ν log(rss/ν)."""
    if name == "gic":
        return k * np.log(max(n_columns, 2)) * np.log(max(np.log(nu), 1.0))
    by_rows = k * np.log(nu)
    return by_rows if name == "bic" else by_rows + 2.0 * k * np.log(max(n_columns, 1))
