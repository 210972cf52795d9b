"""K chosen from the data, and its columns.

Where there are few supports all are scored, and the likeliest is the answer (under least squares,
the best of its size). Otherwise a size is proposed (:mod:`.size_ladder`), the table is solved for
the size of the likeliest support (:mod:`.fixed_size`), and what that search has found is counted,
too. If the likeliest support now has another size, the table is
solved for that size. So the search is the same as with this K given, and the probabilities are over
all sizes; they may find a better support of this size. With ``decision="median"`` the columns that
are likelier to belong than not become the answer, however many they are.

Where rows are too few to compare any two supports, nothing is chosen beside what must be, and no
probability is known.
"""

from __future__ import annotations

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
from .answer_posterior import of_all_sizes
from .fixed_size import solve_fixed, solve_known
from .information_criteria import information_size, most_by_information
from .largest_size import largest_size
from .options import Options
from .pipeline_settings import PIPELINE
from .quick_search import QuickSearch
from .size_ladder import Ladder, ladder
from .solution import Solution

__all__ = ["solve_auto"]


def solve_auto(
    table: StandardTables, options: Options, seed: int, report: Report | None = None
) -> Solution:
    """Return the answer for one table, K chosen from the data."""
    problem, always = table.problem(0), options.must(table.columns.size)
    k_min, n_free = len(options.always), int(np.sum(problem.diagonal > 0.0))
    n_redundant = redundant_forced(problem, always)
    k_max = max(largest_size(problem, n_free, n_redundant), k_min)
    if options.selection != "evidence":
        k_max = most_by_information(problem, k_min, k_max)
    if k_min == k_max and k_min != n_free and not _depend(problem, k_min, n_redundant):
        # Rows are too few to compare columns: what must be selected is, and no other is looked at.
        found = solve_fixed(table, options.of_size(k_min, probabilities=False), [seed], report)
        (answer,) = found.answers
        return found._replace(answers=[answer._replace(has_choice=False)])
    solve = _by_evidence if options.selection == "evidence" else _by_information
    return solve(table, options, (k_min, k_max, n_free), seed, report)


def _depend(problem: Problem, k_min: int, n_redundant: int) -> bool:
    """Return whether all columns depend on those that must be selected, of enough rows."""
    n_own = k_min - n_redundant
    return problem.dof + 1e-6 >= k_min + 3 and rank_up_to(problem, n_own + 1) == n_own


def _by_evidence(
    table: StandardTables,
    options: Options,
    sizes: tuple[int, int, int],
    seed: int,
    report: Report | None,
) -> Solution:
    """Solve for the size of the likeliest support, until that size has been solved before.

    ``sizes`` are k_min, k_max and the number of columns that could be selected.
    """
    name, always = criterion_with_volume(options.criterion), options.must(table.columns.size)
    own = target(table.problem(0), CRITERIA[name], size_prior(*sizes), always=always)
    judge = own.judge if name == options.criterion else None
    if own.is_enumerable:
        posterior = every_support(own)
        if CRITERIA[options.criterion].counts_volume:
            known = solve_known(table, options, posterior, seed, report)
            return _with_posterior(known, posterior, options)
        quick = None
    else:
        quick = ladder(own, seed, report)
        posterior = counted_around(own, quick.found)
    answers: dict[int, Solution] = {}

    def solved(k: int) -> Solution:
        plain = options.of_size(k, probabilities=False)
        return solve_fixed(table, plain, [seed], report, judge)

    def solved_for(known: Posterior) -> Posterior:
        """Solve for the size of the likeliest support; what that finds is counted, too."""
        k = known.likeliest.size
        while k not in answers and len(answers) < PIPELINE.most_proposals:
            answers[k] = solved(k)
            if not own.is_enumerable:
                found = [answer.search for answer in answers[k].answers]
                known = with_more(known, [one.ranked for one in found if one is not None])
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
    agree = quick is None or _searches_agree(posterior.likeliest, quick, answers)
    return _with_posterior(answers[k], posterior, options, agree)


def _searches_agree(likeliest: np.ndarray, quick: Ladder, answers: dict[int, Solution]) -> bool:
    """Return whether searches with draws of their own arrived at the likeliest support.

    Where a size is clear it is enough that several starts of one search did.
    """
    if not quick.is_finished:
        return False
    if not likeliest.size:
        return True  # every search knows what the empty support costs
    searches = [one.search for found in answers.values() for one in found.answers if one.search]
    same = [one for one in searches if np.array_equal(one.support, likeliest)]
    if quick.is_clear and any(one.is_complete or one.n_agreeing_starts > 1 for one in same):
        return True
    return len(same) + sum(likeliest.tobytes() in supports for supports in quick.searches) > 1


def _with_posterior(
    solution: Solution, posterior: Posterior, options: Options, agree: bool = True
) -> Solution:
    (answer,) = solution.answers
    return solution._replace(answers=[of_all_sizes(answer, posterior, options, agree)])


def _by_information(
    table: StandardTables,
    options: Options,
    sizes: tuple[int, int, int],
    seed: int,
    report: Report | None,
) -> Solution:
    """Solve for the size with the lowest information criterion, after a search of each size.

    ``sizes`` are as in :func:`_by_evidence`.
    """
    problem, always, name = table.problem(0), options.must(table.columns.size), options.selection
    k_min, k_max, _ = sizes
    judge = CRITERIA[options.criterion].judge(problem, k_max, always)
    n_starts = min(PIPELINE.size_starts, options.n_starts or PIPELINE.size_starts)
    search = QuickSearch(problem, judge, k_max, always, seed)
    found: dict[int, np.ndarray] = {}
    tried = steps_of(report, "sizes", k_max - k_min + 1)

    def best(k: int) -> np.ndarray:
        found[k] = search(k, n_starts).support
        tried()
        return found[k]

    k = information_size(problem, name or "", best, *sizes)
    while search.look_further(list(found.values())):
        k = information_size(problem, name or "", best, *sizes)
    return solve_fixed(table, options.of_size(k), [seed], report)
