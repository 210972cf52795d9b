"""A least-squares problem, as everything after it sees one.

:class:`Quadratic` is all that the search for a support asks of the data: rows of G = XᵀX on
demand, its diagonal, b = Xᵀy, yᵀy and n. :class:`GramQuadratic` answers from a Gram matrix in
memory, :class:`RowQuadratic` from X itself without ever forming G. Everything downstream sees
columns of mean square one (:func:`standardized`), so no answer depends on a column's unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..arrays.backend import Array, diagonal, namespace, take_along, take_rows, to_numpy

__all__ = [
    "GramQuadratic",
    "Problem",
    "Quadratic",
    "RowQuadratic",
    "RowSource",
    "centred_rows",
    "on_host",
    "standardized",
]


class RowSource(Protocol):
    """The rows that a problem was made of, for what its sums do not carry."""

    def columns(self, i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return columns ``indices`` (W,) of problem i and y, with the problem's inner products."""

    def has_more_rows(self, i: int, count: int) -> bool:
        """Return whether problem i has more than ``count`` different rows."""

    def problems(self, chosen: np.ndarray) -> RowSource:
        """Return the rows of the chosen members of a batch."""

    def among(self, indices: np.ndarray) -> RowSource:
        """Return the rows of the problems of the columns ``indices`` (B, W) alone."""


RowsAt = Callable[[int, np.ndarray], tuple[np.ndarray, np.ndarray]]


class Quadratic(Protocol):
    """‖y − Xβ‖² = yy − 2bᵀβ + βᵀGβ as the search sees it; every field may have batch axes."""

    @property
    def n(self) -> Array:
        """Σw, shape (...): the number of rows where the weights are one."""

    @property
    def degrees_of_freedom(self) -> Array:
        """n, less one if the means were taken out."""

    @property
    def b(self) -> Array:
        """Xᵀy, shape (..., D)."""

    @property
    def yy(self) -> Array:
        """yᵀy, shape (...)."""

    @property
    def diagonal(self) -> Array:
        """The squared norms of the columns, shape (..., D)."""

    def rows(self, indices: Array) -> Array:
        """Return rows of G, (..., K, D), for integer indices (..., K)."""

    def problems(self, chosen: Array) -> Quadratic:
        """Return the chosen members of a batch with one axis."""

    @property
    def rows_at(self) -> RowsAt | None:
        """A function of problem i and columns S, (K,), to X_S (N, K) and y (N,) in NumPy.

        None where only sums are at hand.
        """


@dataclass(frozen=True, eq=False)
class GramQuadratic:
    """A Gram matrix in memory: G (..., D, D), b (..., D), yy (...)."""

    G: Array
    b: Array
    yy: Array
    n: Array
    degrees_of_freedom: Array
    source: RowSource | None = field(default=None, kw_only=True)
    """Where the rows are, if they are at hand."""

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
        return _taken(self.G, indices)

    def columns(self, indices: Array) -> GramQuadratic:
        """Return the problem of the columns ``indices``, (..., W), alone."""
        places = namespace(self.G).broadcast_to(
            indices[..., None, :], (*indices.shape, indices.shape[-1])
        )
        G = take_along(self.rows(indices), places)
        b = take_along(self.b, indices)
        source = _among(self.source, indices)
        return GramQuadratic(G, b, self.yy, self.n, self.degrees_of_freedom, source=source)

    def scaled(self, factor: Array) -> GramQuadratic:
        """Return the same problem with column d multiplied by factor_d."""
        G = self.G * factor[..., :, None] * factor[..., None, :]
        return GramQuadratic(G, self.b * factor, self.yy, self.n, self.degrees_of_freedom)

    def problems(self, chosen: Array) -> GramQuadratic:
        """Return the chosen members of a batch with one axis."""
        fields = (self.G, self.b, self.yy, self.n, self.degrees_of_freedom)
        source = _problems(self.source, chosen)
        return GramQuadratic(*(_member(one, chosen) for one in fields), source=source)

    def with_source(self, source: RowSource) -> GramQuadratic:
        """Return the same problem, with its rows at hand."""
        return replace(self, source=source)

    @property
    def rows_at(self) -> RowsAt | None:
        """Where the columns of a support are; see :class:`Quadratic`."""
        return None if self.source is None else self.source.columns


@dataclass(frozen=True, eq=False)
class RowQuadratic:
    """The rows themselves: X (..., N, D) and y (..., N), centred and weighted already."""

    X: Array
    y: Array
    n: Array
    degrees_of_freedom: Array
    source: RowSource | None = field(default=None, kw_only=True)
    """The rows as they came, if they are at hand."""

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
        """Return rows of G = XᵀX, one product with X for the columns asked for."""
        xp = namespace(self.X)
        columns = _taken(xp.matrix_transpose(self.X), indices)
        batch, extra = self.X.shape[:-2], indices.ndim - self.X.ndim + 1
        return columns @ xp.reshape(self.X, (*batch, *(1,) * extra, *self.X.shape[-2:]))

    @cached_property
    def gram(self) -> GramQuadratic:
        """The same problem through its Gram matrix."""
        G = namespace(self.X).matrix_transpose(self.X) @ self.X
        return GramQuadratic(G, self.b, self.yy, self.n, self.degrees_of_freedom)

    def columns(self, indices: Array) -> RowQuadratic:
        """Return the problem of the columns ``indices``, (..., W), alone."""
        xp = namespace(self.X)
        X = xp.matrix_transpose(_taken(xp.matrix_transpose(self.X), indices))
        source = _among(self.source, indices)
        few = RowQuadratic(X, self.y, self.n, self.degrees_of_freedom, source=source)
        known = {name: take_along(getattr(self, name), indices) for name in ("b", "diagonal")}
        few.__dict__.update(known)
        return few

    def scaled(self, factor: Array) -> RowQuadratic:
        """Return the same problem with column d multiplied by factor_d."""
        X = self.X * factor[..., None, :]
        scaled = RowQuadratic(X, self.y, self.n, self.degrees_of_freedom)
        # A pass over X is dear where D is large; what is known already is carried over.
        scaled.__dict__.update(diagonal=self.diagonal * factor * factor, b=self.b * factor)
        return scaled

    def problems(self, chosen: Array) -> RowQuadratic:
        """Return the chosen members of a batch with one axis."""
        fields = (self.X, self.y, self.n, self.degrees_of_freedom)
        source = _problems(self.source, chosen)
        some = RowQuadratic(*(_member(one, chosen) for one in fields), source=source)
        known = {name: _member(getattr(self, name), chosen) for name in ("b", "diagonal")}
        some.__dict__.update(known)
        return some

    def with_source(self, source: RowSource) -> RowQuadratic:
        """Return the same problem, with its rows as they came at hand."""
        same = replace(self, source=source)
        same.__dict__.update(diagonal=self.diagonal, b=self.b)
        return same

    @property
    def rows_at(self) -> RowsAt:
        """Where the columns of a support are; see :class:`Quadratic`."""

        def columns(i: int, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            xp = namespace(self.X)
            X = self.X[min(i, self.X.shape[0] - 1), ...]  # all problems may share one X
            few = xp.take(X, xp.asarray(indices, device=X.device), axis=-1)
            return to_numpy(few), to_numpy(self.y[i, ...])

        return columns


Problem = GramQuadratic | RowQuadratic


def on_host(problem: Problem) -> Problem:
    """Return the problem in NumPy arrays, whatever library and device it is on."""
    if isinstance(problem.n, np.ndarray):
        return problem
    if isinstance(problem, RowQuadratic):
        rows = (problem.X, problem.y, problem.n, problem.degrees_of_freedom)
        return RowQuadratic(*(to_numpy(one) for one in rows), source=problem.source)
    sums = (problem.G, problem.b, problem.yy, problem.n, problem.degrees_of_freedom)
    return GramQuadratic(*(to_numpy(one) for one in sums), source=problem.source)


def standardized(quadratic: Problem, tolerance: Array | float = 0.0) -> tuple[Problem, Array]:
    """Return the problem with columns of mean square one, and the scale divided out, (..., D).

    A column whose mean square is not above ``tolerance`` is all rounding: it becomes exactly zero
    and its scale is reported as zero.
    """
    xp = namespace(quadratic.b)
    mean_square = quadratic.diagonal / xp.asarray(quadratic.n)[..., None]
    varies = mean_square > tolerance
    scale = xp.sqrt(xp.where(varies, mean_square, xp.zeros_like(mean_square)))
    factor = xp.where(varies, 1.0 / xp.where(varies, scale, xp.ones_like(scale)), scale)
    return quadratic.scaled(factor), scale


def centred_rows(
    X: Array, y: Array, weights: Array | None = None
) -> tuple[RowQuadratic, Array, Array]:
    """Return the rows about their means, and the means x̄ (..., D) and ȳ (...)."""
    n = _total(y, weights)
    x_mean, y_mean = _mean(X, weights, n), _mean(y[..., None], weights, n)[..., 0]
    X, y = X - x_mean[..., None, :], y - y_mean[..., None]
    # A second time, for the rounding of the first: a constant column becomes zero.
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


def _taken(matrix: Array, indices: Array) -> Array:
    """Return rows of matrix (..., D, E) at integer indices (..., K), as (..., K, E).

    The batch axes of indices may go beyond those of the matrix (many starts, one problem).
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
    return _taken(xp.reshape(matrix, (-1, matrix.shape[-1])), indices + offsets)


def _among(source: RowSource | None, indices: Array) -> RowSource | None:
    return None if source is None else source.among(to_numpy(indices))


def _problems(source: RowSource | None, chosen: Array) -> RowSource | None:
    return None if source is None else source.problems(to_numpy(chosen))


def _member(field: Array, chosen: Array) -> Array:
    """Return the chosen members of a field; one that all problems share stays as it is."""
    xp = namespace(field)
    return field if field.shape[0] == 1 else xp.take(field, chosen, axis=0)
