r"""Groups of columns of which at least one surely belongs, though no one can say which.

Of two columns that say nearly the same each may have the probability one half, and that one of them
belongs may still be certain. A *credible group* at a level has

    P(at least one of its columns belongs) ≥ level,

by the joint posterior (:mod:`.joint`). Groups do not overlap, and columns of one group stand for
each other: column k joins a group g only if it is likelier where g is absent,

    P(k | none of g)  ≥  3 · P(k | some of g).

So two columns with effects of their own, each in doubt, are not put into one group. A group grows
from one column by the column that is there most often where the group is not, until it reaches the
level; then columns that it can do without are left out. Of all groups that can be grown the
smallest is taken, and the next is grown from the columns that are left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .joint import Joint

__all__ = ["LEAST_PROBABILITY", "Group", "credible_groups", "stands_for"]

LEAST_PROBABILITY = 0.01
"""Columns that are less likely are in no group: they would hardly change its probability."""
# How much likelier a column must be where the others of its group are absent.
_STANDS_FOR = 3.0


class Group(NamedTuple):
    """Columns that stand for each other."""

    columns: np.ndarray
    """The likeliest first."""
    probability: float
    """P(at least one of them belongs)."""


def credible_groups(joint: Joint, level: float) -> list[Group]:
    """Return disjoint groups, the smallest first, and of one size the likeliest."""
    found: list[Group] = []
    inclusion = joint.inclusion()
    free = np.ones(inclusion.size, dtype=bool)
    # What has grown stays a group while its columns are free; only then is another one grown.
    grown = {seed: _grown(joint, inclusion, seed, free, level) for seed in range(free.size)}
    while any(grown.values()):
        best = min((one for one in grown.values() if one), key=lambda one: one.rank)
        members = np.flatnonzero(best.mask)
        members = members[np.argsort(-inclusion[members], kind="stable")]
        found.append(Group(joint.columns[members], min(best.probability, 1.0)))
        free &= ~best.mask
        for seed, one in grown.items():
            if not free[seed]:
                grown[seed] = None
            elif one and np.any(one.mask & ~free):
                grown[seed] = _grown(joint, inclusion, seed, free, level)
    return found


def stands_for(joint: Joint, group: np.ndarray) -> np.ndarray:
    """Return which columns, (M,), stand for a group, a mask (M,); its own do not."""
    absent, with_it = joint.none_of(group)
    return _stands_for(joint.inclusion(), absent, with_it) & ~group


def _stands_for(inclusion: np.ndarray, absent: float, with_it: np.ndarray) -> np.ndarray:
    present = np.maximum(inclusion - with_it, 0.0)
    is_likelier = with_it * (1.0 - absent) >= _STANDS_FOR * present * absent
    return np.asarray(is_likelier & (with_it > 0.0))


class _Grown(NamedTuple):
    """A group that could be taken."""

    mask: np.ndarray
    """(M,)."""
    probability: float

    @property
    def rank(self) -> tuple[int, float]:
        """The smallest come first, and of one size the likeliest."""
        return int(self.mask.sum()), -self.probability


def _grown(
    joint: Joint, inclusion: np.ndarray, seed: int, free: np.ndarray, level: float
) -> _Grown | None:
    """Return the group that grows from a column; None if it does not reach the level."""
    group = np.zeros(free.size, dtype=bool)
    group[seed] = True
    absent, with_it = joint.none_of(group)
    while 1.0 - absent < level:
        stands = _stands_for(inclusion, absent, with_it)
        gain = np.where(free & ~group & stands, with_it, 0.0)
        best = int(np.argmax(gain))
        if gain[best] <= 0.0:
            return None
        group[best] = True
        absent, with_it = joint.none_of(group)
    for member in np.flatnonzero(group)[np.argsort(inclusion[group], kind="stable")]:
        smaller = group.copy()
        smaller[member] = False
        if smaller.any() and 1.0 - joint.none_of(smaller)[0] >= level:
            group = smaller
    return _Grown(group, 1.0 - joint.none_of(group)[0])
