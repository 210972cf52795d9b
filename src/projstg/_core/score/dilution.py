r"""What dilution adds to the scores of all supports one column away: exchanged, added, left out.

A support has the prior (|R_SS|/|R_SS + εI|)^½ (1 + ε)^(K/2), R being the correlations of the
columns (:mod:`.prior`). With P = R_SS⁻¹, U = P R_S· and h_j = 1 − R_jS U_·j, the determinant of
R_SS changes by these factors, *pivots*, and that of R_SS + εI likewise:

    j enters: h_j,     i leaves: P_ii,     i is exchanged for j: h_j P_ii + U_ij².

They are the tableaux of R without y (:mod:`.tableau`), one without a ridge and one with ε. A pivot
is what is left of a column's square when the other members are taken out (for an exchange, relative
to that of the column that leaves). Where it is rounding, without a ridge, the columns are
dependent, and the prior is zero. The rule for rank is about eigenvalues. The smallest is at least
one over the trace of the inverse, which is tr P + (1 + |U_·j|²)/h_j after j has entered; where that
is not far above the rule, only the eigenvalues themselves can tell (:func:`is_dependent`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import SMALLEST_SHARE
from .score_settings import SCORE
from .tableau import Field

__all__ = ["Dilution", "dilutions", "entering_costs", "is_dependent"]


class Dilution(NamedTuple):
    """What dilution adds to the scores around C independent supports.

    It is infinite where columns are dependent.
    """

    present: np.ndarray
    """To those of the supports themselves, (C,)."""
    exchanged: np.ndarray
    """(C, K, D)."""
    added: np.ndarray
    """(C, D)."""
    left_out: np.ndarray
    """(C, K)."""
    in_doubt: np.ndarray
    """Whether only the eigenvalues can tell if a support is dependent, (C, K + 1, D): with each
    column for each member, and last with one column more."""


class _Inverse(NamedTuple):
    """P, U and h of the docstring."""

    P: np.ndarray
    U: np.ndarray
    h: np.ndarray

    @property
    def trace(self) -> np.ndarray:
        """Tr P, (C,)."""
        return np.einsum("ckk->c", self.P)


def dilutions(field: Field, members: np.ndarray) -> Dilution:
    """Return the costs around independent supports ``members`` (C, K)."""
    rows, diagonal = field.G[members], np.diagonal(field.G)
    R, found, soft_R, soft = _inverses(rows, members, diagonal, field.n, field.redundant)
    present = np.linalg.slogdet(soft_R)[1] - members.shape[1] * _alone()
    present += _redundant_part(field) - np.linalg.slogdet(R)[1]
    p, U2 = np.einsum("ckk->ck", found.P), found.U**2
    # Without member i, and with j: the pivot of j, and a bound of what it adds to the trace.
    pivot = found.h[:, None, :] * p[..., None] + U2
    share = np.sum((found.P / p[:, None, :]) ** 2, axis=1)
    more = 1.0 + 2.0 * np.sum(U2, axis=1, keepdims=True) + 2.0 * share[..., None] * U2
    trace = found.trace[:, None, None] + more * p[..., None] / np.maximum(pivot, SCORE.least_pivot)
    q = np.einsum("ckk->ck", soft.P)
    soft_pivot = soft.h[:, None, :] * q[..., None] + soft.U**2
    exchanged, in_doubt = _costs(pivot, soft_pivot, trace, found.trace[:, None, None])
    added, is_added_in_doubt = _entered(found, soft)
    return Dilution(
        present,
        exchanged + present[:, None, None],
        added + present[:, None],
        present[:, None] + np.log(q / p) + _alone(),
        np.concatenate([in_doubt, is_added_in_doubt[:, None, :]], axis=1),
    )


def _alone() -> float:
    """Return log |R + εI| of one column."""
    return float(np.log1p(SCORE.repeated))


def _inverses(
    rows: np.ndarray, members: np.ndarray, diagonal: np.ndarray, n: float, redundant: np.ndarray
) -> tuple[np.ndarray, _Inverse, np.ndarray, _Inverse]:
    """Return R_SS and its inverse without redundant columns, and R_SS + εI with all, and its."""
    R = _correlations(rows, members, n)
    soft_R = R + SCORE.repeated * np.eye(members.shape[1])
    soft = _inverse(soft_R, rows, diagonal + SCORE.repeated * n, n)
    if redundant.any():
        rows = rows * ~redundant * ~redundant[members][..., None]
        R = _correlations(rows, members, n)
    return R, _inverse(R, rows, diagonal, n), soft_R, soft


def _redundant_part(field: Field) -> float:
    """Return what redundant members add to the cost of the non-zero eigenvalues.

    It is the same for all supports, and a part of their exact scores.
    """
    if not field.redundant.any():
        return 0.0
    R, repeated = field.G / field.n, SCORE.repeated
    locked = np.flatnonzero(field.locked & (np.diagonal(R) > 0.0))
    kept = locked[~field.redundant[locked]]
    n_null = locked.size - kept.size
    values = np.linalg.eigvalsh(R[np.ix_(locked, locked)])[n_null:]
    alone = np.linalg.slogdet(R[np.ix_(kept, kept)])[1]
    soft = n_null * np.log(repeated / (1.0 + repeated))  # of eigenvalues that do not count
    return float(alone - np.sum(np.log(values)) - soft)


def entering_costs(
    rows: np.ndarray, members: np.ndarray, diagonal: np.ndarray, n: float, redundant: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what one column more adds to the cost of independent supports (C, K), (C, D).

    The second array, (C, D), says where only the eigenvalues can tell if a support is dependent.
    ``rows`` (C, K, D) are those of G, ``diagonal`` (D,) is that of G. A member may be a column of
    zeros, or ``redundant`` (D,): it does not count.
    """
    _, found, _, soft = _inverses(rows, members, diagonal, n, redundant)
    return _entered(found, soft)


def _correlations(rows: np.ndarray, members: np.ndarray, n: float) -> np.ndarray:
    """Return R_SS, (C, K, K), with one on the diagonal where a member is a column of zeros."""
    R = np.take_along_axis(rows, members[:, None, :], axis=2) / n
    own = np.einsum("ckk->ck", R)
    own[own == 0.0] = 1.0
    return R


def _inverse(R: np.ndarray, rows: np.ndarray, diagonal: np.ndarray, n: float) -> _Inverse:
    P = np.linalg.inv(R)
    U = P @ rows
    U /= n
    h = (diagonal - np.einsum("ckd,ckd->cd", rows, U)) / n
    return _Inverse(P, U, np.maximum(h, 0.0))


def _entered(found: _Inverse, soft: _Inverse) -> tuple[np.ndarray, np.ndarray]:
    """Return the costs of one column more, without those of the supports, and where in doubt."""
    more = 1.0 + np.einsum("ckd,ckd->cd", found.U, found.U)
    before = found.trace[:, None]
    trace = before + more / np.maximum(found.h, SCORE.least_pivot)
    costs, in_doubt = _costs(found.h, soft.h, trace, before)
    return costs - _alone(), in_doubt


def _costs(
    pivot: np.ndarray, soft: np.ndarray, trace: np.ndarray, before: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the costs from pivots, and where in doubt, by the inverse's trace after and before.

    Where the supports themselves are near the rule for rank, rounding of a pivot says nothing.
    """
    is_rounding = (pivot < SCORE.least_pivot) & (before <= SCORE.clear_trace)
    added = np.log(soft / np.maximum(pivot, SCORE.least_pivot))
    return np.where(is_rounding, np.inf, added), ~is_rounding & (trace > SCORE.clear_trace)


def is_dependent(field: Field, members: np.ndarray) -> bool:
    """Return whether the columns of one support, (K,), are dependent by the rule for rank."""
    if not members.size:
        return False
    values = np.linalg.eigvalsh(field.G[np.ix_(members, members)])
    n_dependent = int(np.sum(values <= SMALLEST_SHARE * values[-1]))
    return n_dependent > int(np.sum(field.redundant[members]))
