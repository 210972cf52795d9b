r"""Walks by exchanges: down to a local optimum, or on from one local optimum to others.

:func:`descend` takes the best exchange until none improves. :func:`wander` takes a set number of
best exchanges, also where the best one makes the score worse, and may not undo an exchange for a
few steps (tabu search). So it meets one local optimum after another, more than restarts with as
many exchanges would. Many chains make their steps together.

What walks lower is ν log(rss) + log det H at one ridge. The determinant is not part of the score
(:mod:`..score.prior` takes it back), but walks with it met the best support more often when both
were tried.

Where H may be nearly singular every step begins from a fresh inverse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..score.tableau import Field, Tableau, exchange, swap_objectives, tableau
from .search_settings import SEARCH, SearchSettings

__all__ = ["LocalOptima", "Starts", "descend", "wander"]

# A step that no walk reaches.
_NEVER = 2**40


class Starts(NamedTuple):
    """Where C chains begin."""

    members: np.ndarray
    """(C, K)."""
    ridge: np.ndarray
    """(C,)."""
    conditioning: float
    """The smallest κ/n of a whole round, so that cutting the round into parts changes nothing."""

    def part(self, own: slice) -> Starts:
        """Return the starts of a slice."""
        return Starts(self.members[own], self.ridge[own], self.conditioning)


class LocalOptima(NamedTuple):
    """Local optima that chains have met."""

    chains: np.ndarray
    """(M,): the chain of each."""
    members: np.ndarray
    """(M, K), in no order."""


class _Chains(NamedTuple):
    """The present supports of C chains, one row each."""

    number: np.ndarray
    members: np.ndarray
    ridge: np.ndarray
    excluded_until: np.ndarray
    """(C, D): the step from which a column may enter (again)."""
    locked_until: np.ndarray
    """(C, K): the step from which a member may leave."""


class _Walk:
    """The state of many chains, all at the same step."""

    def __init__(
        self, field: Field, starts: Starts, counts_log_det: bool, settings: SearchSettings
    ) -> None:
        members, ridge, conditioning = starts
        self.field, self.counts_log_det, self.settings = field, counts_log_det, settings
        self.is_delicate = conditioning < settings.delicate
        self.tolerance = settings.rounding * (field.dof + 10.0)
        """A smaller change of the score is rounding."""
        self.step = self.n_exchanges = 0
        self.state: Tableau
        excluded = np.tile(np.where(field.excluded, _NEVER, 0), (len(members), 1))
        np.put_along_axis(excluded, members, _NEVER, axis=1)
        locked = np.where(field.locked[members], _NEVER, 0)
        self.now = _Chains(np.arange(len(members)), members.copy(), ridge, excluded, locked)

    def best_swap(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each chain's best permitted exchange, p·D + j, and its change of score, (C,)."""
        now, field = self.now, self.field
        if self.is_delicate or self.step % self.settings.refresh == 0:
            self.state = tableau(field, now.members, now.ridge)
        excluded, locked = now.excluded_until > self.step, now.locked_until > self.step
        table = swap_objectives(
            self.state, field.dof, field.floor, self.counts_log_det, excluded, locked
        )
        flat = table.reshape(len(excluded), -1)
        place = np.argmin(flat, axis=1)
        current = field.dof * np.log(np.maximum(self.state.rss, field.floor))
        return place, flat[np.arange(len(place)), place] - current

    def keep(self, rows: np.ndarray) -> None:
        """Go on with these chains alone."""
        self.now = _Chains(*(one[rows] for one in self.now))
        self.state = Tableau(*(one[rows] for one in self.state))

    def move(self, place: np.ndarray, excluded_for: int = 0, locked_for: int = 0) -> None:
        """Make each chain's exchange; exclude what left and lock what entered for some steps."""
        now, row = self.now, np.arange(len(place))
        p, j = np.divmod(place, self.field.b.size)
        self.state = exchange(self.field, self.state, now.members, p, j)
        self.step += 1
        self.n_exchanges += len(place)
        now.excluded_until[row, now.members[row, p]] = self.step + excluded_for
        now.excluded_until[row, j] = _NEVER
        now.locked_until[row, p] = self.step + locked_for
        now.members[row, p] = j


def descend(
    field: Field, starts: Starts, *, counts_log_det: bool, settings: SearchSettings = SEARCH
) -> tuple[np.ndarray, int]:
    """Return where the best exchanges lead from each start, (C, K), and how many there were."""
    walk = _Walk(field, starts, counts_log_det, settings)
    ends = starts.members.copy()
    for _ in range(settings.most_steps * (ends.shape[1] + 10)):
        place, change = walk.best_swap()
        rows = np.flatnonzero(change < -walk.tolerance)
        if rows.size < len(change):
            ends[walk.now.number] = walk.now.members
            if rows.size == 0:
                break
            walk.keep(rows)
        walk.move(place[rows])
    return ends, walk.n_exchanges


def wander(
    field: Field,
    starts: Starts,
    *,
    length: int,
    n_local_optima: int,
    without: np.ndarray,
    settings: SearchSettings = SEARCH,
) -> tuple[LocalOptima, int]:
    """Return the lowest local optima each chain meets, and how many exchanges there were.

    Each chain makes ``length`` exchanges. It may come back to an optimum; each of the
    ``n_local_optima`` counts once. ``without``, (C,), is a column that is excluded from each chain,
    or −1 for none.
    """
    walk = _Walk(field, starts, True, settings)
    some = np.flatnonzero(without >= 0)
    walk.now.excluded_until[some, without[some]] = _NEVER
    been = np.empty((length, *starts.members.shape), dtype=np.int64)
    changes = np.full(been.shape[:2], -1.0)
    for step in range(length):
        place, change = walk.best_swap()
        been[step, walk.now.number], changes[step, walk.now.number] = walk.now.members, change
        rows = np.flatnonzero(change < np.inf)
        if rows.size == 0:
            break
        if rows.size < len(change):
            walk.keep(rows)
        walk.move(place[rows], settings.excluded_for, settings.locked_for)
    optima = _lowest_local_optima(been, changes, walk.tolerance, n_local_optima)
    return optima, walk.n_exchanges


def _lowest_local_optima(
    been: np.ndarray, changes: np.ndarray, tolerance: float, n_local_optima: int
) -> LocalOptima:
    """Return the lowest local optima among supports ``been`` (T, C, K), from the steps' changes.

    For a chain that met no local optimum it is the last support.
    """
    is_rest = changes >= -tolerance
    is_rest[-1] |= ~np.any(is_rest, axis=0)
    height = np.zeros_like(changes)
    np.cumsum(changes[:-1], axis=0, out=height[1:])
    height[~is_rest] = np.inf
    # One chain after another, the lowest first, and each support where it comes first.
    step, chains = np.divmod(np.argsort(height, axis=None, kind="stable"), height.shape[1])
    finite = height[step, chains] < np.inf
    step, chains = step[finite], chains[finite]
    named = np.column_stack([chains, np.sort(been[step, chains], axis=1)])
    first = np.sort(np.unique(named, axis=0, return_index=True)[1])
    first = first[np.argsort(chains[first], kind="stable")]
    chains, step = chains[first], step[first]
    rank = np.arange(chains.size) - np.searchsorted(chains, chains)
    return LocalOptima(chains[rank < n_local_optima], been[step, chains][rank < n_local_optima])
