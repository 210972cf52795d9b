"""How sure an answer is: the posterior of what a search has found, and a better answer from it.

With K given the posterior is over supports of K columns, with K from the data over all sizes. It
may know a likelier support than the search has found: then that is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import namespace, to_numpy
from ..data.quadratic import Problem, on_host
from ..data.refit import refit
from ..data.standard_table import StandardTable
from ..posterior.drawing import drawn
from ..posterior.exploration import counted_around, every_support, every_support_of
from ..posterior.posterior import Posterior
from ..posterior.probabilities import Probabilities
from ..posterior.target import criterion_with_volume, target
from ..progress import Report
from ..score.criterion import CRITERIA, Criterion
from ..search.best_support import Refined
from ..search.record import slack
from .options import Options
from .solution import Solution

__all__ = ["always_mask", "with_posterior", "with_posteriors"]


def with_posteriors(
    table: StandardTable,
    found: Sequence[Refined],
    options: Options,
    seeds: Sequence[int],
    report: Report | None,
) -> tuple[list[Refined], list[Probabilities] | None]:
    """Return what was found with K given, or better supports, and posteriors, if asked for."""
    if not options.probabilities:
        return list(found), None
    problem, always, never = (
        on_host(table.problem),
        always_mask(table, options),
        ~to_numpy(table.varies),
    )
    better, known = [], []
    for i, (one, seed) in enumerate(zip(found, seeds, strict=True)):
        # A problem that is alone keeps its Gram matrix.
        own = problem if len(seeds) == 1 else problem.problems(np.asarray([i]))
        best, said = _of_one_size(own, one, options, always, never[i], seed, report)
        better.append(best)
        known.append(said)
    return better, known


def always_mask(table: StandardTable, options: Options) -> np.ndarray:
    """Return the mask (D,) of the columns that must be selected."""
    always = np.zeros(table.scale.shape[-1], dtype=bool)
    always[list(options.always)] = True
    return always


def _of_one_size(
    problem: Problem,
    found: Refined,
    options: Options,
    always: np.ndarray,
    never: np.ndarray,
    seed: int,
    report: Report | None,
) -> tuple[Refined, Probabilities]:
    """Return what was found in one problem, or a better support, and what is said of it.

    Both are over supports of the size that was found.
    """
    k, ranked = found.support.size, found.ranked
    criterion = _criterion_of(options.criterion, found)
    prior = np.where(np.arange(k + 1) == k, 0.0, -np.inf)
    own = target(problem, criterion, prior, always=always, never=never)
    if found.is_complete and CRITERIA[options.criterion].counts_volume:
        posterior = every_support_of(own, ranked)
    elif own.is_enumerable:
        posterior = every_support(own)
    else:
        posterior = drawn(counted_around(own, [ranked]), seed, report)
    found = _improved(found, posterior, options.criterion)
    return found, posterior.about(found.support)


def _criterion_of(name: str, found: Refined) -> Criterion:
    """Return the criterion that probabilities come from, for what was found in one problem."""
    if not CRITERIA[name].counts_volume:
        return CRITERIA[criterion_with_volume(name)]
    return found.judge


def with_posterior(
    solution: Solution, posterior: Posterior, table: StandardTable, options: Options
) -> Solution:
    """Return the answer for one table with a posterior of supports of all sizes.

    If its likeliest support also has K columns and a better score than the search's, it becomes the
    answer. If the decision is for the columns likelier than not, and the criterion has
    probabilities, these do.
    """
    if solution.search is None:
        raise RuntimeError("K is to be chosen from the data, but no search was run.")
    (found,) = solution.search
    better = found
    if posterior.likeliest.size == found.support.size:
        better = _improved(found, posterior, options.criterion)
    if options.decision == "median" and CRITERIA[options.criterion].counts_volume:
        better = _replaced(better, posterior, posterior.median(better.support))
    if not np.array_equal(better.support, found.support):
        columns = better.support[None]
        support = namespace(solution.coef).asarray(columns, device=solution.coef.device)
        solution = solution._replace(
            search=[better], **refit(table, support, support >= 0)._asdict()
        )
    return solution._replace(posterior=[posterior.about(better.support)])


def _improved(found: Refined, posterior: Posterior, criterion: str) -> Refined:
    """Return what was found in one problem, or the likeliest support where that is better.

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
    """Return what was found in one problem with another support, which no start arrived at."""
    if np.array_equal(support, found.support):
        return found
    return found._replace(
        support=support,
        objective=posterior.target.score(support),
        n_agreeing_starts=0,
        judge=posterior.target.judge,
    )
