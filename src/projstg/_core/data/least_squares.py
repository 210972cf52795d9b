"""From scores to exactly K columns, and from columns to least squares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays.backend import Array, namespace, take_along, to_numpy
from .batch import Batch
from .determined_directions import (
    Spectrum,
    coefficients,
    lacks_digits,
    on_rows,
    spectrum,
    without_digits,
)
from .problem import Problem

__all__ = ["largest", "least_squares", "least_squares_of_each"]


def largest(score: Array, tie: Array, k: int) -> Array:
    """Return the k columns with the largest score, (B, k), sorted by index.

    Ties go to the larger ``tie``, then to the smaller index, so that there are always exactly k.
    """
    xp = namespace(score)
    by_tie = xp.argsort(-tie, axis=-1, stable=True)
    by_score = xp.argsort(-take_along(score, by_tie), axis=-1, stable=True)
    return xp.sort(take_along(by_tie, by_score)[:, :k], axis=-1)


def least_squares(problem: Problem, support: np.ndarray) -> np.ndarray:
    """Return the coefficients of least squares on the columns ``support``, (K,).

    Where the columns are dependent it is the solution of minimum norm.

    Examples
    --------
    >>> from projstg._core.data.standard_table import as_tables
    >>> X = np.random.default_rng(0).standard_normal((1, 20, 4))
    >>> tables = as_tables(X, 3.0 * X[..., 2] + 1.0)
    >>> support = np.asarray([1, 2])
    >>> beta, frame = least_squares(tables.problem(0), support), tables.frame(0)
    >>> coef = frame.coef(support, beta)
    >>> (coef.round(9) + 0.0).tolist(), float(frame.intercept(coef).round(9))
    ([0.0, 0.0, 3.0, 0.0], 1.0)
    """
    if not support.size:
        return np.zeros(0)
    G, b = problem.products(support), problem.b[support]
    beta, found = _solved(G[None], b[None], problem.yy)
    if without_digits(problem, found).size:
        beta = coefficients(on_rows(problem, support[None], found))
    return beta[0]


def least_squares_of_each(
    batch: Batch, supports: np.ndarray, problem: Callable[[int], Problem]
) -> np.ndarray:
    """Return what :func:`least_squares` returns for one support of each problem, (B, K).

    ``problem`` gives one of them, where a Gram matrix has too few digits.
    """
    if not supports.shape[1]:
        return np.zeros(supports.shape)
    few = batch.columns(namespace(batch.b).asarray(supports, device=batch.b.device))
    G, b, yy = (to_numpy(side) for side in (few.G, few.b, few.yy))
    beta, found = _solved(G, b, yy)
    for i in np.flatnonzero(lacks_digits(found, yy)).tolist():
        beta[i] = least_squares(problem(i), supports[i])
    return beta


def _solved(G: np.ndarray, b: np.ndarray, yy: np.ndarray | float) -> tuple[np.ndarray, Spectrum]:
    """Return the solutions of G β = b, (M, K), each corrected once, and the directions of G."""
    found = spectrum(G, b, yy)
    beta = coefficients(found)
    missing = b - (G @ beta[:, :, None])[:, :, 0]
    along = (missing[:, None, :] @ found.vectors)[:, 0, :]
    return beta + coefficients(found, along), found
