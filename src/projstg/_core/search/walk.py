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

from collections.abc import Iterator

import numpy as np

from ..score.tableau import Field, Tableau, exchange, exchange_objectives, tableau
from .search_settings import SEARCH, SearchSettings

__all__ = ["descend", "wander"]

# A step that no walk reaches.
_NEVER = 2**40


class _Walk:
    """The state of many chains, all at the same step."""

    def __init__(
        self,
        field: Field,
        number: np.ndarray,
        members: np.ndarray,
        ridge: np.ndarray,
        is_delicate: bool,
        settings: SearchSettings,
    ) -> None:
        self.field, self.is_delicate, self.settings = field, is_delicate, settings
        self.step = self.n_exchanges = 0
        self.state: Tableau
        self.number, self.members, self.ridge = number, members.copy(), ridge
        self.excluded_until = np.tile(np.where(field.excluded, _NEVER, 0), (len(members), 1))
        """(C, D): the step from which a column may enter (again)."""
        np.put_along_axis(self.excluded_until, members, _NEVER, axis=1)
        self.locked_until = np.where(field.locked[members], _NEVER, 0)
        """(C, K): the step from which a member may leave."""

    def best_exchange(self, counts_log_det: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return each chain's best permitted exchange, p·D + j, and its change of score, (C,)."""
        field = self.field
        if self.is_delicate or self.step % self.settings.refresh == 0:
            self.state = tableau(field, self.members, self.ridge)
        excluded, locked = self.excluded_until > self.step, self.locked_until > self.step
        table = exchange_objectives(
            self.state, field.dof, field.floor, counts_log_det, excluded, locked
        )
        flat = table.reshape(len(excluded), -1)
        place = np.argmin(flat, axis=1)
        current = field.dof * np.log(np.maximum(self.state.rss, field.floor))
        return place, flat[np.arange(len(place)), place] - current

    def keep(self, rows: np.ndarray) -> None:
        """Go on with these chains alone."""
        self.number, self.members, self.ridge = (
            one[rows] for one in (self.number, self.members, self.ridge)
        )
        self.excluded_until, self.locked_until = self.excluded_until[rows], self.locked_until[rows]
        self.state = Tableau(*(one[rows] for one in self.state))

    def move(self, place: np.ndarray, excluded_for: int = 0, locked_for: int = 0) -> None:
        """Make each chain's exchange; exclude what left and lock what entered for some steps."""
        row = np.arange(len(place))
        p, j = np.divmod(place, self.field.b.size)
        self.state = exchange(self.field, self.state, self.members, p, j)
        self.step += 1
        self.n_exchanges += len(place)
        self.excluded_until[row, self.members[row, p]] = self.step + excluded_for
        self.excluded_until[row, j] = _NEVER
        self.locked_until[row, p] = self.step + locked_for
        self.members[row, p] = j


def _walks(
    field: Field, members: np.ndarray, ridge: np.ndarray, settings: SearchSettings
) -> Iterator[_Walk]:
    """Yield walks, each of as many chains as the cache holds.

    The smallest ridge of all says whether they are delicate: cutting them changes nothing.
    """
    n_chains, K = members.shape
    is_delicate = float(np.min(ridge)) / field.n < settings.delicate
    size = max(4, settings.table_entries // (K * field.b.size))
    for first in range(0, n_chains, size):
        own = np.arange(first, min(first + size, n_chains))
        yield _Walk(field, own, members[own], ridge[own], is_delicate, settings)


def descend(
    field: Field,
    members: np.ndarray,
    ridge: np.ndarray,
    *,
    counts_log_det: bool,
    settings: SearchSettings = SEARCH,
) -> tuple[np.ndarray, int]:
    """Return where the best exchanges lead from supports, (C, K), and how many there were.

    ``members`` is (C, K), ``ridge`` (C,).
    """
    ends, n_exchanges, rounding = members.copy(), 0, settings.rounding_of_score(field.dof)
    for walk in _walks(field, members, ridge, settings):
        for _ in range(settings.most_steps * (ends.shape[1] + 10)):
            place, change = walk.best_exchange(counts_log_det)
            rows = np.flatnonzero(change < -rounding)
            if rows.size < len(change):
                ends[walk.number] = walk.members
                if rows.size == 0:
                    break
                walk.keep(rows)
            walk.move(place[rows])
        n_exchanges += walk.n_exchanges
    return ends, n_exchanges


def wander(
    field: Field,
    members: np.ndarray,
    ridge: np.ndarray,
    *,
    without: np.ndarray,
    settings: SearchSettings = SEARCH,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the lowest local optima each chain meets, and how many exchanges there were.

    Chains begin at ``members`` (C, K), at a ridge (C,) each. A chain may come back to an optimum;
    each counts once. ``without``, (C,), is a column that is excluded from each chain, or −1 for
    none. Of each optimum the number of its chain is returned, (M,), and its members in no order,
    (M, K).
    """
    been = np.empty((settings.n_steps(members.shape[1]), *members.shape), dtype=np.int64)
    changes, n_exchanges = np.full(been.shape[:2], -1.0), 0
    for walk in _walks(field, members, ridge, settings):
        excluded = without[walk.number]
        some = np.flatnonzero(excluded >= 0)
        walk.excluded_until[some, excluded[some]] = _NEVER
        for step in range(len(been)):
            place, change = walk.best_exchange(True)
            been[step, walk.number], changes[step, walk.number] = walk.members, change
            rows = np.flatnonzero(change < np.inf)
            if rows.size == 0:
                break
            if rows.size < len(change):
                walk.keep(rows)
            walk.move(place[rows], settings.excluded_for, settings.locked_for)
        n_exchanges += walk.n_exchanges
    rounding = settings.rounding_of_score(field.dof)
    return *_lowest_local_optima(been, changes, rounding, settings.n_local_optima), n_exchanges


def _lowest_local_optima(
    been: np.ndarray, changes: np.ndarray, rounding: float, n_local_optima: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest local optima among supports ``been`` (T, C, K), from the steps' changes.

    For a chain that met no local optimum it is the last support.
    """
    is_rest = changes >= -rounding
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
    return chains[rank < n_local_optima], been[step, chains][rank < n_local_optima]
