"""The best supports of K columns: proposals of gates and of a pursuit, a search, least squares.

:func:`best_of_size` is the one coarse question that the pipeline asks. Its definition goes step by
step. Where problems are small most of the time would go into calling the steps: there the kernel
answers for all of them in one call, and what has too few digits for it is left to the definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from ..arrays.backend import to_numpy
from ..data.batch import Batch
from ..data.least_squares import largest, least_squares
from ..data.partial_out import partialled
from ..data.problem import Problem
from ..gates.alternate import steps_record
from ..gates.gate_settings import GATES
from ..greedy.matching_pursuit import largest_correlation, matching_pursuits, smallest_share
from ..kernel import library
from ..kernel.twin import answered_by, definition_of
from ..progress import Report
from ..score.compiled import judge_record
from ..score.criterion import Judge
from ..score.score_settings import SCORE
from ..search.best_support import Refined, refine
from ..search.compiled_search import Searches, plan_record
from ..search.search_settings import SEARCH
from .gate_problem import GateProblem, first_steps
from .options import Options
from .pipeline_settings import PIPELINE
from .solution import Answer

__all__ = ["best_from", "best_of_size"]

_EPS = float(np.finfo(np.float64).eps)


def _is_for_kernel(
    problems: Sequence[Problem], judges: Sequence[Judge], gates: GateProblem, *_: Any
) -> bool:
    """Return whether problems are small, and the kernel knows all that is asked of them."""
    K, D, batch = gates.options.n_selected or 0, problems[0].b.size, gates.batch
    return (
        0 < K < D <= PIPELINE.most_first_steps
        and not gates.options.always
        and batch.smaller_side <= GATES.most_compiled
        and judges[0].counts_volume
        and comb(D, K) > SEARCH.n_enumerable
        and batch.is_double
        and bool(np.all(batch.diagonal > 0.0))
    )


def _by_kernel(
    problems: Sequence[Problem],
    judges: Sequence[Judge],
    gates: GateProblem,
    report: Report | None = None,
) -> list[Answer]:
    """Return what :func:`best_of_size` returns, in one call of the kernel."""
    if report is not None:
        report("search", 0, None)
    B, D, options = len(problems), problems[0].b.size, gates.options
    K = options.n_selected or 0
    beta, support = np.empty((B, K)), np.empty((B, K), dtype=np.int64)
    objective, numbers = np.empty(B), np.empty((B, 5), dtype=np.int64)
    handles = np.zeros(B, dtype=np.uintp)
    generators = [np.random.default_rng([seed, K]) for seed in gates.seeds]
    has_rows = problems[0].X is not None
    tables = library.TablesRecord.of(
        B=B,
        N=problems[0].height if has_rows else 0,
        D=D,
        K=K,
        X=[problem.X for problem in problems] if has_rows else None,
        y=[problem.y for problem in problems] if has_rows else None,
        G=[problem.G for problem in problems],
        b=[problem.b for problem in problems],
        volumes=[judge.volume_of_size for judge in judges],
        yy=np.asarray([problem.yy for problem in problems]),
        n=np.asarray([problem.n for problem in problems]),
        dof=np.asarray([problem.dof for problem in problems]),
        alpha=np.ascontiguousarray(gates.alpha),
        generators=np.asarray([*map(library.generator_address, generators)], dtype=np.uintp),
        residual_floor=SCORE.residual_floor,
        correlation_tolerance=smallest_share(largest_correlation, _EPS),
    )
    answers = library.AnswersRecord.of(
        support=support, beta=beta, objective=objective, numbers=numbers, searches=handles
    )
    plan = plan_record(SEARCH, K, options.n_starts or SEARCH.n_starts(K, D))
    searches, steps = Searches(handles), steps_record(options.gates.tau)
    if library.KERNEL.projstg_fit(tables, judge_record(judges[0]), plan, steps, answers):
        raise MemoryError(f"no memory for a search of {D} columns")
    found = []
    for i, (is_done, n_starts, n_agreeing, n_iter, n_supports) in enumerate(numbers.tolist()):
        if not is_done:
            own = gates.alone(i)
            found += definition_of(best_of_size)([problems[i]], [judges[i]], own, report)
            continue
        refined = Refined(
            support=support[i],
            objective=float(objective[i]),
            n_starts=n_starts,
            n_agreeing_starts=n_agreeing,
            n_iter=n_iter,
            is_complete=False,
            n_redundant=0,
            n_columns=D,
            judge=judges[i],
            ranked=searches.ranked(i, n_supports, K),
        )
        found.append(Answer(support[i], beta[i], refined))
    return found


@answered_by(_by_kernel, where=_is_for_kernel)
def best_of_size(
    problems: Sequence[Problem],
    judges: Sequence[Judge],
    gates: GateProblem,
    report: Report | None = None,
) -> list[Answer]:
    """Return the best support of K columns of each problem under its judge, with least squares.

    ``gates`` are those of the problems. Problem i draws from (seeds[i], K) alone.
    """
    must, k = np.asarray(gates.options.always, dtype=np.int64), gates.options.n_selected or 0
    size = np.abs(to_numpy(first_steps(gates, report)))
    size[np.stack([problem.diagonal for problem in problems]) <= 0.0] = -1.0
    size[:, must] = np.inf
    return best_from(problems, judges, largest(size, size, k), gates, report)


def best_from(
    problems: Sequence[Problem],
    judges: Sequence[Judge],
    proposed: np.ndarray,
    gates: GateProblem,
    report: Report | None,
) -> list[Answer]:
    """Return the same from the gates' proposals, (B, K), and those of a pursuit."""
    if report is not None:
        report("search", 0, None)
    options, k, answers = gates.options, proposed.shape[1], []
    must, starts = options.must(problems[0].b.size), _with_pursuits(problems, proposed, options)
    for problem, judge, own, seed in zip(problems, judges, starts, gates.seeds, strict=True):
        found = refine(
            problem,
            k,
            starts=own,
            generator=np.random.default_rng([seed, k]),
            criterion=judge,
            n_starts=options.n_starts,
            always=must,
            report=report,
        )
        answers.append(Answer(found.support, least_squares(problem, found.support), found))
    return answers


def _with_pursuits(
    problems: Sequence[Problem], proposed: np.ndarray, options: Options
) -> np.ndarray:
    """Return proposals (B, K), and the columns of orthogonal matching pursuits, (B, S, K).

    Among very many columns there is no pursuit: it needs a pass over X for each column. Where there
    are many columns for each row, but not very many, the most relevant ones are a proposal, too.
    """
    must, k = np.asarray(options.always, dtype=np.int64), proposed.shape[1]
    found = [proposed]
    if problems[0].b.size <= PIPELINE.most_for_pursuit and k > must.size:
        rest = [partialled(one, must)[0] for one in problems] if must.size else problems
        runs = matching_pursuits(Batch.of(rest), k - must.size, 1, largest_correlation)
        pursued = np.sort(np.hstack([np.tile(must, (len(rest), 1)), runs.order]), axis=1)
        # A pursuit ends early where all other columns depend on those taken.
        is_whole = np.all(runs.counts, axis=1, keepdims=True)
        found.append(np.where(is_whole, pursued, proposed))
    if not must.size and problems[0].b.size <= PIPELINE.most_for_pursuit:
        orders = [one.relevant for one in problems]
        if all(order.size >= k for order in orders):
            found.append(np.sort(np.stack([order[:k] for order in orders]), axis=1))
    return np.stack(found, axis=1)
