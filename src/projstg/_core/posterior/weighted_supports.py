"""The posterior as a list of supports with weights, counted or drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["WeightedSupports"]


class WeightedSupports(NamedTuple):
    """M different supports."""

    masks: np.ndarray
    """(M, D)."""
    weights: np.ndarray
    """(M,), which sum to one."""

    def likeliest(self, share: float) -> WeightedSupports:
        """Return the fewest supports that have this share of all, with weights that sum to one."""
        order = np.argsort(-self.weights, kind="stable")
        sums = np.cumsum(self.weights[order])
        kept = order[: np.searchsorted(sums, share * sums[-1]) + 1]
        return WeightedSupports(self.masks[kept], self.weights[kept] / self.weights[kept].sum())
