r"""How sure is a search of its answer? From what it found to the posterior of a table's supports.

The posterior (:mod:`.best_first`) needs the Gram matrix of the columns it may visit. Up to a few
hundred columns these are all; of more, the members of what the search found and those that would
come closest to improving the best of it. A column left out has the probability zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem
from ..score.criterion import CRITERIA, Criterion, mean_score, scores_by_ridge, support_spectra
from ..score.prior import n_selectable
from ..search.record import Optima
from ..search.working_set import outside_swaps, restricted
from .best_first import Posterior, posterior

__all__ = ["confidence", "judge_of"]

# So many columns are looked at, and so many supports of each size begin.
_MOST_COLUMNS = 300
_MOST_FOUND = 200
# Supports by whose ridges the grid is cut down.
_LEADERS = 30
# A ridge with so small a share of their evidence is left out.
_USELESS = 1e-4


def judge_of(criterion: str) -> str:
    """Return the criterion that probabilities are made of: least squares alone has none."""
    return criterion if CRITERIA[criterion].counts_volume else "common-size"


def confidence(
    problem: Problem,
    found: Sequence[Optima],
    judge: Criterion,
    log_prior: np.ndarray,
    *,
    always: np.ndarray,
    never: np.ndarray,
) -> Posterior:
    """Return the posterior of one problem (a batch of one) from what was found, each of one size.

    ``always`` and ``never`` are masks (D,). Scores are computed anew, by ``judge``.
    """
    groups = [one.supports[:_MOST_FOUND] for one in found]
    by_ridge = [_by_ridge(problem, supports, judge) for supports in groups]
    useful = _useful_ridges(groups, by_ridge)
    scores = [mean_score(one[:, useful]) for one in by_ridge]
    columns = _columns(problem, groups, scores, judge, always, never)
    closed = np.where(never, np.inf, 0.0)[None]
    field = restricted(problem, columns[None], closed, always[None])
    begin = [
        (np.searchsorted(columns, members), float(score))
        for supports, own in zip(groups, scores, strict=True)
        for members, score in zip(supports, own, strict=True)
        if np.isin(members, columns).all()
    ]

    def score(supports: np.ndarray) -> np.ndarray:
        return mean_score(_by_ridge(problem, columns[supports], judge)[:, useful])

    # The other ridges count as nothing, to all supports but the empty one, which has no ridge.
    has_ridge = np.arange(log_prior.size) > 0
    known = posterior(
        field,
        begin,
        judge._replace(ridges=judge.ridges[useful]),
        log_prior + np.where(has_ridge, np.log(np.mean(useful)), 0.0),
        n_free=n_selectable(always, never),
        score=score,
    )
    inclusion = np.zeros(always.size)
    inclusion[columns] = known.inclusion
    return known._replace(
        supports=[columns[members] for members in known.supports], inclusion=inclusion
    )


def _by_ridge(problem: Problem, supports: np.ndarray, judge: Criterion) -> np.ndarray:
    yy, dof = (
        np.broadcast_to(to_numpy(field), (1, len(supports))).astype(float)
        for field in (problem.yy, problem.degrees_of_freedom)
    )
    return scores_by_ridge(support_spectra(problem, supports[None]), yy, dof, judge)[0]


def _useful_ridges(groups: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> np.ndarray:
    """Return a mask (R,) of the ridges that the leaders of any size have a use for.

    ``scores`` are those of each group's supports at each ridge.
    """
    useful = np.zeros(scores[0].shape[1], dtype=bool)
    for supports, own in zip(groups, scores, strict=True):
        if supports.shape[1]:
            leaders = own[np.argsort(mean_score(own), kind="stable")[:_LEADERS]]
            weight = np.exp(-0.5 * (leaders - np.min(leaders)))
            useful |= weight.sum(axis=0) > _USELESS * weight.sum()
    return useful if useful.any() else ~useful


def _columns(
    problem: Problem,
    groups: Sequence[np.ndarray],
    scores: Sequence[np.ndarray],
    judge: Criterion,
    always: np.ndarray,
    never: np.ndarray,
) -> np.ndarray:
    """Return the columns that are looked at, in increasing order."""
    n_columns = always.size
    if n_columns <= _MOST_COLUMNS:
        return np.arange(n_columns)
    wanted = always.copy()
    for supports in groups:
        wanted[supports[:_LEADERS].ravel()] = True
    promise = np.full(n_columns, -np.inf)
    for supports, own in zip(groups, scores, strict=True):
        if supports.shape[1]:
            best = supports[np.argmin(own)][None]
            closed = np.where(never, np.inf, 0.0)[None]
            promise = np.maximum(
                promise, outside_swaps(problem, best, closed, always[None], judge)[0]
            )
    promise[wanted] = np.inf
    size = max(_MOST_COLUMNS, int(wanted.sum()))
    return np.sort(np.argpartition(-promise, size - 1)[:size])
