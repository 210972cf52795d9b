"""K chosen from the data, and its columns.

Where there are few supports all are scored, and the likeliest is the answer (under least squares,
the best of its size). Otherwise a size is proposed (:mod:`.size_ladder`), the table is solved for
the size of the likeliest support (:mod:`.fixed_size`), and what that search has found is counted,
too. If the likeliest support now has another size, the table is
solved for that size. So the search is the same as with this K given, and the probabilities are over
all sizes; they may find a better support of this size. With ``decision="median"`` the columns that
are likelier to belong than not become the answer, however many they are.

Where rows are too few to compare any two supports, nothing is chosen beside what must be, and no
probability is known (:func:`_without_choice`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem, on_host
from ..data.redundant_columns import redundant_forced
from ..data.standard_table import StandardTable
from ..data.table_rank import rank_up_to
from ..posterior.drawing import drawn
from ..posterior.exploration import counted_around, every_support, with_more
from ..posterior.posterior import Posterior
from ..posterior.target import criterion_with_volume, target
from ..progress import Report, counted
from ..score.criterion import CRITERIA
from ..score.prior import n_selectable, size_prior
from ..search.record import RankedSupports
from .answer_posterior import always_mask, with_posterior
from .fixed_size import solve, solve_known
from .information_criteria import information_size, most_by_information
from .largest_size import largest_size
from .options import Options
from .pipeline_settings import PIPELINE
from .quick_search import QuickSearch
from .size_ladder import ladder
from .solution import Solution

__all__ = ["solve_auto"]


class _SizeQuestion(NamedTuple):
    """One table, and what may be selected from it."""

    table: StandardTable
    problem: Problem
    always: np.ndarray
    never: np.ndarray
    k_min: int
    k_max: int
    has_choice: bool
    """False where more columns could be selected, but rows are too few to compare them."""


def solve_auto(
    table: StandardTable,
    options: Options,
    selection: str,
    seed: int,
    report: Report | None = None,
) -> Solution:
    """Return the answer for one table whose columns may all be selected, K chosen from the data."""
    asked = _question(table, options, selection)
    if not asked.has_choice:
        return _without_choice(asked, options, seed, report)
    if selection == "evidence":
        return _by_evidence(asked, options, seed, report)
    return _by_information(asked, options, selection, seed, report)


def _question(table: StandardTable, options: Options, selection: str) -> _SizeQuestion:
    problem, always = on_host(table.problem), always_mask(table, options)
    never, k_min = ~to_numpy(table.varies)[0], int(always.sum())
    n_free, n_redundant = n_selectable(always, never), redundant_forced(problem, always)
    k_max = max(largest_size(problem, n_free, n_redundant), k_min)
    if selection != "evidence":
        k_max = most_by_information(problem, k_min, k_max)
    has_choice = k_min < k_max or k_min == n_free or _depend(problem, k_min, n_redundant)
    return _SizeQuestion(table, problem, always, never, k_min, k_max, has_choice)


def _depend(problem: Problem, k_min: int, n_redundant: int) -> bool:
    """Return whether all columns depend on those that must be selected, of enough rows."""
    n_own = k_min - n_redundant
    has_rows = float(to_numpy(problem.degrees_of_freedom)[0]) + 1e-6 >= k_min + 3
    return has_rows and rank_up_to(problem, n_own + 1) == n_own


def _without_choice(
    asked: _SizeQuestion, options: Options, seed: int, report: Report | None
) -> Solution:
    """Select what must be, without probabilities: no column was looked at."""
    options = replace(options, n_selected=asked.k_min, probabilities=False)
    found = solve(asked.table, options, [seed], report)
    if found.search is None:
        raise RuntimeError("K is to be chosen from the data, but no search was run.")
    return found._replace(search=[one._replace(n_columns=0) for one in found.search])


def _by_evidence(
    asked: _SizeQuestion, options: Options, seed: int, report: Report | None
) -> Solution:
    """Solve for the size of the likeliest support, until that size has been solved before."""
    name, always, never = criterion_with_volume(options.criterion), asked.always, asked.never
    prior = size_prior(asked.k_min, asked.k_max, n_selectable(always, never))
    own = target(asked.problem, CRITERIA[name], prior, always=always, never=never)
    judge = own.judge if name == options.criterion else None
    if own.is_enumerable:
        posterior = every_support(own)
        if CRITERIA[options.criterion].counts_volume:
            known = solve_known(asked.table, options, posterior, seed, report)
            return with_posterior(known, posterior, asked.table, options)
    else:
        limits = (asked.k_max, always, never)
        rungs = ladder(asked.problem, own.judge, *limits, seed, report)
        posterior = counted_around(own, rungs)
    asked_for = replace(options, probabilities=False)
    answers: dict[int, Solution] = {}

    def solved(k: int) -> Solution:
        return solve(asked.table, replace(asked_for, n_selected=k), [seed], report, judge)

    def solved_for(known: Posterior) -> Posterior:
        """Solve for the size of the likeliest support; what that finds is counted, too."""
        k = known.likeliest.size
        while k not in answers and len(answers) < PIPELINE.most_proposals:
            answers[k] = solved(k)
            if not own.is_enumerable:
                known = with_more(known, _ranked_of(answers[k]))
            k = known.likeliest.size
        return known

    posterior = solved_for(posterior)
    if not own.is_enumerable:
        posterior = drawn(posterior, seed, report)
        drawn_around = posterior.likeliest
        posterior = solved_for(posterior)
        if not (posterior.has_draws and np.array_equal(posterior.likeliest, drawn_around)):
            # Chains that began elsewhere need not find the way.
            posterior = drawn(posterior, seed, report)
    k = posterior.likeliest.size
    if k not in answers:  # as many sizes were proposed as may be
        answers[k] = solved(k)
    return with_posterior(answers[k], posterior, asked.table, options)


def _ranked_of(answer: Solution) -> list[RankedSupports]:
    """Return what the search has found; with K from the data there always is one."""
    if answer.search is None:
        raise RuntimeError("K is to be chosen from the data, but no search was run.")
    return [one.ranked for one in answer.search]


def _by_information(
    asked: _SizeQuestion, options: Options, selection: str, seed: int, report: Report | None
) -> Solution:
    """Solve for the size with the lowest information criterion, after a search of each size."""
    problem, always, never, k_max = asked.problem, asked.always, asked.never, asked.k_max
    judge = CRITERIA[options.criterion].judge(problem, k_max, always)
    n_starts = min(PIPELINE.size_starts, options.n_starts or PIPELINE.size_starts)
    search = QuickSearch(problem, judge, k_max, always, never, seed)
    n_free = n_selectable(always, never)

    found: dict[int, np.ndarray] = {}
    tried = counted(report, "sizes", k_max - asked.k_min + 1)

    def best(k: int) -> np.ndarray:
        found[k] = search(k, n_starts).support
        tried()
        return found[k]

    k = information_size(problem, selection, best, asked.k_min, k_max, n_free)
    while search.look_further(list(found.values())):
        k = information_size(problem, selection, best, asked.k_min, k_max, n_free)
    return solve(asked.table, replace(options, n_selected=k), [seed], report)
