"""Least squares on chosen columns, in the units of the data."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.backend import Array, namespace, take_along
from .least_squares import as_mask, largest, least_squares, spread
from .original_units import in_units
from .standard_table import StandardTable

__all__ = ["Refit", "columns_of", "refit", "refit_mask"]


class Refit(NamedTuple):
    """The chosen columns of each table of a batch, and least squares on them."""

    support: Array
    """A mask, (B, D)."""
    coef: Array
    """(B, D), zero outside the support."""
    intercept: Array
    """(B,)."""


def refit(table: StandardTable, support: Array, counts: Array) -> Refit:
    """Return least squares on the columns ``support`` (B, k) that ``counts`` (B, k) says count.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.standard_table import as_table
    >>> X = np.random.default_rng(0).standard_normal((1, 20, 4))
    >>> columns = np.asarray([[1, 2]])
    >>> found = refit(as_table(X, 3.0 * X[..., 2] + 1.0), columns, columns >= 0)
    >>> bool(np.allclose(found.coef, [[0.0, 0.0, 3.0, 0.0]])), found.intercept.round(9)
    (True, array([1.]))
    """
    n_features = table.scale.shape[-1]
    beta = least_squares(table.problem, support, counts)
    coef = in_units(spread(beta, support, n_features), table.scale, table.y_scale)
    return Refit(as_mask(support, counts, n_features), coef, table.intercept(coef))


def refit_mask(table: StandardTable, mask: Array) -> Refit:
    """Return least squares on the columns of ``mask``, (B, D)."""
    return refit(table, *columns_of(mask, table.scale.dtype))


def columns_of(mask: Array, dtype: object) -> tuple[Array, Array]:
    """Return the columns of a mask (B, D) as indices (B, k) and which of these count, (B, k)."""
    xp = namespace(mask)
    first = xp.astype(mask, dtype)
    widest = int(xp.max(xp.sum(xp.astype(mask, xp.int64), axis=-1)))
    support = largest(first, xp.zeros_like(first), widest)
    return support, take_along(mask, support)
