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

from ..data.problem import Problem
from ..data.redundant_columns import redundant_forced
from ..data.standard_table import StandardTables
from ..data.table_rank import rank_up_to
from ..posterior.drawing import drawn
from ..posterior.exploration import counted_around, every_support, with_more
from ..posterior.posterior import Posterior
from ..posterior.target import criterion_with_volume, target
from ..progress import Report, steps_of
from ..score.criterion import CRITERIA
from ..score.prior import size_prior
from ..search.record import RankedSupports
from .answer_posterior import of_all_sizes
from .fixed_size import solve_fixed, solve_known
from .information_criteria import information_size, most_by_information
from .largest_size import largest_size
from .options import Options
from .pipeline_settings import PIPELINE
from .quick_search import QuickSearch
from .size_ladder import ladder
from .solution import Solution

__all__ = ["solve_auto"]


class _Sizes(NamedTuple):
    """A table, and which sizes come into question."""

    table: StandardTables
    problem: Problem
    always: np.ndarray
    """(D,)."""
    k_min: int
    k_max: int
    n_free: int
    """How many columns could be selected."""
    has_choice: bool
    """False where more columns could be selected, but rows are too few to compare them."""


def solve_auto(
    table: StandardTables, options: Options, seed: int, report: Report | None = None
) -> Solution:
    """Return the answer for one table, K chosen from the data."""
    of = _sizes(table, options)
    if not of.has_choice:
        return _without_choice(of, options, seed, report)
    solve = _by_evidence if options.selection == "evidence" else _by_information
    return solve(of, options, seed, report)


def _sizes(table: StandardTables, options: Options) -> _Sizes:
    problem, always = table.problem(0), options.must(table.columns.size)
    k_min, n_free = len(options.always), int(np.sum(problem.diagonal > 0.0))
    n_redundant = redundant_forced(problem, always)
    k_max = max(largest_size(problem, n_free, n_redundant), k_min)
    if options.selection != "evidence":
        k_max = most_by_information(problem, k_min, k_max)
    has_choice = k_min < k_max or k_min == n_free or _depend(problem, k_min, n_redundant)
    return _Sizes(table, problem, always, k_min, k_max, n_free, has_choice)


def _depend(problem: Problem, k_min: int, n_redundant: int) -> bool:
    """Return whether all columns depend on those that must be selected, of enough rows."""
    n_own = k_min - n_redundant
    return problem.dof + 1e-6 >= k_min + 3 and rank_up_to(problem, n_own + 1) == n_own


def _without_choice(of: _Sizes, options: Options, seed: int, report: Report | None) -> Solution:
    """Select what must be, without probabilities: no column was looked at."""
    options = replace(options.of_size(of.k_min), probabilities=False)
    found = solve_fixed(of.table, options, [seed], report)
    (answer,) = found.answers
    return found._replace(answers=[answer._replace(has_choice=False)])


def _by_evidence(of: _Sizes, options: Options, seed: int, report: Report | None) -> Solution:
    """Solve for the size of the likeliest support, until that size has been solved before."""
    name, prior = (
        criterion_with_volume(options.criterion),
        size_prior(of.k_min, of.k_max, of.n_free),
    )
    own = target(of.problem, CRITERIA[name], prior, always=of.always)
    judge = own.judge if name == options.criterion else None
    if own.is_enumerable:
        posterior = every_support(own)
        if CRITERIA[options.criterion].counts_volume:
            known = solve_known(of.table, options, posterior, seed, report)
            return _with_posterior(known, posterior, options)
    else:
        posterior = counted_around(own, ladder(own, seed, report))
    answers: dict[int, Solution] = {}

    def solved(k: int) -> Solution:
        plain = replace(options.of_size(k), probabilities=False)
        return solve_fixed(of.table, plain, [seed], report, judge)

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
    return _with_posterior(answers[k], posterior, options)


def _with_posterior(solution: Solution, posterior: Posterior, options: Options) -> Solution:
    (answer,) = solution.answers
    return solution._replace(answers=[of_all_sizes(answer, posterior, options)])


def _ranked_of(solution: Solution) -> list[RankedSupports]:
    """Return what the search has found."""
    return [answer.search.ranked for answer in solution.answers if answer.search is not None]


def _by_information(of: _Sizes, options: Options, seed: int, report: Report | None) -> Solution:
    """Solve for the size with the lowest information criterion, after a search of each size."""
    problem, name = of.problem, options.selection or ""
    judge = CRITERIA[options.criterion].judge(problem, of.k_max, of.always)
    n_starts = min(PIPELINE.size_starts, options.n_starts or PIPELINE.size_starts)
    search = QuickSearch(problem, judge, of.k_max, of.always, seed)
    sizes = (of.k_min, of.k_max, of.n_free)

    found: dict[int, np.ndarray] = {}
    tried = steps_of(report, "sizes", of.k_max - of.k_min + 1)

    def best(k: int) -> np.ndarray:
        found[k] = search(k, n_starts).support
        tried()
        return found[k]

    k = information_size(problem, name, best, *sizes)
    while search.look_further(list(found.values())):
        k = information_size(problem, name, best, *sizes)
    return solve_fixed(of.table, options.of_size(k), [seed], report)
