"""What is known of several columns at once: supports with weights, in blocks.

A block is a base and shares: with probability share_j the support is the base with column j, with
share_last it is the base, or the base with a column that is not listed. A support that was counted
is a block by itself; the others are those of the chains (:mod:`.chain`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .counted import support_keys

__all__ = ["Joint", "joint_of"]


class Joint(NamedTuple):
    """U blocks of different bases, over M of the columns."""

    columns: np.ndarray
    """Which columns these are, (M,)."""
    bases: csr_array
    """(U, M)."""
    shares: np.ndarray
    """(U, M + 1)."""

    def absent(self, group: np.ndarray) -> np.ndarray:
        """Return how likely each block is, without any column of the group, a mask (M,): (U,)."""
        left = self.shares @ np.append(~group, True).astype(float)
        return np.where(self.bases @ group.astype(float) > 0.0, 0.0, left)

    def none_of(self, group: np.ndarray) -> tuple[float, np.ndarray]:
        """Return P(no column of the group belongs), and the same with each column, (M,).

        What is said of the group's own columns has no meaning.
        """
        left = self.absent(group)
        with_one = (left > 0.0).astype(float) @ self.shares[:, :-1]
        return float(left.sum()), left @ self.bases + with_one

    def any_of(self, group: np.ndarray) -> float:
        """Return P(at least one column of the group, a mask (M,), belongs)."""
        return min(max(1.0 - float(self.absent(group).sum()), 0.0), 1.0)

    def each_of(self, groups: np.ndarray) -> float:
        """Return P(every one of G groups, masks (G, M), has a column that belongs).

        A support is a base with one column at the most, which has to be in every group that the
        base lacks.
        """
        masks = groups.astype(float)
        lacks = (np.asarray(self.bases @ masks.T) == 0.0).astype(float)
        n_lacking = lacks.sum(axis=1)
        serves = lacks @ masks == n_lacking[:, None]
        with_one = np.sum(self.shares[:, :-1] * serves, axis=1)
        alone = np.where(n_lacking == 0.0, self.shares[:, -1], 0.0)
        return min(float(np.sum(with_one + alone)), 1.0)

    def inclusion(self) -> np.ndarray:
        """Return the probability of each column, (M,)."""
        return self.none_of(np.zeros(self.columns.size, dtype=bool))[1]


def joint_of(
    columns: np.ndarray, bases: np.ndarray, shares: np.ndarray, weights: np.ndarray
) -> Joint:
    """Return blocks (U, M), (U, M + 1) by their weights, (U,); those of one base are put together.

    Of a block some supports may have been counted elsewhere: the sum of its shares counts here.
    """
    _, first, place = np.unique(support_keys(bases), return_index=True, return_inverse=True)
    each = (weights, (place.ravel(), np.arange(place.size)))
    together = csr_array(each, shape=(first.size, place.size)) @ shares
    return Joint(columns, csr_array(bases[first].astype(float)), together)
