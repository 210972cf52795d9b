"""Sizes to propose for the number of columns: a quick search at one size after another.

The log prior of a support of K columns has the term −log C(D, K), where C(D, K) is the number of
supports of its size: among many columns some match by chance (:mod:`..score.prior`). First a ladder
of sizes is searched, each size (a rung) with a few starts, until three in a row are no better than
the best. The posterior goes on from there to supports one column larger or smaller, best first, and
the size of the likeliest is proposed.

Where there are many columns for each row the first of several effects cost more than they explain:
the cost has a plateau before it falls. Large supports that hold the right columns and others lead
to these. So larger sizes are tried there, pairs of columns are added that only help together, and
columns are left out of what is found one by one; and where no size is clear then, large supports
are searched thoroughly, among all columns.

The caller then searches that size in full, and goes on to another if the likeliest support has one
when the posterior begins from that search, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..data.relevance import MANY_A_ROW
from ..posterior.target import Target
from ..progress import Report, steps_of
from ..score.neighbours import neighbours
from ..score.tableau import Field
from ..search.best_support import Refined
from ..search.record import RankedSupports, slack
from .pipeline_settings import PIPELINE, QUICK
from .quick_search import QuickSearch

__all__ = ["Ladder", "ladder"]


class Ladder(NamedTuple):
    """What quick searches of many sizes have found."""

    found: list[RankedSupports]
    """The best supports of each search."""
    searches: list[set[bytes]]
    """The supports that each of some searches with draws of their own arrived at: from small sizes
    to larger ones, and from each large size down."""
    is_clear: bool
    """Whether one size is clear, or rows are not so few that small sizes may mislead."""
    is_finished: bool
    """Whether it is, or the search went on to its end."""


def ladder(target: Target, seed: int, report: Report | None = None) -> Ladder:
    """Return the best supports of a quick search at each size that was tried."""
    judge, always, k_max = target.judge, target.always, target.cost_of_size.size - 1
    search = QuickSearch(target.problem, judge, k_max, always, seed)
    sizes = _rungs(int(np.sum(always)), k_max)
    n_climbs = 1 + PIPELINE.times_again if search.is_among_some else 1
    is_sparse = target.problem.b.size > MANY_A_ROW * target.problem.n
    most = n_climbs * len(sizes) + (len(PIPELINE.rows_from_above) if is_sparse else 0)
    tried = steps_of(report, "sizes", most)
    least = _from_above(target, PIPELINE.rows_a_column) if is_sparse else 0
    while True:
        rungs = _Rungs(search, target)
        rungs.climb(sizes, tried, least)
        if not search.look_further([one.supports[0] for one in rungs.found]):
            break
    if search.is_among_some:
        # A size that is solved in full takes passes over X: the first should be close.
        rungs.close_in()
    if is_sparse:
        rungs.add_pairs()
        if not rungs.is_clear:
            rungs.come_down(rungs.found)
            rungs.search_above(tried)
    is_clear = not is_sparse or rungs.is_clear
    return Ladder(rungs.found, rungs.searches, is_clear, is_clear or rungs.is_finished)


class _Rungs:
    """The sizes that were tried, and what was found."""

    def __init__(self, search: QuickSearch, target: Target) -> None:
        self._search, self._target = search, target
        self.found: list[RankedSupports] = []
        self.searches: list[set[bytes]] = [set()]
        self.is_finished = self.is_stopped = False
        """Whether all was done that is done where no size is clear, or a stop was asked for."""
        self._costs: dict[int, float] = {}

    @property
    def is_clear(self) -> bool:
        """Whether a size costs far less than the smallest one."""
        costs, least = self._costs, PIPELINE.clearly_better
        least = min(least, PIPELINE.clearly_better_a_row * self._target.problem.n)
        return bool(costs) and min(costs.values()) < costs[min(costs)] - least

    def climb(self, sizes: list[int], tried: Callable[[], bool], least: int) -> None:
        """Try one size after another, until some in a row are no better than the best.

        Sizes up to ``least`` are tried in any case; ``tried`` is called after each.
        """
        lowest, n_worse = np.inf, 0
        is_wide = self._search.is_among_some
        most_worse = PIPELINE.most_worse_wide if is_wide else PIPELINE.most_worse
        for k in sizes:
            # After a worse rung the next may be far worse: one round of starts says whether it is.
            is_open = n_worse == 0 or (k <= least and not self.is_clear)
            rung = self._search(k, PIPELINE.rung_starts if is_open else PIPELINE.size_starts)
            if not is_open and self._cost(rung) < lowest + PIPELINE.far_worse:
                rung = self._search(k, PIPELINE.rung_starts)
            self.is_stopped |= tried()
            if not self._takes(rung):
                break  # all supports of this size, and of larger ones, are dependent
            cost = self._costs[k]
            is_far = cost > lowest + PIPELINE.far_worse
            # After a clear size of few rows one that is far worse says enough.
            n_more = most_worse if least and is_far and self.is_clear else 1
            n_worse = 0 if cost < lowest else n_worse + n_more
            lowest = min(lowest, cost)
            if n_worse >= most_worse and k >= least:
                break

    def close_in(self) -> None:
        """Try sizes between the best and its neighbours, until these are one apart."""
        while (k := _between(self._costs)) is not None:
            if not self._takes(self._search(k, PIPELINE.rung_starts)):
                break

    def add_pairs(self) -> None:
        """Add two columns that help together to the best support, and come down, while it pays."""
        before, most = np.inf, self._target.cost_of_size.size - 3
        best = min(self.found, key=self._cost_of)
        while (cost := self._cost_of(best)) < before and best.supports.shape[1] <= most:
            larger = self._search.with_pairs(best.supports[0])
            if larger is not None and self._takes(larger):
                self.come_down(self.found[-1:])
            before, best = cost, min(self.found, key=self._cost_of)

    def search_above(self, tried: Callable[[], bool]) -> None:
        """Search large supports thoroughly, and come down, until a size is clear.

        First among the working set, then among all columns. ``tried`` is called after each, and
        says whether to stop.
        """
        target, search = self._target, self._search
        search.be_thorough()
        first, *others = (_from_above(target, rows) for rows in PIPELINE.rows_from_above)
        sizes = [(first, False), *((k, True) for k in dict.fromkeys(others))]
        for k, among_all in sizes:
            if self.is_stopped:
                return
            if k <= int(target.always.sum()):
                continue
            if among_all:
                search.widen()
            self.searches.append(set())
            entries = k * search.n_columns * QUICK.n_steps(k)
            n_starts = min(int(PIPELINE.thorough_entries / entries), PIPELINE.thorough_starts)
            if self._takes(search(k, n_starts)):
                self.come_down(self.found[-1:])
            self.is_stopped |= tried()
            if self.is_clear:
                return
        self.is_finished = True

    def come_down(self, found: Sequence[RankedSupports]) -> None:
        """Leave columns out of the best support of each size, one after another.

        Where that leads to a lower cost than any known, that size is searched from there.
        """
        target = self._target
        for one in sorted(found, key=lambda one: -one.supports.shape[1]):
            support, best, lowest = one.supports[0], None, min(self._costs.values())
            arrived, least = support, np.inf
            while support.size > max(int(target.always.sum()), 1):
                field = Field.of(target.problem, target.always, support)
                members = np.arange(support.size)[None]
                scores = neighbours(field, members, target.judge, resize=True).left_out[0]
                leaves = int(np.argmin(scores))
                if not np.isfinite(scores[leaves]):
                    break  # what is left must be selected, or is dependent
                support = np.delete(support, leaves)
                cost = float(scores[leaves] + target.cost_of_size[support.size])
                if cost < least:
                    arrived, least = support, cost
                if cost < lowest - slack(cost):
                    best, lowest = support, cost
            self.searches[-1].add(arrived.tobytes())
            if best is not None:
                self._takes(self._search(best.size, PIPELINE.rung_starts, best))

    def _takes(self, rung: Refined) -> bool:
        """Keep the best supports of a size, unless they are dependent and others are not."""
        if self.found and self._target.judge.is_diluted and not rung.judge.is_diluted:
            return False
        own, most = rung.ranked, PIPELINE.rung_kept
        self.found.append(RankedSupports(own.supports[:most], own.scores[:most]))
        self.searches[-1].add(own.supports[0].tobytes())
        self._costs[rung.support.size] = self._cost(rung)
        return True

    def _cost_of(self, one: RankedSupports) -> float:
        return float(one.scores[0] + self._target.cost_of_size[one.supports.shape[1]])

    def _cost(self, rung: Refined) -> float:
        return rung.objective + float(self._target.cost_of_size[rung.support.size])


def _from_above(target: Target, rows: float) -> int:
    """Return how many columns are one for so many rows, as far as so many are tried."""
    most = min(PIPELINE.most_from_above, target.cost_of_size.size - 1)
    return min(int(target.problem.n / rows), most)


def _rungs(n_locked: int, k_max: int) -> list[int]:
    """Return the sizes that are tried, closer together where they are small."""
    rungs, k = [n_locked], 0.0
    while n_locked + int(k) < k_max:
        step = len(rungs) - 1
        first = PIPELINE.first_rungs
        k = first[step] if step < len(first) else k * PIPELINE.rung_growth
        rungs.append(min(n_locked + int(k), k_max))
    return rungs


def _between(costs: dict[int, float]) -> int | None:
    """Return a size between the best and its neighbours; None where these are one apart."""
    best = min(costs, key=lambda k: costs[k])
    below = max((k for k in costs if k < best), default=best)
    above = min((k for k in costs if k > best), default=best)
    middles = ((below + best) // 2, (best + above + 1) // 2)
    return next((k for k in middles if k not in costs), None)
