"""The posterior as a list of supports with weights, counted or drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["WeightedSupports", "likeliest"]


class WeightedSupports(NamedTuple):
    """M different supports."""

    masks: np.ndarray
    """(M, D)."""
    weights: np.ndarray
    """(M,), which sum to one."""


def likeliest(weights: np.ndarray, share: float) -> np.ndarray:
    """Return the places, in all of an array of weights, of the fewest that have this share."""
    flat = weights.ravel()
    order = np.argsort(-flat, kind="stable")
    sums = np.cumsum(flat[order])
    return order[: np.searchsorted(sums, share * sums[-1]) + 1]
