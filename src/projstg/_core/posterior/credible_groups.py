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

__all__ = ["Group", "credible_groups", "likely_columns", "may_be_grouped", "stands_for"]

# The least likely columns are in no group as far as their probabilities sum to no more than this:
# they would hardly change those of groups.
_LEFT_OUT = 0.01
# Of more columns none is in two of the groups that are compared: there would be too many.
_MOST_SEEDS = 64
# How much likelier a column must be where the others of its group are absent.
_STANDS_FOR = 3.0


class Group(NamedTuple):
    """Columns that stand for each other."""

    columns: np.ndarray
    """The likeliest first."""
    probability: float
    """P(at least one of them belongs)."""

    @property
    def rank(self) -> tuple[int, float]:
        """The smallest come first, and of one size the likeliest."""
        return self.columns.size, -self.probability


def credible_groups(joint: Joint, level: float) -> list[Group]:
    """Return disjoint groups, the smallest first, and of one size the likeliest."""
    groups: list[Group] = []
    grow = _Growing(joint, level)
    free = may_be_grouped(joint)
    # What has grown stays a group while its columns are free; only then is another one grown.
    grown: dict[int, Group | None] = {}
    left, are_many = free.copy(), int(free.sum()) > _MOST_SEEDS
    for seed in np.argsort(-grow.inclusion, kind="stable").tolist():
        if left[seed]:
            grown[seed] = group = grow.grown(seed, left)
            if group and are_many:
                left[group.columns] = False
    while any(grown.values()):
        best = min((group for group in grown.values() if group), key=lambda group: group.rank)
        groups.append(Group(joint.columns[best.columns], min(best.probability, 1.0)))
        free[best.columns] = False
        for seed, group in grown.items():
            if not free[seed]:
                grown[seed] = None
            elif group and not free[group.columns].all():
                grown[seed] = grow.grown(seed, free)
    return groups


def likely_columns(inclusion: np.ndarray) -> np.ndarray:
    """Return which columns, (M,), may be in a group: all but the least likely."""
    order = np.argsort(inclusion, kind="stable")
    is_likely = np.empty(inclusion.size, dtype=bool)
    is_likely[order] = np.cumsum(inclusion[order]) > _LEFT_OUT
    return is_likely


def may_be_grouped(joint: Joint) -> np.ndarray:
    """Return which columns of the joint posterior, (M,), may be in a group."""
    is_likely = likely_columns(joint.inclusion())
    return is_likely if joint.among is None else is_likely & joint.among.is_alone


def stands_for(joint: Joint, group: np.ndarray) -> np.ndarray:
    """Return which columns, (M,), stand for a group, a mask (M,); its own do not."""
    absent, with_it = joint.none_of(group)
    return _stands_for(joint.inclusion(), absent, with_it) & ~group


def _stands_for(inclusion: np.ndarray, absent: float, with_it: np.ndarray) -> np.ndarray:
    present = np.maximum(inclusion - with_it, 0.0)
    is_likelier = with_it * (1.0 - absent) >= _STANDS_FOR * present * absent
    return np.asarray(is_likelier & (with_it > 0.0))


class _Growing:
    """Groups that grow to a level. Many of them are the same as far as they have grown."""

    def __init__(self, joint: Joint, level: float) -> None:
        self.inclusion = joint.inclusion()
        self._joint, self._level = joint, level
        self._known: dict[bytes, tuple[float, np.ndarray]] = {}

    def grown(self, seed: int, free: np.ndarray) -> Group | None:
        """Return the group that grows from a column; None if it does not reach the level.

        Its columns are places among those of the joint posterior.
        """
        group = np.zeros(free.size, dtype=bool)
        group[seed] = True
        absent, gain = self._gain(group)
        while 1.0 - absent < self._level:
            if 1.0 - absent + gain[free].sum() < self._level:
                return None  # all of them together are too unlikely
            best = int(np.argmax(np.where(free, gain, 0.0)))
            if not free[best] or gain[best] <= 0.0:
                return None
            group[best] = True
            absent, gain = self._gain(group)
        return self._pruned(group)

    def _gain(self, group: np.ndarray) -> tuple[float, np.ndarray]:
        """Return P(none of the group), and what each column that stands for it would take off."""
        key = group.tobytes()
        if key not in self._known:
            absent, with_it = self._joint.none_of(group)
            stands = _stands_for(self.inclusion, absent, with_it) & ~group
            self._known[key] = absent, np.where(stands, with_it, 0.0)
        return self._known[key]

    def _pruned(self, group: np.ndarray) -> Group:
        """Return the group without columns that it can do without, the least likely first."""
        for member in np.flatnonzero(group)[np.argsort(self.inclusion[group], kind="stable")]:
            smaller = group.copy()
            smaller[member] = False
            if smaller.any() and self._probability(smaller) >= self._level:
                group = smaller
        members = np.flatnonzero(group)
        likeliest_first = np.argsort(-self.inclusion[members], kind="stable")
        return Group(members[likeliest_first], self._probability(group))

    def _probability(self, group: np.ndarray) -> float:
        return 1.0 - float(self._joint.absent(group).sum())
