r"""Walks from support to support: straight down, or on beyond the first local optimum.

:func:`descend` takes the best exchange until none improves. :func:`wander` takes a set number of
best exchanges, uphill where it must, and is barred for a few steps from undoing what it just did
(tabu search): it comes to rest at one local optimum after another, and finds more than the
restarts it costs. Many chains, any starts of any problems, go in step.

Where a ridge keeps H well conditioned a walk runs in single precision, at about half the cost: it
only proposes, and what it proposes is judged in double. Where H may be nearly singular every step
begins from a fresh inverse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..score.criterion import residual_floor
from ..score.tableau import Field, Tableau, exchange, swap_objectives, tableau

__all__ = ["Rests", "Starts", "descend", "wander"]

# A column that left may not return for the first number of steps, one that came must stay for the
# second.
_BARRED, _HELD = 5, 2
_REFRESH = 40
_NEVER = 2**40
# κ/n from which single precision is enough, and below which an update loses too many digits.
_MILD, _DELICATE = 1e-3, 1e-6
# A change smaller than this, times the degrees of freedom and some, is rounding.
_SINGLE_ROUNDING, _DOUBLE_ROUNDING = 3e-6, 1e-9
_MOST_STEPS = 20


class Starts(NamedTuple):
    """Where C chains begin."""

    problem: np.ndarray
    """(C,): which problem each belongs to."""
    members: np.ndarray
    """(C, K)."""
    ridge: np.ndarray
    """(C,)."""
    conditioning: float
    """The smallest κ/n: one for all parts of a round, so that cutting it up changes nothing."""

    def part(self, own: slice) -> Starts:
        """Return some of them."""
        return Starts(self.problem[own], self.members[own], self.ridge[own], self.conditioning)


class Rests(NamedTuple):
    """Local optima that chains have come to."""

    chains: np.ndarray
    members: np.ndarray
    """(len(chains), K), in no order."""


class _Chains(NamedTuple):
    """Where C chains stand, one row each; what a step reads of their problem is laid out too."""

    number: np.ndarray
    problem: np.ndarray
    members: np.ndarray
    ridge: np.ndarray
    dof: np.ndarray
    floor: np.ndarray
    shut_until: np.ndarray
    """(C, D): the step from which a column may enter (again)."""
    held_until: np.ndarray
    """(C, K): the step from which a member may leave."""


class _Walk:
    """Chains on their way, all at the same step."""

    def __init__(self, field: Field, starts: Starts, counts_volume: bool) -> None:
        problem, members, ridge, conditioning = starts
        is_mild = conditioning >= _MILD
        self.field, self.counts_volume = field, counts_volume
        self.dtype: np.dtype = np.dtype(np.float32 if is_mild else np.float64)
        self.is_delicate = conditioning < _DELICATE
        self.step = 0
        self.state: Tableau
        shut = np.where(np.isinf(field.closed[problem]), _NEVER, 0)
        np.put_along_axis(shut, members, _NEVER, axis=1)
        held = np.where(field.locked[problem[:, None], members], _NEVER, 0)
        floor = residual_floor(field.yy[problem]).astype(self.dtype)
        dof = field.dof[problem].astype(self.dtype)
        number = np.arange(len(problem))
        self.now = _Chains(number, problem, members.copy(), ridge, dof, floor, shut, held)
        rounding = _SINGLE_ROUNDING if is_mild else _DOUBLE_ROUNDING
        self.tolerance = rounding * float(np.max(dof, initial=0.0) + 10.0)

    def best_swap(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each chain's best permitted swap, as p·D + j, and what it changes."""
        now = self.now
        if self.is_delicate or self.step % _REFRESH == 0:
            state = tableau(self.field, now.problem, now.members, now.ridge)
            self.state = Tableau(*(one.astype(self.dtype, copy=False) for one in state))
        never, always = self.dtype.type(np.inf), self.dtype.type(0.0)
        closed = np.where(now.shut_until > self.step, never, always)
        held = np.where(now.held_until > self.step, never, always)
        table = swap_objectives(self.state, now.dof, now.floor, self.counts_volume, closed, held)
        flat = table.reshape(len(closed), -1)
        place = np.argmin(flat, axis=1)
        current = now.dof * np.log(np.maximum(self.state.rss, now.floor))
        return place, flat[np.arange(len(place)), place] - current

    def keep(self, rows: np.ndarray) -> None:
        """Go on with these chains alone."""
        self.now = _Chains(*(one[rows] for one in self.now))
        self.state = Tableau(*(one[rows] for one in self.state))

    def move(self, place: np.ndarray, n_barred: int, n_held: int) -> None:
        """Make each chain's swap; what left stays out, and what came stays in, for some steps."""
        now, row = self.now, np.arange(len(place))
        p, j = np.divmod(place, self.field.b.shape[1])
        self.state = exchange(self.field, self.state, now.problem, now.members, p, j)
        self.step += 1
        now.shut_until[row, now.members[row, p]] = self.step + n_barred
        now.shut_until[row, j] = _NEVER
        now.held_until[row, p] = self.step + n_held
        now.members[row, p] = j


def descend(field: Field, starts: Starts, *, counts_volume: bool, n_iter: np.ndarray) -> np.ndarray:
    """Return where the best exchanges lead from each start, (C, K).

    Exchanges are counted, for each problem, in ``n_iter`` (B,).
    """
    walk = _Walk(field, starts, counts_volume)
    ends = starts.members.copy()
    for _ in range(_MOST_STEPS * (ends.shape[1] + 10)):
        place, change = walk.best_swap()
        rows = np.flatnonzero(change < -walk.tolerance)
        if rows.size < len(change):
            ends[walk.now.number] = walk.now.members
            if rows.size == 0:
                break
            walk.keep(rows)
        walk.move(place[rows], 0, 0)
        n_iter += np.bincount(walk.now.problem, minlength=n_iter.size)
    return ends


def wander(
    field: Field,
    starts: Starts,
    *,
    length: int,
    n_rests: int,
    banned: np.ndarray,
    n_iter: np.ndarray,
) -> Rests:
    """Return the ``n_rests`` lowest local optima each chain meets in ``length`` exchanges.

    One column is banned from each chain's walk, (C,), −1 standing for none; the rest as for
    :func:`descend`, with the volume counted.
    """
    walk = _Walk(field, starts, True)
    bans = np.flatnonzero(banned >= 0)
    walk.now.shut_until[bans, banned[bans]] = _NEVER
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
        walk.move(place[rows], _BARRED, _HELD)
        n_iter += np.bincount(walk.now.problem, minlength=n_iter.size)
    return _lowest_rests(been, changes, walk.tolerance, n_rests)


def _lowest_rests(been: np.ndarray, changes: np.ndarray, tolerance: float, n_rests: int) -> Rests:
    """Return the rests among where chains have been (T, C, K), by the change each step made.

    A chain that never came to rest is taken where it was last.
    """
    is_rest = changes >= -tolerance
    is_rest[-1] |= ~np.any(is_rest, axis=0)
    height = np.zeros_like(changes)
    np.cumsum(changes[:-1], axis=0, out=height[1:])
    height[~is_rest] = np.inf
    order = np.argsort(height, axis=0, kind="stable")[:n_rests]
    rank, chains = np.nonzero(np.take_along_axis(height, order, axis=0) < np.inf)
    return Rests(chains, been[order[rank, chains], chains])
