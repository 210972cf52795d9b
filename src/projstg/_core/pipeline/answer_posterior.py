"""How sure an answer is: the posterior of what a search has found, and a better answer from it.

With K given the posterior is over supports of K columns, with K from the data over all sizes. It
may know a likelier support than the search has found: then that is the answer.
"""

from __future__ import annotations

import numpy as np

from ..data.least_squares import least_squares
from ..data.problem import Problem
from ..posterior.drawing import drawn
from ..posterior.exploration import counted_around, every_support, every_support_of
from ..posterior.posterior import Posterior
from ..posterior.target import criterion_with_volume, target
from ..progress import Report
from ..score.criterion import CRITERIA, Criterion
from ..search.best_support import Refined
from ..search.record import slack
from .options import Options
from .solution import Answer

__all__ = ["of_all_sizes", "of_given_size"]


def of_given_size(
    problem: Problem, answer: Answer, options: Options, seed: int, report: Report | None
) -> Answer:
    """Return the answer for a given K, or a better one, with its posterior over supports of K."""
    found = _search_of(answer)
    k, ranked, name = found.support.size, found.ranked, options.criterion
    counts_volume = CRITERIA[name].counts_volume
    criterion: Criterion = found.judge
    if not counts_volume:
        criterion = CRITERIA[criterion_with_volume(name)]
    prior = np.where(np.arange(k + 1) == k, 0.0, -np.inf)
    own = target(problem, criterion, prior, always=options.must(problem.b.size))
    if found.is_complete and counts_volume:
        posterior = every_support_of(own, ranked)
    elif own.is_enumerable:
        posterior = every_support(own)
    else:
        posterior = drawn(counted_around(own, [ranked]), seed, report)
    agree = found.is_complete or found.n_agreeing_starts > 1
    return _with(answer, _improved(found, posterior, name), posterior, agree)


def of_all_sizes(answer: Answer, posterior: Posterior, options: Options, agree: bool) -> Answer:
    """Return the answer with a posterior of supports of all sizes.

    If its likeliest support also has K columns and a better score than the search's, it becomes the
    answer. If the decision is for the columns likelier than not, and the criterion has
    probabilities, these do. ``agree`` says whether searches with draws of their own do, on the
    likeliest.
    """
    better = found = _search_of(answer)
    if posterior.likeliest.size == found.support.size:
        better = _improved(found, posterior, options.criterion)
    if options.decision == "median" and CRITERIA[options.criterion].counts_volume:
        better = _replaced(better, posterior, posterior.median(better.support))
    return _with(answer, better, posterior, agree)


def _search_of(answer: Answer) -> Refined:
    if answer.search is None:
        raise RuntimeError("there are probabilities of what a search has found, and none was run")
    return answer.search


def _with(answer: Answer, found: Refined, posterior: Posterior, agree: bool) -> Answer:
    """Return the answer that a search, or the posterior, has found, and what is said of it."""
    if not np.array_equal(found.support, answer.support):
        coef = least_squares(posterior.target.problem, found.support)
        answer = answer._replace(support=found.support, coef=coef)
    return answer._replace(search=found, probabilities=posterior.about(found.support, agree))


def _improved(found: Refined, posterior: Posterior, criterion: str) -> Refined:
    """Return what was found, or the likeliest support where that is better.

    Both have the same number of columns. Under a criterion without probabilities (least squares)
    nothing changes.
    """
    if not CRITERIA[criterion].counts_volume:
        return found
    better = _replaced(found, posterior, posterior.likeliest)
    # A search that met only dependent supports has scores of another kind, and is no rival.
    is_rival = found.judge.is_diluted == posterior.target.judge.is_diluted
    if is_rival and not better.objective < found.objective - slack(found.objective):
        return found
    return better


def _replaced(found: Refined, posterior: Posterior, support: np.ndarray) -> Refined:
    """Return what was found with another support, which no start arrived at."""
    if np.array_equal(support, found.support):
        return found
    return found._replace(
        support=support,
        objective=posterior.target.score(support),
        n_agreeing_starts=0,
        judge=posterior.target.judge,
    )
