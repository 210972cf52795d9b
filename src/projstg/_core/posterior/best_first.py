r"""The likeliest supports around those a search has found, each counted once.

:class:`BestFirst` begins from the supports of a search. It takes the likeliest support whose
neighbours are not yet counted, scores every support one column away (:mod:`..score.neighbours`) and
counts each, until the sum has stopped growing or enough neighbourhoods have been looked at. It may
meet a better support than the search has found. What lies farther away is left to a chain
(:mod:`.chain`), which begins here.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from copy import copy

import numpy as np

from ..score.criterion import Judge
from ..score.neighbours import Neighbours, neighbours
from ..score.tableau import Field
from .counted import Counted, by_size, support_keys
from .posterior_settings import POSTERIOR, PosteriorSettings

__all__ = ["BestFirst", "Score"]

Score = Callable[[np.ndarray], np.ndarray]
"""From supports (M, K) to their exact scores (M,)."""


class BestFirst:
    """The supports of one problem counted so far.

    ``cost_of_size`` has one entry for each size 0 … K_max, infinite for sizes not asked for, and
    ``cost_of_column`` what each member adds, (D,), since it may stand for others.
    ``score`` scores supports one by one where the tables around a support have too few digits.
    """

    def __init__(
        self,
        field: Field,
        judge: Judge,
        cost_of_size: np.ndarray,
        score: Score,
        settings: PosteriorSettings = POSTERIOR,
        cost_of_column: np.ndarray | None = None,
    ) -> None:
        self.field, self.judge, self.cost_of_size = field, judge, cost_of_size
        self.score, self.settings = score, settings
        none = np.zeros(field.b.size)
        self.cost_of_column = none if cost_of_column is None else cost_of_column
        self._seen: set[int] = set()
        self._masks: list[np.ndarray] = []
        self._costs: list[float] = []
        # Supports whose neighbours have not been scored yet: costs, and places in the lists.
        self._frontier: list[tuple[float, int]] = []
        self._lowest, self._mass = np.inf, 0.0

    def copy(self) -> BestFirst:
        """Return the same, to go on from: this one stays as it is."""
        same = copy(self)
        same._seen, same._frontier = set(self._seen), [*self._frontier]
        same._masks, same._costs = [*self._masks], [*self._costs]
        return same

    def cost(self, supports: np.ndarray) -> np.ndarray:
        """Return the costs of supports (M, K), each scored by itself."""
        columns = np.sum(self.cost_of_column[supports], axis=1)
        return self.score(supports) + (columns + self.cost_of_size[supports.shape[1]])

    def count(self, masks: np.ndarray, costs: np.ndarray) -> None:
        """Count supports (M, D), with their costs (M,), that have not been counted yet."""
        keys, keep = support_keys(masks), np.isfinite(costs)
        self._count(masks[keep], costs[keep], keys[keep].tolist())

    def look_around(self, most_looks: int) -> None:
        """Count the neighbours of the likeliest supports, while they add much to the sum."""
        resize, at_once = int(np.isfinite(self.cost_of_size).sum()) > 1, 1
        while most_looks > 0 and self._is_growing():
            looks = self._next_looks(min(at_once, most_looks))
            around = neighbours(self.field, np.stack(looks), self.judge, resize=resize)
            for c, own in enumerate(looks):
                self._count_neighbours(own, around, c)
            most_looks, at_once = most_looks - len(looks), self.settings.at_once

    @property
    def is_around_best(self) -> bool:
        """Whether all neighbours of the likeliest support have been counted."""
        return not self._frontier or self._frontier[0][0] > self._lowest

    @property
    def counted(self) -> Counted:
        """All supports counted, the lowest cost first; of equal costs the first in order."""
        masks, costs = np.stack(self._masks), np.asarray(self._costs)
        order = np.argsort(costs)
        if not np.all(np.diff(costs[order]) > 0.0):
            order = np.lexsort((*(~masks).T[::-1], costs))
        return Counted(masks[order], costs[order])

    def _count(self, masks: np.ndarray, costs: np.ndarray, keys: list[int]) -> None:
        new = []
        for place, key in enumerate(keys):
            if key not in self._seen:
                self._seen.add(key)
                new.append(place)
        if not new:
            return
        lowest = min(self._lowest, float(costs[new].min()))
        self._mass *= np.exp(-0.5 * (self._lowest - lowest)) if self._costs else 0.0
        self._mass += float(np.exp(-0.5 * (costs[new] - lowest)).sum())
        self._lowest = lowest
        for place in new:
            heapq.heappush(self._frontier, (float(costs[place]), len(self._costs)))
            self._masks.append(masks[place])
            self._costs.append(float(costs[place]))

    def _is_growing(self) -> bool:
        """Return whether the next supports weigh enough to score their neighbours."""
        nearest = heapq.nsmallest(self.settings.at_once, self._frontier)
        if not nearest:
            return False
        costs = np.asarray([cost for cost, _ in nearest])
        weight = float(np.exp(-0.5 * (costs - self._lowest)).sum())
        return costs[0] <= self._lowest or weight > self.settings.settled * self._mass

    def _next_looks(self, n: int) -> list[np.ndarray]:
        """Return the likeliest supports whose neighbours are not yet scored, all of one size."""
        chosen: list[np.ndarray] = []
        later: list[tuple[float, int]] = []
        while self._frontier and len(chosen) < n and len(later) < 4 * n:
            entry = heapq.heappop(self._frontier)
            members = np.flatnonzero(self._masks[entry[1]])
            if chosen and members.size != chosen[0].size:
                later.append(entry)
            else:
                chosen.append(members)
        for entry in later:
            heapq.heappush(self._frontier, entry)
        return chosen

    def _count_neighbours(self, members: np.ndarray, around: Neighbours, c: int) -> None:
        """Count the neighbours of a support that have not been counted yet."""
        K, n_columns, enters = members.size, self.field.b.size, self.cost_of_column
        size_cost, leaves = np.append(self.cost_of_size, np.inf), enters[members]
        stay, less = np.sum(leaves), size_cost[K - 1] if K else 0.0
        cost = np.concatenate(
            [
                (around.exchanged[c] + (stay - leaves[:, None] + enters + size_cost[K])).ravel(),
                around.added[c] + (stay + enters + size_cost[K + 1]),
                around.left_out[c] + (stay - leaves + less),
            ]
        )
        if not around.has_enough_digits[c]:
            cost = self._scored(members, cost)
        settings = self.settings
        is_many = n_columns > settings.most_columns[0]
        negligible = settings.negligible_of_many if is_many else settings.negligible
        most = min(self._lowest, float(np.min(cost))) + negligible
        kept = np.flatnonzero(cost < most)
        masks = _moved(members, kept, n_columns)
        self.count(masks, cost[kept])

    def _scored(self, members: np.ndarray, rough: np.ndarray) -> np.ndarray:
        """Return the costs of neighbours, each scored by itself.

        If there are very many, only the best by their ``rough`` costs are scored; the others are
        infinite.
        """
        places = np.flatnonzero(self._is_permitted(members))
        most = self.settings.most_one_by_one
        if places.size > most:
            places = places[np.argsort(rough[places], kind="stable")[:most]]
        masks = _moved(members, places, self.field.b.size)
        costs = np.full(rough.size, np.inf)
        for own, supports in by_size(masks):
            costs[places[own]] = self.cost(supports)
        return costs

    def _is_permitted(self, members: np.ndarray) -> np.ndarray:
        """Return which neighbours constraints and sizes permit, (K·D + D + K,)."""
        K, may_enter = members.size, ~self.field.excluded
        may_leave = ~self.field.locked[members]
        may_enter[members] = False
        is_asked = np.isfinite(np.append(self.cost_of_size, np.inf))
        swaps = is_asked[K] & may_leave[:, None] & may_enter
        grows, shrinks = is_asked[K + 1], K > 0 and is_asked[K - 1]
        return np.concatenate([swaps.ravel(), grows & may_enter, shrinks & may_leave])


def _moved(members: np.ndarray, places: np.ndarray, n_columns: int) -> np.ndarray:
    """Return the neighbours, (M, D), of a support at ``places`` (M,) among all neighbours.

    Places run over the exchanges (K·D), the columns added (D) and the members left out (K).
    """
    n_swaps = members.size * n_columns
    masks = np.zeros((places.size, n_columns), dtype=bool)
    masks[:, members] = True
    row = np.arange(places.size)
    is_swap, is_drop = places < n_swaps, places >= n_swaps + n_columns
    leaves, enters = np.divmod(places[is_swap], n_columns)
    masks[row[is_swap], members[leaves]] = False
    masks[row[is_swap], enters] = True
    is_add = ~is_swap & ~is_drop
    masks[row[is_add], places[is_add] - n_swaps] = True
    masks[row[is_drop], members[places[is_drop] - n_swaps - n_columns]] = False
    return masks
