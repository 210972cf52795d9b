r"""How sure a search is of its answer: from what it found to the posterior of a table's supports.

The posterior (:mod:`.support_probabilities`) needs the Gram matrix of the columns it may visit. Up
to a few hundred columns these are all columns. With more, they are the members of the best supports
the search found, and the columns that come closest to improving the best support. A column left out
gets the probability zero.
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
from .posterior_settings import POSTERIOR, PosteriorSettings
from .support_probabilities import Posterior, posterior

__all__ = ["confidence", "criterion_with_volume"]


def criterion_with_volume(name: str) -> str:
    """Return the criterion that probabilities come from: least squares alone gives none."""
    return name if CRITERIA[name].counts_volume else "common-size"


def confidence(
    problem: Problem,
    found: Sequence[Optima],
    criterion: Criterion,
    log_prior: np.ndarray,
    *,
    always: np.ndarray,
    never: np.ndarray,
    settings: PosteriorSettings = POSTERIOR,
) -> Posterior:
    """Return the posterior of one problem (a batch of one) from supports found, grouped by size.

    ``always`` and ``never`` are masks (D,). Scores are computed anew, by ``criterion``.
    """
    groups = [one.supports[: settings.most_found] for one in found]
    by_ridge = [_by_ridge(problem, supports, criterion) for supports in groups]
    useful = _useful_ridges(groups, by_ridge, settings)
    scores = [mean_score(one[:, useful]) for one in by_ridge]
    columns = _columns(problem, groups, scores, criterion, always, never, settings)
    field = restricted(problem, columns[None], never[None], always[None])
    begin = [
        (np.searchsorted(columns, members), float(score))
        for supports, own in zip(groups, scores, strict=True)
        for members, score in zip(supports, own, strict=True)
        if np.isin(members, columns).all()
    ]

    def score(supports: np.ndarray) -> np.ndarray:
        return mean_score(_by_ridge(problem, columns[supports], criterion)[:, useful])

    # The ridges left out have no evidence, but the empty support has the same at every ridge.
    has_ridge = np.arange(log_prior.size) > 0
    known = posterior(
        field,
        begin,
        criterion._replace(ridges=criterion.ridges[useful]),
        log_prior + np.where(has_ridge, np.log(np.mean(useful)), 0.0),
        n_free=n_selectable(always, never),
        score=score,
        settings=settings,
    )
    inclusion = np.zeros(always.size)
    inclusion[columns] = known.inclusion
    return known._replace(
        supports=[columns[members] for members in known.supports], inclusion=inclusion
    )


def _by_ridge(problem: Problem, supports: np.ndarray, criterion: Criterion) -> np.ndarray:
    yy, dof = (
        np.broadcast_to(to_numpy(field), (1, len(supports))).astype(float)
        for field in (problem.yy, problem.degrees_of_freedom)
    )
    return scores_by_ridge(support_spectra(problem, supports[None]), yy, dof, criterion)[0]


def _useful_ridges(
    groups: Sequence[np.ndarray], scores: Sequence[np.ndarray], settings: PosteriorSettings
) -> np.ndarray:
    """Return a mask (R,) of the ridges with a share in the evidence of the leaders of any size.

    ``scores`` has, for each group, the scores of its supports at each ridge, (M, R).
    """
    useful = np.zeros(scores[0].shape[1], dtype=bool)
    for supports, own in zip(groups, scores, strict=True):
        if supports.shape[1]:
            leaders = own[np.argsort(mean_score(own), kind="stable")[: settings.n_leaders]]
            weight = np.exp(-0.5 * (leaders - np.min(leaders)))
            useful |= weight.sum(axis=0) > settings.useless_ridge * weight.sum()
    return useful if useful.any() else ~useful


def _columns(
    problem: Problem,
    groups: Sequence[np.ndarray],
    scores: Sequence[np.ndarray],
    criterion: Criterion,
    always: np.ndarray,
    never: np.ndarray,
    settings: PosteriorSettings,
) -> np.ndarray:
    """Return the columns that the posterior may visit, in increasing order."""
    n_columns = always.size
    if n_columns <= settings.most_columns:
        return np.arange(n_columns)
    wanted = always.copy()
    for supports in groups:
        wanted[supports[: settings.n_leaders].ravel()] = True
    promise = np.full(n_columns, -np.inf)
    for supports, own in zip(groups, scores, strict=True):
        if supports.shape[1]:
            best = supports[np.argmin(own)][None]
            lowered = outside_swaps(problem, best, never[None], always[None], criterion)[0]
            promise = np.maximum(promise, lowered)
    promise[wanted] = np.inf
    size = max(settings.most_columns, int(wanted.sum()))
    return np.sort(np.argpartition(-promise, size - 1)[:size])
