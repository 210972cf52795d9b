"""Facts about the target that hold for every row: its values, and how closely columns follow it.

A few rows drawn at random do not do: they may miss the one row that makes it another table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["MOST_VALUES", "TargetValues", "correlations", "value_counts"]

MOST_VALUES = 10
"""So many distinct values are kept. Class codes have few values, and counts of up to ten things may
be meant as amounts."""
# A block of so many numbers stays in the cache (256 KB); smaller ones cost more calls.
_BLOCK_NUMBERS = 2**15
# Squares below this have lost digits.
_TINY = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)


class TargetValues(NamedTuple):
    """The values that the target has."""

    least: float
    most: float
    counts: dict[float, int] | None
    """Rows of each value, at most :data:`MOST_VALUES` of them; None where there are more."""


def value_counts(y: np.ndarray, known: dict[float, int] | None) -> dict[float, int] | None:
    """Return how many rows have each value, with those known before; None for too many values.

    Examples
    --------
    >>> import numpy as np
    >>> some = value_counts(np.array([2.0, 0.0, 2.0]), {})
    >>> value_counts(np.array([1.0]), some)
    {0.0: 1, 2.0: 2, 1.0: 1}
    >>> value_counts(np.arange(11.0), some) is None
    True
    """
    for first in range(0, len(y), _BLOCK_NUMBERS):
        if known is None:
            break
        values, counts = np.unique(y[first : first + _BLOCK_NUMBERS], return_counts=True)
        few = dict(zip(values[: MOST_VALUES + 1].tolist(), counts.tolist(), strict=False))
        known = known | {value: known.get(value, 0) + count for value, count in few.items()}
        known = known if len(known) <= MOST_VALUES else None
    return known


def correlations(X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the correlation of each column (N, D) with y (N,), which varies; 0 of a constant.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 4.0])
    >>> correlations(np.column_stack([3.0 - y, y**2]), y, None).round(3).tolist()
    [-1.0, 0.99]
    """
    shares = np.full(len(y), 1.0 / len(y)) if weights is None else weights / weights.sum()
    y = y / np.max(np.abs(y))
    y = y - shares @ y
    squares, products = _moments(X, y, shares)
    if not np.all((squares > _TINY) & np.isfinite(squares)):  # in units far from those of the rest
        sizes = np.max(np.abs(X), axis=0)
        squares, products = _moments(X / np.where(sizes > 0.0, sizes, 1.0), y, shares)
    lengths = np.sqrt(squares) * np.sqrt(shares @ y**2)
    return np.divide(products, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _moments(X: np.ndarray, y: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means of squares of the columns about their means, and of their products with y."""
    means, weighted = shares @ X, shares * y
    squares, products = np.zeros_like(means), np.zeros_like(means)
    n_rows = max(_BLOCK_NUMBERS // X.shape[1], 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, len(X), n_rows):
            rows = slice(first, first + n_rows)
            block = X[rows] - means
            products += weighted[rows] @ block
            block *= block
            squares += shares[rows] @ block
    return squares, products
