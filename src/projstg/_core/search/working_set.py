r"""Many columns: search among some of them, and check the others before the answer is final.

A walk needs the Gram matrix of the columns it may visit. With many columns that matrix is never
formed: the search runs in a *working set* of a few hundred, those most correlated with y and those
the caller names. Before an answer is final, one table of exchanges over all D columns (K rows of G,
:func:`around_support`) gives the columns outside that are the likeliest to improve it, and their
best exchanges are scored exactly (:func:`exchange_scores_with`). If one improves it, these columns
join the working set and the search goes on.

The table has the Gaussian evidence at one ridge, also under a common size; only exact scores
include the common size and the dilution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import spectrum
from ..data.problem import Problem
from ..score.criterion import Judge
from ..score.evidence import residual_floor, total_score, undiluted_scores
from ..score.score_settings import SCORE
from ..score.scored_supports import scores_of
from ..score.tableau import Field, exchange_objectives, tableau_of_rows
from ..score.updates import added
from .search_settings import SEARCH, SearchSettings

__all__ = [
    "Exchanges",
    "around_support",
    "exchange_scores_with",
    "exchanges_for",
    "first_columns",
    "joining_columns",
    "joining_pairs",
]

# A column, or a pair, of which others leave less than this share says nothing of its own.
_OWN_SHARE = 0.05


def first_columns(
    problem: Problem, starts: np.ndarray, locked: np.ndarray, settings: SearchSettings
) -> np.ndarray:
    """Return the first working set, (W,).

    It has the columns of starts (S0, K), those of a mask (D,), and those that promise most.
    """
    wanted = locked.copy()
    wanted[starts.ravel()] = True
    size = max(settings.working_set, 4 * starts.shape[1], int(wanted.sum()))
    size = min(size, wanted.size)
    promise = np.where(problem.diagonal > 0.0, problem.promise, -1.0)
    promise[wanted] = np.inf
    return np.sort(np.argpartition(-promise, size - 1)[:size])


def joining_columns(
    problem: Problem, supports: np.ndarray, columns: np.ndarray, settings: SearchSettings
) -> np.ndarray:
    """Return columns that are not in a working set, but may be missing in it.

    They are those most correlated with what each of the best supports, (M, K), leaves of y.
    """
    promise = np.abs(problem.left_by([*supports[: settings.joining_supports]]))
    promise[:, columns] = promise[:, problem.diagonal <= 0.0] = -1.0
    size = min(settings.joining_columns, problem.b.size - columns.size)
    return np.unique(np.argpartition(-promise, size - 1, axis=1)[:, :size])


def joining_pairs(problem: Problem, support: np.ndarray, settings: SearchSettings) -> np.ndarray:
    """Return pairs of columns, (M, 2), that explain most of what a support, (K,), leaves of y.

    Of correlated columns with effects of opposite signs neither explains much by itself. One of a
    pair is among those that explain most alone; each of these is in one pair.
    """
    rows = problem.rows(support)
    fit = np.linalg.lstsq(problem.products(support), np.column_stack([problem.b[support], rows]))[0]
    left, own = problem.b - fit[:, 0] @ rows, problem.diagonal - np.sum(rows * fit[:, 1:], axis=0)
    is_own = own > _OWN_SHARE * problem.diagonal
    is_own[support] = False
    scale = np.where(is_own, 1.0 / np.sqrt(np.where(is_own, own, 1.0)), 0.0)
    alone = left * scale
    size = settings.paired_columns
    if not support.size:
        size = max(size, settings.most_paired // problem.b.size)
    size = min(size, problem.b.size)
    first = np.argpartition(-np.abs(alone), size - 1)[:size]
    common = problem.rows(first) - rows[:, first].T @ fit[:, 1:]
    common *= scale[first, None] * scale
    share = 1.0 - common**2
    gain = alone[first, None] ** 2 + alone**2 - 2.0 * alone[first, None] * alone * common
    is_pair = (share > _OWN_SHARE) & is_own[first, None] & is_own
    gain = np.where(is_pair, gain / np.maximum(share, _OWN_SHARE), 0.0)
    second = np.argmax(gain, axis=1)
    best = gain[np.arange(size), second]
    order = np.argsort(-best, kind="stable")[: 2 * settings.joining_pairs]
    pairs = np.sort(np.column_stack([first, second])[order[best[order] > 0.0]], axis=1)
    _, place = np.unique(pairs, axis=0, return_index=True)
    return pairs[np.sort(place)][: settings.joining_pairs]


class Exchanges(NamedTuple):
    """Exchanges of the members of a support for M columns, (K, M), or the best for each, (M,)."""

    change: np.ndarray
    """What each adds to the score: that of the Gaussian evidence, or of least squares, at one
    ridge, the best for the support. Entries at the columns of members mean nothing."""
    correlation: np.ndarray
    """The correlation of the two columns; the largest in size where it is one for each column."""


def exchanges_for(
    problem: Problem, support: np.ndarray, entering: np.ndarray, judge: Judge
) -> Exchanges:
    """Return what exchanges of the members of a support, (K,), for columns (M,) add."""
    K, few = support.size, problem.subset(np.concatenate([support, entering]))
    rows = few.rows(np.arange(K))
    ridge = _ridge(problem, support, rows[:, :K], judge)
    return _exchanges(rows, few.b, few.diagonal, problem, ridge)


def _taken_in(
    rows: np.ndarray,
    b: np.ndarray,
    diagonal: np.ndarray,
    problem: Problem,
    judge: Judge,
    n_redundant: int,
) -> np.ndarray:
    """Return what taking in each of M columns adds to the score of effects around zero, (M,).

    The score is over the ridges of the judge; the rest is as for :func:`_exchanges`.
    """
    (K, dof), ridges = (len(rows), problem.dof), judge.ridges
    kappa = np.maximum(ridges.kappa, SCORE.relative_ridge * problem.n)
    members, floor = np.tile(np.arange(K), (kappa.size, 1)), residual_floor(problem.yy)
    of = (np.broadcast_to(rows, (kappa.size, *rows.shape)), members, diagonal, b, problem.yy, kappa)
    state = tableau_of_rows(*of)
    before, after = judge.volume(np.asarray([K, K + 1]) - n_redundant)
    now = dof * np.log(state.rss) + before + ridges.zero_cost
    rss = np.maximum(added(state, kappa, has_effects=False).rss[:, K:], floor)
    more = dof * np.log(rss) + (after + ridges.zero_cost)[:, None]
    return np.asarray(total_score(more, axis=0) - total_score(now))


def _exchanges(
    rows: np.ndarray, b: np.ndarray, diagonal: np.ndarray, problem: Problem, ridge: float
) -> Exchanges:
    """Return what exchanges at a ridge add, from rows of G (K, K + M), the members' columns first.

    b and the squared norms (K + M,) are those of the same columns.
    """
    K, (dof, yy) = len(rows), (problem.dof, problem.yy)
    of = (rows[None], np.arange(K)[None], diagonal, b, yy, np.full(1, ridge))
    state = tableau_of_rows(*of)
    (table,) = exchange_objectives(state, dof, residual_floor(yy), counts_log_det=False)
    # Standardised columns have the squared norm n, or zero.
    return Exchanges(table[:, K:] - dof * np.log(state.rss[0]), rows[:, K:] / problem.n)


def _ridge(problem: Problem, support: np.ndarray, G: np.ndarray, judge: Judge) -> float:
    """Return the ridge of the grid at which the evidence of a support, (K,), is highest.

    ``G`` is that of its columns, (K, K). Zero is not used.
    """
    around_zero = judge.around_zero()
    found = spectrum(G[None], problem.b[support][None], problem.yy)
    volume = around_zero.volume(support.size)
    scores = undiluted_scores(found, volume, problem.yy, problem.dof, around_zero)
    best = float(around_zero.ridges.kappa[np.argmin(scores)])
    return max(best, SCORE.relative_ridge * problem.n)


def exchange_scores_with(
    problem: Problem,
    members: np.ndarray,
    leaving: np.ndarray,
    entering: np.ndarray,
    judge: Judge,
    n_redundant: int = 0,
) -> np.ndarray:
    """Return the exact scores, (M,), of one support, (K,), after each of M exchanges.

    The member at place ``leaving`` (M,) goes, the column ``entering`` (M,), no member, comes.
    ``n_redundant`` of the members must stay and depend on others that must.
    """
    used = np.union1d(members, entering)
    few = problem.subset(used)
    supports = np.tile(np.searchsorted(used, members), (leaving.size, 1))
    supports[np.arange(leaving.size), leaving] = np.searchsorted(used, entering)
    supports = np.sort(supports, axis=-1)
    field = Field.of(few, np.zeros(used.size, dtype=bool))
    return scores_of(few, field, np.arange(used.size), supports, judge, n_redundant).total


class Around(NamedTuple):
    """What one step from a support for each column, (D,), adds to its score."""

    exchanged: Exchanges
    """By the best exchange for it."""
    taken_in: np.ndarray
    """By taking it in: to the score of effects around zero, without dilution."""


def around_support(
    problem: Problem,
    support: np.ndarray,
    judge: Judge,
    locked: np.ndarray | None = None,
    n_redundant: int = 0,
) -> Around:
    """Return the best step for each column, (D,); members at places ``locked`` (K,) stay.

    What it adds is infinite for members, and for columns that may not enter. ``n_redundant`` of the
    members depend on others that must be there. Of a very wide problem nothing with more than a few
    columns is made at once, and the last are kept.
    """
    K, G, around_zero = support.size, problem.products(support), judge.around_zero()
    ridge = _ridge(problem, support, G, judge) if K else 0.0
    if K:
        around_zero = around_zero.at(np.argsort(np.abs(around_zero.ridges.kappa - ridge))[:1])
    stay = np.zeros(K, dtype=bool) if locked is None else locked
    known: dict = problem.known.setdefault("around", {}) if problem.is_wide else {}  # type: ignore[attr-defined]
    key = (support.tobytes(), stay.tobytes(), ridge, n_redundant)
    if key in known:
        return known[key]
    exchanged, taken_in = Exchanges(*np.empty((2, problem.b.size))), np.empty(problem.b.size)
    for places, rows in problem.row_blocks(support):
        b, diagonal = (np.append(of[support], of[places]) for of in (problem.b, problem.diagonal))
        both = np.hstack([G, rows])
        own = _exchanges(both, b, diagonal, problem, ridge)
        exchanged.change[places] = np.min(own.change[~stay], axis=0, initial=np.inf)
        exchanged.correlation[places] = np.max(np.abs(own.correlation), axis=0, initial=0.0)
        taken_in[places] = _taken_in(both, b, diagonal, problem, around_zero, n_redundant)
    for change in (exchanged.change, taken_in):
        change[support] = np.inf
        change[problem.diagonal <= 0.0] = np.inf
    known[key] = found = Around(exchanged, taken_in)
    if len(known) > SEARCH.most_known:
        del known[next(iter(known))]  # the first
    return found
