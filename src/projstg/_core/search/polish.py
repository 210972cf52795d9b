r"""Scores of supports, each computed once, and the exchanges under the criterion that come last.

A :class:`Search` holds what all of this needs: the problems over the columns that are searched,
their names in the whole table, the judge, and what has been found.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..data.quadratic import Problem
from ..data.spectrum import on_rows, spectrum
from ..score.criterion import Criterion, mean_score, scores_by_ridge
from ..score.tableau import Field, has_enough_digits, ridge_cost, scores_of, tableaux
from .record import Ledger, members_of, slack

__all__ = ["Search", "best_members", "enter", "enter_all", "polish"]

_MOST_EXCHANGES = 50
# Each takes some hundredths of a millisecond, so that a step stays below a tenth of a second.
_MOST_ONE_BY_ONE = 4000


class Search(NamedTuple):
    """The search of B problems for supports of one size; ledgers, generators, n_iter move on."""

    problem: Problem
    """Over all columns."""
    field: Field
    columns: np.ndarray
    """(B, W): what the columns of the field are in the whole table, in increasing order."""
    judge: Criterion
    ledgers: Sequence[Ledger]
    generators: Sequence[np.random.Generator]
    n_iter: np.ndarray


def enter(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Enter supports (C, K) of problems (C,), scoring only what is new; return all scores."""
    members = np.sort(members, axis=1)
    named = np.take_along_axis(search.columns[problem], members, axis=1)
    books = [search.ledgers[i].scores for i in problem.tolist()]
    keys = [row.tobytes() for row in named]
    new: dict[tuple[int, bytes], int] = {}
    for place, (book, key) in enumerate(zip(books, keys, strict=True)):
        if key not in book:
            new.setdefault((id(book), key), place)
    if new:
        chosen = np.fromiter(new.values(), dtype=np.int64)
        scores = _scores(search, problem[chosen], members[chosen]).tolist()
        for place, score in zip(chosen.tolist(), scores, strict=True):
            search.ledgers[problem[place]].enter(keys[place], score)
    return np.asarray([book[key] for book, key in zip(books, keys, strict=True)])


def _scores(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    field = search.field
    G = field.G[problem[:, None, None], members[:, :, None], members[:, None, :]]
    yy = field.yy[problem]
    found = spectrum(G, field.b[problem[:, None], members], yy)
    named = np.take_along_axis(search.columns[problem], members, axis=1)
    found = on_rows(search.problem, problem, named, found)
    return mean_score(scores_by_ridge(found, yy, field.dof[problem], search.judge))


def enter_all(search: Search, K: int) -> None:
    """Enter every support of K columns that the constraints permit."""
    field = search.field
    n_columns = field.b.shape[1]
    every = np.asarray(list(combinations(range(n_columns), K)))
    holds = np.zeros((len(every), n_columns), dtype=bool)
    np.put_along_axis(holds, every, True, axis=1)
    for i in range(len(search.ledgers)):
        shut = np.any(holds & np.isinf(field.closed[i]), axis=1)
        permitted = every[~shut & np.all(holds | ~field.locked[i], axis=1)]
        enter(search, np.full(len(permitted), i), permitted)


def best_members(search: Search, problem: np.ndarray) -> np.ndarray:
    """Return each problem's best support so far, as columns of the field, (C, K)."""
    best = [(search.columns[i], members_of(search.ledgers[i].best)) for i in problem.tolist()]
    return np.stack([np.searchsorted(columns, members) for columns, members in best])


def polish(search: Search) -> None:
    """Move each best support by exchanges under the criterion itself until none is better.

    An exchange at no loss for a column with a smaller index is taken too.
    """
    active = np.arange(len(search.ledgers))
    members = best_members(search, active)
    for _ in range(_MOST_EXCHANGES):
        place = _polishing_swap(search, active, members)
        moves = place >= 0
        if not moves.any():
            return
        active, members = active[moves], members[moves]
        p, j = np.divmod(place[moves], search.columns.shape[1])
        members[np.arange(len(active)), p] = j
        search.n_iter[active] += 1
        ledgers = [search.ledgers[i] for i in active.tolist()]
        before = [ledger.lowest for ledger in ledgers]
        after = enter(search, active, members).tolist()
        for ledger, old, new in zip(ledgers, before, after, strict=True):
            ledger.starts_move(old, new)


def _polishing_swap(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the best exchange of each support (C, K), as p·D + j; −1 where all would lose."""
    field, judge = search.field, search.judge
    state, ridge = tableaux(field, problem, members, judge)
    scores, present = scores_of(field, problem, members, judge, state, ridge)
    doubt = np.zeros_like(scores)
    if not judge.counts_volume:
        doubt = ridge_cost(field, problem, state, scores)
        present = _scores(search, problem, members)
    doubt[~has_enough_digits(field, problem, state)] = np.inf
    for c in np.flatnonzero(np.any(doubt > 0.0, axis=(1, 2))):
        is_open = scores[c] < present[c] - slack(present[c]) + doubt[c]
        is_open |= np.isinf(doubt[c])
        if is_open.any():
            scores[c], present[c] = _one_by_one(
                search, int(problem[c]), members[c], scores[c], is_open
            )
    change = scores - present[:, None, None]
    rounding = slack(present)[:, None, None]
    smaller = np.arange(search.columns.shape[1]) < members[:, :, None]
    change = np.where((np.abs(change) <= rounding) & smaller, -rounding, change)
    flat = change.reshape(len(members), -1)
    place = np.argmin(flat, axis=1)
    best = flat[np.arange(len(place)), place]
    return np.where(best <= -rounding[:, 0, 0], place, -1)


def _one_by_one(
    search: Search, i: int, members: np.ndarray, scores: np.ndarray, is_open: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the scores of exchanges (K, D) and of the support, those in question by themselves.

    ``is_open`` (K, D) says which are in question; the others keep their place in the table of
    ``scores`` (K, D). Of very many those are scored that the table finds best.
    """
    field = search.field
    permitted = ~field.locked[i, members][:, None] & (field.closed[i] == 0.0)[None, :] & is_open
    permitted[:, members] = False
    p, j = np.nonzero(permitted)
    if p.size > _MOST_ONE_BY_ONE:
        best = np.argsort(scores[p, j], kind="stable")[:_MOST_ONE_BY_ONE]
        best = best[np.isfinite(scores[p, j][best])]
        p, j = p[best], j[best]
    moved = np.tile(members, (p.size + 1, 1))
    moved[np.arange(p.size), p] = j
    found = _scores(search, np.full(len(moved), i), np.sort(moved, axis=1))
    exact = np.where(is_open, np.inf, scores)
    exact[p, j] = found[:-1]
    return exact, float(found[-1])
