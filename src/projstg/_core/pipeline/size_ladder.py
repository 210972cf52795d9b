"""Sizes to propose for the number of columns: a quick search at one size after another.

The log prior of a support of K columns has the term −log C(D, K), where C(D, K) is the number of
supports of its size: among many columns some match by chance (:mod:`..score.prior`). First a ladder
of sizes is searched, each size (a rung) with a few starts, until three in a row are no better than
the best. The posterior goes on from there to supports one column larger or smaller, best first, and
the size of the likeliest is proposed.

The caller then searches that size in full, and goes on to another if the likeliest support has one
when the posterior begins from that search, too.
"""

from __future__ import annotations

import numpy as np

from ..data.quadratic import Problem
from ..score.criterion import Judge
from ..score.prior import costs_of_sizes, n_selectable, size_prior
from ..search.best_support import Refined
from ..search.record import Optima
from .pipeline_settings import PIPELINE
from .quick_search import QuickSearch

__all__ = ["ladder"]


def ladder(
    problem: Problem, judge: Judge, k_max: int, always: np.ndarray, never: np.ndarray, seed: int
) -> list[Optima]:
    """Return the best supports of a quick search at each size that was tried, for one problem.

    ``judge`` is that of supports of up to ``k_max`` columns.
    """
    n_locked, n_free = int(np.sum(always)), n_selectable(always, never)
    prior = size_prior(n_locked, k_max, n_free)
    cost_of_size = costs_of_sizes(prior, n_free, n_locked)
    found: list[Optima] = []
    lowest, n_worse = np.inf, 0
    search = QuickSearch(problem, judge, k_max, always, never, seed)

    for k in _rungs(n_locked, k_max):
        # After a worse rung the next may be far worse: one round of starts says whether it is.
        rung = search(k, PIPELINE.size_starts if n_worse else PIPELINE.rung_starts)
        if n_worse and _cost(rung, cost_of_size) < lowest + PIPELINE.far_worse:
            rung = search(k, PIPELINE.rung_starts)
        if found and judge.is_diluted and not rung.is_diluted[0]:
            break  # all supports of this size, and of larger ones, are dependent
        own = rung.optima[0]
        found.append(Optima(own.supports[: PIPELINE.rung_kept], own.scores[: PIPELINE.rung_kept]))
        cost = _cost(rung, cost_of_size)
        n_worse = 0 if cost < lowest else n_worse + 1
        lowest = min(lowest, cost)
        if n_worse == PIPELINE.most_worse:
            break
    return found


def _cost(rung: Refined, cost_of_size: np.ndarray) -> float:
    return float(rung.objective[0]) + float(cost_of_size[rung.support.shape[1]])


def _rungs(n_locked: int, k_max: int) -> list[int]:
    """Return the sizes that are tried, closer together where they are small."""
    rungs, k = [n_locked], 0.0
    while n_locked + int(k) < k_max:
        step = len(rungs) - 1
        first = PIPELINE.first_rungs
        k = first[step] if step < len(first) else k * PIPELINE.rung_growth
        rungs.append(min(n_locked + int(k), k_max))
    return rungs
