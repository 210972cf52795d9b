"""All supports of a small table: those that count are scored, and the posterior is exact.

A bound from below of each support's cost comes from its residual (:mod:`.all_residuals`). Supports
that weigh nothing beside the best even by their bound are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

from ..score.evidence import total_score
from .counted import Counted

__all__ = ["Bound", "enumerated", "n_supports"]

Bound = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From the columns that must be in a support, and those that may, to the sets (M, W) of the latter
and bounds of their costs at each ridge, (M, R)."""
RidgeScore = Callable[[np.ndarray, np.ndarray | None], np.ndarray]
"""From supports (M, K) to their exact scores (M,), over all ridges or those of a mask (R,)."""

# So many supports, those with the lowest bounds, are scored in any case.
_FIRST = 32


def n_supports(cost_of_size: np.ndarray, always: np.ndarray, is_open: np.ndarray) -> int:
    """Return how many supports there are of the sizes asked for, within the constraints."""
    n_locked, n_open = int(always.sum()), int(is_open.sum())
    sizes = np.flatnonzero(np.isfinite(cost_of_size)).tolist()
    return sum(comb(n_open, size - n_locked) for size in sizes)


def enumerated(
    score: RidgeScore,
    cost_of_size: np.ndarray,
    always: np.ndarray,
    is_open: np.ndarray,
    bound: Bound | None = None,
    negligible: float = np.inf,
) -> Counted:
    """Return all independent supports of the sizes asked for.

    They have the columns of ``always``, and others of ``is_open``, masks (D,).
    With ``bound`` those whose cost is higher than the lowest by more than ``negligible`` are left
    out, apart from the best few, and so are ridges at which they all are.
    """
    locked, open_ = np.flatnonzero(always), np.flatnonzero(is_open)
    if bound is None:
        sets = _every_set(open_.size, locked.size, cost_of_size)
    else:
        sets, by_ridge = bound(locked, open_)
    masks = np.zeros((len(sets), always.size), dtype=bool)
    masks[:, locked], masks[:, open_] = True, sets
    if bound is None or len(sets) <= _FIRST:
        return _counted(masks, _costs(score, masks, cost_of_size))
    least = total_score(by_ridge)
    order = np.argsort(least, kind="stable")
    # At a ridge in the middle the bound is close to what a good support costs.
    good = masks[np.argsort(by_ridge[:, by_ridge.shape[1] // 2], kind="stable")[:_FIRST]]
    good = good[good.sum(axis=1) == good[0].sum()]  # those of one size are scored together
    most = np.min(_costs(score, good, cost_of_size)) + negligible
    order = order[: max(int(np.sum(least <= most)), _FIRST)]
    # Ridges may count together where none does by itself.
    counts = by_ridge[order] <= most + 2.0 * np.log(by_ridge.shape[1])
    counts[np.arange(len(order)), np.argmin(by_ridge[order], axis=1)] = True
    return _counted(masks[order], _costs(score, masks[order], cost_of_size, counts))


def _every_set(n_open: int, n_locked: int, cost_of_size: np.ndarray) -> np.ndarray:
    """Return all sets (M, W) of open columns with which a support has a size asked for."""
    sets = []
    for size in np.flatnonzero(np.isfinite(cost_of_size)).tolist():
        n = size - n_locked
        chosen = np.asarray(list(combinations(range(n_open), n)), dtype=np.int64)
        own = np.zeros((comb(n_open, n), n_open), dtype=bool)
        np.put_along_axis(own, chosen.reshape(len(own), n), True, axis=1)
        sets.append(own)
    return np.concatenate(sets)


def _costs(
    score: RidgeScore,
    masks: np.ndarray,
    cost_of_size: np.ndarray,
    counts: np.ndarray | None = None,
) -> np.ndarray:
    """Return the costs of supports (M, D); ``counts`` (M, R) says which ridges count, or None."""
    sizes, costs = masks.sum(axis=1), np.empty(len(masks))
    for size in np.unique(sizes):
        own = np.flatnonzero(sizes == size)
        supports = np.nonzero(masks[own])[1].reshape(own.size, size)
        ridges = None if counts is None else np.any(counts[own], axis=0)
        costs[own] = score(supports, ridges) + cost_of_size[size]
    return costs


def _counted(masks: np.ndarray, costs: np.ndarray) -> Counted:
    finite = np.isfinite(costs)
    masks, costs = masks[finite], costs[finite]
    order = np.argsort(costs, kind="stable")
    return Counted(masks[order], costs[order])
