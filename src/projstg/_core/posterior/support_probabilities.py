r"""From supports to probabilities: how likely is each, given the data?

With a prior over supports the evidence is a posterior, P(S | data) ∝ prior(S)·exp(−score(S)/2). The
prior is uniform over the supports of one size, and ``log_prior`` says how likely each size is. What
is missing is the sum over all supports, of which there are too many. But nearly all of it lies near
the best ones: :func:`posterior` begins from the supports a search has found and goes *best first*.
It takes the likeliest support whose neighbours are not yet counted, scores every support one column
away (:mod:`..score.neighbours`) and counts each once, until the sum has stopped growing. If it
meets a better support than the search has found, the pipeline may take that as the answer.

Nothing is drawn at random: the same table has the same probabilities.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ..score.criterion import Criterion
from ..score.neighbours import Neighbours, neighbours
from ..score.prior import log_supports
from ..score.tableau import Field
from .posterior_settings import POSTERIOR, PosteriorSettings

__all__ = ["Posterior", "posterior"]


class Posterior(NamedTuple):
    """What the data say about the supports of one problem."""

    supports: list[np.ndarray]
    """The likeliest, best first, each in increasing order."""
    probabilities: np.ndarray
    """The probability of each of them, (M,)."""
    inclusion: np.ndarray
    """P(column is in the support), (D,)."""
    sizes: np.ndarray
    """P(size), (K_max + 1,)."""
    n_supports: int
    """How many supports were counted."""


Score = Callable[[np.ndarray], np.ndarray]
"""From supports (M, K) to their exact scores (M,)."""


class _Cloud:
    """The supports of one problem counted so far, each with its weight exp(−cost/2).

    The cost is the score plus −2 log of the prior. The neighbours of supports in ``frontier`` have
    not been scored yet.
    """

    def __init__(self, field: Field, cost_of_size: np.ndarray, settings: PosteriorSettings) -> None:
        n_columns = field.b.shape[1]
        self.cost_of_size, self.settings = cost_of_size, settings
        self.may_enter, self.may_leave = ~field.excluded[0], ~field.locked[0]
        # The key of a support is the exclusive or of its columns' codes: its neighbours' keys are
        # one operation away.
        self.codes = np.asarray(
            np.random.default_rng(0).integers(2**63, size=n_columns, dtype=np.uint64)
        )
        self.seen: set[int] = set()
        self.lowest = np.inf
        self.mass = 0.0
        self.inclusion = np.zeros(n_columns)
        self.sizes = np.zeros(cost_of_size.size)
        self.frontier: list[tuple[float, int, tuple[int, ...]]] = []
        self.best: list[tuple[float, int, tuple[int, ...]]] = []

    def key(self, members: np.ndarray) -> int:
        return int(np.bitwise_xor.reduce(self.codes[members], initial=0))

    def weights(self, costs: np.ndarray) -> np.ndarray:
        """Return weights in units of the best support's; a better one becomes the new unit."""
        lowest = float(np.min(costs, initial=np.inf))
        if lowest < self.lowest:
            scale = np.exp(-0.5 * (self.lowest - lowest)) if self.mass else 0.0
            self.mass *= scale
            self.inclusion *= scale
            self.sizes *= scale
            self.lowest = lowest
        return np.exp(-0.5 * (costs - self.lowest))

    def push(self, cost: float, key: int, members: tuple[int, ...]) -> None:
        entry = (cost, key, members)
        heapq.heappush(self.frontier, entry)
        self.best.append(entry)

    def count(self, members: np.ndarray, score: float) -> None:
        """Count one support."""
        key = self.key(members)
        cost = score + self.cost_of_size[members.size]
        if key in self.seen or not np.isfinite(cost):
            return
        self.seen.add(key)
        weight = float(self.weights(np.asarray([cost]))[0])
        self.mass += weight
        self.inclusion[members] += weight
        self.sizes[members.size] += weight
        self.push(cost, key, tuple(members.tolist()))

    def count_neighbours(
        self, members: np.ndarray, around: Neighbours, c: int, score: Score | None
    ) -> None:
        """Count the neighbours of a support that have not been counted yet."""
        K, n_columns = members.size, self.codes.size
        key = np.uint64(self.key(members))
        own, size_cost = self.codes[members], self.cost_of_size
        costs = [around.exchanged[c].ravel() + size_cost[K]]
        keys = [(key ^ own[:, None] ^ self.codes).ravel()]
        if K + 1 < size_cost.size:
            costs.append(around.added[c] + size_cost[K + 1])
            keys.append(key ^ self.codes)
        else:
            costs.append(np.full(n_columns, np.inf))
            keys.append(self.codes)
        costs.append(around.left_out[c] + (size_cost[K - 1] if K else 0.0))
        keys.append(key ^ own)
        cost, code = np.concatenate(costs), np.concatenate(keys)
        if score is not None and not around.has_enough_digits[c]:
            cost = self._scored(members, cost, code, score)
        kept = np.flatnonzero(
            cost < min(self.lowest, float(np.min(cost))) + self.settings.negligible
        )
        kept = kept[self._is_new(code[kept])]
        self.seen.update(code[kept].tolist())
        if kept.size:
            self._count_places(members, cost[kept], kept, code)

    def _is_new(self, codes: np.ndarray) -> np.ndarray:
        return np.asarray([one not in self.seen for one in codes.tolist()], dtype=bool)

    def _scored(
        self, members: np.ndarray, rough: np.ndarray, code: np.ndarray, score: Score
    ) -> np.ndarray:
        """Return the costs of neighbours not yet counted, each scored by itself; others infinite.

        If there are very many, only the best by their ``rough`` costs are scored.
        """
        places = np.flatnonzero(self._is_permitted(members) & self._is_new(code))
        most = self.settings.most_one_by_one
        if places.size > most:
            places = places[np.argsort(rough[places], kind="stable")[:most]]
        moved = [np.sort(_moved(members, place, self.codes.size)) for place in places.tolist()]
        sizes = np.asarray([own.size for own in moved], dtype=np.int64)
        costs = np.full(rough.size, np.inf)
        for size in np.unique(sizes):
            own = np.flatnonzero(sizes == size)
            exact = score(np.stack([moved[i] for i in own]))
            costs[places[own]] = exact + self.cost_of_size[size]
        return costs

    def _is_permitted(self, members: np.ndarray) -> np.ndarray:
        """Return which neighbours constraints and sizes permit, (K·D + D + K,)."""
        K, may_enter, may_leave = members.size, self.may_enter.copy(), self.may_leave[members]
        may_enter[members] = False
        is_asked = np.isfinite(np.append(self.cost_of_size, np.inf))
        swaps = is_asked[K] & may_leave[:, None] & may_enter
        grows, shrinks = is_asked[K + 1], K > 0 and is_asked[K - 1]
        return np.concatenate([swaps.ravel(), grows & may_enter, shrinks & may_leave])

    def _count_places(
        self, members: np.ndarray, costs: np.ndarray, places: np.ndarray, code: np.ndarray
    ) -> None:
        K, n_columns = members.size, self.codes.size
        weight = self.weights(costs)
        total = float(weight.sum())
        self.mass += total
        self.inclusion[members] += total
        # Places run over the exchanges (K·D), the columns added (D), the members left out (K).
        n_swaps = K * n_columns
        swaps, adds = places < n_swaps, (places >= n_swaps) & (places < n_swaps + n_columns)
        drops = places >= n_swaps + n_columns
        leaves, enters = np.divmod(places[swaps], n_columns)
        np.add.at(self.inclusion, members[leaves], -weight[swaps])
        np.add.at(self.inclusion, enters, weight[swaps])
        np.add.at(self.inclusion, places[adds] - n_swaps, weight[adds])
        np.add.at(self.inclusion, members[places[drops] - n_swaps - n_columns], -weight[drops])
        self.sizes[K] += weight[swaps].sum()
        if adds.any():
            self.sizes[K + 1] += weight[adds].sum()
        if drops.any():
            self.sizes[K - 1] += weight[drops].sum()
        for i in np.argsort(costs, kind="stable")[: self.settings.n_next]:
            moved = _moved(members, int(places[i]), n_columns)
            self.push(float(costs[i]), int(code[places[i]]), tuple(np.sort(moved).tolist()))

    def is_growing(self) -> bool:
        """Return whether the next supports weigh enough to score their neighbours."""
        nearest = heapq.nsmallest(self.settings.at_once, self.frontier)
        if not nearest:
            return False
        costs = np.asarray([entry[0] for entry in nearest])
        at_best = nearest[0][0] <= self.lowest
        return at_best or float(self.weights(costs).sum()) > self.settings.settled * self.mass

    def next_looks(self, n: int) -> list[np.ndarray]:
        """Return the likeliest supports whose neighbours are not yet scored, all of one size."""
        chosen: list[np.ndarray] = []
        later: list[tuple[float, int, tuple[int, ...]]] = []
        while self.frontier and len(chosen) < n and len(later) < 4 * n:
            entry = heapq.heappop(self.frontier)
            if chosen and len(entry[2]) != chosen[0].size:
                later.append(entry)
                continue
            chosen.append(np.asarray(entry[2], dtype=np.int64))
        for entry in later:
            heapq.heappush(self.frontier, entry)
        return chosen


def _moved(members: np.ndarray, place: int, n_columns: int) -> np.ndarray:
    """Return the neighbour of ``members`` with number ``place`` among all neighbours."""
    n_swaps = members.size * n_columns
    if place < n_swaps:
        p, j = divmod(place, n_columns)
        moved = members.copy()
        moved[p] = j
        return moved
    if place < n_swaps + n_columns:
        return np.append(members, place - n_swaps)
    return np.delete(members, place - n_swaps - n_columns)


def posterior(
    field: Field,
    found: Iterable[tuple[np.ndarray, float]],
    criterion: Criterion,
    log_prior: np.ndarray,
    *,
    n_free: int,
    score: Score | None = None,
    settings: PosteriorSettings = POSTERIOR,
) -> Posterior:
    """Return the posterior of one problem (a field of one), from supports found and their scores.

    ``log_prior`` has one entry for each size 0 … K_max, −∞ for impossible sizes. ``n_free``
    columns could be selected; the field may hold only some of them. ``score``, if given, scores
    supports one by one where the tables around a support have too few digits.
    """
    n_locked = int(np.sum(field.locked[0]))
    sizes = np.arange(log_prior.size)
    asked = np.isfinite(log_prior) & (sizes >= n_locked) & (sizes <= n_free)
    cost_of_size = np.full(sizes.size, np.inf)
    n_choices = log_supports(n_free - n_locked, sizes[asked] - n_locked)
    cost_of_size[asked] = 2.0 * (n_choices - log_prior[asked])
    cloud = _Cloud(field, cost_of_size, settings)
    for members, known in found:
        cloud.count(members, known)
    resize, at_once, n_looks = int(asked.sum()) > 1, 1, settings.most_looks
    while n_looks > 0 and cloud.is_growing():
        looks = cloud.next_looks(min(at_once, n_looks))
        problem = np.zeros(len(looks), dtype=np.int64)
        around = neighbours(field, problem, np.stack(looks), criterion, resize=resize)
        for c, own in enumerate(looks):
            cloud.count_neighbours(own, around, c, score)
        n_looks, at_once = n_looks - len(looks), settings.at_once
    best = heapq.nsmallest(settings.n_best, cloud.best)
    costs = np.asarray([entry[0] for entry in best])
    return Posterior(
        [np.asarray(entry[2], dtype=np.int64) for entry in best],
        np.exp(-0.5 * (costs - cloud.lowest)) / cloud.mass,
        np.clip(cloud.inclusion / cloud.mass, 0.0, 1.0),
        cloud.sizes / cloud.mass,
        len(cloud.seen),
    )
