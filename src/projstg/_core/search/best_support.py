r"""From proposals to the best support: many starts, one judge, and a rule for when to stop.

:func:`refine` is the whole of it. Where there are few supports in all, each is scored; otherwise
rounds of starts (:mod:`.multistart`) search until enough of them agree. With many columns
the search runs in a working set (:mod:`.working_set`) that grows until no column
outside would improve the answer. Last, the answer is polished under the criterion itself: no
single exchange has a better score, and of exchanges with an equal score the smaller index stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem
from ..score.criterion import CRITERIA, Criterion, support_scores
from .multistart import run_rounds
from .polish import Search, enter_all, polish
from .record import Ledger, Optima, members_of, optima, slack
from .working_set import first_columns, outside_swaps, restricted, swap_changes

__all__ = ["Optima", "Refined", "equivalent_features", "refine"]

# So few supports are all scored, and so few starts are then enough.
_ENUMERABLE, _FEW_STARTS = 10_000, 6
# Up to this many columns all are searched; beyond, a working set of this many.
_ALL_COLUMNS = 1200
_WORKING_SET = 600
_MOST_GROWTHS = 4
_NEAR_DUPLICATE = 0.9999


class Refined(NamedTuple):
    """The answer for B problems."""

    support: np.ndarray
    """(B, K), each in increasing order."""
    objective: np.ndarray
    """The score of the support, lower is better (:mod:`projstg._core.score.criterion`)."""
    n_starts: np.ndarray
    n_agreeing_starts: np.ndarray
    """How many independent starts arrived at this support."""
    n_iter: np.ndarray
    """Exchanges made, over all starts."""
    optima: list[Optima]


class _Limits(NamedTuple):
    """What may be selected."""

    closed: np.ndarray
    """(B, D): infinite where a column may not enter."""
    locked: np.ndarray
    """(B, D): whether a column may not leave."""


def refine(
    problem: Problem,
    n_selected: int,
    *,
    starts: np.ndarray | None = None,
    generators: Sequence[np.random.Generator],
    criterion: str = "evidence",
    n_starts: int | None = None,
    always: np.ndarray | None = None,
    never: np.ndarray | None = None,
) -> Refined:
    """Search for the support of ``n_selected`` columns with the best score.

    Parameters
    ----------
    problem : B standardised problems with one leading batch axis
    starts : supports to begin from, (B, S0, K), members distinct and within the constraints
    generators : one for each problem
    n_starts : the most starts that are spent on one problem; by default 0.9K², from 60 to 300
    always, never : masks (D,) or (B, D) of columns that must, or must not, be selected

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.quadratic import RowQuadratic, standardized
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 12))
    >>> y = X[..., 1] - X[..., 3] + X[..., 8]
    >>> problem, _ = standardized(RowQuadratic.from_rows(X, y))
    >>> refined = refine(problem, 3, generators=[np.random.default_rng(1)])
    >>> refined.support.tolist(), int(refined.n_agreeing_starts[0])
    ([[1, 3, 8]], 6)
    """
    judge = CRITERIA[criterion]
    if n_selected == 0:
        return _nothing(problem, judge)
    if n_starts is None:
        n_starts = min(max(60, 9 * n_selected * n_selected // 10), 300)
    n_problems, n_columns = problem.b.shape
    limits = _limits(problem, n_selected, always, never)
    if starts is None:
        starts = np.empty((n_problems, 0, n_selected), dtype=np.int64)
    if n_columns <= _ALL_COLUMNS:
        columns = np.tile(np.arange(n_columns), (n_problems, 1))
        search = _search(problem, columns, limits, judge, generators)
        _search_fully(search, starts, n_starts)
        return _result([search])
    searches = []
    for i in range(n_problems):
        own = slice(i, i + 1)
        one = problem.problems(np.asarray([i]))
        few = _Limits(*(mask[own] for mask in limits))
        searches.append(_search_widely(one, starts[own], generators[own], judge, n_starts, few))
    return _result(searches)


def _search(
    problem: Problem,
    columns: np.ndarray,
    limits: _Limits,
    judge: Criterion,
    generators: Sequence[np.random.Generator],
) -> Search:
    """Return a search that has found nothing yet."""
    field, n_problems = restricted(problem, columns, *limits), len(columns)
    ledgers, n_iter = [Ledger() for _ in range(n_problems)], np.zeros(n_problems, dtype=np.int64)
    return Search(problem, field, columns, judge, ledgers, generators, n_iter)


def _search_fully(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search all columns; where every support is scored a few starts say how easy it was."""
    K = starts.shape[2]
    if comb(search.columns.shape[1], K) <= _ENUMERABLE:
        enter_all(search, K)
        n_starts = min(n_starts, _FEW_STARTS)
    run_rounds(search, starts, n_starts)
    polish(search)


def _search_widely(
    problem: Problem,
    starts: np.ndarray,
    generators: Sequence[np.random.Generator],
    judge: Criterion,
    n_starts: int,
    limits: _Limits,
) -> Search:
    """Search one problem with many columns in a working set that grows until nothing is missing."""
    K = starts.shape[2]
    wanted = limits.locked.copy()
    np.put_along_axis(wanted, starts.reshape(1, -1), True, axis=1)
    size = min(max(_WORKING_SET, 4 * K, int(wanted.sum())), wanted.shape[1])
    columns = first_columns(problem, size, wanted, limits.closed)
    search = _search(problem, columns, limits, judge, generators)
    # First a single walk, cheap, so that the set holds what a good support lacks.
    for budget in [1] * _MOST_GROWTHS + [n_starts] * wanted.shape[1]:
        run_rounds(search, np.searchsorted(columns[0], starts), budget)
        polish(search)
        support = members_of(search.ledgers[0].best)[None]
        missing = _missing(problem, search, support, limits)
        if missing.size == 0 and budget == n_starts:
            break
        starts = support[:, None]
        if missing.size:
            columns = np.sort(np.concatenate([columns, missing], axis=1), axis=1)
            field = restricted(problem, columns, *limits)
            search = search._replace(field=field, columns=columns)
    return search


def _limits(
    problem: Problem, n_selected: int, always: np.ndarray | None, never: np.ndarray | None
) -> _Limits:
    """Return the masks; a column of zeros is selected only where nothing else is left."""
    shape = tuple(problem.b.shape)
    locked = np.zeros(shape, dtype=bool) if always is None else np.broadcast_to(always, shape)
    barred = np.zeros(shape, dtype=bool) if never is None else np.broadcast_to(never, shape)
    empty = (to_numpy(problem.diagonal) <= 0.0) & ~locked
    useful = ~(barred | empty)
    enough = np.sum(useful, axis=1, keepdims=True) >= n_selected
    closed = np.where(barred | (empty & enough), np.inf, 0.0)
    return _Limits(closed, locked | (useful & ~enough))


def _nothing(problem: Problem, judge: Criterion) -> Refined:
    n = problem.b.shape[0]
    none, zeros = np.empty((n, 0), dtype=np.int64), np.zeros(n, dtype=np.int64)
    score = support_scores(problem, none[:, None], judge)[:, 0]
    optima = [Optima(none[i : i + 1], score[i : i + 1]) for i in range(n)]
    return Refined(none, score, zeros, zeros, zeros, optima)


def _missing(problem: Problem, search: Search, support: np.ndarray, limits: _Limits) -> np.ndarray:
    """Return the most promising columns outside a working set, (1, M); M = 0 if none improves."""
    lowered = outside_swaps(problem, support, *limits, search.judge)
    np.put_along_axis(lowered, search.columns, -np.inf, axis=1)
    if not np.any(lowered > slack(0.0)):
        return search.columns[:, :0]
    outside = int(np.sum(np.isfinite(lowered)))
    size = min(_WORKING_SET // 4 + 1, outside)
    return np.argpartition(-lowered, size - 1, axis=1)[:, :size]


def _result(searches: list[Search]) -> Refined:
    ledgers = [ledger for search in searches for ledger in search.ledgers]
    best = [ledger.best for ledger in ledgers]
    return Refined(
        np.stack([members_of(key) for key in best]),
        np.asarray([ledger.scores[key] for ledger, key in zip(ledgers, best, strict=True)]),
        np.asarray([len(ledger.starts) for ledger in ledgers]),
        np.asarray([ledger.agreeing() for ledger in ledgers]),
        np.concatenate([search.n_iter for search in searches]),
        [optima(ledger) for ledger in ledgers],
    )


def equivalent_features(
    problem: Problem, support: np.ndarray, criterion: str = "evidence"
) -> list[dict[int, list[int]]]:
    """Return for each problem, member by member, the columns it could be exchanged for at no loss.

    No loss is a score not worse by more than rounding, or a correlation with the member above
    0.9999 in size. ``support`` is (B, K).
    """
    if support.shape[1] == 0:
        return [{} for _ in range(len(support))]
    change, correlation = swap_changes(problem, support, CRITERIA[criterion])
    dof = to_numpy(problem.degrees_of_freedom) + np.zeros(len(support))
    free = change <= 1e-9 * (100.0 + dof)[:, None, None]
    free |= np.abs(correlation) > _NEAR_DUPLICATE
    free &= (to_numpy(problem.diagonal) > 0.0)[:, None, :]
    found = []
    for members, table in zip(support, free, strict=True):
        table[:, members] = False
        lists = [np.flatnonzero(row).tolist() for row in table]
        found.append(dict(zip(members.tolist(), lists, strict=True)))
    return found
