"""Small tables with K given, from standardised columns to the answer, in one call of the kernel.

Where tables are small most of the time would go into calling it: so λ, the gates' first steps, a
greedy pursuit, the prior of the supports, the search and least squares follow each other in C.
:mod:`.fixed_size` does the same step by step, which is the definition, and does what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from ..data.original_units import NOTHING
from ..data.quadratic import Problem, RowQuadratic, is_double
from ..data.refit import Refit
from ..data.standard_table import StandardTable
from ..gates.alternate import MOST_COMPILED, warm_up_record
from ..gates.gate_settings import GATES
from ..gates.theory_lambda import WHOLE
from ..greedy.matching_pursuit import correlation_tolerance, gain_tolerance
from ..kernel import library
from ..kernel.library import Record
from ..score.compiled import generator_address, judge_record
from ..score.criterion import CRITERIA, Judge
from ..score.score_settings import SCORE
from ..search.best_support import Refined
from ..search.compiled_search import Searches, plan_record
from ..search.search_settings import SEARCH
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = ["Answered", "PenaltyAndNoise", "answer_small", "is_small"]

_EPS = float(np.finfo(np.float64).eps)


class PenaltyAndNoise(NamedTuple):
    """λ and σ of each table in units of the scaled y, (B,) both."""

    alpha: np.ndarray
    """NaN where the paper's rule, with σ from a greedy fit, is to give both."""
    noise_std: np.ndarray
    """NaN where λ was given."""


class Answered(NamedTuple):
    """What the kernel found in B tables."""

    is_done: np.ndarray
    """(B,): a table that is not done needs more digits than the kernel has, and nothing else here
    is of use for it."""
    penalty: PenaltyAndNoise
    fitted: Refit
    search: list[Refined]

    def some(self, problems: np.ndarray) -> Answered:
        """Return what was found in some of the tables."""
        penalty = PenaltyAndNoise(*(field[problems] for field in self.penalty))
        fitted = Refit(*(field[problems] for field in self.fitted))
        search = [self.search[i] for i in problems.tolist()]
        return Answered(self.is_done[problems], penalty, fitted, search)


def is_small(problem: Problem, options: Options) -> bool:
    """Return whether tables all of whose columns may be selected are for :func:`answer_small`."""
    K, D = options.n_selected or 0, problem.b.shape[-1]
    if not (0 < K < D <= PIPELINE.most_first_steps) or options.always:
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
    penalty: PenaltyAndNoise,
    judge: Judge | None,
) -> Answered:
    """Return the answers for small tables; problem i draws from seeds[i].

    ``penalty`` are filled in. ``judge`` is that of the tables, or None.
    """
    (B, D), K = table.problem.b.shape, options.n_selected or 0
    has_volume = judge is not None
    judge = _unknown(options.criterion, B, K) if judge is None else judge
    found = _Filled(
        np.empty((B, K), dtype=np.int64),
        Refit(np.empty((B, D), dtype=bool), np.empty((B, D)), np.empty(B)),
        np.empty(B),
        np.empty((B, 5), dtype=np.int64),
        np.zeros(B, dtype=np.uintp),
    )
    generators = [np.random.default_rng([seed, K]) for seed in seeds]
    draws = np.asarray([generator_address(one) for one in generators], dtype=np.uintp)
    tables = _tables(table, K, options.alpha_scale, penalty, judge, has_volume, draws)
    plan = plan_record(SEARCH, K, options.n_starts or SEARCH.n_starts(K, D))
    by, searches = judge_record(judge, 0), Searches(found.handles)
    is_lost = library.KERNEL.projstg_fit(
        tables, by, plan, warm_up_record(options.gates.tau), found.record()
    )
    if is_lost:
        raise MemoryError(f"no memory for a search of {D} columns")
    search = _refined(found, searches, judge, table.problem.b.shape[1])
    return Answered(found.numbers[:, 0] > 0, penalty, found.fitted, search)


class _Filled(NamedTuple):
    """What the kernel fills in."""

    support: np.ndarray
    """(B, K)."""
    fitted: Refit
    objective: np.ndarray
    """(B,)."""
    numbers: np.ndarray
    """(B, 5): whether it is done, starts, those that agree, exchanges, supports."""
    handles: np.ndarray
    """(B,): of searches."""

    def record(self) -> Record:
        """Return what the kernel takes."""
        return library.AnswersRecord.of(
            support=self.support,
            mask=self.fitted.support,
            coef=self.fitted.coef,
            intercept=self.fitted.intercept,
            objective=self.objective,
            numbers=self.numbers,
            searches=self.handles,
        )


def _unknown(criterion: str, n_problems: int, K: int) -> Judge:
    """Return a judge of supports of K columns whose volumes the kernel computes."""
    of = CRITERIA[criterion]
    volume = np.empty((n_problems, of.ridges.kappa.size, K + 2))
    return Judge(of.ridges, of.counts_volume, of.is_diluted, volume)


def _tables(
    table: StandardTable,
    K: int,
    factor: float,
    penalty: PenaltyAndNoise,
    judge: Judge,
    has_volume: bool,
    generators: np.ndarray,
) -> Record:
    """Return the tables as the kernel takes them.

    It writes volumes that are not known into the judge's own array, which is contiguous then.
    """
    problem, contiguous = table.problem, np.ascontiguousarray
    X, y = (problem.X, problem.y) if isinstance(problem, RowQuadratic) else (None, None)
    B, D = problem.b.shape
    return library.TablesRecord.of(
        B=B,
        N=0 if X is None else X.shape[1],
        D=D,
        K=K,
        X=None if X is None else contiguous(X),
        y=None if y is None else contiguous(y),
        G=contiguous(problem.gram.G),
        b=contiguous(problem.b),
        yy=contiguous(problem.yy),
        n=contiguous(problem.n),
        dof=contiguous(problem.degrees_of_freedom),
        residual_floor=SCORE.residual_floor,
        factor=factor,
        smallest_noise=GATES.smallest_noise,
        largest_alpha=GATES.largest_alpha,
        whole=WHOLE,
        gain_tolerance=gain_tolerance(_EPS),
        correlation_tolerance=correlation_tolerance(_EPS),
        nothing=NOTHING,
        alpha=penalty.alpha,
        noise=penalty.noise_std,
        generators=generators,
        has_volume=has_volume,
        volume=contiguous(judge.volume_of_size),
        scale=contiguous(table.scale),
        x_mean=contiguous(table.x_mean),
        y_scale=contiguous(table.y_scale),
        y_mean=contiguous(table.y_mean),
    )


def _refined(found: _Filled, searches: Searches, judge: Judge, n_columns: int) -> list[Refined]:
    """Return what the searches found as :func:`~..search.best_support.refine` does."""
    K, objective = found.support.shape[1], found.objective.tolist()
    numbers, judges = found.numbers.tolist(), judge.apart()
    return [
        Refined(
            support=support,
            objective=objective[i],
            n_starts=numbers[i][1],
            n_agreeing_starts=numbers[i][2],
            n_iter=numbers[i][3],
            is_complete=False,
            n_redundant=0,
            n_columns=n_columns,
            judge=judges[i],
            ranked=searches.ranked(i, numbers[i][4], K),
        )
        for i, support in enumerate(found.support)
    ]
