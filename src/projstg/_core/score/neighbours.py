r"""Everything one column away from a support: exchanged, added, left out, each with its score.

The tableau of a support (:mod:`projstg._core.score.tableau`) has it all. Column j joins with

    residual' = rss − e_j²/h_j,        log det H' = log det H + log h_j,
    w' = (w − U_·j e_j/h_j, e_j/h_j),  diag P' = (diag P + U_·j²/h_j, 1/h_j),

and the member at place p leaves with

    residual' = rss + w_p²/P_pp,       log det H' = log det H + log P_pp,
    w' = w − P_·p w_p/P_pp,            diag P' = diag P − P_·p²/P_pp.

One tableau for each ridge of the criterion, and the mean over them is the score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .criterion import Criterion, common_size, mean_score, residual_floor, signs_of
from .tableau import Field, Tableau, has_enough_digits, log_volume, scores_of, tableaux

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
    """(C,): whether rounding is small against all of these."""


def neighbours(
    field: Field, problem: np.ndarray, members: np.ndarray, criterion: Criterion, *, resize: bool
) -> Neighbours:
    """Return the neighbours of supports ``members`` (C, K) of problems ``problem`` (C,).

    Without ``resize`` those of other sizes are left at infinity.
    """
    (C, K), n_columns, n_ridges = members.shape, field.b.shape[1], criterion.ridges.size
    state, ridge = tableaux(field, problem, members, criterion)
    if K:
        exchanged, present = scores_of(field, problem, members, criterion, state, ridge)
    else:
        exchanged, present = np.empty((C, 0, n_columns)), _empty_scores(field, problem)
    added, left_out = np.full((C, n_columns), np.inf), np.full((C, K), np.inf)
    if resize:
        many = np.repeat(problem, n_ridges)
        by_ridge = _added(field, many, state, ridge, criterion)
        added = mean_score(by_ridge.reshape(C, n_ridges, n_columns), axis=1)
        added[np.isinf(field.closed[problem])] = np.inf
        np.put_along_axis(added, members, np.inf, axis=1)
        by_ridge = _left_out(field, many, state, ridge, criterion)
        left_out = mean_score(by_ridge.reshape(C, n_ridges, K), axis=1)
        left_out[field.locked[problem[:, None], members]] = np.inf
    return Neighbours(present, exchanged, added, left_out, has_enough_digits(field, problem, state))


def _empty_scores(field: Field, problem: np.ndarray) -> np.ndarray:
    floor = residual_floor(field.yy[problem])
    return field.dof[problem] * np.log(np.maximum(field.yy[problem], floor))


def _added(
    field: Field, problem: np.ndarray, state: Tableau, ridge: np.ndarray, criterion: Criterion
) -> np.ndarray:
    """Return the score at its ridge of each tableau's support with one column more, (C, D)."""
    n_columns = state.e.shape[1]
    dof = field.dof[problem][:, None]
    h, coefficient = state.h, state.e / state.h
    floor = residual_floor(field.yy[problem])[:, None]
    rss = np.maximum(state.rss[:, None] - coefficient * state.e, floor)
    volume = (log_volume(state, ridge) - np.log(ridge))[:, None] + np.log(h)
    if not criterion.has_common_size:
        return dof * np.log(rss) + volume
    # The enlarged inverse is P with a border of zeros plus vvᵀ/h, v = (U_·j, −1).
    v = np.concatenate([state.body[:, :, :n_columns], -np.ones((len(h), 1, n_columns))], axis=1)
    v = v.swapaxes(1, 2)
    w = _bordered(state.body[:, None, :, n_columns]) - v * coefficient[..., None]
    signs = signs_of(w)
    P = state.body[:, :, n_columns + 1 :]
    shared = (np.sum(v * signs, axis=-1) / h)[..., None]
    Ps = _bordered(signs[..., :-1] @ P) + v * shared
    diagonal = _bordered(np.diagonal(P, axis1=1, axis2=2)[:, None, :]) + v * v / h[..., None]
    return common_size(w, diagonal, Ps, rss, ridge[:, None], dof, floor) + volume


def _bordered(values: np.ndarray) -> np.ndarray:
    """Return the values with a zero at the end of the last axis."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)


def _left_out(
    field: Field, problem: np.ndarray, state: Tableau, ridge: np.ndarray, criterion: Criterion
) -> np.ndarray:
    """Return the score at its ridge of each tableau's support with one member less, (C, K)."""
    n_columns, K = state.e.shape[1], state.body.shape[1]
    dof = field.dof[problem][:, None]
    w, P = state.body[:, :, n_columns], state.body[:, :, n_columns + 1 :]
    p = np.diagonal(P, axis1=1, axis2=2)
    floor = residual_floor(field.yy[problem])[:, None]
    rss = np.maximum(state.rss[:, None] + w * w / p, floor)
    volume = (log_volume(state, ridge) + np.log(ridge))[:, None] + np.log(p)
    if not criterion.has_common_size:
        return dof * np.log(rss) + volume
    a = P / p[..., None]  # row p: how the others make up for it
    stay = np.nonzero(~np.eye(K, dtype=bool))[1].reshape(K, max(K - 1, 0))[None]
    without = np.take_along_axis(w[:, None, :] - a * w[..., None], stay, axis=2)
    signs = np.zeros_like(a)
    np.put_along_axis(signs, stay, signs_of(without), axis=2)
    Ps = signs @ P - a * np.sum(P * signs, axis=-1)[..., None]
    diagonal = np.maximum(p[:, None, :] - a * a * p[..., None], 0.0)
    Ps, diagonal = (np.take_along_axis(one, stay, axis=2) for one in (Ps, diagonal))
    return common_size(without, diagonal, Ps, rss, ridge[:, None], dof, floor) + volume
