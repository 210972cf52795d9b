"""The scores of all supports one column away: exchanged, added, left out.

There is one tableau (:mod:`.tableau`) for each ridge of the criterion. :mod:`.updates` gives the
fits of the neighbours at that ridge, :mod:`.criterion` their scores at that ridge and, from these,
the mean over the ridges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .criterion import Criterion, RidgeFit, mean_score, residual_floor, ridge_scores
from .score_settings import SCORE
from .tableau import Field, Tableau, has_enough_digits, swap_objectives, tableaux
from .updates import added, exchanged, left_out, present

__all__ = ["Neighbours", "exchange_scores", "neighbours"]


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
    """C supports at the R ridges of a criterion, C·R rows."""

    state: Tableau
    now: RidgeFit
    ridge: np.ndarray
    dof: np.ndarray
    floor: np.ndarray
    criterion: Criterion

    def score(self, fit: RidgeFit) -> np.ndarray:
        """Return the scores (C, ...) of supports (C·R, ...)."""
        axes = (slice(None), *(None,) * (fit.rss.ndim - 1))
        by_ridge = ridge_scores(
            fit, self.ridge[axes], self.dof[axes], self.floor[axes], self.criterion
        )
        return self.mean(by_ridge)

    def mean(self, by_ridge: np.ndarray) -> np.ndarray:
        """Return the mean score over the ridges, from (C·R, ...) to (C, ...)."""
        n_ridges = self.criterion.ridges.size
        shape = (len(by_ridge) // n_ridges, n_ridges, *by_ridge.shape[1:])
        return mean_score(by_ridge.reshape(shape), axis=1)


def _grid(
    field: Field,
    problem: np.ndarray,
    criterion: Criterion,
    state: Tableau,
    ridge: np.ndarray,
) -> _Grid:
    many = np.repeat(problem, criterion.ridges.size)
    now = present(state, ridge, criterion)
    return _Grid(state, now, ridge, field.dof[many], residual_floor(field.yy[many]), criterion)


def neighbours(
    field: Field, problem: np.ndarray, members: np.ndarray, criterion: Criterion, *, resize: bool
) -> Neighbours:
    """Return the scores of all neighbours of supports ``members`` (C, K) of ``problem`` (C,).

    Without ``resize`` the scores of neighbours of other sizes are infinite.
    """
    (C, K), n_columns = members.shape, field.b.shape[1]
    state, ridge = tableaux(field, problem, members, criterion)
    grid = _grid(field, problem, criterion, state, ridge)
    more, less = np.full((C, n_columns), np.inf), np.full((C, K), np.inf)
    if resize:
        more = grid.score(added(state, grid.now, ridge))
        more[field.excluded[problem]] = np.inf
        np.put_along_axis(more, members, np.inf, axis=1)
        less = grid.score(left_out(state, grid.now, ridge))
        less[field.locked[problem[:, None], members]] = np.inf
    return Neighbours(
        grid.score(grid.now),
        _exchanges(field, problem, members, grid),
        more,
        less,
        has_enough_digits(field, problem, state),
    )


def exchange_scores(
    field: Field,
    problem: np.ndarray,
    members: np.ndarray,
    criterion: Criterion,
    state: Tableau,
    ridge: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of every exchange (C, K, D) and of the supports themselves (C,).

    ``state`` and ``ridge`` are the :func:`~.tableau.tableaux` of the supports. Exchanges that are
    not permitted are infinite, and so are, under a common size, all but the most promising.
    """
    grid = _grid(field, problem, criterion, state, ridge)
    return _exchanges(field, problem, members, grid), grid.score(grid.now)


def _exchanges(field: Field, problem: np.ndarray, members: np.ndarray, grid: _Grid) -> np.ndarray:
    """Return the score of every exchange, (C, K, D)."""
    if not members.shape[1]:
        return np.empty((len(members), 0, field.b.shape[1]))
    counts_volume = grid.criterion.counts_volume
    table = swap_objectives(grid.state, grid.dof, grid.floor, counts_volume)
    if counts_volume:
        table += (grid.now.log_det - grid.now.K * np.log(grid.ridge))[:, None, None]
    scores = grid.mean(table)
    excluded = field.excluded[problem]
    np.put_along_axis(excluded, members, True, axis=1)
    scores[np.broadcast_to(excluded[:, None, :], scores.shape)] = np.inf
    scores[field.locked[problem[:, None], members]] = np.inf
    return _with_common_size(grid, scores) if grid.criterion.has_common_size else scores


def _with_common_size(grid: _Grid, gaussian: np.ndarray) -> np.ndarray:
    """Return scores (C, K, D): exact for the best under the Gaussian prior, infinite for others."""
    C, K, n_columns = gaussian.shape
    size = min(max(SCORE.n_exact_exchanges, 2 * K), K * n_columns)
    flat = gaussian.reshape(C, -1)
    places = np.argpartition(flat, size - 1, axis=1)[:, :size]
    p, j = np.divmod(np.repeat(places, grid.criterion.ridges.size, axis=0), n_columns)
    exact = grid.score(exchanged(grid.state, grid.now, grid.ridge, p, j))
    permitted = np.isfinite(np.take_along_axis(flat, places, axis=1))
    scores = np.full_like(flat, np.inf)
    np.put_along_axis(scores, places, np.where(permitted, exact, np.inf), axis=1)
    return scores.reshape(gaussian.shape)
