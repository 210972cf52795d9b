r"""The last exchanges of a search, under the criterion itself.

A walk uses one ridge. Here the best support that walks have found is changed by exchanges of one
column as long as its score, the mean over all ridges, improves.
"""

from __future__ import annotations

import numpy as np

from ..score.neighbours import exchange_scores
from ..score.tableau import ridge_cost, tableaux
from .independent_start import independent_support
from .record import slack
from .scored_search import Search, best_members, exact_scores, score_supports

__all__ = ["polish"]


def polish(search: Search, active: np.ndarray) -> None:
    """Change the best supports of some problems by exchanges until none has a better score.

    An exchange for a column with a smaller index is made at an equal score, too.
    """
    if search.criterion.is_diluted:
        active = _independent(search, active)
        if not active.size:
            return
    members = best_members(search, active)
    for _ in range(search.settings.most_exchanges):
        place = _polishing_swap(search, active, members)
        moves = place >= 0
        if not moves.any():
            return
        active, members = active[moves], members[moves]
        p, j = np.divmod(place[moves], search.columns.shape[1])
        members[np.arange(len(active)), p] = j
        search.n_iter[active] += 1
        records = [search.records[i] for i in active.tolist()]
        before = [record.lowest for record in records]
        after = score_supports(search, active, members).tolist()
        for record, old, new in zip(records, before, after, strict=True):
            record.move_starts(old, new)


def _independent(search: Search, active: np.ndarray) -> np.ndarray:
    """Return the problems for which an independent support is known, or could be made."""
    lost = [i for i in active.tolist() if not np.isfinite(search.records[i].lowest)]
    for i, members in zip(
        lost, best_members(search, np.asarray(lost, dtype=np.int64)), strict=True
    ):
        found = independent_support(search.field, i, members)
        if found is not None:
            score_supports(search, np.asarray([i]), found[None])
    return np.asarray([i for i in active.tolist() if np.isfinite(search.records[i].lowest)], int)


def _polishing_swap(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the best exchange of each support (C, K), as p·D + j; −1 where none is better."""
    field, criterion = search.field, search.criterion
    state, ridge = tableaux(field, problem, members, criterion)
    scores, present, is_clear = exchange_scores(field, problem, members, criterion, state, ridge)
    doubt = np.zeros_like(scores)
    if not criterion.counts_volume:
        doubt = ridge_cost(field, problem, state, scores)
        present = exact_scores(search, problem, members)
    doubt[~is_clear] = np.inf
    for c in np.flatnonzero(np.any(doubt > 0.0, axis=(1, 2))):
        may_gain = scores[c] < present[c] - slack(present[c]) + doubt[c]
        may_gain |= np.isinf(doubt[c])
        if may_gain.any():
            scores[c], present[c] = _one_by_one(
                search, int(problem[c]), members[c], scores[c], may_gain
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
    search: Search, i: int, members: np.ndarray, scores: np.ndarray, may_gain: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the scores of exchanges (K, D) and of the support, exact where in doubt.

    Exchanges that ``may_gain`` (K, D) are in doubt; the others keep their ``scores`` (K, D). If
    very many are in doubt only the best of them by ``scores`` are scored; the rest become infinite.
    """
    field = search.field
    permitted = ~field.locked[i, members][:, None] & ~field.excluded[i][None, :] & may_gain
    permitted[:, members] = False
    p, j = np.nonzero(permitted)
    if p.size > search.settings.most_one_by_one:
        best = np.argsort(scores[p, j], kind="stable")[: search.settings.most_one_by_one]
        best = best[np.isfinite(scores[p, j][best])]
        p, j = p[best], j[best]
    moved = np.tile(members, (p.size + 1, 1))
    moved[np.arange(p.size), p] = j
    found = exact_scores(search, np.full(len(moved), i), np.sort(moved, axis=1))
    exact = np.where(may_gain, np.inf, scores)
    exact[p, j] = found[:-1]
    return exact, float(found[-1])
