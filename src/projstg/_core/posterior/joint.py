"""What is known of several columns at once: supports with weights, in blocks.

A block is a base and shares: with probability share_j the support is the base with column j, with
share_last it is the base, or the base with a column that is not listed. A support that was counted
is a block by itself; the others are those of the chains (:mod:`.chain`).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .counted import support_keys
from .represented import Represented

__all__ = ["Joint", "joint_of"]

# Inclusion and exclusion of so many groups takes as many sums as they have subsets.
_MOST_SPLIT = 12


class Joint(NamedTuple):
    """U blocks of different bases, over M of the columns."""

    columns: np.ndarray
    """Which columns these are, (M,)."""
    bases: csr_array
    """(U, M)."""
    shares: csr_array
    """(U, M + 1)."""
    among: Represented | None = None
    """Whom they stand for; None where that is not asked for."""

    def within(self, columns: np.ndarray, n_columns: int) -> Joint:
        """Return the same where all columns are ``columns`` of more."""
        among = None if self.among is None else self.among.within(columns, n_columns)
        return self._replace(columns=columns[self.columns], among=among)

    def absent(self, group: np.ndarray) -> np.ndarray:
        """Return how likely each block is, without any column of the group, (U,).

        The group is a mask (M,), or the part of what each column stands for that it has.
        """
        group = np.asarray(group, dtype=float)
        left = self.shares @ np.append(1.0 - group, 1.0)
        is_part = (group > 0.0) & (group < 1.0)
        if is_part.any():
            left = left * np.exp(self.bases @ np.where(is_part, np.log1p(-group * is_part), 0.0))
        return np.where(self.bases @ (group >= 1.0).astype(float) > 0.0, 0.0, left)

    def none_of(self, group: np.ndarray) -> tuple[float, np.ndarray]:
        """Return P(no column of the group, a mask (M,), belongs), and the same with each, (M,).

        What is said of the group's own columns has no meaning.
        """
        left = self.absent(group)
        with_one = (left > 0.0).astype(float) @ self.shares
        return float(left.sum()), left @ self.bases + with_one[:-1]

    def any_of(self, group: np.ndarray) -> float:
        """Return P(at least one column of the group, a mask of all columns, belongs)."""
        return min(max(1.0 - float(self.absent(self._parts(group)).sum()), 0.0), 1.0)

    def each_of(self, groups: np.ndarray) -> float:
        """Return P(every one of G groups, masks (G, ·) of all columns, has one that belongs).

        A support is a base with one column at the most, which has to be in every group that the
        base lacks. Groups that have part of what a column stands for are taken by inclusion and
        exclusion; beyond a dozen such groups these parts do not count.
        """
        parts = np.array([self._parts(group) for group in groups])
        parts = parts.reshape(len(groups), self.columns.size)
        is_split = np.any((parts > 0.0) & (parts < 1.0), axis=1)
        if int(is_split.sum()) > _MOST_SPLIT:
            parts, is_split = np.floor(parts), np.zeros(len(groups), dtype=bool)
        split, total = groups[is_split], 0.0
        for chosen in product((False, True), repeat=len(split)):
            without = self._parts(np.any(split[list(chosen)], axis=0))
            total += (-1.0) ** sum(chosen) * self._each_without(parts[~is_split], without)
        return min(max(total, 0.0), 1.0)

    def _parts(self, group: np.ndarray) -> np.ndarray:
        """Return the group as in :meth:`absent`."""
        return group.astype(float) if self.among is None else self.among.fractions(group)

    def _each_without(self, groups: np.ndarray, absent: np.ndarray) -> float:
        """Return P(every group, masks (G, M), has a column, and of ``absent``, (M,), is none)."""
        left = self.absent(absent)
        lacks = np.asarray(self.bases @ groups.T) == 0.0
        stay = np.append(1.0 - absent, 1.0)
        sums = self.shares @ stay
        # What the base's own parts take off is the same for all supports of a block.
        off = np.divide(left, sums, out=np.zeros_like(left), where=sums > 0.0)
        entries = self.shares.tocoo()
        block, column = entries.coords
        # The last entry is for no column.
        has = np.column_stack([groups > 0.0, np.zeros(len(groups), dtype=bool)])
        serves = np.ones(block.size, dtype=bool)
        for lacking, own in zip(lacks.T, has, strict=True):
            serves &= own[column] | ~lacking[block]
        return float(np.sum(entries.data * serves * stay[column] * off[block]))

    def inclusion(self) -> np.ndarray:
        """Return the probability of each column, (M,)."""
        return self.none_of(np.zeros(self.columns.size, dtype=bool))[1]


def joint_of(
    columns: np.ndarray, bases: np.ndarray, shares: csr_array, weights: np.ndarray
) -> Joint:
    """Return blocks (U, M), (U, M + 1) by their weights, (U,); those of one base are put together.

    Of a block some supports may have been counted elsewhere: the sum of its shares counts here.
    """
    _, first, place = np.unique(support_keys(bases), return_index=True, return_inverse=True)
    each = (weights, (place.ravel(), np.arange(place.size)))
    together = csr_array(each, shape=(first.size, place.size)) @ shares
    return Joint(columns, csr_array(bases[first].astype(float)), together)
