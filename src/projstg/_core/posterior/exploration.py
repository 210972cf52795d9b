"""Which supports are counted: all of them, or the likeliest around those that a search has found.

The columns that may be visited are all up to a few hundred. With more, they are the members of the
best supports the search has found, and the columns that come closest to improving the best support.

Where only dependent supports are known there is no dilution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..score.evidence import total_score
from ..search.record import RankedSupports, slack
from ..search.working_set import around_support
from .best_first import BestFirst
from .counted import Counted
from .enumeration import enumerated
from .posterior import Posterior
from .posterior_settings import PosteriorSettings
from .target import Target

__all__ = ["counted_around", "every_support", "every_support_of", "with_more"]


def every_support(target: Target) -> Posterior:
    """Return the posterior with every support scored that may weigh anything."""
    counted = enumerated(target)
    if not counted.costs.size:
        target = target.undiluted()
        counted = enumerated(target)
    return Posterior(target, _levelled(counted), np.arange(target.always.size))


def every_support_of(target: Target, scored: RankedSupports) -> Posterior:
    """Return the posterior where a search has scored every support of the one size."""
    masks = np.zeros((len(scored.supports), target.always.size), dtype=bool)
    np.put_along_axis(masks, scored.supports, True, axis=1)
    costs = scored.scores + target.cost_of_size[scored.supports.shape[1]]
    return Posterior(target, _levelled(Counted(masks, costs)), np.arange(target.always.size))


def counted_around(target: Target, found: Sequence[RankedSupports]) -> Posterior:
    """Return the posterior with the supports of searches counted, and those around the likeliest.

    ``found`` is grouped by size. Scores are computed anew, by the judge.
    """
    by_ridge = [target.scores_by_ridge(one.supports) for one in found]
    if not any(np.isfinite(one).any() for one in by_ridge):
        target = target.undiluted()
        by_ridge = [target.scores_by_ridge(one.supports) for one in found]
    useful = useful_ridges(found, by_ridge, target.settings)
    scored = _scored_at(useful, found, by_ridge)
    columns, promise, most = np.arange(target.always.size), None, target.settings.most_columns
    if columns.size > most:
        promise = _promise(target, scored)
        size = max(most, int(np.isposinf(promise).sum()))
        columns = np.sort(np.argpartition(-promise, size - 1)[:size])
    around = _begun(target, columns, useful)
    counted = _count(around, target, columns, scored)
    return Posterior(target, counted, columns, around, tuple(found), promise)


def with_more(posterior: Posterior, found: Sequence[RankedSupports]) -> Posterior:
    """Return the posterior with more supports of searches counted, and those around them.

    It goes on from what it has, unless one of the best supports has a column that was not looked
    at: then it begins again, and what was drawn is of no use.
    """
    target, before = posterior.target, posterior.around
    most = target.settings.n_leaders
    leaders = [one.supports[:most] for one in found]
    if before is None or not all(posterior.is_looked_at(own).all() for own in leaders):
        return counted_around(target, [*posterior.found, *found])
    around = before.copy()
    useful = np.isin(target.judge.ridges.kappa, around.judge.ridges.kappa)
    by_ridge = [target.scores_by_ridge(one.supports) for one in found]
    counted = _count(around, target, posterior.columns, _scored_at(useful, found, by_ridge))
    return replace(
        posterior,
        counted=counted,
        around=around,
        found=(*posterior.found, *found),
        is_settled=False,  # by what was counted before
    )


def _scored_at(
    useful: np.ndarray, found: Sequence[RankedSupports], by_ridge: Sequence[np.ndarray]
) -> list[RankedSupports]:
    """Return the supports in their order with their scores over some of the ridges, a mask (R,)."""
    each = zip(found, by_ridge, strict=True)
    return [RankedSupports(one.supports, total_score(own[:, useful])) for one, own in each]


def _begun(target: Target, columns: np.ndarray, useful: np.ndarray) -> BestFirst:
    """Return the count before anything was counted, at some of the ridges, a mask (R,)."""
    few = target.judge.at(useful)
    # The ridges left out have no evidence, but the empty support has the same at every ridge.
    ridges = few.ridges
    kept = np.sum(np.exp(-0.5 * ridges.zero_cost) + np.exp(-0.5 * ridges.size_cost))
    cost_of_size = target.cost_of_size.copy()
    cost_of_size[0] += 2.0 * np.log(kept)
    field, _ = target.field_of(columns)

    def score(supports: np.ndarray) -> np.ndarray:
        return target.scores(columns[supports], useful)

    return BestFirst(field, few, cost_of_size, score, target.settings)


def _count(
    around: BestFirst,
    target: Target,
    columns: np.ndarray,
    scored: Sequence[RankedSupports],
) -> Counted:
    """Count supports with their scores and what is around them; return all that is counted."""
    is_looked_at = np.zeros(target.always.size, dtype=bool)
    is_looked_at[columns] = True
    for supports, scores in scored:
        inside = is_looked_at[supports].all(axis=1)
        masks = np.zeros((int(inside.sum()), columns.size), dtype=bool)
        np.put_along_axis(masks, np.searchsorted(columns, supports[inside]), True, axis=1)
        around.count(masks, scores[inside] + around.cost_of_size[supports.shape[1]])
    around.look_around(target.settings.most_looks)
    return _levelled(around.counted)


def _levelled(counted: Counted) -> Counted:
    """Give the supports that are as good as the best the same cost: they differ by rounding."""
    least = counted.costs[:1]
    is_equal = counted.costs <= least + slack(least)
    return counted._replace(costs=np.where(is_equal, least, counted.costs))


def _promise(target: Target, scored: Sequence[RankedSupports]) -> np.ndarray:
    """Return of all columns, (D,), minus the least that an exchange for them adds to the score.

    It is infinite for the members of the best supports: they are looked at in any case.
    """
    promise = np.full(target.always.size, -np.inf)
    for best, behind in _compared(target, scored):
        locked = target.always[best]
        change = around_support(target.problem, best, target.judge, locked).change
        promise = np.maximum(promise, -change - behind)
    promise[target.always] = np.inf
    for supports, _ in scored:
        promise[supports[: target.settings.n_leaders].ravel()] = np.inf
    return promise


def _compared(target: Target, scored: Sequence[RankedSupports]) -> list[tuple[np.ndarray, float]]:
    """Return the best support of each size, and by how much it is behind the likeliest.

    Columns are compared around these. In a very wide problem each takes a pass over X: there only
    the likeliest are returned. In others none is behind.
    """
    best = [(one[np.argmin(own)], float(np.min(own))) for one, own in scored if one.shape[1]]
    if not target.problem.is_wide:
        return [(support, 0.0) for support, _ in best]
    best.sort(key=lambda one: one[1])
    of_size = {support.size: (support, score) for support, score in reversed(best)}
    costs = {k: score + float(target.cost_of_size[k]) for k, (_, score) in of_size.items()}
    lowest = min(costs.values(), default=0.0)
    near = [k for k in costs if costs[k] <= lowest + target.settings.far_behind]
    near.sort(key=lambda k: costs[k])
    return [(of_size[k][0], costs[k] - lowest) for k in near[: target.settings.most_compared]]


def useful_ridges(
    found: Sequence[RankedSupports], by_ridge: Sequence[np.ndarray], settings: PosteriorSettings
) -> np.ndarray:
    """Return a mask (R,) of the ridges with a share in the evidence of the leaders of any size.

    ``by_ridge`` has, for each size, the scores of its supports at each ridge, (M, R).
    """
    useful = np.zeros(by_ridge[0].shape[1], dtype=bool)
    for one, own in zip(found, by_ridge, strict=True):
        total = total_score(own)
        if one.supports.shape[1] and np.isfinite(total).any():
            leaders = own[np.argsort(total, kind="stable")[: settings.n_leaders]]
            weight = np.exp(-0.5 * (leaders - np.min(leaders)))
            useful |= weight.sum(axis=0) > settings.useless_ridge * weight.sum()
    return useful if useful.any() else ~useful
