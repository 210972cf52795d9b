r"""Many columns: search among some of them, and check the others before the answer is final.

A walk needs the Gram matrix of the columns it may visit. With many columns that matrix is never
formed: the search runs in a *working set* of a few hundred, those most correlated with y and those
the caller names. Before an answer is final, one table of exchanges over all D columns (K rows of G,
:func:`outside_swaps`) gives the columns outside that are the likeliest to improve it, and their
best exchanges are scored exactly (:func:`exchange_scores_with`). If one improves it, these columns
join the working set and the search goes on.

The table has the Gaussian evidence at one ridge, also under a common size; only exact scores
include the common size and the dilution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays.backend import to_numpy
from ..data.determined_directions import spectrum
from ..data.quadratic import Problem, RowQuadratic, WideQuadratic
from ..data.redundant_columns import redundant_columns
from ..score.criterion import Judge
from ..score.evidence import residual_floor, support_scores, undiluted_scores
from ..score.scored_supports import scores_of
from ..score.tableau import Field, least_ridge, swap_objectives, tableau_of_rows
from .search_settings import SEARCH

__all__ = [
    "AroundSupport",
    "around_support",
    "exchange_scores_with",
    "first_columns",
    "least_changes",
    "outside_swaps",
    "restricted",
    "swap_changes",
]


def restricted(
    problem: Problem, columns: np.ndarray, excluded: np.ndarray, locked: np.ndarray
) -> Field:
    """Return the problems over their working sets ``columns`` (B, W), in increasing order."""
    b = to_numpy(problem.b)
    n_problems = len(b)
    one = np.arange(n_problems)[:, None]
    n_columns = b.shape[1]
    if isinstance(problem, RowQuadratic):
        if columns.shape[1] < n_columns:
            X = np.take_along_axis(to_numpy(problem.X), columns[:, None, :], axis=2)
            G = X.swapaxes(-1, -2) @ X
        else:
            G = to_numpy(problem.gram.G)
    elif isinstance(problem, WideQuadratic):
        G = problem.columns(columns).gram.G
    else:
        G = to_numpy(problem.rows(columns))
        if columns.shape[1] < n_columns:
            G = np.take_along_axis(G, columns[:, None, :], axis=2)
    locked = locked[one, columns]
    redundant = np.stack(
        [redundant_columns(own, np.flatnonzero(mask)) for own, mask in zip(G, locked, strict=True)]
    )
    numbers = _numbers(problem)
    return Field(G, b[one, columns], *numbers, excluded[one, columns], locked, redundant)


def _numbers(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return yᵀy, ν and n of each problem, (B,)."""
    shape = (problem.b.shape[0],)
    yy, dof, n = (
        np.broadcast_to(to_numpy(field), shape).astype(float)
        for field in (problem.yy, problem.degrees_of_freedom, problem.n)
    )
    return yy, dof, n


def first_columns(
    problem: Problem, size: int, wanted: np.ndarray, excluded: np.ndarray
) -> np.ndarray:
    """Return working sets (B, size): the wanted, a mask (B, D), then the most correlated with y."""
    b, diagonal = to_numpy(problem.b), to_numpy(problem.diagonal)
    promise = b * b / np.where(diagonal > 0.0, diagonal, 1.0)
    promise[excluded] = -1.0
    promise[wanted] = np.inf
    chosen = np.argpartition(-promise, size - 1, axis=1)[:, :size]
    return np.sort(chosen, axis=1)


def swap_changes(
    problem: Problem, members: np.ndarray, criterion: Judge
) -> tuple[np.ndarray, np.ndarray]:
    """Return what every exchange adds to the score, and the correlation of its columns, (B, K, D).

    ``members`` is (B, K). The score is that of the Gaussian evidence, or of least squares, at one
    ridge, the best for the support. Entries at the columns of members mean nothing.
    """
    rows = to_numpy(problem.rows(members))
    b, diagonal = to_numpy(problem.b), to_numpy(problem.diagonal)
    yy, dof, n = _numbers(problem)
    G = np.take_along_axis(rows, members[:, None, :], axis=2)
    ridge = _ridge(problem, members, G, criterion)
    change = _changes(rows, members, diagonal, b, yy, dof, ridge)
    # Standardised columns have the squared norm n, or zero.
    return change, rows / n[:, None, None]


def _changes(
    rows: np.ndarray,
    members: np.ndarray,
    diagonal: np.ndarray,
    b: np.ndarray,
    yy: np.ndarray,
    dof: np.ndarray,
    ridge: np.ndarray,
) -> np.ndarray:
    """Return what every exchange adds to the score at a ridge, (B, K, D), from rows of G."""
    state = tableau_of_rows(rows, members, diagonal, b, yy, ridge)
    objective = swap_objectives(state, dof, residual_floor(yy), counts_log_det=False)
    return objective - (dof * np.log(state.rss))[:, None, None]


def _ridge(problem: Problem, members: np.ndarray, G: np.ndarray, criterion: Judge) -> np.ndarray:
    """Return for each support the ridge of the grid at which its evidence is highest, (B,).

    ``G`` is that of the members, (B, K, K). Zero is not used.
    """
    around_zero = criterion.around_zero()
    b = np.take_along_axis(to_numpy(problem.b), members, axis=1)
    (yy, dof, n), (n_problems, K) = _numbers(problem), members.shape
    volume = around_zero.volume(np.arange(n_problems), np.full(n_problems, K))
    scores = undiluted_scores(spectrum(G, b, yy), volume, yy, dof, around_zero)
    best = around_zero.ridges.kappa[np.argmin(scores, axis=-1)]
    return np.maximum(best, least_ridge(n))


def exchange_scores_with(
    problem: Problem,
    members: np.ndarray,
    leaving: np.ndarray,
    entering: np.ndarray,
    criterion: Judge,
    n_redundant: int = 0,
) -> np.ndarray:
    """Return the exact scores, (M,), of one support, (K,), after each of M exchanges.

    The member at place ``leaving`` (M,) goes, the column ``entering`` (M,), no member, comes.
    ``problem`` is a batch of one. ``n_redundant`` of the members must stay and depend on others
    that must.
    """
    used = np.union1d(members, entering)
    few = problem.columns(used[None])
    supports = np.tile(np.searchsorted(used, members), (leaving.size, 1))
    supports[np.arange(leaving.size), leaving] = np.searchsorted(used, entering)
    supports = np.sort(supports, axis=-1)
    if n_redundant:
        return support_scores(few, supports[None], criterion, n_redundant)[0]
    every, nobody = np.arange(used.size), np.zeros((1, used.size), dtype=bool)
    field = restricted(few, every[None], nobody, nobody)
    return scores_of(few, field, every, 0, supports, criterion).total


def outside_swaps(
    problem: Problem,
    members: np.ndarray,
    excluded: np.ndarray,
    locked: np.ndarray,
    criterion: Judge,
) -> np.ndarray:
    """Return what every exchange that is permitted adds to the score, (B, K, D).

    The score is that of :func:`swap_changes`. Infinite where it is not permitted.
    """
    change, _ = swap_changes(problem, members, criterion)
    return _permitted(change, members, excluded, locked)


def _permitted(
    change: np.ndarray, members: np.ndarray, excluded: np.ndarray, locked: np.ndarray
) -> np.ndarray:
    change[np.take_along_axis(locked, members, axis=1)] = np.inf
    may_not_enter = excluded.copy()
    np.put_along_axis(may_not_enter, members, True, axis=1)
    return np.where(may_not_enter[:, None], np.inf, change)


def least_changes(
    problem: Problem,
    members: np.ndarray,
    excluded: np.ndarray,
    locked: np.ndarray,
    criterion: Judge,
) -> np.ndarray:
    """Return for each column the least that an exchange for it adds to the score, (D,).

    ``problem`` is a batch of one, and so are the others. As :func:`outside_swaps`, but of a very
    wide problem nothing with more than a few columns is made at once.
    """
    if not isinstance(problem, WideQuadratic):
        (change,) = outside_swaps(problem, members, excluded, locked, criterion)
        return np.min(change, axis=0)
    found = around_support(problem, members, criterion).least.copy()
    found[excluded[0]] = np.inf
    found[members[0]] = np.inf
    return found


class AroundSupport(NamedTuple):
    """What a pass over all columns says of one support of a very wide problem."""

    least: np.ndarray
    """The least that an exchange for each column adds to the score, (D,)."""
    correlation: np.ndarray
    """The largest correlation of each column with a member, in size, (D,)."""


def around_support(problem: WideQuadratic, members: np.ndarray, criterion: Judge) -> AroundSupport:
    """Return what is known around members (1, K), none of which is locked; the last are kept."""
    G = problem.columns(members).gram.G
    ridge = _ridge(problem, members, G, criterion)
    key, known = (members.tobytes(), float(ridge[0])), problem.known.setdefault("around", {})
    if key in known:
        return known[key]
    found = AroundSupport(*np.empty((2, problem.b.shape[1])))
    for places, change, correlation in _swap_blocks(problem, members, G, ridge):
        found.least[places] = np.min(change, axis=0)
        found.correlation[places] = np.max(np.abs(correlation), axis=0)
    known[key] = found
    if len(known) > SEARCH.most_known:
        del known[next(iter(known))]  # the first
    return found


def _swap_blocks(
    problem: WideQuadratic, members: np.ndarray, G: np.ndarray, ridge: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Yield places of columns, and what :func:`swap_changes` returns for them, (K, W).

    ``G`` is that of the members, (1, K, K), ``ridge`` (1,).
    """
    own, (_, K) = members[0], members.shape
    yy, dof, n = _numbers(problem)
    first = np.arange(K)[None]
    for places, rows in problem.row_blocks(own):
        beside = np.concatenate([G, rows[None]], axis=2)
        b, diagonal = (
            np.concatenate([one[:, own], one[:, places]], axis=1)
            for one in (problem.b, problem.diagonal)
        )
        change = _changes(beside, first, diagonal, b, yy, dof, ridge)
        yield places, change[0, :, K:], rows / n[0]
