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

    def likeliest(self, share: float) -> np.ndarray:
        """Return the places of the fewest supports that have this share of all."""
        order = np.argsort(-self.weights, kind="stable")
        sums = np.cumsum(self.weights[order])
        return order[: np.searchsorted(sums, share * sums[-1]) + 1]
