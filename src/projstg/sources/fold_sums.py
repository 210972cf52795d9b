"""Sums over rows, by fold: one :class:`CentredSums` for each fold, None for one without rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from .._core.data.centred_sums import CentredSums
from .._core.data.shared_sums import shared_sums
from .chunks import Chunk

__all__ = ["FoldSums", "are_numbers", "merged_folds", "squared_errors", "sums_by_fold", "together"]

FoldSums = list[CentredSums | None]


def sums_by_fold(chunk: Chunk, n_folds: int) -> FoldSums:
    """Return the sums of a chunk whose rows weigh something, by the part that each belongs to."""
    found: FoldSums = [None] * n_folds
    part = np.zeros(len(chunk.X), dtype=int) if chunk.part is None else chunk.part
    for i in np.unique(part).tolist():
        rows = chunk if chunk.part is None else chunk.some(part == i)
        found[i] = shared_sums(rows.X, rows.Y, rows.weights)
    return found


def are_numbers(parts: FoldSums) -> bool:
    """Return whether nothing has overflowed, and no number was missing."""
    return all(
        np.isfinite(field).all()
        for part in parts
        if part is not None
        for field in (part.n, part.G, part.b, part.yy, part.y_mean)
    )


def merged_folds(one: FoldSums, other: FoldSums) -> FoldSums:
    """Return the sums of both, fold by fold."""
    with np.errstate(over="ignore", invalid="ignore"):
        return [_merged(*pair) for pair in zip(one, other, strict=True)]


def _merged(one: CentredSums | None, other: CentredSums | None) -> CentredSums | None:
    if one is None or other is None:
        return other if one is None else one
    return one.merge(other)


def together(parts: Sequence[CentredSums | None]) -> CentredSums:
    """Return the sums of all folds."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = reduce(_merged, parts)
    if found is None:
        raise ValueError("there are no rows of a positive weight.")
    return found


def squared_errors(
    sums: CentredSums, coef: np.ndarray, intercept: float, mean: float | None
) -> tuple[float, float]:
    """Return Σ w (y − Xβ − β₀)² and Σ w (y − mean)² of the one response.

    ``mean`` is by default that of y on these rows.
    """
    n, y_mean, yy = (float(one[0]) for one in (sums.n, sums.y_mean, sums.yy))
    within = yy - 2.0 * float(sums.b[0] @ coef) + float(coef @ sums.G[0] @ coef)
    off = y_mean - float(sums.x_mean[0] @ coef) - intercept
    from_mean = 0.0 if mean is None else y_mean - mean
    return max(within, 0.0) + n * off * off, yy + n * from_mean * from_mean
