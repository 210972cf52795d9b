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

All draws come from the generator of the search, in an order that depends on this problem alone.
"""

from __future__ import annotations

import numpy as np

from .scored_search import Search, best_members, score_supports
from .walk import descend, wander

__all__ = ["run_rounds"]


def run_rounds(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (S0, K) and random supports, n_starts at the most."""
    S0, K = starts.shape
    settings, record = search.settings, search.record
    spent = min(max(settings.first_round, S0), n_starts)
    members = _random_supports(search, np.full(spent, -1), K)
    members[:S0] = starts[:spent]
    if S0:
        # The given starts are scored too: no answer is worse than one of them.
        score_supports(search, members[:S0])
    ends = _descend(search, members, _ridges(search, spent, K, 0), True)
    _score_local_optima(search, np.arange(spent), ends)
    is_settled, size = record.is_settled(True, K, search.columns.size), settings.second_round
    while (_is_tight(search, K) or not is_settled) and spent < n_starts:
        size = min(size, n_starts - spent)
        without = _challenged(search, size)
        members, ridge = _random_supports(search, without, K), _ridges(search, size, K, spent)
        chains, optima, n_exchanges = wander(
            search.field, members, ridge, without=without, settings=settings
        )
        record.n_iter += n_exchanges
        _score_local_optima(search, chains, optima)
        is_settled = record.is_settled(False, K, search.columns.size)
        spent, size = spent + size, settings.later_rounds


def _is_tight(search: Search, K: int) -> bool:
    """Return whether there are few rows to spare: then the whole budget is used."""
    return search.field.dof - K < search.settings.tight


def _challenged(search: Search, size: int) -> np.ndarray:
    """Return the member of the best support that each start of a round excludes, or −1: none."""
    field, best, without = search.field, best_members(search), np.full(size, -1)
    best = best[~field.locked[best]]
    n_free = int(np.sum(~field.excluded & ~field.locked))
    turn = search.record.n_challenges + np.arange(size // 2)
    if n_free > best.size > 0:
        without[1::2] = best[turn % best.size]
    search.record.n_challenges += turn.size
    return without


def _random_supports(search: Search, without: np.ndarray, K: int) -> np.ndarray:
    """Return a random support for each start, (S, K), without the column that it excludes."""
    field = search.field
    order = search.generator.random((without.size, field.b.size))
    order[:, field.excluded] = np.inf
    order -= 2.0 * field.locked
    start = np.flatnonzero(without >= 0)
    order[start, without[start]] = np.inf
    return np.argpartition(order, K - 1, axis=1)[:, :K]


def _ridges(search: Search, size: int, K: int, first: int) -> np.ndarray:
    """Return the ridges of so many starts, (S,), numbered from ``first``."""
    settings = search.settings
    turn = (first + np.arange(size)) % len(settings.fractions)
    fractions = settings.tight_fractions if _is_tight(search, K) else settings.fractions
    return K * np.asarray(fractions)[turn]


def _descend(
    search: Search, members: np.ndarray, ridge: np.ndarray, counts_log_det: bool
) -> np.ndarray:
    """Return where descents from supports (C, K) at a ridge each end, (C, K)."""
    ends, n_exchanges = descend(
        search.field, members, ridge, counts_log_det=counts_log_det, settings=search.settings
    )
    search.record.n_iter += n_exchanges
    return ends


def _score_local_optima(search: Search, chains: np.ndarray, members: np.ndarray) -> None:
    """Score local optima (M, K) of a round's chains (M,), and record the best score of each."""
    scores = score_supports(search, members)
    order = np.lexsort((scores, chains))
    first = order[np.unique(chains[order], return_index=True)[1]]
    best = scores[first]
    if not search.judge.counts_volume:
        best = _descend_unridged(search, members[first])
    search.record.starts += best.tolist()


def _descend_unridged(search: Search, members: np.ndarray) -> np.ndarray:
    """Return the scores, (C,), of where descents under least squares end from supports (C, K)."""
    distinct, which = np.unique(np.sort(members, axis=1), axis=0, return_inverse=True)
    ends = _descend(search, distinct, np.zeros(len(distinct)), False)
    return score_supports(search, ends)[which.ravel()]
