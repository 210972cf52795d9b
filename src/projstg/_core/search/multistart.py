r"""Rounds of starts, until enough of them agree.

Every start walks by exchanges (:mod:`.walk`) at one ridge κ, and the supports it comes to are
scored by the criterion itself. A moderate κ has fewer local optima. If K coefficients share the
mean square of y and a fraction f of it is still unexplained, then κ = fK; the starts take turns
over several f. With a high f many starts end at few optima, with a low f few starts end at each of
many optima, and the mixture finds more than either.

A first round walks straight down; on an easy problem most of its starts arrive at the same
support, and that is the answer. Otherwise rounds of longer walks follow, until enough independent
starts have arrived at the best support, or the budget is spent. In those rounds one member of the
best support so far is excluded from every second start, the members in turn (a challenge): such a
start cannot end at the best support so far, and may find a better one without that member.

All draws for a problem come from its own generator, in an order that depends on this problem
alone: a batch gives what its members give alone.
"""

from __future__ import annotations

import numpy as np

from .scored_search import Search, best_members, score_supports
from .walk import LocalOptima, Starts, descend, wander

__all__ = ["run_rounds"]


def run_rounds(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (B, S0, K) and random supports, at most n_starts for each problem."""
    S0, K = starts.shape[1:]
    active = np.arange(len(search.records))
    spent = min(max(search.settings.first_round, S0), n_starts)
    members = _random_supports(search, active, np.full((active.size, spent), -1), K)
    members[:, :S0] = starts[:, :spent]
    if S0:
        # The given starts are scored too: no answer is worse than one of them.
        given = members[:, : min(S0, spent)]
        score_supports(search, np.repeat(active, given.shape[1]), given.reshape(-1, K))
    _first_walks(search, active, members)
    active = _unsettled(search, active, K, True)
    size = search.settings.second_round
    while active.size and spent < n_starts:
        size = min(size, n_starts - spent)
        without = _challenged(search, active, size)
        _later_walks(search, active, _random_supports(search, active, without, K), without, spent)
        active = _unsettled(search, active, K, False)
        spent, size = spent + size, search.settings.later_rounds


def _unsettled(search: Search, active: np.ndarray, K: int, is_first: bool) -> np.ndarray:
    """Return the problems that go on; those with few rows to spare use their whole budget."""
    n_columns = search.columns.shape[1]
    settled = [search.records[i].is_settled(is_first, K, n_columns) for i in active]
    return active[~np.asarray(settled, dtype=bool) | _is_tight(search, active, K)]


def _challenged(search: Search, active: np.ndarray, size: int) -> np.ndarray:
    """Return the member of the best support each start excludes, (len(active), size); −1: none."""
    field = search.field
    without = np.full((len(active), size), -1)
    for row, i, best in zip(without, active, best_members(search, active), strict=True):
        best = best[~field.locked[i, best]]
        n_free = int(np.sum(~field.excluded[i] & ~field.locked[i]))
        turn = search.records[i].n_challenges + np.arange(size // 2)
        if n_free > best.size > 0:
            row[1::2] = best[turn % best.size]
        search.records[i].n_challenges += turn.size
    return without


def _random_supports(search: Search, active: np.ndarray, without: np.ndarray, K: int) -> np.ndarray:
    """Return supports (len(active), size, K), drawn for each problem from its own generator."""
    field = search.field
    shape = (without.shape[1], field.b.shape[1])
    order = np.stack([search.generators[i].random(shape) for i in active])
    order[np.broadcast_to(field.excluded[active][:, None, :], order.shape)] = np.inf
    order -= 2.0 * field.locked[active][:, None, :]
    problem, start = np.nonzero(without >= 0)
    order[problem, start, without[problem, start]] = np.inf
    return np.argpartition(order, K - 1, axis=2)[:, :, :K]


def _starts(search: Search, active: np.ndarray, members: np.ndarray, first: int) -> Starts:
    """Return starts at ``members`` (len(active), S, K), numbered from ``first`` in each problem."""
    size, K = members.shape[1:]
    settings, is_tight = search.settings, _is_tight(search, active, K)[:, None]
    turn = (first + np.arange(size)) % len(settings.fractions)
    f, tight = (np.asarray(of)[turn] for of in (settings.fractions, settings.tight_fractions))
    f = np.where(is_tight, tight, f)
    return _at_ridge(search, np.repeat(active, size), members.reshape(-1, K), K * f.ravel())


def _at_ridge(
    search: Search, problem: np.ndarray, members: np.ndarray, ridge: np.ndarray
) -> Starts:
    return Starts(problem, members, ridge, float(np.min(ridge / search.field.n[problem])))


def _is_tight(search: Search, problem: np.ndarray, K: int) -> np.ndarray:
    return search.field.dof[problem] - K < search.settings.tight


def _chunks(search: Search, starts: Starts) -> list[slice]:
    """Return slices of the starts, each with as many chains as the cache holds."""
    n_chains, K = starts.members.shape
    size = max(4, search.settings.table_entries // (K * search.columns.shape[1]))
    return [slice(first, first + size) for first in range(0, n_chains, size)]


def _descend(search: Search, starts: Starts, counts_log_det: bool) -> np.ndarray:
    """Return where descents end, (C, K)."""
    field, n_iter = search.field, search.n_iter
    ends = [
        descend(
            field,
            starts.part(own),
            counts_log_det=counts_log_det,
            n_iter=n_iter,
            settings=search.settings,
        )
        for own in _chunks(search, starts)
    ]
    return np.concatenate(ends)


def _first_walks(search: Search, active: np.ndarray, members: np.ndarray) -> None:
    """Descend from ``members`` (len(active), S, K), and score where that ends."""
    starts = _starts(search, active, members, 0)
    ends = _descend(search, starts, True)
    _score_local_optima(search, starts.problem, LocalOptima(np.arange(len(ends)), ends))


def _later_walks(
    search: Search, active: np.ndarray, members: np.ndarray, without: np.ndarray, first: int
) -> None:
    """Wander from ``members`` (len(active), S, K), and score where that rests."""
    starts, K = _starts(search, active, members, first), members.shape[2]
    chains, ends = [], []
    for own in _chunks(search, starts):
        optima = wander(
            search.field,
            starts.part(own),
            length=search.settings.n_steps(K),
            n_local_optima=search.settings.n_local_optima,
            without=without.ravel()[own],
            n_iter=search.n_iter,
            settings=search.settings,
        )
        chains.append(optima.chains + own.start)
        ends.append(optima.members)
    _score_local_optima(
        search, starts.problem, LocalOptima(np.concatenate(chains), np.concatenate(ends))
    )


def _score_local_optima(search: Search, problem: np.ndarray, optima: LocalOptima) -> None:
    """Score the local optima of a round's chains, and record the best score of each chain."""
    scores = score_supports(search, problem[optima.chains], optima.members)
    order = np.lexsort((scores, optima.chains))
    first = order[np.searchsorted(optima.chains[order], np.arange(len(problem)))]
    best = scores[first]
    if not search.criterion.counts_volume:
        best = _descend_unridged(search, problem, optima.members[first])
    for i, score in zip(problem.tolist(), best.tolist(), strict=True):
        search.records[i].starts.append(score)


def _descend_unridged(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the scores, (C,), of where descents under least squares end from supports (C, K)."""
    labelled = np.column_stack([problem, np.sort(members, axis=1)])
    distinct, which = np.unique(labelled, axis=0, return_inverse=True)
    of = distinct[:, 0]
    starts = _at_ridge(search, of, distinct[:, 1:], np.zeros(len(of)))
    ends = _descend(search, starts, False)
    return score_supports(search, of, ends)[which.ravel()]
