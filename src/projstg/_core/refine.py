r"""From proposals to the best support: many starts, one judge, and a rule for when to stop.

Every start walks downhill by exchanges (:mod:`projstg._core.swaps`) at one ridge κ, and what it
comes to is judged by the criterion's full score. Where to walk and how to judge are different
questions: a moderate κ smooths the landscape. If K coefficients share the mean square of y and a
fraction f of it is still unexplained, then κ = fK; the starts take turns over several f. A high f
leads many starts to few optima, a low one few starts to each of many, and the mixture finds more
than any of them.

The search is adaptive. A first round walks straight down; on an easy problem most of its starts
arrive at the same support, and that is the answer. Otherwise rounds of longer walks, which go on
beyond their local optimum, follow until enough independent starts have arrived at the best
support, or the budget is spent. In those rounds every other start must do without one member of
the best support so far, each in turn: if the best of all supports lacks that member, the pull of
its rival is gone. Where there are few supports in all, each is scored. Last, the answer is
polished under the criterion itself: no single exchange has a better score, and of exchanges with
an equal score the smaller index stands.

All draws for a problem come from its own generator, in an order that only its own history
decides: a batch gives what its members give alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from .backend import to_numpy
from .evidence import CRITERIA, Criterion, score_systems
from .ledger import Ledger, Optima, members_of, optima, slack
from .screening import first_columns, outside_swaps, restricted, swap_changes
from .statistics import Quadratic
from .swaps import Field, Stop, exchange_scores, walk

__all__ = ["Optima", "Refined", "equivalent_features", "refine"]

# κ = fK for the starts in turn.
_FRACTIONS = (0.3, 0.05, 0.02, 0.2, 0.1, 0.01, 0.05, 0.1)
_FIRST_ROUND, _ROUND, _LARGEST_ROUND = 6, 16, 32
# So few supports are all scored.
_ENUMERABLE = 1000
# Up to this many columns all are searched; beyond, a working set of this many.
_ALL_COLUMNS = 1200
_WORKING_SET = 600
_MOST_GROWTHS = 4
_TABLE_ENTRIES = 100_000
_NEAR_DUPLICATE = 0.9999


class Refined(NamedTuple):
    """The answer for B problems."""

    support: np.ndarray
    """(B, K), each in increasing order."""
    objective: np.ndarray
    """The score of the support, lower is better (:mod:`projstg._core.evidence`)."""
    n_starts: np.ndarray
    n_agreeing_starts: np.ndarray
    """How many independent starts arrived at this support."""
    n_iter: np.ndarray
    """Exchanges made, over all starts."""
    optima: list[Optima]


class _Constraints(NamedTuple):
    closed: np.ndarray
    """(B, D): infinite where a column may not enter."""
    locked: np.ndarray


def refine(
    problem: Quadratic,
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
    n_starts : the most starts that are spent on one problem; by default 0.8K², from 60 to 300
    always, never : masks (D,) or (B, D) of columns that must, or must not, be selected

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.statistics import RowQuadratic, standardized
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 12))
    >>> y = X[..., 1] - X[..., 3] + X[..., 8]
    >>> problem, _ = standardized(RowQuadratic.from_rows(X, y))
    >>> refined = refine(problem, 3, generators=[np.random.default_rng(1)])
    >>> refined.support.tolist(), int(refined.n_agreeing_starts[0])
    ([[1, 3, 8]], 6)
    """
    n_problems, n_columns = problem.b.shape
    judge = CRITERIA[criterion]
    if n_starts is None:
        n_starts = min(max(60, 4 * n_selected * n_selected // 5), 300)
    if n_selected == 0:
        return _nothing(problem, judge)
    limits = _constraints(problem, n_selected, always, never)
    if starts is None:
        starts = np.empty((n_problems, 0, n_selected), dtype=np.int64)
    ledgers = [Ledger() for _ in range(n_problems)]
    n_iter = np.zeros(n_problems, dtype=np.int64)
    if n_columns <= _ALL_COLUMNS:
        columns = np.tile(np.arange(n_columns), (n_problems, 1))
        field = restricted(problem, columns, *limits)
        if comb(n_columns, n_selected) <= _ENUMERABLE:
            _enumerate(field, n_selected, judge, ledgers)
        _search(field, columns, starts, generators, judge, n_starts, ledgers, n_iter)
        return _result(ledgers, n_iter)
    for i in range(n_problems):
        own = slice(i, i + 1)
        _search_widely(
            problem.problems(np.asarray([i])),  # type: ignore[attr-defined]
            starts[own],
            generators[own],
            judge,
            n_starts,
            _Constraints(*(mask[own] for mask in limits)),
            ledgers[own],
            n_iter[own],
        )
    return _result(ledgers, n_iter)


def _search_widely(
    problem: Quadratic,
    starts: np.ndarray,
    generators: Sequence[np.random.Generator],
    judge: Criterion,
    n_starts: int,
    limits: _Constraints,
    ledgers: list[Ledger],
    n_iter: np.ndarray,
) -> None:
    """Search one problem with many columns in a working set that grows until nothing is missing."""
    K = starts.shape[2]
    wanted = limits.locked.copy()
    np.put_along_axis(wanted, starts.reshape(1, -1), True, axis=1)
    size = min(max(_WORKING_SET, 4 * K, int(wanted.sum())), wanted.shape[1])
    columns = first_columns(problem, size, wanted, limits.closed)
    # First a single walk, cheap, so that the set holds what a good support lacks.
    budgets = [1] * _MOST_GROWTHS + [n_starts] * wanted.shape[1]
    for budget in budgets:
        field = restricted(problem, columns, *limits)
        _search(field, columns, starts, generators, judge, budget, ledgers, n_iter)
        support = members_of(ledgers[0].best)[None]
        starts = support[:, None]
        missing = _missing(problem, columns, support, limits, judge)
        columns = np.sort(np.concatenate([columns, missing], axis=1), axis=1)
        if missing.size == 0 and budget == n_starts:
            return


def _constraints(
    problem: Quadratic, n_selected: int, always: np.ndarray | None, never: np.ndarray | None
) -> _Constraints:
    """Return the masks; a column of zeros is selected only where nothing else is left."""
    shape = tuple(problem.b.shape)
    locked = np.zeros(shape, dtype=bool) if always is None else np.broadcast_to(always, shape)
    barred = np.zeros(shape, dtype=bool) if never is None else np.broadcast_to(never, shape)
    empty = (to_numpy(problem.diagonal) <= 0.0) & ~locked
    useful = ~(barred | empty)
    enough = np.sum(useful, axis=1, keepdims=True) >= n_selected
    closed = np.where(barred | (empty & enough), np.inf, 0.0)
    return _Constraints(closed, locked | (useful & ~enough))


def _nothing(problem: Quadratic, judge: Criterion) -> Refined:
    yy, dof = to_numpy(problem.yy), to_numpy(problem.degrees_of_freedom)
    n = len(yy)
    score = score_systems(np.empty((n, 0, 0)), np.empty((n, 0)), yy, dof + 0.0 * yy, judge)
    none, zeros = np.empty((n, 0), dtype=np.int64), np.zeros(n, dtype=np.int64)
    optima = [Optima(none[i : i + 1], score[i : i + 1]) for i in range(n)]
    return Refined(none, score, zeros, zeros, zeros, optima)


def _enumerate(field: Field, K: int, judge: Criterion, ledgers: list[Ledger]) -> None:
    """Enter every support the constraints permit."""
    n_columns = field.b.shape[1]
    every = np.asarray(list(combinations(range(n_columns), K)))
    holds = np.zeros((len(every), n_columns), dtype=bool)
    np.put_along_axis(holds, every, True, axis=1)
    for i, ledger in enumerate(ledgers):
        shut = np.any(holds & np.isinf(field.closed[i]), axis=1)
        permitted = every[~shut & np.all(holds | ~field.locked[i], axis=1)]
        scores = _scores(field, np.full(len(permitted), i), permitted, judge)
        for members, score in zip(permitted, scores.tolist(), strict=True):
            ledger.enter(members.tobytes(), score)


def _missing(
    problem: Quadratic,
    columns: np.ndarray,
    support: np.ndarray,
    limits: _Constraints,
    judge: Criterion,
) -> np.ndarray:
    """Return the most promising columns outside a working set, (1, M); M = 0 if none improves."""
    lowered = outside_swaps(problem, support, *limits, judge)
    np.put_along_axis(lowered, columns, -np.inf, axis=1)
    if not np.any(lowered > slack(0.0)):
        return columns[:, :0]
    outside = int(np.sum(np.isfinite(lowered)))
    size = min(_WORKING_SET // 4 + 1, outside)
    return np.argpartition(-lowered, size - 1, axis=1)[:, :size]


def _search(
    field: Field,
    columns: np.ndarray,
    starts: np.ndarray,
    generators: Sequence[np.random.Generator],
    judge: Criterion,
    n_starts: int,
    ledgers: list[Ledger],
    n_iter: np.ndarray,
) -> None:
    """Run rounds of starts until each problem's ledger has agreement or n_starts."""
    K = starts.shape[2]
    local = np.stack([np.searchsorted(c, s) for c, s in zip(columns, starts, strict=True)])
    active, spent = np.arange(len(ledgers)), 0
    while active.size:
        is_first = spent == 0
        later = min(max(_ROUND, spent), _LARGEST_ROUND)
        size = min(max(_FIRST_ROUND, local.shape[1]) if is_first else later, n_starts - spent)
        banned = None if is_first else _bans(field, columns, active, size, ledgers)
        members = _random_supports(field, active, size, K, banned, generators)
        if is_first:
            given = local[active, :size]
            members[:, : given.shape[1]] = given
        turn = (spent + np.arange(size)) % len(_FRACTIONS)
        ridge = np.tile(K * np.asarray(_FRACTIONS)[turn], active.size)
        patience = 0 if is_first else 2 * K + 5
        _round(field, columns, active, members, ridge, judge, patience, banned, ledgers, n_iter)
        spent += size
        if spent >= n_starts:
            break
        active = active[[not ledgers[i].is_settled(is_first, K, field.b.shape[1]) for i in active]]
    _polish(field, columns, judge, ledgers, n_iter)


def _bans(
    field: Field, columns: np.ndarray, active: np.ndarray, size: int, ledgers: list[Ledger]
) -> np.ndarray:
    """Return the column each start must do without, (len(active), size); −1 where none.

    Every other start goes without a member of the best support so far, each member in turn: if
    the best of all supports lacks that member, its rival's pull is gone.
    """
    banned = np.full((len(active), size), -1)
    for row, i in zip(banned, active, strict=True):
        best = np.searchsorted(columns[i], members_of(ledgers[i].best))
        best = best[~field.locked[i, best]]
        n_free = int(np.sum((field.closed[i] == 0.0) & ~field.locked[i]))
        turn = ledgers[i].n_challenges + np.arange(size // 2)
        if n_free > best.size > 0:
            row[1::2] = best[turn % best.size]
        ledgers[i].n_challenges += turn.size
    return banned


def _random_supports(
    field: Field,
    active: np.ndarray,
    size: int,
    K: int,
    banned: np.ndarray | None,
    generators: Sequence[np.random.Generator],
) -> np.ndarray:
    """Return supports (len(active), size, K), each problem's from its own generator."""
    shape = (size, field.b.shape[1])
    order = np.stack([generators[i].random(shape) for i in active])
    order += field.closed[active][:, None, :]
    order -= 2.0 * field.locked[active][:, None, :]
    if banned is not None:
        problem, start = np.nonzero(banned >= 0)
        order[problem, start, banned[problem, start]] = np.inf
    return np.argpartition(order, K - 1, axis=2)[:, :, :K]


def _round(
    field: Field,
    columns: np.ndarray,
    active: np.ndarray,
    members: np.ndarray,
    ridge: np.ndarray,
    judge: Criterion,
    patience: int,
    banned: np.ndarray | None,
    ledgers: list[Ledger],
    n_iter: np.ndarray,
) -> None:
    """Walk from ``members`` (len(active), S, K), judge all stops, and enter them."""
    n_starts, K = members.shape[1:]
    problem = np.repeat(active, n_starts)
    flat = members.reshape(-1, K)
    bans = None if banned is None else banned.ravel()
    stops = _stops(field, problem, flat, ridge, True, patience, bans, n_iter)
    best = _enter(field, columns, problem, stops, judge, ledgers)
    if not judge.counts_volume:
        # From where the smooth landscape led, down the criterion's own.
        lowest = _best_stop(stops, best, len(problem))
        own = np.zeros(len(problem))
        down = _stops(field, problem, lowest, own, False, 0, None, n_iter)
        best = _enter(field, columns, problem, down, judge, ledgers)
        stops = down
    lowest_score = np.full(len(problem), np.inf)
    np.minimum.at(lowest_score, stops.chains, best)
    for i, score in zip(problem, lowest_score, strict=True):
        ledgers[i].starts.append(float(score))


def _stops(
    field: Field,
    problem: np.ndarray,
    members: np.ndarray,
    ridge: np.ndarray,
    counts_volume: bool,
    patience: int,
    banned: np.ndarray | None,
    n_iter: np.ndarray,
) -> Stop:
    """Return all stops of walks from ``members`` (C, K), as many at once as the cache holds."""
    size = max(4, _TABLE_ENTRIES // (members.shape[1] * field.b.shape[1]))
    chains, supports = [], []
    for first in range(0, len(members), size):
        own = slice(first, first + size)
        for stop in walk(
            field,
            problem[own],
            members[own],
            ridge[own],
            counts_volume=counts_volume,
            patience=patience,
            banned=None if banned is None else banned[own],
            n_steps=n_iter,
        ):
            chains.append(stop.chains + first)
            supports.append(stop.members)
    return Stop(np.concatenate(chains), np.concatenate(supports))


def _best_stop(stops: Stop, scores: np.ndarray, n_chains: int) -> np.ndarray:
    """Return the members of each chain's stop with the lowest score."""
    order = np.lexsort((scores, stops.chains))
    first = order[np.searchsorted(stops.chains[order], np.arange(n_chains))]
    return stops.members[first]


def _enter(
    field: Field,
    columns: np.ndarray,
    problem: np.ndarray,
    stops: Stop,
    judge: Criterion,
    ledgers: list[Ledger],
) -> np.ndarray:
    """Enter stops in their problems' ledgers, scoring only what is new; return all scores."""
    of = problem[stops.chains]
    members = np.sort(stops.members, axis=1)
    keys = [row.tobytes() for row in np.take_along_axis(columns[of], members, axis=1)]
    new: dict[tuple[int, bytes], int] = {}
    for place, (i, key) in enumerate(zip(of.tolist(), keys, strict=True)):
        if key not in ledgers[i].scores:
            new.setdefault((i, key), place)
    if new:
        chosen = np.fromiter(new.values(), dtype=np.int64)
        scores = _scores(field, of[chosen], members[chosen], judge)
        for (i, key), score in zip(new, scores.tolist(), strict=True):
            ledgers[i].enter(key, score)
    return np.asarray([ledgers[i].scores[key] for i, key in zip(of.tolist(), keys, strict=True)])


def _scores(field: Field, problem: np.ndarray, members: np.ndarray, judge: Criterion) -> np.ndarray:
    G = field.G[problem[:, None, None], members[:, :, None], members[:, None, :]]
    b = field.b[problem[:, None], members]
    return score_systems(G, b, field.yy[problem], field.dof[problem], judge)


def _polish(
    field: Field,
    columns: np.ndarray,
    judge: Criterion,
    ledgers: list[Ledger],
    n_iter: np.ndarray,
) -> None:
    """Move each best support by exchanges under the criterion itself until none is better.

    An exchange at no loss for a column with a smaller index is taken too.
    """
    active = np.arange(len(ledgers))
    best = [members_of(ledger.best) for ledger in ledgers]
    members = np.stack([np.searchsorted(c, s) for c, s in zip(columns, best, strict=True)])
    for _ in range(50):
        scores, present = exchange_scores(field, active, members, judge)
        change = scores - present[:, None, None]
        rounding = slack(present)[:, None, None]
        smaller = np.arange(field.b.shape[1]) < members[:, :, None]
        change = np.where((np.abs(change) <= rounding) & smaller, -rounding, change)
        flat = change.reshape(len(active), -1)
        place = np.argmin(flat, axis=1)
        moves = flat[np.arange(len(active)), place] <= -rounding[:, 0, 0]
        if not moves.any():
            return
        active, members, place = active[moves], members[moves], place[moves]
        p, j = np.divmod(place, field.b.shape[1])
        members[np.arange(len(active)), p] = j
        members = np.sort(members, axis=1)
        n_iter[active] += 1
        here = Stop(np.arange(len(active)), members)
        before = [ledgers[i].lowest for i in active]
        after = _enter(field, columns, active, here, judge, ledgers)
        for i, old, new in zip(active, before, after.tolist(), strict=True):
            ledger = ledgers[i]
            ledger.starts = [new if s <= old + slack(old) else s for s in ledger.starts]


def _result(ledgers: list[Ledger], n_iter: np.ndarray) -> Refined:
    best = [ledger.best for ledger in ledgers]
    return Refined(
        np.stack([members_of(key) for key in best]),
        np.asarray([ledger.scores[key] for ledger, key in zip(ledgers, best, strict=True)]),
        np.asarray([len(ledger.starts) for ledger in ledgers]),
        np.asarray([ledger.agreeing() for ledger in ledgers]),
        n_iter,
        [optima(ledger) for ledger in ledgers],
    )


def equivalent_features(
    problem: Quadratic, support: np.ndarray, criterion: str = "evidence"
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
    found = []
    for members, table in zip(support, free, strict=True):
        table[:, members] = False
        lists = [np.flatnonzero(row).tolist() for row in table]
        found.append(dict(zip(members.tolist(), lists, strict=True)))
    return found
