r"""Rounds of starts, until enough of them agree.

Every start walks by exchanges (:mod:`.walk`) at one ridge κ, and what it comes to
is judged by the criterion's full score. Where to walk and how to judge are different questions: a
moderate κ smooths the landscape. If K coefficients share the mean square of y and a fraction f of
it is still unexplained, then κ = fK; the starts take turns over several f. A high f leads many
starts to few optima, a low one few starts to each of many, and the mixture finds more than either.

A first round walks straight down; on an easy problem most of its starts arrive at the same
support, and that is the answer. Otherwise rounds of longer walks follow, until enough independent
starts have arrived at the best support, or the budget is spent. In those rounds every other start
must do without one member of the best support so far, each in turn: if the best of all supports
lacks that member, the pull of its rival is gone.

All draws for a problem come from its own generator, in an order that only its own history
decides: a batch gives what its members give alone.
"""

from __future__ import annotations

import numpy as np

from .polish import Search, best_members, enter
from .walk import Rests, Starts, descend, wander

__all__ = ["run_rounds"]

# κ = fK for the starts in turn.
_FRACTIONS = (0.3, 0.05, 0.02, 0.2, 0.1, 0.01, 0.05, 0.1)
_TIGHT_FRACTIONS = (0.3, 1e-3, 0.02, 1e-5, 0.1, 1e-4, 0.01, 1e-3)
# So few degrees of freedom beyond K are tight.
_TIGHT = 8
_FIRST_ROUND, _SECOND_ROUND, _LARGEST_ROUND = 6, 16, 80
_N_RESTS = 3
_TABLE_ENTRIES = 100_000


def run_rounds(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (B, S0, K) and random supports, at most n_starts for each problem."""
    S0, K = starts.shape[1:]
    active = np.arange(len(search.ledgers))
    spent = min(max(_FIRST_ROUND, S0), n_starts)
    members = _random_supports(search, active, np.full((active.size, spent), -1), K)
    members[:, :S0] = starts[:, :spent]
    if S0:
        # What it was given counts as found: no answer is worse than that.
        given = members[:, : min(S0, spent)]
        enter(search, np.repeat(active, given.shape[1]), given.reshape(-1, K))
    _walk_down(search, active, members)
    active = _unsettled(search, active, K, True)
    size = _SECOND_ROUND
    while active.size and spent < n_starts:
        size = min(size, n_starts - spent)
        banned = _bans(search, active, size)
        _walk_on(search, active, _random_supports(search, active, banned, K), banned, spent)
        active = _unsettled(search, active, K, False)
        spent, size = spent + size, _LARGEST_ROUND


def _unsettled(search: Search, active: np.ndarray, K: int, is_first: bool) -> np.ndarray:
    """Return which problems go on; those with few rows to spare spend their whole budget."""
    n_columns = search.columns.shape[1]
    settled = [search.ledgers[i].is_settled(is_first, K, n_columns) for i in active]
    return active[~np.asarray(settled, dtype=bool) | _is_tight(search, active, K)]


def _bans(search: Search, active: np.ndarray, size: int) -> np.ndarray:
    """Return the column each start must do without, (len(active), size); −1 where none."""
    field = search.field
    banned = np.full((len(active), size), -1)
    for row, i, best in zip(banned, active, best_members(search, active), strict=True):
        best = best[~field.locked[i, best]]
        n_free = int(np.sum((field.closed[i] == 0.0) & ~field.locked[i]))
        turn = search.ledgers[i].n_challenges + np.arange(size // 2)
        if n_free > best.size > 0:
            row[1::2] = best[turn % best.size]
        search.ledgers[i].n_challenges += turn.size
    return banned


def _random_supports(search: Search, active: np.ndarray, banned: np.ndarray, K: int) -> np.ndarray:
    """Return supports (len(active), size, K), each problem's from its own generator."""
    field = search.field
    shape = (banned.shape[1], field.b.shape[1])
    order = np.stack([search.generators[i].random(shape) for i in active])
    order += field.closed[active][:, None, :]
    order -= 2.0 * field.locked[active][:, None, :]
    problem, start = np.nonzero(banned >= 0)
    order[problem, start, banned[problem, start]] = np.inf
    return np.argpartition(order, K - 1, axis=2)[:, :, :K]


def _starts(search: Search, active: np.ndarray, members: np.ndarray, first: int) -> Starts:
    """Return starts at ``members`` (len(active), S, K), ``first`` and on of each problem."""
    size, K = members.shape[1:]
    turn = (first + np.arange(size)) % len(_FRACTIONS)
    f = np.where(
        _is_tight(search, active, K)[:, None],
        np.asarray(_TIGHT_FRACTIONS)[turn],
        np.asarray(_FRACTIONS)[turn],
    )
    return _at_ridge(search, np.repeat(active, size), members.reshape(-1, K), K * f.ravel())


def _at_ridge(
    search: Search, problem: np.ndarray, members: np.ndarray, ridge: np.ndarray
) -> Starts:
    return Starts(problem, members, ridge, float(np.min(ridge / search.field.n[problem])))


def _is_tight(search: Search, problem: np.ndarray, K: int) -> np.ndarray:
    return search.field.dof[problem] - K < _TIGHT


def _chunks(search: Search, starts: Starts) -> list[slice]:
    """Return as many chains at once as the cache holds."""
    n_chains, K = starts.members.shape
    size = max(4, _TABLE_ENTRIES // (K * search.columns.shape[1]))
    return [slice(first, first + size) for first in range(0, n_chains, size)]


def _down(search: Search, starts: Starts, counts_volume: bool) -> np.ndarray:
    """Return where descents end, (C, K)."""
    field, n_iter = search.field, search.n_iter
    ends = [
        descend(field, starts.part(own), counts_volume=counts_volume, n_iter=n_iter)
        for own in _chunks(search, starts)
    ]
    return np.concatenate(ends)


def _walk_down(search: Search, active: np.ndarray, members: np.ndarray) -> None:
    """Descend from ``members`` (len(active), S, K) and close the books on the round."""
    starts = _starts(search, active, members, 0)
    ends = _down(search, starts, True)
    _close(search, starts.problem, Rests(np.arange(len(ends)), ends))


def _walk_on(
    search: Search, active: np.ndarray, members: np.ndarray, banned: np.ndarray, first: int
) -> None:
    """Wander from ``members`` (len(active), S, K) and close the books on the round."""
    starts, K = _starts(search, active, members, first), members.shape[2]
    chains, ends = [], []
    for own in _chunks(search, starts):
        rests = wander(
            search.field,
            starts.part(own),
            length=3 * K + 2,
            n_rests=_N_RESTS,
            banned=banned.ravel()[own],
            n_iter=search.n_iter,
        )
        chains.append(rests.chains + own.start)
        ends.append(rests.members)
    _close(search, starts.problem, Rests(np.concatenate(chains), np.concatenate(ends)))


def _close(search: Search, problem: np.ndarray, rests: Rests) -> None:
    """Judge what the chains of a round came to, and note the best score of each."""
    scores = enter(search, problem[rests.chains], rests.members)
    order = np.lexsort((scores, rests.chains))
    first = order[np.searchsorted(rests.chains[order], np.arange(len(problem)))]
    best = scores[first]
    if not search.judge.counts_volume:
        best = _down_own(search, problem, rests.members[first])
    for i, score in zip(problem.tolist(), best.tolist(), strict=True):
        search.ledgers[i].starts.append(score)


def _down_own(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """From where the smooth landscape led, go down the criterion's own; return the scores."""
    labelled = np.column_stack([problem, np.sort(members, axis=1)])
    distinct, which = np.unique(labelled, axis=0, return_inverse=True)
    of = distinct[:, 0]
    starts = _at_ridge(search, of, distinct[:, 1:], np.zeros(len(of)))
    ends = _down(search, starts, False)
    return enter(search, of, ends)[which.ravel()]
