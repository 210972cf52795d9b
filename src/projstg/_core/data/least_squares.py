"""From scores to exactly K columns, and from columns to least squares."""

from __future__ import annotations

import numpy as np

from ..arrays.backend import Array, namespace, take_along, to_numpy
from .determined_directions import Spectrum, coefficients, on_rows, spectrum, without_digits
from .quadratic import Quadratic, WideQuadratic

__all__ = ["as_mask", "largest", "least_squares", "spread"]


def largest(score: Array, tie: Array, k: int) -> Array:
    """Return the k columns with the largest score, (B, k), sorted by index.

    Ties go to the larger ``tie``, then to the smaller index, so that there are always exactly k.
    """
    xp = namespace(score)
    by_tie = xp.argsort(-tie, axis=-1, stable=True)
    by_score = xp.argsort(-take_along(score, by_tie), axis=-1, stable=True)
    return xp.sort(take_along(by_tie, by_score)[:, :k], axis=-1)


def as_mask(support: Array, counts: Array, n_features: int) -> Array:
    """Return a mask (B, D) of the columns ``support`` (B, k) where ``counts`` (B, k) is true."""
    xp = namespace(support)
    if xp is np:
        mask = np.zeros((len(support), n_features), dtype=bool)
        mask[_places(support, counts)] = True
        return mask
    columns = xp.arange(n_features, device=support.device)
    return xp.any((support[:, :, None] == columns) & counts[:, :, None], axis=1)


def _places(support: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the entries of ``support`` (B, k) that count."""
    which, at = np.nonzero(counts)
    return which, support[which, at]


def spread(values: Array, support: Array, n_features: int) -> Array:
    """Return values (B, k) at their places among D columns, (B, D), zero elsewhere."""
    xp = namespace(values)
    if xp is np:
        whole = np.zeros((len(values), n_features), dtype=values.dtype)
        places = _places(support, support >= 0)
        whole[places] = values[support >= 0]
        return whole
    columns = xp.arange(n_features, device=support.device)
    places = xp.astype(support[:, :, None] == columns, values.dtype)
    return xp.sum(values[:, :, None] * places, axis=1)


def least_squares(problem: Quadratic, support: Array, counts: Array) -> Array:
    """Return the coefficients of least squares on the columns ``support``, (B, k).

    Where the columns are dependent it is the solution of minimum norm. Where ``counts``, (B, k), is
    false the column is left out and its coefficient is zero: supports of several sizes fit in one
    array.
    """
    xp = namespace(problem.b)
    k = support.shape[-1]
    if k == 0:
        return xp.zeros_like(problem.b)[:, :0]
    if isinstance(problem, WideQuadratic):
        problem, support = problem.columns(support), np.arange(k)[None]
    used = xp.astype(counts, problem.b.dtype)
    G = take_along(problem.rows(support), xp.broadcast_to(support[:, None, :], (*support.shape, k)))
    G = G * used[:, :, None] * used[:, None, :]
    b = take_along(problem.b, support) * used
    found = spectrum(G, b, problem.yy)
    beta = coefficients(found)
    missing = b - (G @ beta[:, :, None])[:, :, 0]
    beta = beta + coefficients(found, (missing[:, None, :] @ found.vectors)[:, 0, :])
    return used * _on_rows(problem, support, counts, found, beta)


def _on_rows(
    problem: Quadratic, support: Array, counts: Array, found: Spectrum, beta: Array
) -> Array:
    """Return ``beta``, computed again from the rows where the Gram matrix has too few digits."""
    host, which = Spectrum(*(to_numpy(field) for field in found)), np.arange(support.shape[0])
    is_new = np.isin(which, without_digits(problem, which, host))
    if not is_new.any():
        return beta
    exact = on_rows(problem, which, to_numpy(support), host, to_numpy(counts))
    xp = namespace(beta)
    new, is_new = (xp.asarray(one, device=beta.device) for one in (coefficients(exact), is_new))
    return xp.where(is_new[:, None], xp.astype(new, beta.dtype), beta)
