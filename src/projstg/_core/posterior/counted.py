r"""Supports of one problem with their exact weights: what they say where they are all there is.

The *cost* of a support is its score plus −2 log of the prior of its size, so that its posterior
probability is exp(−cost/2), divided by the sum of that over all supports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ..search.record import slack

__all__ = ["Counted", "by_size", "levelled", "support_codes", "support_keys"]

# Up to so many entries of masks a pass over all is faster than one over the members.
_SMALL = 30_000


@dataclass(frozen=True, eq=False)
class Counted:
    """M different supports of one problem with their costs; those counted have the lowest first."""

    masks: np.ndarray
    """(M, D)."""
    costs: np.ndarray
    """(M,), all finite."""

    @property
    def weights(self) -> np.ndarray:
        """Their shares, (M,), which sum to one."""
        weights = np.exp(-0.5 * (self.costs - self.costs[0]))
        return weights / weights.sum()

    @property
    def sizes(self) -> np.ndarray:
        """(M,)."""
        return self.masks.sum(axis=1)

    @cached_property
    def keys(self) -> np.ndarray:
        """Their keys, (M,)."""
        return support_keys(self.masks)

    def holding(self, columns: np.ndarray) -> np.ndarray:
        """Return which of the supports, (M,), hold all of the columns."""
        return np.all(self.masks[:, columns], axis=1)


def levelled(counted: Counted) -> Counted:
    """Return supports in order; those as good as the best have its cost: it is rounding."""
    masks, costs = counted.masks, counted.costs
    if np.any(np.diff(costs) < 0.0):
        order = np.argsort(costs, kind="stable")
        masks, costs = masks[order], costs[order]
    least = costs[:1]
    return Counted(masks, np.where(costs <= least + slack(least), least, costs))


def by_size(masks: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, for each size, the places of the supports (M, D) that have it, and their members."""
    sizes = masks.sum(axis=1)
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        yield places, np.nonzero(masks[places])[1].reshape(places.size, size)


@lru_cache(maxsize=16)
def support_codes(n_columns: int) -> np.ndarray:
    """Return a number for each column, (D,); a support's key is the exclusive or of its columns'.

    So the keys of its neighbours are one operation away. Two of a million supports have the same
    key with a probability of 10⁻⁷.
    """
    codes = np.asarray(np.random.default_rng(0).integers(2**63, size=n_columns, dtype=np.uint64))
    codes.setflags(write=False)
    return codes


def support_keys(masks: np.ndarray) -> np.ndarray:
    """Return the keys of supports (M, D), (M,)."""
    codes = support_codes(masks.shape[1])
    if masks.size <= _SMALL:
        zero = np.uint64(0)
        return np.asarray(np.bitwise_xor.reduce(np.where(masks, codes, zero), axis=1))
    row, column = np.nonzero(masks)
    keys = np.zeros(len(masks), dtype=np.uint64)
    if row.size:
        first = np.flatnonzero(np.diff(row, prepend=-1))
        keys[row[first]] = np.bitwise_xor.reduceat(codes[column], first)
    return keys
