"""All supports of a small table, each scored: the posterior is exact."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from .best_first import Score
from .counted import Counted

__all__ = ["enumerated", "n_supports"]


def n_supports(cost_of_size: np.ndarray, always: np.ndarray, never: np.ndarray) -> int:
    """Return how many supports there are of the sizes asked for, within the constraints."""
    n_locked, n_open = int(always.sum()), int(np.sum(~always & ~never))
    sizes = np.flatnonzero(np.isfinite(cost_of_size)).tolist()
    return sum(comb(n_open, size - n_locked) for size in sizes)


def enumerated(
    score: Score, cost_of_size: np.ndarray, always: np.ndarray, never: np.ndarray
) -> Counted:
    """Return all independent supports of the sizes asked for; ``always`` and ``never`` are (D,)."""
    locked, open_ = np.flatnonzero(always), np.flatnonzero(~always & ~never)
    masks, costs = [], []
    for size in np.flatnonzero(np.isfinite(cost_of_size)).tolist():
        n = size - locked.size
        chosen = np.asarray(list(combinations(open_.tolist(), n)), dtype=np.int64)
        chosen = chosen.reshape(comb(open_.size, n), n)
        supports = np.concatenate([np.tile(locked, (len(chosen), 1)), chosen], axis=1)
        supports = np.sort(supports, axis=1)
        cost = score(supports) + cost_of_size[size]
        finite = np.isfinite(cost)
        mask = np.zeros((len(supports), always.size), dtype=bool)
        np.put_along_axis(mask, supports, True, axis=1)
        masks.append(mask[finite])
        costs.append(cost[finite])
    mask, cost = np.concatenate(masks), np.concatenate(costs)
    order = np.argsort(cost, kind="stable")
    return Counted(mask[order], cost[order])
