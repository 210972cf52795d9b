"""What is known of several columns at once: supports with weights, in blocks.

A block is a base and shares: with probability w·share_j the support is the base with column j, with
w·share_last it is the base, or the base with a column that is not listed. A support that was
counted is a block by itself; the others are those of the chains (:mod:`.chain`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .counted import support_keys

__all__ = ["Joint", "merged"]


class Joint(NamedTuple):
    """U blocks over M of the columns."""

    columns: np.ndarray
    """Which columns these are, (M,)."""
    bases: np.ndarray
    """(U, M)."""
    shares: np.ndarray
    """(U, M + 1). Of a block some supports may have been counted elsewhere: the sum is what counts
    here."""
    weights: np.ndarray
    """w, (U,)."""

    def none_of(self, group: np.ndarray) -> tuple[float, np.ndarray]:
        """Return P(no column of the group belongs), and the same with each column, (M,).

        ``group`` is a mask (M,). What is said of its own columns has no meaning.
        """
        absent = ~np.any(self.bases[:, group], axis=1)
        weights, shares = self.weights[absent], self.shares[absent]
        left = shares.sum(axis=1) - shares[:, :-1][:, group].sum(axis=1)
        both = (weights * left) @ self.bases[absent] + weights @ shares[:, :-1]
        return float(weights @ left), both

    def inclusion(self) -> np.ndarray:
        """Return the probability of each column, (M,)."""
        return self.none_of(np.zeros(self.columns.size, dtype=bool))[1]


def merged(joint: Joint) -> Joint:
    """Return the same with the blocks put together that have one base."""
    _, first, place = np.unique(support_keys(joint.bases), return_index=True, return_inverse=True)
    each = (joint.weights, (place.ravel(), np.arange(place.size)))
    shares = csr_array(each, shape=(first.size, place.size)) @ joint.shares
    return Joint(joint.columns, joint.bases[first], shares, np.ones(first.size))
