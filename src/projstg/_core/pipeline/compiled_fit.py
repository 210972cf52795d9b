"""Small tables with K given, from standardised columns to the answer, in one call of the kernel.

Where tables are small most of the time would go into calling it: so λ, the gates' first steps, a
greedy pursuit, the prior of the supports, the search and least squares follow each other in C.
:mod:`.fixed_size` does the same step by step, which is the definition, and does what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref
from math import comb
from typing import NamedTuple

import numpy as np

from ..data.quadratic import Problem, RowQuadratic, is_double
from ..data.refit import Refit
from ..data.standard_table import StandardTable
from ..gates.alternate import MOST_COMPILED, warm_up_record
from ..gates.gate_settings import GATES
from ..greedy.matching_pursuit import correlation_tolerance, gain_tolerance
from ..kernel import library
from ..score.compiled import generator_address, judge_record
from ..score.criterion import CRITERIA, Judge
from ..score.score_settings import SCORE
from ..search.best_support import Refined
from ..search.compiled_search import Searches, plan_record
from ..search.search_settings import SEARCH
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = ["Answered", "answer_small", "is_small"]

_EPS = float(np.finfo(np.float64).eps)


class Answered(NamedTuple):
    """What the kernel found in B tables."""

    is_done: np.ndarray
    """(B,): a table that is not done needs more digits than the kernel has, and nothing else here
    is of use for it."""
    alpha: np.ndarray
    """λ in units of the scaled y, (B,)."""
    noise_std: np.ndarray
    """Likewise, (B,); NaN where λ was given."""
    fitted: Refit
    search: Refined


def is_small(problem: Problem, options: Options) -> bool:
    """Return whether tables all of whose columns may be selected are for :func:`answer_small`."""
    K, D = options.n_selected or 0, problem.b.shape[-1]
    if library.KERNEL is None or not (0 < K < D <= PIPELINE.most_first_steps) or options.always:
        return False
    n_rows = problem.X.shape[-2] if isinstance(problem, RowQuadratic) else D
    return (
        min(n_rows, D) <= MOST_COMPILED
        and CRITERIA[options.criterion].counts_volume
        and comb(D, K) > SEARCH.n_enumerable
        and is_double(problem)
        and len(problem.n) == len(problem.b)  # no array is shared between problems
    )


def answer_small(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    alpha: np.ndarray | None,
    judge: Judge | None,
) -> Answered:
    """Return the answers for small tables; problem i draws from seeds[i].

    ``alpha`` is λ in units of the scaled y, (B,), or None for the paper's rule with the σ of each
    table; ``judge`` is that of the tables, or None.
    """
    problem, K = table.problem, options.n_selected or 0
    B, D = problem.b.shape
    numbers = np.empty((B, 5), dtype=np.int64)
    support, objective = np.empty((B, K), dtype=np.int64), np.empty(B)
    fitted = Refit(np.empty((B, D), dtype=bool), np.empty((B, D)), np.empty(B))
    handles, noise = np.zeros(B, dtype=np.int64), np.full(B, np.nan)
    by_rule = alpha is None
    alpha = np.empty(B) if alpha is None else np.ascontiguousarray(alpha)
    has_volume = judge is not None
    if judge is None:
        of = CRITERIA[options.criterion]
        volume = np.empty((B, of.ridges.kappa.size, K + 2))
        judge = Judge(of.ridges, of.counts_volume, of.is_diluted, volume)
    volume = np.ascontiguousarray(judge.volume_of_size)
    X = y = None
    if isinstance(problem, RowQuadratic):
        X, y = np.ascontiguousarray(problem.X), np.ascontiguousarray(problem.y)
    fields = (problem.gram.G, problem.b, problem.yy, problem.n, problem.degrees_of_freedom)
    sums = [np.ascontiguousarray(one) for one in fields]
    of_data = (table.scale, table.x_mean, table.y_scale, table.y_mean)
    units = [np.ascontiguousarray(one) for one in of_data]
    address = library.address
    tables = library.TablesRecord(
        *(B, 0 if X is None else X.shape[1], D, K),
        *(None if one is None else address(one) for one in (X, y)),
        *(address(one) for one in sums),
        *(SCORE.residual_floor, by_rule, options.alpha_scale),
        *(GATES.smallest_noise, GATES.largest_alpha),
        *(gain_tolerance(_EPS), correlation_tolerance(_EPS)),
        *(address(alpha), address(noise), has_volume, address(volume)),
        *(address(one) for one in units),
    )
    answers = library.AnswersRecord(
        *(address(one) for one in (support, *fitted, objective, numbers, handles))
    )
    generators = [np.random.default_rng([seed, K]) for seed in seeds]
    draws = np.asarray([generator_address(one) for one in generators], dtype=np.uintp)
    plan = plan_record(SEARCH, K, options.n_starts or SEARCH.n_starts(K))
    by = judge_record(judge, 0)
    searches = Searches(handles)
    is_lost = library.KERNEL.projstg_fit(
        byref(tables),
        byref(by.record),
        byref(plan.record),
        byref(warm_up_record(options.gates.tau).record),
        address(draws),
        byref(answers),
    )
    if is_lost:
        raise MemoryError(f"no memory for a search of {D} columns")
    optima = [searches.optima(i, n, K) for i, n in enumerate(numbers[:, 4].tolist())]
    return Answered(
        numbers[:, 0] > 0,
        alpha,
        noise,
        fitted,
        Refined(
            support=support,
            objective=objective,
            n_starts=numbers[:, 1],
            n_agreeing_starts=numbers[:, 2],
            n_iter=numbers[:, 3],
            is_diluted=np.full(B, judge.is_diluted),
            is_complete=np.zeros(B, dtype=bool),
            n_redundant=np.zeros(B, dtype=np.int64),
            judges=[judge] if B == 1 else [judge.problems(np.asarray([i])) for i in range(B)],
            optima=optima,
        ),
    )
