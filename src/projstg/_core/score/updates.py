r"""The fits of all supports one column away from a tableau's: exchanged, added, left out.

Each function returns the :class:`~.evidence.RidgeFit` of the new supports, which is all of y that
their scores need. ``now`` is the RidgeFit of the support itself (:func:`present`); if it has no
effects, none are computed. There are two steps, in the letters of :mod:`.tableau`.

**The member at place p leaves.** With a = P_·p/P_pp,

    rss° = rss + w_p²/P_pp,     w° = w − a w_p,
    P° = P − a aᵀ P_pp,         U° = U − a U_p·,

and therefore e° = e + w_p U_p·/P_pp and h° = h + U_p·²/P_pp.

**Column j enters.** With v = (U_·j, −1) and the coefficient β_j = e_j/h_j,

    rss⁺ = rss − β_j² h_j,      w⁺ = (w, 0) − v β_j,        P⁺ = [P 0; 0 0] + vvᵀ/h_j.

An exchange is the first step and then the second. Only the diagonal of P and the product Ps with
the new signs s are needed, and both take the same steps.
"""

from __future__ import annotations

import numpy as np

from .criterion import Criterion
from .evidence import RidgeFit, signs_of, sized_effects
from .tableau import Tableau

__all__ = ["added", "exchanged", "left_out", "present"]


def present(state: Tableau, ridge: np.ndarray, criterion: Criterion) -> RidgeFit:
    """Return the fits of the tableaux' own supports, fields (C,)."""
    w, P = state.w, state.P
    if not criterion.has_common_size:
        return RidgeFit(state.rss, None)
    Ps = (P @ signs_of(w)[..., None])[..., 0]
    effects = sized_effects(w, state.diagonal_P, Ps, state.rss, ridge)
    return RidgeFit(state.rss, effects)


def exchanged(
    state: Tableau, now: RidgeFit, ridge: np.ndarray, p: np.ndarray, j: np.ndarray
) -> RidgeFit:
    """Return the fits after exchanges of member p for column j, (C, L) each, fields (C, L)."""
    chain = np.arange(len(p))[:, None]
    P_pp, w_p, U_pj = state.P[chain, p, p], state.w[chain, p], state.body[chain, p, j]
    h = state.h[chain, j] + U_pj * U_pj / P_pp  # h° of column j, once p has left
    beta = (state.e[chain, j] + w_p * U_pj / P_pp) / h
    rss = now.rss[:, None] + w_p * w_p / P_pp - beta * beta * h
    if now.effects is None:
        return RidgeFit(rss, None)
    # j takes place p: there v is −1, and w° and P° are zero.
    is_p = np.arange(state.w.shape[1]) == p[..., None]
    a = state.P[chain, p] / P_pp[..., None]
    v = state.body.swapaxes(1, 2)[chain, j] - a * U_pj[..., None]
    v[is_p] = -1.0
    w = np.where(is_p, 0.0, state.w[:, None, :] - a * w_p[..., None]) - v * beta[..., None]
    diagonal = np.maximum(state.diagonal_P[:, None, :] - a * a * P_pp[..., None], 0.0)
    diagonal = np.where(is_p, 0.0, diagonal) + v * v / h[..., None]
    # P⁺s = P°s + v (vᵀs)/h, and P°s = Ps − a P_pp (aᵀs) with zero for the sign at place p.
    others = np.where(is_p, 0.0, signs_of(w))
    along = (np.sum(v * others, axis=-1) - signs_of(beta)) / h
    Ps = others @ state.P - a * (P_pp * np.sum(a * others, axis=-1))[..., None]
    Ps = np.where(is_p, 0.0, Ps) + v * along[..., None]
    return RidgeFit(rss, sized_effects(w, diagonal, Ps, rss, ridge[:, None]))


def added(state: Tableau, ridge: np.ndarray, *, has_effects: bool) -> RidgeFit:
    """Return the fits with one column more, fields (C, D); entries at members mean nothing.

    The new column is the last member.
    """
    h, beta = state.h, state.e / state.h
    rss = state.rss[:, None] - beta * state.e
    if not has_effects:
        return RidgeFit(rss, None)
    v = np.concatenate([state.U, -np.ones((len(h), 1, h.shape[1]))], axis=1).swapaxes(1, 2)
    w = _bordered(state.w[:, None, :]) - v * beta[..., None]
    diagonal = _bordered(state.diagonal_P[:, None, :]) + v * v / h[..., None]
    signs = signs_of(w)
    along = np.sum(v * signs, axis=-1) / h
    Ps = _bordered(signs[..., :-1] @ state.P) + v * along[..., None]
    return RidgeFit(rss, sized_effects(w, diagonal, Ps, rss, ridge[:, None]))


def left_out(state: Tableau, now: RidgeFit, ridge: np.ndarray) -> RidgeFit:
    """Return the fits with one member less, fields (C, K)."""
    w, P, P_pp, K = state.w, state.P, state.diagonal_P, state.w.shape[1]
    rss = now.rss[:, None] + w * w / P_pp
    if now.effects is None:
        return RidgeFit(rss, None)
    a = P / P_pp[..., None]  # row p is a for member p
    # Of the K members K − 1 stay: their places, for each p.
    stay = np.nonzero(~np.eye(K, dtype=bool))[1].reshape(K, max(K - 1, 0))[None]
    new_w = np.take_along_axis(w[:, None, :] - a * w[..., None], stay, axis=2)
    signs = np.zeros_like(a)
    np.put_along_axis(signs, stay, signs_of(new_w), axis=2)
    Ps = signs @ P - a * np.sum(P * signs, axis=-1)[..., None]
    diagonal = np.maximum(P_pp[:, None, :] - a * a * P_pp[..., None], 0.0)
    Ps, diagonal = (np.take_along_axis(one, stay, axis=2) for one in (Ps, diagonal))
    return RidgeFit(rss, sized_effects(new_w, diagonal, Ps, rss, ridge[:, None]))


def _bordered(values: np.ndarray) -> np.ndarray:
    """Return the values with a zero at the end of the last axis."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
