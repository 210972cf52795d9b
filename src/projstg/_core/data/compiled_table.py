"""Standardised rows by the compiled kernel, for tables in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernel import library

__all__ = ["StandardRows", "standard_rows"]


class StandardRows(NamedTuple):
    """Tables with columns of mean square one, and what leads back to the data."""

    X: np.ndarray
    """(B, N, D)."""
    y: np.ndarray
    """(B, N)."""
    b: np.ndarray
    """Xᵀy, (B, D)."""
    diagonal: np.ndarray
    """The squared norms of the columns, (B, D)."""
    scale: np.ndarray
    """What each column was divided by, (B, D); zero for a column that became zero."""
    x_mean: np.ndarray
    """(B, D)."""
    y_mean: np.ndarray
    """(B,)."""
    y_scale: np.ndarray
    """What y less its mean was divided by, (B,)."""
    y_left: np.ndarray
    """y less its mean, (B, N)."""


def standard_rows(
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    n: np.ndarray,
    never: np.ndarray,
    *,
    centre: bool,
    rounding: float,
    far: float,
) -> StandardRows | None:
    """Return the tables X (B, N, D), y (B, N), or None where squares may be out of range.

    ``weights`` are (B, N), n (B,) is what they add up to.

    A mean square that is not above the square of ``rounding`` times the mean is that of a constant
    column; those of ``never``, (D,), count as constant. Numbers between ``far`` and its inverse are
    in range.
    """
    arrays = (np.require(one, np.float64, ["C", "A"]) for one in (X, y, weights, n))
    X, y, weights, n = arrays
    never = np.require(never, np.bool_, ["C", "A"])
    B, N, D = X.shape
    if not (y.shape == weights.shape == (B, N) and n.shape == (B,) and never.shape == (D,)):
        raise ValueError("shapes do not match")
    shapes = ((B, N, D), (B, N), *((B, D),) * 4, (B,), (B,), (B, N))
    found = StandardRows(*(np.empty(shape) for shape in shapes))
    tables = library.RawTablesRecord.of(
        B=B,
        N=N,
        D=D,
        X=X,
        y=y,
        weights=weights,
        totals=n,
        centre=centre,
        never=never,
        rounding=rounding,
        far=far,
        Z=found.X,
        z=found.y,
        b=found.b,
        diagonal=found.diagonal,
        scale=found.scale,
        x_mean=found.x_mean,
        y_mean=found.y_mean,
        y_scale=found.y_scale,
        y_left=found.y_left,
    )
    return None if library.KERNEL.projstg_standardize(tables) else found
