r"""The last exchanges of a search, under the criterion itself.

A walk uses one ridge. Here the best support that walks have found is changed by exchanges of one
column as long as its score, the mean over all ridges, improves.
"""

from __future__ import annotations

import numpy as np

from ..score.neighbours import neighbours
from ..score.tableau import ridge_cost, tableau
from .independent_start import independent_support
from .record import slack
from .scored_search import Search, best_members, exact_scores, score_supports

__all__ = ["polish"]


def polish(search: Search) -> None:
    """Change the best support by exchanges until none has a better score.

    An exchange for a column with a smaller index is made at an equal score, too.
    """
    record = search.record
    if search.judge.is_diluted and not np.isfinite(record.lowest):
        independent = independent_support(search.field, best_members(search))
        if independent is not None:
            score_supports(search, independent[None])
        if not np.isfinite(record.lowest):
            return
    members = best_members(search)
    for _ in range(search.settings.most_exchanges):
        place = _best_exchange(search, members)
        if place is None:
            return
        p, j = np.divmod(place, search.columns.size)
        members[p] = j
        record.n_iter += 1
        before = record.lowest
        (after,) = score_supports(search, members[None]).tolist()
        record.move_starts(before, after)


def _best_exchange(search: Search, members: np.ndarray) -> int | None:
    """Return the best exchange of a support (K,), as p·D + j; None where none is better."""
    field, judge = search.field, search.judge
    around = neighbours(field, members[None], judge, resize=False)
    (scores,), (present,) = around.exchanged, around.present
    doubt = np.zeros_like(scores)
    if not judge.counts_volume:
        state = tableau(field, members[None], judge.ridges.kappa)
        (doubt,) = ridge_cost(field, state, scores[None])
        (present,) = exact_scores(search, members[None])
    if not around.has_enough_digits[0]:
        doubt[:] = np.inf
    if np.any(doubt > 0.0):
        may_gain = (scores < present - slack(present) + doubt) | np.isinf(doubt)
        if may_gain.any():
            scores, present = _one_by_one(search, members, scores, may_gain)
    change, rounding = scores - present, slack(present)
    smaller = np.arange(search.columns.size) < members[:, None]
    change = np.where((np.abs(change) <= rounding) & smaller, -rounding, change)
    place = int(np.argmin(change))
    return place if change.flat[place] <= -rounding else None


def _one_by_one(
    search: Search, members: np.ndarray, scores: np.ndarray, may_gain: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the scores of exchanges (K, D) and of the support, exact where in doubt.

    Exchanges that ``may_gain`` (K, D) are in doubt; the others keep their ``scores`` (K, D). If
    very many are in doubt only the best of them by ``scores`` are scored; the rest become infinite.
    """
    field = search.field
    permitted = ~field.locked[members][:, None] & ~field.excluded & may_gain
    permitted[:, members] = False
    p, j = np.nonzero(permitted)
    if p.size > search.settings.most_one_by_one:
        best = np.argsort(scores[p, j], kind="stable")[: search.settings.most_one_by_one]
        best = best[np.isfinite(scores[p, j][best])]
        p, j = p[best], j[best]
    moved = np.tile(members, (p.size + 1, 1))
    moved[np.arange(p.size), p] = j
    found = exact_scores(search, np.sort(moved, axis=1))
    exact = np.where(may_gain, np.inf, scores)
    exact[p, j] = found[:-1]
    return exact, float(found[-1])
