r"""The tableau of a support: closed forms for all exchanges, and its update by an exchange.

For a support S and a ridge κ put H = G_SS + κI, P = H⁻¹, w = P b_S, U = P G_S·, e = b − G_·S w and
h_j = G_jj + κ − G_jS U_·j. Exchanging i ∈ S for j ∉ S gives

    residual'  = rss + w_i²/P_ii − (e_j + w_i U_ij/P_ii)² / den_ij,   den_ij = h_j + U_ij²/P_ii
    log det H' = log det H + log(den_ij P_ii)

so the whole neighbourhood costs a dozen passes over a K×D array (:func:`exchange_objectives`). A
:class:`Tableau` holds [U | w | P] side by side for many chains at once. An exchange is one update
of rank two, the pivot of the simplex method (:func:`exchange`); a fresh inverse now and then
removes its rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.problem import Problem
from ..data.redundant_columns import redundant_columns
from .evidence import residual_floor
from .score_settings import SCORE

__all__ = [
    "Field",
    "Tableau",
    "exchange",
    "exchange_objectives",
    "has_enough_digits",
    "ridge_cost",
    "tableau",
    "tableau_of_rows",
]

# Instead of zero under a division or a root, in single precision too.
_TINY = 1e-30


class Field(NamedTuple):
    """A problem over D columns in memory, as a search sees it."""

    G: np.ndarray
    """(D, D)."""
    b: np.ndarray
    """(D,)."""
    yy: float
    dof: float
    n: float
    excluded: np.ndarray
    """(D,): whether a column may not enter a support."""
    locked: np.ndarray
    """(D,): whether a column may not leave one."""
    redundant: np.ndarray
    """(D,): whether a locked column depends on other locked ones, and does not count."""

    @classmethod
    def of(cls, problem: Problem, always: np.ndarray, columns: np.ndarray | None = None) -> Field:
        """Return a problem over some of its columns, (W,), in increasing order, or over all.

        ``always`` is the mask (D,) of columns that must be selected; a column of zeros may not be.
        """
        columns = np.arange(problem.b.size) if columns is None else columns
        G, locked = problem.products(columns), always[columns]
        return cls(
            G=G,
            b=problem.b[columns],
            yy=problem.yy,
            dof=problem.dof,
            n=problem.n,
            excluded=(problem.diagonal[columns] <= 0.0) & ~locked,
            locked=locked,
            redundant=redundant_columns(G, np.flatnonzero(locked)),
        )

    @property
    def n_redundant(self) -> int:
        """How many columns of every support do not count."""
        return int(self.redundant.sum())

    @property
    def floor(self) -> float:
        """The smallest residual."""
        return residual_floor(self.yy)

    @property
    def least_ridge(self) -> float:
        """The ridge that is used instead of zero, since columns may be collinear."""
        return SCORE.relative_ridge * self.n


class Tableau(NamedTuple):
    """C supports and their inverses; :func:`tableau` makes it, :func:`exchange` moves it on."""

    body: np.ndarray
    """[U | w | P], shape (C, K, D+1+K)."""
    e: np.ndarray
    """(C, D)."""
    h: np.ndarray
    """(C, D)."""
    rss: np.ndarray
    """(C,)."""

    @property
    def U(self) -> np.ndarray:
        """P G_S·, (C, K, D)."""
        return self.body[:, :, : self.e.shape[1]]

    @property
    def w(self) -> np.ndarray:
        """P b_S, (C, K)."""
        return self.body[:, :, self.e.shape[1]]

    @property
    def P(self) -> np.ndarray:
        """H⁻¹, (C, K, K)."""
        return self.body[:, :, self.e.shape[1] + 1 :]

    @property
    def diagonal_P(self) -> np.ndarray:
        """P_ii, (C, K)."""
        return np.diagonal(self.P, axis1=1, axis2=2)


def tableau(field: Field, members: np.ndarray, ridge: np.ndarray) -> Tableau:
    """Return the tableau of supports ``members`` (C, K) at a ridge each, (C,)."""
    ridge = np.maximum(ridge, field.least_ridge)
    of = (np.diagonal(field.G), field.b, field.yy)
    return tableau_of_rows(field.G[members], members, *of, ridge)


def tableau_of_rows(
    rows: np.ndarray,
    members: np.ndarray,
    diagonal: np.ndarray,
    b: np.ndarray,
    yy: float,
    ridge: np.ndarray,
) -> Tableau:
    """Return the tableau from the rows G_S· (C, K, D), diagonal and b (D,), yy and ridge (C,)."""
    H = np.take_along_axis(rows, members[:, None, :], axis=2)
    P = np.linalg.inv(H + ridge[:, None, None] * np.eye(members.shape[1]))
    b_S = b[members]
    U = P @ rows
    w = P @ b_S[..., None]
    e = b - (w.swapaxes(-1, -2) @ rows)[:, 0]
    # h_j ≥ κ, with equality where column j is a combination of the members; rounding may go below.
    h = np.maximum(diagonal + ridge[:, None] - np.sum(rows * U, axis=1), ridge[:, None])
    rss = yy - np.sum(b_S * w[..., 0], axis=-1)
    return Tableau(np.concatenate([U, w, P], axis=2), e, h, np.maximum(rss, residual_floor(yy)))


def has_enough_digits(field: Field, state: Tableau, n_supports: int) -> np.ndarray:
    """Return whether the tableaux (C·R, …) of C supports have digits enough for scores, (C,).

    H⁻¹ loses digits where H is nearly singular, and the residual where it is a small share of yᵀy.
    The error of a score is ν times rounding, times n·max P_ii, divided by that share.
    """
    if not state.body.shape[1]:
        return np.ones(n_supports, dtype=bool)
    lost = np.max(state.diagonal_P, axis=1).reshape(n_supports, -1) * field.n
    left = state.rss.reshape(n_supports, -1) / (field.yy if field.yy > 0.0 else 1.0)
    return np.all(left > SCORE.rounding * field.dof * lost, axis=1)


def ridge_cost(field: Field, state: Tableau, scores: np.ndarray) -> np.ndarray:
    """Return by how much least squares without a ridge may be below these ``scores`` (C, K, D).

    The least ridge κ is used instead of zero, and adds κ|w'|² to a residual, w' being the
    coefficients after the exchange. Those of the members, |w|² ≤ yᵀy·tr P, change by c·u where
    column j enters with the coefficient c, u being its own coefficients on them; c² is what j takes
    off, over den. The answer is infinite where κ is no small part of a pivot.
    """
    U, p = state.U, np.maximum(state.diagonal_P, _TINY)[..., None]
    den = state.h[:, None, :] + U * U / p
    # |u|² with u_k = U_kj − a_k U_ij, a = P_·i/P_ii: the member i has left.
    a = state.P / p
    u = np.sum(U * U, axis=1, keepdims=True) - 2.0 * U * (a @ U)
    u = np.maximum(u + U * U * np.sum(a * a, axis=2, keepdims=True), 0.0)
    ridge, dof, yy = field.least_ridge, field.dof, field.yy
    rss = np.maximum(np.exp(scores / dof), field.floor)
    taken = np.maximum(state.w[..., None] ** 2 / p + state.rss[:, None, None] - rss, 0.0)
    trace = np.sum(p, axis=1, keepdims=True)
    cost = 2.0 * dof * ridge * (taken * (1.0 + u) / den + trace * yy) / rss
    small = SCORE.small_part
    is_small = (ridge * (1.0 + u) < small * den) & (ridge * trace < small)
    return np.where(np.isinf(scores), 0.0, np.where(is_small, cost, np.inf))


def exchange_objectives(
    state: Tableau,
    dof: float,
    floor: float,
    counts_log_det: bool,
    excluded: np.ndarray | None = None,
    locked: np.ndarray | None = None,
) -> np.ndarray:
    """Return ν log(rss') plus the change of log det H (if it counts) of all exchanges, (C, K, D).

    Columns ``excluded`` (C, D) may not enter and members ``locked`` (C, K) may not leave: their
    exchanges are infinite. A search spends most of its time here: few passes, mostly in place.
    """
    infinite = state.rss.dtype.type(np.inf)
    p = np.maximum(state.diagonal_P, _TINY)
    root = 1.0 / np.sqrt(p)
    omega = state.w * root
    without = omega * omega + state.rss[:, None]
    if locked is not None:
        without[locked] = infinite
    V = state.U * root[..., None]
    fit = V * omega[..., None]
    fit += state.e[:, None, :]
    fit *= fit
    V *= V
    V += (state.h if excluded is None else np.where(excluded, infinite, state.h))[:, None, :]
    if V.min(initial=np.inf) <= 0.0:
        np.maximum(V, _TINY, out=V)
    fit /= V
    rss = np.subtract(without[..., None], fit, out=fit)
    if rss.min(initial=np.inf) < floor:
        np.maximum(rss, floor, out=rss)
    objective = np.log(rss, out=rss)
    objective *= dof
    if counts_log_det:
        V *= p[..., None]
        objective += np.log(V, out=V)
    elif excluded is not None:  # an infinite V is in the volume alone
        np.copyto(objective, infinite, where=excluded[:, None, :])
    return objective


def exchange(
    field: Field, state: Tableau, members: np.ndarray, p: np.ndarray, j: np.ndarray
) -> Tableau:
    """Return the tableau after column j (C,) has replaced member p (C,); ``state`` is overwritten.

    *Column j enters.* With g = G_Sj, u = Pg = U_·j and v = (u, −1) the inverse of the enlarged H is

        P⁺ = [P 0; 0 0] + vvᵀ/h,     h = h_j = G_jj + κ − gᵀu.

    Multiplied by the rows [G_S·; G_j·] and by [b_S; b_j] it gives U⁺ = [U; 0] − vs/h and
    w⁺ = [w; 0] − v e_j/h, where s = G_j· − gᵀU. So the whole body loses one outer product:

        [U | w | P]⁺ = [U | w | P; 0] − (v/h) [s | e_j | −vᵀ].                           (1)

    *Member p leaves.* With t its row of the enlarged body, c = P⁺_·p its column of P⁺ and
    π = P⁺_pp, what is left of the inverse is P⁺ − ccᵀ/π, with zeros in row and column p. Hence

        [U | w | P]⁻ = [U | w | P]⁺ − (c/π) t.                                           (2)

    *The rest* follows from e = b − G_·S w and h = diag(G) + κ − diag(G_·S U): entering takes off
    s·e_j/h, s²/h and e_j²/h (of e, h and rss), leaving gives back t_U·t_w/π, t_U²/π and t_w²/π.

    Column j gets place p. In that order v has −1 at place p, and rows and columns p of the old body
    are zero.
    """
    D, body, chain = state.e.shape[1], state.body, np.arange(len(p))
    row = field.G[j].astype(body.dtype, copy=False)
    h, e = state.h[chain, j], state.e[chain, j]
    v = body[chain, :, j]
    share = v[chain, p] / h  # u_p/h: the member that leaves has no other place in v
    v[chain, p] = -1.0
    pair = np.empty((len(p), 2, body.shape[2]), body.dtype)
    enters, leaves = pair[:, 0], pair[:, 1]
    # The row of (1).
    g = row[chain[:, None], members]
    enters[:, :D] = row - (g[:, None, :] @ body[:, :, :D])[:, 0]
    enters[:, D] = e
    enters[:, D + 1 :] = -v
    # The row t of (2): row p of (1). Place p of its last part is now that of column j, where P⁺
    # has u_p·(−1)/h; the pivot P_pp + u_p²/h has no place any more.
    leaves[:] = body[chain, p] - share[:, None] * enters
    c = leaves[:, D + 1 :]
    c[chain, p] = -share
    pivot = body[chain, p, D + 1 + p] + share * share * h
    # Both outer products at once.
    body[chain, p] = 0.0
    body[chain, :, D + 1 + p] = 0.0
    factors = np.empty((len(p), c.shape[1], 2), body.dtype)
    factors[:, :, 0], factors[:, :, 1] = v / h[:, None], c / pivot[:, None]
    body -= factors @ pair
    s, t, w = enters[:, :D], leaves[:, :D], leaves[:, D]
    return Tableau(
        body,
        state.e - s * (e / h)[:, None] + t * (w / pivot)[:, None],
        state.h - s * s / h[:, None] + t * t / pivot[:, None],
        state.rss - e * e / h + w * w / pivot,
    )
