"""A least-squares problem through its rows; its Gram matrix is formed only on demand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays.backend import Array, namespace, take_along, to_numpy
from .gram_quadratic import (
    GramQuadratic,
    RowsAt,
    RowSource,
    members_of_batch,
    rows_at_indices,
    source_among,
    source_problems,
)

__all__ = ["RowQuadratic", "centred_rows"]


@dataclass(frozen=True, eq=False)
class RowQuadratic:
    """The rows themselves: X (..., N, D) and y (..., N), centred and weighted already."""

    X: Array
    y: Array
    n: Array
    degrees_of_freedom: Array
    source: RowSource | None = field(default=None, kw_only=True)
    """The rows as they came; None if they are not kept."""
    is_mixed: bool = field(default=False, kw_only=True)
    """Whether no row is one of the table: see :attr:`mixed`."""

    @classmethod
    def from_rows(
        cls, X: Array, y: Array, weights: Array | None = None, *, centre: bool = True
    ) -> RowQuadratic:
        """Return the problem of these rows, each taken ``weights`` times."""
        if centre:
            return centred_rows(X, y, weights)[0]
        n = _total(y, weights)
        return cls(*_times_root(X, y, weights), n, n)

    @cached_property
    def b(self) -> Array:
        """Xᵀy."""
        xp = namespace(self.X)
        return (xp.matrix_transpose(self.X) @ self.y[..., None])[..., 0]

    @cached_property
    def yy(self) -> Array:
        """yᵀy."""
        return namespace(self.y).sum(self.y * self.y, axis=-1)

    @cached_property
    def diagonal(self) -> Array:
        """The squared norms of the columns."""
        xp = namespace(self.X)
        if xp is np:
            return np.einsum("...nd,...nd->...d", self.X, self.X)  # no copy of X is made
        return xp.sum(self.X * self.X, axis=-2)

    def rows(self, indices: Array) -> Array:
        """Return rows of G = XᵀX, one product with X for the columns of ``indices``."""
        xp = namespace(self.X)
        columns = rows_at_indices(xp.matrix_transpose(self.X), indices)
        batch, extra = self.X.shape[:-2], indices.ndim - self.X.ndim + 1
        return columns @ xp.reshape(self.X, (*batch, *(1,) * extra, *self.X.shape[-2:]))

    @cached_property
    def gram(self) -> GramQuadratic:
        """The same problem through its Gram matrix."""
        G = namespace(self.X).matrix_transpose(self.X) @ self.X
        return GramQuadratic(G, self.b, self.yy, self.n, self.degrees_of_freedom)

    @cached_property
    def mixed(self) -> RowQuadratic:
        """The same problem with other rows: only inner products of columns and y are kept.

        Where X is wide, the triangle R of [X y] = QR takes less memory than G. Reflecting it
        (R − 2vvᵀR with v = 1/√m) changes no inner product, and mixes its rows.
        """
        xp = namespace(self.X)
        both = xp.concat([self.X, self.y[..., None]], axis=-1)
        R: Array = np.linalg.qr(both, mode="r") if xp is np else xp.linalg.qr(both).R
        R = R - 2.0 * xp.mean(R, axis=-2, keepdims=True)
        X, y = (xp.asarray(one, copy=True) for one in (R[..., :-1], R[..., -1]))
        return RowQuadratic(X, y, self.n, self.degrees_of_freedom, is_mixed=True)

    def columns(self, indices: Array) -> RowQuadratic:
        """Return the problem of the columns ``indices``, (..., W), alone."""
        xp = namespace(self.X)
        X = xp.matrix_transpose(rows_at_indices(xp.matrix_transpose(self.X), indices))
        source = source_among(self.source, indices)
        few = RowQuadratic(X, self.y, self.n, self.degrees_of_freedom, source=source)
        known = {name: take_along(getattr(self, name), indices) for name in ("b", "diagonal")}
        few.__dict__.update(known)
        return few

    def scaled(self, factor: Array) -> RowQuadratic:
        """Return the same problem with column d multiplied by factor_d."""
        X = self.X * factor[..., None, :]
        scaled = RowQuadratic(X, self.y, self.n, self.degrees_of_freedom)
        # A pass over X is expensive where D is large: what is known already is kept.
        scaled.__dict__.update(diagonal=self.diagonal * factor * factor, b=self.b * factor)
        return scaled

    def problems(self, chosen: Array) -> RowQuadratic:
        """Return the chosen members of a batch with one axis."""
        fields = (self.X, self.y, self.n, self.degrees_of_freedom)
        source = source_problems(self.source, chosen)
        some = RowQuadratic(*(members_of_batch(one, chosen) for one in fields), source=source)
        known = {name: members_of_batch(getattr(self, name), chosen) for name in ("b", "diagonal")}
        some.__dict__.update(known)
        return some

    def with_source(self, source: RowSource | None) -> RowQuadratic:
        """Return the same problem, with the rows as they came, or without them."""
        if source is self.source:
            return self
        rows = (self.X, self.y, self.n, self.degrees_of_freedom)
        same = RowQuadratic(*rows, source=source, is_mixed=self.is_mixed)
        same.__dict__.update(diagonal=self.diagonal, b=self.b)
        return same

    def has_more_rows(self, count: int) -> bool:
        """Return whether the one problem has more than ``count`` different rows of X."""
        if self.source is not None:
            return self.source.has_more_rows(0, count)
        return float(self.n[0]) > count

    @property
    def rows_at(self) -> RowsAt:
        """A function to columns of X, and y; see :class:`Quadratic`."""

        def columns(i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            xp = namespace(self.X)
            X = self.X[min(i, self.X.shape[0] - 1), ...]  # all problems may share one X
            few = xp.take(X, xp.asarray(indices, device=X.device), axis=-1)
            return to_numpy(few), to_numpy(self.y[i, ...])

        return columns


def centred_rows(
    X: Array, y: Array, weights: Array | None = None
) -> tuple[RowQuadratic, Array, Array]:
    """Return the problem of the centred rows, and the means x̄ (..., D) and ȳ (...)."""
    n = _total(y, weights)
    x_mean, y_mean = _mean(X, weights, n), _mean(y[..., None], weights, n)[..., 0]
    X, y = X - x_mean[..., None, :], y - y_mean[..., None]
    # Centred twice, because the first mean is rounded: a constant column becomes zero.
    rest = _mean(X, weights, n)
    X -= rest[..., None, :]
    return RowQuadratic(*_times_root(X, y, weights), n, n - 1), x_mean + rest, y_mean


def _total(y: Array, weights: Array | None) -> Array:
    xp = namespace(y)
    if weights is not None:
        return xp.sum(weights, axis=-1)
    return xp.full(y.shape[:-1], float(y.shape[-1]), dtype=y.dtype, device=y.device)


def _mean(X: Array, weights: Array | None, n: Array) -> Array:
    xp = namespace(X)
    if weights is None:
        return xp.mean(X, axis=-2)
    return xp.sum(X * weights[..., None], axis=-2) / n[..., None]


def _times_root(X: Array, y: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return the rows times the roots of their weights."""
    if weights is None:
        return X, y
    root = namespace(X).sqrt(weights)
    return X * root[..., None], y * root
