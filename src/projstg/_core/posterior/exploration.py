"""Which supports are counted: all of them, or the likeliest around those that a search has found.

The columns that may be visited are all up to a few hundred. Of more, some stand for others
(:mod:`.represented`): not the members of the best supports that a search has found, nor the columns
that come closest to improving these.

Where only dependent supports are known there is no dilution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..score.evidence import total_score
from ..search.record import RankedSupports
from ..search.working_set import around_support
from .best_first import BestFirst
from .counted import Counted, levelled
from .enumeration import enumerated
from .posterior import Posterior
from .posterior_settings import PosteriorSettings
from .represented import Represented, represented
from .target import Target

__all__ = ["counted_around", "every_support", "every_support_of", "with_more"]


def every_support(target: Target) -> Posterior:
    """Return the posterior with every support scored that may weigh anything."""
    counted = enumerated(target)
    if not counted.costs.size:
        target = target.undiluted()
        counted = enumerated(target)
    return Posterior(target, levelled(counted), Represented.every(target.always.size))


def every_support_of(target: Target, scored: RankedSupports) -> Posterior:
    """Return the posterior where a search has scored every support of the one size."""
    masks = np.zeros((len(scored.supports), target.always.size), dtype=bool)
    np.put_along_axis(masks, scored.supports, True, axis=1)
    costs = scored.scores + target.cost_of_size[scored.supports.shape[1]]
    return Posterior(target, levelled(Counted(masks, costs)), Represented.every(target.always.size))


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
    among = _looked_at(target, scored)
    around = _begun(target, among, useful)
    counted = _count(around, target, among, scored)
    return Posterior(target, counted, among, around, tuple(found))


def with_more(posterior: Posterior, found: Sequence[RankedSupports]) -> Posterior:
    """Return the posterior with more supports of searches counted, and those around them.

    It goes on from what it has, unless one of the best supports has a column that was not looked
    at, or stands for others: then it begins again, and what was drawn is of no use.
    """
    target, before = posterior.target, posterior.around
    if before is None:
        return counted_around(target, [*posterior.found, *found])
    useful = np.isin(target.judge.ridges.kappa, before.judge.ridges.kappa)
    by_ridge = [target.scores_by_ridge(one.supports) for one in found]
    scored = _scored_at(useful, found, by_ridge)
    leaders = _leaders(target, scored, posterior.lowest)
    if not all(posterior.among.are_themselves(own).all() for own in leaders):
        return counted_around(target, [*posterior.found, *found])
    around = before.copy()
    counted = _count(around, target, posterior.among, scored)
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


def _begun(target: Target, among: Represented, useful: np.ndarray) -> BestFirst:
    """Return the count before anything was counted, at some of the ridges, a mask (R,)."""
    few, columns = target.judge.at(useful), among.columns
    # The ridges left out have no evidence, but the empty support has the same at every ridge.
    ridges = few.ridges
    kept = np.sum(np.exp(-0.5 * ridges.zero_cost) + np.exp(-0.5 * ridges.size_cost))
    cost_of_size = target.cost_of_size.copy()
    cost_of_size[0] += 2.0 * np.log(kept)
    field, _ = target.field_of(columns)

    def score(supports: np.ndarray) -> np.ndarray:
        return target.scores(columns[supports], useful)

    return BestFirst(field, few, cost_of_size, score, target.settings, among.cost)


def _count(
    around: BestFirst, target: Target, among: Represented, scored: Sequence[RankedSupports]
) -> Counted:
    """Count supports with their scores and what is around them; return all that is counted."""
    is_looked_at = np.zeros(target.always.size, dtype=bool)
    is_looked_at[among.columns] = True
    for supports, scores in scored:
        inside = is_looked_at[supports].all(axis=1)
        members = among.cell[supports[inside]]
        masks = np.zeros((len(members), among.columns.size), dtype=bool)
        np.put_along_axis(masks, members, True, axis=1)
        columns = np.sum(around.cost_of_column[members], axis=1)
        around.count(masks, scores[inside] + (columns + around.cost_of_size[supports.shape[1]]))
    around.look_around(target.settings.most_looks)
    return levelled(around.counted)


def _leaders(
    target: Target, scored: Sequence[RankedSupports], lowest: float = np.inf
) -> list[np.ndarray]:
    """Return the best supports of each size, (M, K), that are not far behind the likeliest.

    ``lowest`` is the lowest cost that is known from elsewhere.
    """
    settings, costs = target.settings, [_costs(target, one) for one in scored]
    lowest = min([lowest, *(float(np.min(own)) for own in costs)])
    most = lowest + settings.far_behind
    order = [np.argsort(own, kind="stable")[: settings.n_leaders] for own in costs]
    return [
        one.supports[places[own[places] <= most]]
        for one, own, places in zip(scored, costs, order, strict=True)
    ]


def _costs(target: Target, one: RankedSupports) -> np.ndarray:
    return np.asarray(one.scores + target.cost_of_size[one.supports.shape[1]])


def _looked_at(target: Target, scored: Sequence[RankedSupports]) -> Represented:
    """Return the columns that are looked at: all, or those that represent very many.

    Of small supports more are looked at: a neighbourhood has (K + 1)·D supports.
    """
    settings, n_columns = target.settings, target.always.size
    leaders = [own for own in _leaders(target, scored) if len(own)]
    size = max(own.shape[1] for own in leaders)
    most = int(np.clip(settings.most_around / (size + 1.0) ** 2, *settings.most_columns))
    if n_columns <= most:
        return Represented.every(n_columns)
    promise = _promise(target, scored)
    promise[target.always] = np.inf
    for own in leaders:
        promise[own.ravel()] = np.inf
    n_own = int(np.isposinf(promise).sum())
    return represented(promise, max(most, n_own + settings.fewest_cells))


def _promise(target: Target, scored: Sequence[RankedSupports]) -> np.ndarray:
    """Return of all columns, (D,), minus the least that an exchange for each adds, or taking it in.

    That is to the cost of the likeliest support: of all sizes that are not far behind.
    """
    problem, judge, of_size = target.problem, target.judge, target.cost_of_size
    promise = np.full(target.always.size, -np.inf)
    for best, behind in _compared(target, scored):
        K, locked = best.size, target.always[best]
        around = around_support(problem, best, judge, locked, target.n_redundant)
        change = around.exchanged.change
        if K + 1 < of_size.size:
            change = np.minimum(change, around.taken_in + (of_size[K + 1] - of_size[K]))
        promise = np.maximum(promise, -change - behind)
    promise[problem.diagonal <= 0.0] = -np.inf
    return promise


def _compared(target: Target, scored: Sequence[RankedSupports]) -> list[tuple[np.ndarray, float]]:
    """Return the best supports of sizes that are not far behind, and by how much they are.

    In a very wide problem each takes a pass over X: there they are fewer.
    """
    settings, costs = target.settings, [_costs(target, one) for one in scored]
    of_size: dict[int, tuple[np.ndarray, float]] = {}
    for one, own in sorted(zip(scored, costs, strict=True), key=lambda pair: np.min(pair[1])):
        best = one.supports[np.argmin(own)]
        of_size.setdefault(best.size, (best, float(np.min(own))))
    found = list(of_size.values())
    most = settings.most_compared[0 if target.problem.is_wide else 1]
    near = [(best, cost - found[0][1]) for best, cost in found[:most]]
    return [(best, behind) for best, behind in near if behind <= settings.far_behind]


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
