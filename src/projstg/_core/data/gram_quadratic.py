"""A least-squares problem through its Gram matrix, and where the rows behind it are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from ..arrays.backend import Array, diagonal, namespace, take_along, take_rows, to_numpy

__all__ = [
    "GramQuadratic",
    "RowSource",
    "RowsAt",
    "members_of_batch",
    "rows_at_indices",
    "source_among",
    "source_problems",
]


class RowSource(Protocol):
    """The rows that a problem came from, for what cannot be computed from its sums."""

    def columns(self, i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X (M, W) at columns ``indices`` and y (M,), with problem i's inner products."""

    def has_more_rows(self, i: int, count: int) -> bool:
        """Return whether X of problem i has more than ``count`` different rows."""

    def problems(self, chosen: np.ndarray) -> RowSource:
        """Return the rows of the chosen members of a batch."""

    def among(self, indices: np.ndarray) -> RowSource:
        """Return the rows of the problems of the columns ``indices`` (B, W) alone."""


RowsAt = Callable[[int, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class GramQuadratic:
    """A Gram matrix in memory: G (..., D, D), b (..., D), yy (...)."""

    G: Array
    b: Array
    yy: Array
    n: Array
    degrees_of_freedom: Array
    source: RowSource | None = field(default=None, kw_only=True)
    """Where the rows are; None if only sums are known."""
    few_rows: int | None = field(default=None, kw_only=True)
    """At most so many different rows are behind the sums; None where they are many or not known."""

    @property
    def diagonal(self) -> Array:
        """The squared norms of the columns."""
        return diagonal(self.G)

    @property
    def gram(self) -> GramQuadratic:
        """The problem through its Gram matrix: this one."""
        return self

    def rows(self, indices: Array) -> Array:
        """Return rows of G."""
        return rows_at_indices(self.G, indices)

    def columns(self, indices: Array) -> GramQuadratic:
        """Return the problem of the columns ``indices``, (..., W), alone."""
        places = namespace(self.G).broadcast_to(
            indices[..., None, :], (*indices.shape, indices.shape[-1])
        )
        G = take_along(self.rows(indices), places)
        b = take_along(self.b, indices)
        return replace(self, G=G, b=b, source=source_among(self.source, indices))

    def scaled(self, factor: Array) -> GramQuadratic:
        """Return the same problem with column d multiplied by factor_d."""
        G = self.G * factor[..., :, None] * factor[..., None, :]
        return replace(self, G=G, b=self.b * factor, source=None)

    def problems(self, chosen: Array) -> GramQuadratic:
        """Return the chosen members of a batch with one axis."""
        fields = (self.G, self.b, self.yy, self.n, self.degrees_of_freedom)
        some = (members_of_batch(one, chosen) for one in fields)
        source = source_problems(self.source, chosen)
        return GramQuadratic(*some, source=source, few_rows=self.few_rows)

    def with_source(self, source: RowSource | None) -> GramQuadratic:
        """Return the same problem, with the rows it came from, or without them."""
        return self if source is self.source else replace(self, source=source)

    def has_more_rows(self, count: int) -> bool:
        """Return whether the one problem has more than ``count`` different rows of X."""
        if self.source is not None:
            return self.source.has_more_rows(0, count)
        return (float(self.n[0]) if self.few_rows is None else self.few_rows) > count

    @property
    def rows_at(self) -> RowsAt | None:
        """A function to columns of X, and y; see :class:`Quadratic`."""
        return None if self.source is None else self.source.columns


def rows_at_indices(matrix: Array, indices: Array) -> Array:
    """Return rows of matrix (..., D, E) at integer indices (..., K), as (..., K, E).

    ``indices`` may have more batch axes than the matrix (many starts, one problem).
    """
    xp = namespace(matrix)
    batch = matrix.shape[:-2]
    if not batch:
        return take_rows(matrix, indices)
    size = matrix.shape[-2]
    n_problems = 1
    for length in batch:
        n_problems *= length
    offsets = xp.reshape(xp.arange(n_problems, device=matrix.device) * size, batch)
    extra = indices.ndim - len(batch)
    offsets = xp.reshape(offsets, (*batch, *(1,) * extra))
    return rows_at_indices(
        xp.reshape(matrix, (n_problems * size, matrix.shape[-1])), indices + offsets
    )


def source_among(source: RowSource | None, indices: Array) -> RowSource | None:
    """Return the rows of the columns ``indices`` alone, if there are any."""
    return None if source is None else source.among(to_numpy(indices))


def source_problems(source: RowSource | None, chosen: Array) -> RowSource | None:
    """Return the rows of the chosen problems, if there are any."""
    return None if source is None else source.problems(to_numpy(chosen))


def members_of_batch(field: Array, chosen: Array) -> Array:
    """Return the chosen members of a field (B, ...); a shared field (1, ...) is unchanged.

    Members that follow each other are not copied.
    """
    xp = namespace(field)
    if field.shape[0] == 1:
        return field
    first, last = (int(chosen[0]), int(chosen[-1])) if chosen.shape[0] else (0, 0)
    if xp is np and np.array_equal(chosen, np.arange(first, last + 1)):
        return field[first : last + 1]
    return xp.take(field, chosen, axis=0)
