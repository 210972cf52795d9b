"""All supports of a small table: those that count are scored, and the posterior is exact.

A bound from below of each support's cost comes from its residual (:mod:`.all_residuals`). Supports
that weigh nothing beside the best even by their bound are left out.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from ..score.evidence import least_scores, total_score
from .all_residuals import all_residuals
from .counted import Counted, by_size
from .target import Target

__all__ = ["enumerated"]

# So many supports, those with the lowest bounds, are scored in any case.
_FIRST = 32


def enumerated(target: Target) -> Counted:
    """Return all independent supports that the constraints permit, of the sizes asked for.

    Where there are bounds, those whose cost is higher than the lowest by more than ``negligible``
    are left out, apart from the best few, and so are ridges at which they all are.
    """
    # Bounds are those of all sets of columns, whatever their size.
    has_bounds = 2 ** int(target.is_open.sum()) <= 2 * target.settings.most_enumerated
    masks, by_ridge = _bounds(target) if has_bounds else (_every_support(target), None)
    if by_ridge is None or len(masks) <= _FIRST:
        return _counted(masks, _costs(target, masks))
    least = total_score(by_ridge)
    order = np.argsort(least, kind="stable")
    # At a ridge in the middle the bound is close to what a good support costs.
    good = masks[np.argsort(by_ridge[:, by_ridge.shape[1] // 2], kind="stable")[:_FIRST]]
    good = good[good.sum(axis=1) == good[0].sum()]  # those of one size are scored together
    most = np.min(_costs(target, good)) + target.settings.negligible
    order = order[: max(int(np.sum(least <= most)), _FIRST)]
    # Ridges may count together where none does by itself.
    counts = by_ridge[order] <= most + 2.0 * np.log(by_ridge.shape[1])
    counts[np.arange(len(order)), np.argmin(by_ridge[order], axis=1)] = True
    return _counted(masks[order], _costs(target, masks[order], counts))


def _every_support(target: Target) -> np.ndarray:
    """Return all supports, (M, D)."""
    open_, n_locked = np.flatnonzero(target.is_open), int(target.always.sum())
    supports = []
    for size in np.flatnonzero(np.isfinite(target.cost_of_size)).tolist():
        n = size - n_locked
        chosen = np.asarray(list(combinations(open_.tolist(), n)), dtype=np.int64)
        masks = np.tile(target.always, (comb(open_.size, n), 1))
        np.put_along_axis(masks, chosen.reshape(len(masks), n), True, axis=1)
        supports.append(masks)
    return np.concatenate(supports)


def _bounds(target: Target) -> tuple[np.ndarray, np.ndarray]:
    """Return all supports, (M, D), and the least that each costs at each ridge, (M, R)."""
    field, _ = target.field_of(np.arange(target.always.size))
    locked, open_ = np.flatnonzero(target.always), np.flatnonzero(target.is_open)
    sets, residuals = all_residuals(field.G, field.b, field.yy, locked, open_)
    sizes = sets.sum(axis=1) + locked.size
    cost_of_size = np.append(target.cost_of_size, np.full(open_.size, np.inf))
    is_asked = np.isfinite(cost_of_size[sizes])
    sets, residuals, sizes = sets[is_asked], residuals[is_asked], sizes[is_asked]
    masks = np.tile(target.always, (len(sets), 1))
    masks[:, open_] = sets
    judge = target.judge
    least = least_scores(residuals, sizes - target.n_redundant, judge, field.yy, field.dof)
    return masks, least + cost_of_size[sizes, None]


def _costs(target: Target, masks: np.ndarray, counts: np.ndarray | None = None) -> np.ndarray:
    """Return the costs of supports (M, D); ``counts`` (M, R) says which ridges count, or None."""
    costs = np.empty(len(masks))
    for places, supports in by_size(masks):
        ridges = None if counts is None else np.any(counts[places], axis=0)
        scores = target.scores(supports, ridges)
        costs[places] = scores + target.cost_of_size[supports.shape[1]]
    return costs


def _counted(masks: np.ndarray, costs: np.ndarray) -> Counted:
    finite = np.isfinite(costs)
    masks, costs = masks[finite], costs[finite]
    order = np.argsort(costs, kind="stable")
    return Counted(masks[order], costs[order])
