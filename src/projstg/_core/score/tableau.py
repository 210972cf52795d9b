r"""All K×D exchanges of a support in one table, and the move from one support to the next.

For a support S and a ridge κ put H = G_SS + κI, P = H⁻¹, w = P b_S, U = P G_S·, e = b − G_·S w and
h_j = G_jj + κ − G_jS U_·j. Exchanging i ∈ S for j ∉ S gives

    residual'  = rss + w_i²/P_ii − (e_j + w_i U_ij/P_ii)² / den_ij,   den_ij = h_j + U_ij²/P_ii
    log det H' = log det H + log(den_ij P_ii)

so the whole neighbourhood costs a dozen passes over a K×D array. A :class:`Tableau` holds
[U | w | P] side by side for many chains (any starts of any problems) at once: an exchange is one
update of rank two, the pivot of the simplex method, and a fresh inverse now and then wipes off
its rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .criterion import Criterion, common_size, mean_score, residual_floor, signs_of

__all__ = [
    "Field",
    "Tableau",
    "exchange",
    "exchanged",
    "has_enough_digits",
    "least_ridge",
    "log_volume",
    "ridge_cost",
    "scores_of",
    "swap_objectives",
    "tableau",
    "tableau_of_rows",
    "tableaux",
]

_SMALLEST = 1e-30
# Where effects have a size, so many exchanges are judged by it.
_MOST_LOOKED_AT = 48
_RELATIVE_RIDGE = 1e-10
# A score may be off by a thousandth: rounding is some 10⁻¹⁵.
_ROUNDING = 1e-12
# What a ridge costs is proportional to it while it is so small a part of a pivot.
_SMALL_PART = 0.01


class Field(NamedTuple):
    """B problems over the same number D of columns, in memory, as the walks see them."""

    G: np.ndarray
    """(B, D, D)."""
    b: np.ndarray
    """(B, D)."""
    yy: np.ndarray
    dof: np.ndarray
    n: np.ndarray
    closed: np.ndarray
    """(B, D): infinite for a column that may never enter, else zero."""
    locked: np.ndarray
    """(B, D): whether a column may never leave."""


class Tableau(NamedTuple):
    """C supports and their inverses; :func:`tableau` makes it, :func:`exchange` moves it on."""

    body: np.ndarray
    """[U | w | P], shape (C, K, D+1+K)."""
    e: np.ndarray
    h: np.ndarray
    rss: np.ndarray


def tableau(field: Field, problem: np.ndarray, members: np.ndarray, ridge: np.ndarray) -> Tableau:
    """Return the tableau of supports ``members`` (C, K) of problems ``problem`` (C,)."""
    diagonal = np.diagonal(field.G, axis1=1, axis2=2)[problem]
    rows = field.G[problem[:, None], members]
    ridge = np.maximum(ridge, least_ridge(field.n[problem]))
    return tableau_of_rows(rows, members, diagonal, field.b[problem], field.yy[problem], ridge)


def least_ridge(n: np.ndarray) -> np.ndarray:
    """Return the ridge that stands for zero where columns may be collinear."""
    return _RELATIVE_RIDGE * n


def tableau_of_rows(
    rows: np.ndarray,
    members: np.ndarray,
    diagonal: np.ndarray,
    b: np.ndarray,
    yy: np.ndarray,
    ridge: np.ndarray,
) -> Tableau:
    """Return the tableau from the rows G_S· (C, K, D) themselves."""
    H = np.take_along_axis(rows, members[:, None, :], axis=2)
    P = np.linalg.inv(H + ridge[:, None, None] * np.eye(members.shape[1]))
    b_S = np.take_along_axis(b, members, axis=1)
    U = P @ rows
    w = P @ b_S[..., None]
    e = b - (w.swapaxes(-1, -2) @ rows)[:, 0]
    # Never less than κ but for rounding, where a column is a combination of the members.
    h = np.maximum(diagonal + ridge[:, None] - np.sum(rows * U, axis=1), ridge[:, None])
    rss = yy - np.sum(b_S * w[..., 0], axis=-1)
    return Tableau(np.concatenate([U, w, P], axis=2), e, h, np.maximum(rss, residual_floor(yy)))


def swap_objectives(
    state: Tableau,
    dof: np.ndarray,
    floor: np.ndarray,
    counts_volume: bool,
    closed: np.ndarray | float = 0.0,
    held: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Return ν log(rss') plus the change of log det H (if it counts) of every swap, (C, K, D).

    ``closed`` (C, D) is infinite at columns that may not enter, ``held`` (C, K) at members that
    may not leave; there the answer is infinite.
    """
    n_columns = state.e.shape[1]
    w, P = state.body[:, :, n_columns], state.body[:, :, n_columns + 1 :]
    p = np.maximum(np.diagonal(P, axis1=1, axis2=2), _SMALLEST)
    root = 1.0 / np.sqrt(p)
    omega = w * root
    without = omega * omega + state.rss[:, None] + held
    V = state.body[:, :, :n_columns] * root[..., None]
    fit = V * omega[..., None]
    fit += state.e[:, None, :]
    fit *= fit
    V *= V
    V += (state.h + closed)[:, None, :]
    if V.min(initial=np.inf) <= 0.0:
        np.maximum(V, _SMALLEST, out=V)
    fit /= V
    rss = np.subtract(without[..., None], fit, out=fit)
    if rss.min(initial=np.inf) < floor.max(initial=0.0):
        np.maximum(rss, floor[:, None, None], out=rss)
    objective = np.log(rss, out=rss)
    objective *= dof[:, None, None]
    if counts_volume:
        V *= p[..., None]
        objective += np.log(V, out=V)
    elif np.ndim(closed):
        objective += np.asarray(closed)[:, None, :]
    return objective


def exchange(
    field: Field,
    state: Tableau,
    problem: np.ndarray,
    members: np.ndarray,
    p: np.ndarray,
    j: np.ndarray,
) -> Tableau:
    """Return the tableau after column j (C,) has taken place p (C,); ``state`` is spoiled.

    Column j enters (u = U_·j, s = G_j· − G_jS U), then the old member leaves (its column c of the
    enlarged inverse). In the new order of the places both are outer products.
    """
    n_columns = state.e.shape[1]
    body, chain = state.body, np.arange(len(p))
    row = field.G[problem, j].astype(body.dtype, copy=False)
    h, e = state.h[chain, j], state.e[chain, j]
    u = body[chain, :, j]
    share = u[chain, p] / h
    pair = np.empty((len(p), 2, body.shape[2]), body.dtype)
    enters, leaves = pair[:, 0], pair[:, 1]
    g = row[chain[:, None], members]
    enters[:, :n_columns] = row - (g[:, None, :] @ body[:, :, :n_columns])[:, 0]
    enters[:, n_columns] = e
    u[chain, p] = -1.0
    enters[:, n_columns + 1 :] = -u
    leaves[:] = body[chain, p] - share[:, None] * enters
    c = leaves[:, n_columns + 1 :]
    # At place p itself the row just made holds P_ip − share; the enlarged inverse has more there.
    old = body[chain, p, n_columns + 1 + p]
    pivot = old + share * share * h
    c[chain, p] = -share
    body[chain, p] = 0.0
    body[chain, :, n_columns + 1 + p] = 0.0
    factors = np.empty((len(p), c.shape[1], 2), body.dtype)
    factors[:, :, 0], factors[:, :, 1] = u / h[:, None], c / pivot[:, None]
    body -= factors @ pair
    s, t = enters[:, :n_columns], leaves[:, :n_columns]
    w = leaves[:, n_columns]
    return Tableau(
        body,
        state.e - s * (e / h)[:, None] + t * (w / pivot)[:, None],
        state.h - s * s / h[:, None] + t * t / pivot[:, None],
        state.rss - e * e / h + w * w / pivot,
    )


def tableaux(
    field: Field, problem: np.ndarray, members: np.ndarray, criterion: Criterion
) -> tuple[Tableau, np.ndarray]:
    """Return each support's tableau at every ridge of the criterion, (C·R, …), and the ridges."""
    n_ridges = criterion.ridges.size
    ridge = np.tile(criterion.ridges, len(members))
    many = np.repeat(problem, n_ridges)
    return tableau(field, many, np.repeat(members, n_ridges, axis=0), ridge), ridge


def has_enough_digits(field: Field, problem: np.ndarray, state: Tableau) -> np.ndarray:
    """Return whether the tableaux (C·R, …) of C supports have digits enough for scores, (C,).

    H⁻¹ has lost as many digits as H is nearly singular, and the residual is a difference of which
    a small share of yᵀy is left. Rounding against both, times ν, is the error of a score.
    """
    C, K, n_columns = len(problem), state.body.shape[1], state.e.shape[1]
    if not K:
        return np.ones(C, dtype=bool)
    P = np.diagonal(state.body[:, :, n_columns + 1 :], axis1=1, axis2=2)
    lost = np.max(P, axis=1).reshape(C, -1) * field.n[problem][:, None]
    left = state.rss.reshape(C, -1) / np.where(field.yy > 0.0, field.yy, 1.0)[problem][:, None]
    return np.all(left > _ROUNDING * field.dof[problem][:, None] * lost, axis=1)


def ridge_cost(field: Field, problem: np.ndarray, state: Tableau, scores: np.ndarray) -> np.ndarray:
    """Return by how much least squares without a ridge may be below these ``scores`` (C, K, D).

    The least ridge κ stands for zero, and adds κ|w'|² to a residual, w' being the coefficients
    after the exchange. Those of the members, |w|² ≤ yᵀy·tr P, change by c·u where column j enters
    with the coefficient c, u being its own coefficients on them; c² is what j takes off, over den.
    The answer is infinite where κ is no small part of a pivot.
    """
    n_columns = state.e.shape[1]
    U, w = state.body[:, :, :n_columns], state.body[:, :, n_columns]
    P = state.body[:, :, n_columns + 1 :]
    p = np.maximum(np.diagonal(P, axis1=1, axis2=2), _SMALLEST)[..., None]
    den = state.h[:, None, :] + U * U / p
    # |u|² with u_k = U_kj − a_k U_ij, a = P_·i/P_ii: the member i has left.
    a = P / p
    u = np.sum(U * U, axis=1, keepdims=True) - 2.0 * U * (a @ U)
    u = np.maximum(u + U * U * np.sum(a * a, axis=2, keepdims=True), 0.0)
    ridge, dof, yy = least_ridge(field.n[problem]), field.dof[problem], field.yy[problem]
    ridge, dof, yy = (one[:, None, None] for one in (ridge, dof, yy))
    rss = np.maximum(np.exp(scores / dof), residual_floor(yy))
    taken = np.maximum(w[..., None] ** 2 / p + state.rss[:, None, None] - rss, 0.0)
    trace = np.sum(p, axis=1, keepdims=True)
    cost = 2.0 * dof * ridge * (taken * (1.0 + u) / den + trace * yy) / rss
    is_small = (ridge * (1.0 + u) < _SMALL_PART * den) & (ridge * trace < _SMALL_PART)
    return np.where(np.isinf(scores), 0.0, np.where(is_small, cost, np.inf))


def scores_of(
    field: Field,
    problem: np.ndarray,
    members: np.ndarray,
    criterion: Criterion,
    state: Tableau,
    ridge: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of every exchange (C, K, D) and of the supports themselves (C,).

    These are the criterion's own, from the :func:`tableaux` of the supports: one table for each
    ridge of its grid, averaged. Columns that may not enter or leave have an infinite score. With
    effects of a common size so have all exchanges but the most promising under the Gaussian prior.
    """
    (n_chains, K), n_columns = members.shape, field.b.shape[1]
    ridges = criterion.ridges
    many = np.repeat(problem, ridges.size)
    floor, dof = residual_floor(field.yy[many]), field.dof[many]
    base = np.zeros(many.size)
    if criterion.counts_volume:
        base = log_volume(state, ridge)
    table = swap_objectives(state, dof, floor, criterion.counts_volume)
    table += base[:, None, None]
    table = table.reshape(n_chains, ridges.size, K, n_columns)
    present = dof * np.log(np.maximum(state.rss, floor)) + base
    scores = mean_score(table, axis=1)
    shut = np.isinf(field.closed[problem])
    np.put_along_axis(shut, members, True, axis=1)
    stays = field.locked[problem[:, None], members]
    scores[np.broadcast_to(shut[:, None, :], scores.shape)] = np.inf
    scores[stays] = np.inf
    if criterion.has_common_size:
        scores = _with_size(state, ridge, dof, floor, base, scores)
        w, P = state.body[:, :, n_columns], state.body[:, :, n_columns + 1 :]
        Ps = (P @ signs_of(w)[..., None])[..., 0]
        diagonal = np.diagonal(P, axis1=1, axis2=2)
        present = common_size(w, diagonal, Ps, state.rss, ridge, dof, floor) + base
    return scores, mean_score(present.reshape(n_chains, ridges.size))


def log_volume(state: Tableau, ridge: np.ndarray) -> np.ndarray:
    """Return log det H − K log κ, (C,)."""
    n_columns, K = state.e.shape[1], state.body.shape[1]
    return -np.linalg.slogdet(state.body[:, :, n_columns + 1 :])[1] - K * np.log(ridge)


def _with_size(
    state: Tableau,
    ridge: np.ndarray,
    dof: np.ndarray,
    floor: np.ndarray,
    base: np.ndarray,
    scores: np.ndarray,
) -> np.ndarray:
    """Return the scores (C, K, D) of the most promising exchanges where effects have a size."""
    n_chains, K, n_columns = scores.shape
    n_ridges = len(ridge) // n_chains
    size = min(max(_MOST_LOOKED_AT, 2 * K), K * n_columns)
    flat = scores.reshape(n_chains, -1)
    places = np.argpartition(flat, size - 1, axis=1)[:, :size]
    p, j = np.divmod(np.repeat(places, n_ridges, axis=0), n_columns)
    w, P, Ps, rss, volume = exchanged(state, p, j)
    fit = common_size(w, P, Ps, rss, ridge[:, None], dof[:, None], floor[:, None])
    by_ridge = (fit + volume + base[:, None]).reshape(n_chains, n_ridges, size)
    permitted = np.isfinite(np.take_along_axis(flat, places, axis=1))
    looked_at = np.full_like(flat, np.inf)
    exact = np.where(permitted, mean_score(by_ridge, axis=1), np.inf)
    np.put_along_axis(looked_at, places, exact, axis=1)
    return looked_at.reshape(scores.shape)


def exchanged(
    state: Tableau, p: np.ndarray, j: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return w, diag P, P·sign(w) (C, L, K), residual and the change of log det H (C, L).

    After exchanges p → j (C, L): the member at place p leaves (a = P_·p/P_pp), then column j enters
    in its place.
    """
    n_columns, K = state.e.shape[1], state.body.shape[1]
    chain = np.arange(len(p))[:, None]
    w, P = state.body[:, :, n_columns], state.body[:, :, n_columns + 1 :]
    P_pp, w_p, U_pj = P[chain, p, p], w[chain, p], state.body[chain, p, j]
    a = P[chain, p] / P_pp[..., None]
    den = state.h[chain, j] + U_pj * U_pj / P_pp
    coefficient = (state.e[chain, j] + w_p * U_pj / P_pp) / den
    u = state.body.swapaxes(1, 2)[chain, j] - a * U_pj[..., None]
    is_p = np.arange(K) == p[..., None]
    u[is_p] = -1.0  # so that one rank-one term serves the old members and the new one
    new_w = np.where(is_p, 0.0, w[:, None, :] - a * w_p[..., None]) - u * coefficient[..., None]
    others = np.where(is_p, 0.0, signs_of(new_w))
    kept = np.diagonal(P, axis1=1, axis2=2)[:, None, :] - a * a * P_pp[..., None]
    new_P = np.where(is_p, 0.0, np.maximum(kept, 0.0)) + u * u / den[..., None]
    along = np.sum(u * others, axis=-1) - signs_of(coefficient)
    Ps = others @ P - a * np.sum(P[chain, p] * others, axis=-1)[..., None]
    Ps = np.where(is_p, 0.0, Ps) + u * (along / den)[..., None]
    rss = state.rss[:, None] + w_p * w_p / P_pp - coefficient * coefficient * den
    return new_w, new_P, Ps, rss, np.log(den * P_pp)
