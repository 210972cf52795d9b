"""The scores of all supports one column away: exchanged, added, left out.

There is one tableau (:mod:`.tableau`) for each ridge of the criterion. :mod:`.updates` gives the
fits of the neighbours at that ridge, :mod:`.evidence` their scores at that ridge and, from these,
the score over all ridges. :mod:`.dilution` adds what repeated columns cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernel import library
from ..kernel.twin import answered_by
from .compiled import field_record, judge_record
from .criterion import Criterion, Judge, Ridges
from .dilution import Dilution, dilutions
from .evidence import RidgeFit, ridge_scores, total_score
from .score_settings import SCORE
from .tableau import Field, Tableau, exchange_objectives, has_enough_digits, tableau
from .updates import added, exchanged, left_out, present

__all__ = ["Neighbours", "neighbours"]


class Neighbours(NamedTuple):
    """Scores of C supports and of all supports one column away; infinite where not permitted."""

    present: np.ndarray
    """(C,)."""
    exchanged: np.ndarray
    """(C, K, D)."""
    added: np.ndarray
    """(C, D)."""
    left_out: np.ndarray
    """(C, K)."""
    has_enough_digits: np.ndarray
    """(C,): whether rounding is small in all of these."""


class _Grid(NamedTuple):
    """C supports at the R ridges of a criterion; arrays have C·R rows."""

    field: Field
    members: np.ndarray
    """(C, K)."""
    state: Tableau
    now: RidgeFit
    ridge: Ridges
    judge: Judge

    def volume(self, size: int) -> np.ndarray:
        """Return what so many columns cost at the ridges, (C·R,); redundant ones do not count."""
        volume = self.judge.volume(size - self.field.n_redundant)
        return np.tile(volume, len(self.members))

    def score(self, fit: RidgeFit, size: int) -> np.ndarray:
        """Return the scores (C, ...) of supports (C·R, ...) of one size, without dilution."""
        n_axes = fit.rss.ndim - 1
        volume, ridge = self.volume(size).reshape(-1, *(1,) * n_axes), self.ridge.beside(n_axes)
        of = (self.field.dof, self.field.floor, self.judge)
        return self.total(ridge_scores(fit, ridge, volume, *of))

    def total(self, by_ridge: np.ndarray) -> np.ndarray:
        """Return the score over all ridges, from (C·R, ...) to (C, ...)."""
        shape = (len(self.members), self.judge.ridges.kappa.size, *by_ridge.shape[1:])
        return total_score(by_ridge.reshape(shape), axis=1)


def _dilution(field: Field, members: np.ndarray, criterion: Criterion) -> Dilution:
    """Return what dilution adds around supports: nothing where there is none."""
    if criterion.is_diluted:
        return dilutions(field, members)
    (C, K), D = members.shape, field.b.size
    by_exchange, in_doubt = np.zeros((C, K, D)), np.zeros((C, K + 1, D), dtype=bool)
    return Dilution(np.zeros(C), by_exchange, np.zeros((C, D)), np.zeros((C, K)), in_doubt)


def _by_kernel(field: Field, members: np.ndarray, judge: Judge, *, resize: bool) -> Neighbours:
    """Return what :func:`neighbours` returns, by the compiled kernel."""
    (C, K), n_columns = members.shape, field.b.size
    of, by = field_record(field), judge_record(judge)
    members = np.ascontiguousarray(members, dtype=np.int64)
    found = Neighbours(
        np.empty(C),
        np.empty((C, K, n_columns)),
        np.full((C, n_columns), np.inf),
        np.full((C, K), np.inf),
        np.empty(C, dtype=bool),
    )
    for c in range(C):
        around = library.AroundRecord.of(
            K=K,
            n_exact=SCORE.n_exact(K),
            least_ridge=field.least_ridge,
            rounding=SCORE.rounding,
            members=members[c],
            present=found.present[c : c + 1],
            exchanged=found.exchanged[c],
            added=found.added[c] if resize else None,
            left_out=found.left_out[c] if resize else None,
        )
        is_clear = library.KERNEL.projstg_neighbours(of, by, around)
        if is_clear < 0:
            raise MemoryError(f"no memory for the neighbours of a support of {K} columns")
        found.has_enough_digits[c] = is_clear
    return found


def _is_for_kernel(field: Field, members: np.ndarray, judge: Judge, **_: Any) -> bool:
    return judge.counts_volume and not field.redundant.any()


@answered_by(_by_kernel, where=_is_for_kernel)
def neighbours(field: Field, members: np.ndarray, judge: Judge, *, resize: bool) -> Neighbours:
    """Return the scores of all neighbours of supports ``members`` (C, K).

    Without ``resize`` the scores of neighbours of other sizes are infinite. With dilution the
    supports themselves must be independent.
    """
    (C, K), n_columns = members.shape, field.b.size
    ridge, R = judge.ridges.tiled(C), judge.ridges.kappa.size
    state = tableau(field, np.repeat(members, R, axis=0), ridge.kappa)
    grid = _Grid(field, members, state, present(state, ridge.kappa, judge), ridge, judge)
    dilution, may_not_enter = _dilution(field, members, judge), np.tile(field.excluded, (C, 1))
    np.put_along_axis(may_not_enter, members, True, axis=1)
    is_clear = ~np.any(dilution.in_doubt & ~may_not_enter[:, None, :], axis=(1, 2))
    more, less = np.full((C, n_columns), np.inf), np.full((C, K), np.inf)
    if resize:
        grown = added(state, ridge.kappa, has_effects=judge.has_common_size)
        more = grid.score(grown, K + 1) + dilution.added
        more[may_not_enter] = np.inf
        less = grid.score(left_out(state, grid.now, ridge.kappa), K - 1) + dilution.left_out
        less[field.locked[members]] = np.inf
    return Neighbours(
        grid.score(grid.now, K) + dilution.present,
        _exchanges(grid, dilution.exchanged, may_not_enter),
        more,
        less,
        has_enough_digits(field, state, C) & is_clear,
    )


def _exchanges(grid: _Grid, dilution: np.ndarray, may_not_enter: np.ndarray) -> np.ndarray:
    """Return the score of every exchange, (C, K, D), from what dilution adds to it.

    Exchanges that are not permitted are infinite, and so are, under a common size, all but the most
    promising.
    """
    field, members = grid.field, grid.members
    if not members.shape[1]:
        return np.empty((len(members), 0, field.b.size))
    table = exchange_objectives(grid.state, field.dof, field.floor, counts_log_det=False)
    if grid.judge.counts_volume:
        # Where both priors of the effects are possible this only ranks the exchanges.
        prior = np.minimum(grid.ridge.zero_cost, grid.ridge.size_cost)
        table += (grid.volume(members.shape[1]) + prior)[:, None, None]
    scores = grid.total(table) + dilution
    scores[np.broadcast_to(may_not_enter[:, None, :], scores.shape)] = np.inf
    scores[field.locked[members]] = np.inf
    if not grid.judge.has_common_size:
        return scores
    return _with_common_size(grid, scores, dilution)


def _with_common_size(grid: _Grid, gaussian: np.ndarray, dilution: np.ndarray) -> np.ndarray:
    """Return scores (C, K, D): exact for the best under the Gaussian prior, infinite for others."""
    C, K, n_columns = gaussian.shape
    size = min(SCORE.n_exact(K), K * n_columns)
    flat = gaussian.reshape(C, -1)
    places = np.argpartition(flat, size - 1, axis=1)[:, :size]
    p, j = np.divmod(np.repeat(places, grid.judge.ridges.kappa.size, axis=0), n_columns)
    exact = grid.score(exchanged(grid.state, grid.now, grid.ridge.kappa, p, j), K)
    exact += np.take_along_axis(dilution.reshape(C, -1), places, axis=1)
    permitted = np.isfinite(np.take_along_axis(flat, places, axis=1))
    scores = np.full_like(flat, np.inf)
    np.put_along_axis(scores, places, np.where(permitted, exact, np.inf), axis=1)
    return scores.reshape(gaussian.shape)
