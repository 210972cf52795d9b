r"""What dilution adds to the scores of all supports one column away: exchanged, added, left out.

A support has the prior |R_SS|^½ (:mod:`.criterion`), R being the correlations of the columns. With
P = R_SS⁻¹, U = P R_S· and h_j = 1 − R_jS U_·j, the determinant changes by these factors, *pivots*:

    j enters: h_j,     i leaves: P_ii,     i is exchanged for j: h_j P_ii + U_ij².

It is the tableau of R without a ridge and without y (:mod:`.tableau`). A pivot is what is left of a
column's square when the other members are taken out. Where it is rounding the columns are
dependent, and the prior is zero. The rule for rank is about eigenvalues, and a pivot may be up to K
times the smallest; so near that rule the eigenvalues themselves decide (:func:`is_dependent`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import SMALLEST_SHARE
from .tableau import Field

__all__ = ["Pivots", "dilutions", "entering_pivots", "is_dependent", "pivots"]

# A pivot below the first is rounding of R; above the second no eigenvalue is below the rule for
# rank. Between them only eigenvalues can tell.
_ROUNDING = 1e-13
_CLEAR = 1e-9


class Pivots(NamedTuple):
    """The factors by which |R_SS| changes around C independent supports."""

    now: np.ndarray
    """log |R_SS| itself, (C,)."""
    exchanged: np.ndarray
    """(C, K, D)."""
    added: np.ndarray
    """(C, D)."""
    left_out: np.ndarray
    """(C, K)."""


def pivots(field: Field, problem: np.ndarray, members: np.ndarray) -> Pivots:
    """Return the pivots around independent supports ``members`` (C, K) of ``problem`` (C,)."""
    n = field.n[problem]
    rows = field.G[problem[:, None], members]
    if field.redundant.any():
        rows = rows * ~field.redundant[problem][:, None, :]
        rows = rows * ~field.redundant[problem[:, None], members][..., None]
    R = _correlations(rows, members, n)
    diagonal = np.diagonal(field.G, axis1=1, axis2=2)[problem]
    P, U, h = _inverse(R, rows, diagonal, n)
    p = np.diagonal(P, axis1=1, axis2=2)
    exchanged = h[:, None, :] * p[..., None] + U * U
    return Pivots(np.linalg.slogdet(R)[1], exchanged, h, p)


def entering_pivots(
    rows: np.ndarray, members: np.ndarray, diagonal: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """Return the pivots of all columns that may enter independent supports (C, K), (C, D).

    ``rows`` (C, K, D) are those of G, ``diagonal`` (C, D) is that of G, and n is (C,). A member may
    be a column of zeros: it does not count.
    """
    return _inverse(_correlations(rows, members, n), rows, diagonal, n)[2]


def _correlations(rows: np.ndarray, members: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return R_SS, (C, K, K), with one on the diagonal where a member is a column of zeros."""
    R = np.take_along_axis(rows, members[:, None, :], axis=2) / n[:, None, None]
    own = np.einsum("ckk->ck", R)
    own[own == 0.0] = 1.0
    return R


def _inverse(
    R: np.ndarray, rows: np.ndarray, diagonal: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return P, U and h."""
    P = np.linalg.inv(R)
    U = P @ rows
    U /= n[:, None, None]
    h = (diagonal - np.einsum("ckd,ckd->cd", rows, U)) / n[:, None]
    return P, U, np.maximum(h, 0.0)


def dilutions(pivot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return −log of pivots, infinite where they are rounding, and which of them are not clear."""
    is_rounding = pivot < _ROUNDING
    added = -np.log(np.where(is_rounding, 1.0, pivot))
    return np.where(is_rounding, np.inf, added), ~is_rounding & (pivot < _CLEAR)


def is_dependent(field: Field, problem: int, members: np.ndarray) -> bool:
    """Return whether the columns of one support, (K,), are dependent by the rule for rank."""
    if not members.size:
        return False
    values = np.linalg.eigvalsh(field.G[problem][np.ix_(members, members)])
    n_dependent = int(np.sum(values <= SMALLEST_SHARE * values[-1]))
    return n_dependent > int(np.sum(field.redundant[problem, members]))
