"""Many least-squares problems of one shape, side by side: what gates and pursuits are fitted to.

Arrays may be of any library, on any device. A batch has rows, where these are at hand (mostly where
they are fewer than the columns), or sums; with rows the Gram matrices are formed only on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays.backend import Array, diagonal, namespace, take_along, take_rows, to_numpy
from .problem import DenseProblem, Problem, mixed_rows

__all__ = ["Batch", "centred_rows"]


@dataclass(frozen=True, eq=False)
class Batch:
    """‖y − Xβ‖² = yy − 2bᵀβ + βᵀGβ for each of B problems, rows centred and weighted already."""

    b: Array
    """Xᵀy, (B, D)."""
    yy: Array
    """yᵀy, (B,)."""
    n: Array
    """Σw, (B,): the number of rows where the weights are one."""
    dof: Array
    """n, less one if the means were taken out, (B,)."""
    diagonal: Array
    """The squared norms of the columns, (B, D)."""
    X: Array | None
    """(B, N, D); None where only sums are known."""
    y: Array | None
    """(B, N), or None."""
    sums: Array | None
    """XᵀX, (B, D, D); None where there are rows to form it from."""
    is_mixed: bool = False
    """Whether no row is one of a table (:func:`.problem.mixed_rows`)."""

    @classmethod
    def of_rows(
        cls,
        X: Array,
        y: Array,
        n: Array,
        dof: Array,
        b: Array | None = None,
        diagonal: Array | None = None,
    ) -> Batch:
        """Return the problems of rows; b and the squared norms are computed unless given."""
        xp = namespace(X)
        if b is None:
            b = (xp.matrix_transpose(X) @ y[..., None])[..., 0]
        if diagonal is None and xp is np:
            diagonal = np.einsum("bnd,bnd->bd", X, X)  # no copy of X is made
        elif diagonal is None:
            diagonal = xp.sum(X * X, axis=-2)
        return cls(b, xp.sum(y * y, axis=-1), n, dof, diagonal, X, y, None)

    @classmethod
    def of_sums(cls, G: Array, b: Array, yy: Array, n: Array, dof: Array) -> Batch:
        """Return the problems of sums."""
        return cls(b, yy, n, dof, diagonal(G), None, None, G)

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Batch:
        """Return problems of one shape as a batch; that of one problem copies nothing."""
        first = problems[0]
        n, dof, yy = (np.asarray([getattr(p, name) for p in problems]) for name in _NUMBERS)
        b, squares = _stacked([p.b for p in problems]), _stacked([p.diagonal for p in problems])
        if first.X is None:
            return cls(b, yy, n, dof, squares, None, None, _stacked([p.G for p in problems]))
        rows: list[Any] = [p.X for p in problems]
        targets: list[Any] = [p.y for p in problems]
        return cls(b, yy, n, dof, squares, _stacked(rows), _stacked(targets), None)

    def problem(self, i: int, **known: Any) -> DenseProblem:
        """Return problem i alone, on the host, with what else is ``known`` of it."""
        n, dof, yy = (float(getattr(self, name)[i]) for name in _NUMBERS)
        formed = self.__dict__.get("G", self.sums)
        b, squares, X, y, sums = (
            None if field is None else to_numpy(field[i, ...])
            for field in (self.b, self.diagonal, self.X, self.y, formed)
        )
        sides = (b, yy, n, dof, squares, X, y, sums)
        return DenseProblem(*sides, is_mixed=self.is_mixed, **known)  # type: ignore[arg-type]

    @cached_property
    def G(self) -> Array:
        """XᵀX, (B, D, D)."""
        if self.sums is not None or self.X is None:
            return self.sums
        return namespace(self.X).matrix_transpose(self.X) @ self.X

    def without_products(self) -> Batch:
        """Return the same without Gram matrices that were formed from rows: they take memory."""
        return replace(self)

    @property
    def by_sums(self) -> Batch:
        """The same problems without rows."""
        return self if self.X is None else replace(self, X=None, y=None, sums=self.G)

    @property
    def is_double(self) -> bool:
        """Whether arrays are NumPy's, of doubles, as the compiled kernel takes them."""
        return isinstance(self.b, np.ndarray) and self.b.dtype == np.float64

    @property
    def smaller_side(self) -> int:
        """The number of columns, or of rows where they are fewer and at hand."""
        n_columns = int(self.b.shape[-1])
        return n_columns if self.X is None else min(int(self.X.shape[-2]), n_columns)

    def without_rows(self) -> Batch:
        """Return the same problems with other rows: only inner products are kept."""
        if self.X is None or self.is_mixed:
            return self
        X, y = mixed_rows(self.X, self.y)
        return replace(self, X=X, y=y, is_mixed=True)

    def rows(self, indices: Array) -> Array:
        """Return rows of G, (B, K, D), for integer indices (B, K)."""
        if self.X is None:
            return _rows_at(self.G, indices)
        return _rows_at(namespace(self.X).matrix_transpose(self.X), indices) @ self.X

    def columns(self, indices: Array) -> Batch:
        """Return the problems of the columns ``indices``, (B, W), alone."""
        xp = namespace(self.b)
        b, squares = take_along(self.b, indices), take_along(self.diagonal, indices)
        if self.X is None:
            places = xp.broadcast_to(indices[:, None, :], (*indices.shape, indices.shape[-1]))
            sums = take_along(self.rows(indices), places)
            return replace(self, b=b, diagonal=squares, sums=sums)
        X = xp.matrix_transpose(_rows_at(xp.matrix_transpose(self.X), indices))
        return replace(self, b=b, diagonal=squares, X=X)

    def scaled(self, factor: Array) -> Batch:
        """Return the same problems with column d multiplied by factor_d, (B, D)."""
        b, squares = self.b * factor, self.diagonal * factor * factor
        if self.X is None:
            G = self.G * factor[:, :, None] * factor[:, None, :]
            return replace(self, b=b, diagonal=squares, sums=G)
        return replace(self, b=b, diagonal=squares, X=self.X * factor[:, None, :])

    def problems(self, chosen: Array) -> Batch:
        """Return the chosen problems, (P,); those that follow each other are not copied."""
        xp = namespace(self.b)
        first, last, is_slice = 0, 0, False
        if xp is np and chosen.size:
            first, last = int(chosen[0]), int(chosen[-1])
            is_slice = np.array_equal(chosen, np.arange(first, last + 1))

        def some(field: Array) -> Array:
            return field[first : last + 1] if is_slice else xp.take(field, chosen, axis=0)

        return self.each(some)

    def each(self, function: Callable[[Array], Array]) -> Batch:
        """Return the batch with a function of each of its arrays."""
        names = ("b", "yy", "n", "dof", "diagonal", "X", "y", "sums")
        fields: dict[str, Any] = {name: getattr(self, name) for name in names}
        changed = {name: function(one) for name, one in fields.items() if one is not None}
        return replace(self, **changed)


_NUMBERS = ("n", "dof", "yy")


def _stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0][None] if len(arrays) == 1 else np.stack(arrays)


def _rows_at(matrix: Array, indices: Array) -> Array:
    """Return rows of matrix (B, D, E) at integer indices (B, K), as (B, K, E)."""
    xp = namespace(matrix)
    n_problems, size, width = matrix.shape
    if xp is np:
        return matrix[np.arange(n_problems)[:, None], indices]
    offsets = xp.arange(n_problems, device=matrix.device)[:, None] * size
    return take_rows(xp.reshape(matrix, (n_problems * size, width)), indices + offsets)


def centred_rows(
    X: Array, y: Array, weights: Array | None = None, *, centre: bool = True
) -> tuple[Batch, Array, Array]:
    """Return the problems of rows X (B, N, D), y (B, N), each taken ``weights`` (B, N) times.

    Also the means x̄ (B, D) and ȳ (B,), which were taken out if ``centre`` says so, or zeros.
    """
    xp = namespace(X)
    n_rows = xp.full(y.shape[:-1], float(y.shape[-1]), dtype=y.dtype, device=y.device)
    n = n_rows if weights is None else xp.sum(weights, axis=-1)
    x_mean, y_mean = xp.zeros_like(X[:, 0, :]), xp.zeros_like(y[:, 0])
    if centre:
        x_mean, y_mean = _mean(X, weights, n), _mean(y[..., None], weights, n)[..., 0]
        X, y = X - x_mean[..., None, :], y - y_mean[..., None]
        # Centred twice, because the first mean is rounded: a constant column becomes zero.
        rest = _mean(X, weights, n)
        X -= rest[..., None, :]
        x_mean = x_mean + rest
    if weights is not None:
        root = xp.sqrt(weights)
        X, y = X * root[..., None], y * root
    return Batch.of_rows(X, y, n, n - 1 if centre else n), x_mean, y_mean


def _mean(X: Array, weights: Array | None, n: Array) -> Array:
    xp = namespace(X)
    if weights is None:
        return xp.mean(X, axis=-2)
    return xp.sum(X * weights[..., None], axis=-2) / n[..., None]
