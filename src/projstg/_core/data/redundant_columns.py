"""Forced columns that depend on other forced columns: they say nothing that those do not."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpstrf

from .determined_directions import spectrum
from .problem import Problem

__all__ = ["redundant_columns", "redundant_forced"]


def redundant_columns(G: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return which of ``columns``, an index array, to leave out to make them independent, (D,).

    How many is what the rule for rank says of G (D, D) at these columns; which ones is decided by
    pivots, the smallest last. The other columns span the same.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((20, 4))
    >>> X[:, 3] = 2.0 * X[:, 1]
    >>> redundant_columns(X.T @ X, np.asarray([0, 1, 3])).tolist()
    [False, True, False, False]
    """
    mask = np.zeros(len(G), dtype=bool)
    if columns.size < 2:
        return mask
    few = G[np.ix_(columns, columns)]
    found = spectrum(few, np.zeros(columns.size), 0.0)
    n_dependent = int(np.sum(found.values == 0.0))
    if n_dependent:
        _, order, _, _ = dpstrf(few, tol=0.0)
        mask[columns[order[-n_dependent:] - 1]] = True
    return mask


def redundant_forced(problem: Problem, always: np.ndarray) -> int:
    """Return how many columns of a mask (D,) depend on others of it."""
    forced = np.flatnonzero(always)
    if forced.size < 2:
        return 0
    return int(redundant_columns(problem.products(forced), np.arange(forced.size)).sum())
