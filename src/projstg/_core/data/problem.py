"""A least-squares problem: what scores, searches and posteriors need of the data.

:class:`Problem` is all of it: rows of G = XᵀX on demand, its diagonal, b = Xᵀy, yᵀy, n. A
:class:`DenseProblem` has its rows or its sums in memory, a
:class:`~.wide_problem.WideProblem` has X as it came. Columns have mean square one
(:mod:`.standardize`), so no answer depends on a column's unit; one that is zero cannot be selected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..arrays.backend import Array, namespace
from .relevance import MANY_A_ROW, association, is_affordable, relevant_columns
from .source_rows import SourceRows

__all__ = ["DenseProblem", "Problem", "left_over", "mixed_rows"]


class Problem(Protocol):
    """‖y − Xβ‖² = yy − 2bᵀβ + βᵀGβ, rows centred and weighted already; all in NumPy, in double."""

    @property
    def n(self) -> float:
        """Σw: the number of rows where the weights are one."""

    @property
    def dof(self) -> float:
        """The degrees of freedom ν: n, less one if the means were taken out."""

    @property
    def b(self) -> np.ndarray:
        """Xᵀy, (D,)."""

    @property
    def yy(self) -> float:
        """yᵀy."""

    @property
    def diagonal(self) -> np.ndarray:
        """The squared norms of the columns, (D,)."""

    @property
    def X(self) -> np.ndarray | None:
        """The rows, (N, D), where they are in memory as the problem has them."""

    @property
    def y(self) -> np.ndarray | None:
        """(N,), with X."""

    @property
    def G(self) -> np.ndarray:
        """XᵀX, (D, D): for few columns."""

    @property
    def height(self) -> int:
        """The number of rows, or where only sums are known of columns, since G is as large."""

    @property
    def is_wide(self) -> bool:
        """Whether a pass over all columns is so expensive that nothing is made of all of them."""

    @property
    def promise(self) -> np.ndarray:
        """How much each column says about y, (D,), as far as that takes no pass over X."""

    @property
    def relevant(self) -> np.ndarray:
        """The columns that matter most beside the others, (V,), if they are known."""

    def left_by(self, supports: Sequence[np.ndarray]) -> np.ndarray:
        """Return Xᵀr for what least squares on each support, (K,), leaves of y, (S, D)."""

    @property
    def has_rows(self) -> bool:
        """Whether ``rows_of`` knows the rows, or only sums are known."""

    def rows(self, columns: np.ndarray) -> np.ndarray:
        """Return rows of G, (K, D)."""

    def row_blocks(self, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield places of columns and rows of G there, (K, W'), of ``columns`` (K,)."""

    def products(self, columns: np.ndarray) -> np.ndarray:
        """Return the inner products of some columns, (W,), in increasing order, (W, W)."""

    def products_of(self, supports: np.ndarray) -> np.ndarray:
        """Return those of the columns of each of some supports (S, K), (S, K, K)."""

    def subset(self, columns: np.ndarray) -> DenseProblem:
        """Return the problem of some columns, (W,), alone, in memory."""

    def rows_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X_S (M, W) and y (M,), where they are known, with the same inner products."""

    def has_more_rows(self, count: int) -> bool:
        """Return whether X has more than ``count`` different rows."""

    def without_source(self) -> Problem:
        """Return the same problem without the rows that it came from."""

    def owned(self) -> Problem:
        """Return the same problem with rows that nobody else can change, if it needs them."""


@dataclass(frozen=True, eq=False)
class DenseProblem:
    """A problem in memory, through its rows, or through its sums where rows are many."""

    b: np.ndarray
    yy: float
    n: float
    dof: float
    diagonal: np.ndarray
    X: np.ndarray | None = None
    y: np.ndarray | None = None
    sums: np.ndarray | None = None
    """XᵀX, where it need not be formed from X."""
    source: SourceRows | None = field(default=None, kw_only=True)
    """The rows as they came; None if they are not kept."""
    few_rows: int | None = field(default=None, kw_only=True)
    """At most so many different rows are behind the sums; None where they are many or not known."""
    is_mixed: bool = field(default=False, kw_only=True)
    """Whether no row is one of a table (:func:`mixed_rows`)."""

    is_wide = False

    @cached_property
    def promise(self) -> np.ndarray:
        """How much each column says about y, (D,): beside the others where rows are few."""
        if self.X is None or len(self.X) >= self.b.size or not is_affordable(self.X):
            return self.b**2 / np.where(self.diagonal > 0.0, self.diagonal, 1.0)
        return association(self.X, self.y)  # type: ignore[arg-type]

    @cached_property
    def relevant(self) -> np.ndarray:
        """The columns that matter most beside the others, (V,), where each row has many."""
        few = self.X is None or self.b.size <= MANY_A_ROW * len(self.X)
        if few or not is_affordable(self.X):  # type: ignore[arg-type]
            return np.empty(0, dtype=np.int64)
        return relevant_columns(self.X, self.y, self.promise)  # type: ignore[arg-type]

    @classmethod
    def of_rows(cls, X: np.ndarray, y: np.ndarray, n: float, dof: float) -> DenseProblem:
        """Return the problem of rows X (N, D), y (N,)."""
        return cls(y @ X, float(y @ y), n, dof, np.einsum("nd,nd->d", X, X), X, y)

    @classmethod
    def of_sums(cls, G: np.ndarray, b: np.ndarray, yy: float, n: float, dof: float) -> DenseProblem:
        """Return the problem of sums."""
        return cls(b, yy, n, dof, np.diagonal(G), sums=G)

    @cached_property
    def G(self) -> np.ndarray:
        """XᵀX, (D, D)."""
        return self.X.T @ self.X if self.sums is None else self.sums  # type: ignore[union-attr]

    @property
    def has_rows(self) -> bool:
        """Whether rows are at hand, or can be fetched."""
        return self.X is not None or self.source is not None

    @property
    def height(self) -> int:
        """The number of rows at hand; for sums that of the columns, since G is as large."""
        return self.b.size if self.X is None else len(self.X)

    def left_by(self, supports: Sequence[np.ndarray]) -> np.ndarray:
        """Return Xᵀr for what least squares on each support, (K,), leaves of y, (S, D)."""
        if self.X is None:
            fits = [np.linalg.lstsq(self.products(own), self.b[own])[0] for own in supports]
            explained = [beta @ self.rows(own) for own, beta in zip(supports, fits, strict=True)]
            return self.b - np.stack(explained)
        left = [left_over(self.X[:, own], self.y) for own in supports]  # type: ignore[arg-type]
        return np.stack(left) @ self.X

    def rows(self, columns: np.ndarray) -> np.ndarray:
        """Return rows of G, (K, D)."""
        return self.G[columns] if self.X is None else self.X[:, columns].T @ self.X

    def row_blocks(self, columns: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield all places, and the rows of G."""
        yield slice(0, self.b.size), self.rows(columns)

    def products(self, columns: np.ndarray) -> np.ndarray:
        """Return the inner products of some columns, (W,), in increasing order."""
        if self.X is None:
            return self.G[columns[:, None], columns]
        if columns.size == self.b.size:
            return self.G
        few = self.X[:, columns]
        return few.T @ few

    def products_of(self, supports: np.ndarray) -> np.ndarray:
        """Return the inner products of the columns of supports (S, K), (S, K, K)."""
        if self.X is None:
            return self.G[supports[:, :, None], supports[:, None, :]]
        columns = self.X.T[supports]
        return columns @ columns.swapaxes(-1, -2)

    def subset(self, columns: np.ndarray) -> DenseProblem:
        """Return the problem of some columns, (W,), alone."""
        source = None if self.source is None else self.source.among(columns)
        few = replace(self, b=self.b[columns], diagonal=self.diagonal[columns], source=source)
        if self.X is None:
            return replace(few, sums=self.products(columns))
        return replace(few, X=self.X[:, columns], sums=None)

    def rows_of(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return X_S and y, as the problem has them or as they came."""
        if self.X is None:
            return self.source.columns(columns)  # type: ignore[union-attr] # has_rows says so
        return self.X[:, columns], self.y  # type: ignore[return-value]

    def has_more_rows(self, count: int) -> bool:
        """Return whether X has more than ``count`` different rows."""
        if self.source is not None:
            return self.source.has_more_rows(count)
        return (self.n if self.few_rows is None else self.few_rows) > count

    def without_source(self) -> DenseProblem:
        """Return the same problem without the rows that it came from, and with no G beside X."""
        sums = self.sums if self.X is None else None
        return replace(self, source=None, sums=sums)

    def owned(self) -> DenseProblem:
        """Return the same problem; rows that it came from are copied, if it has no others."""
        if self.X is not None or self.source is None:
            return self.without_source()
        return replace(self, source=self.source.owned())

    @property
    def by_sums(self) -> DenseProblem:
        """The same problem through its sums alone."""
        return DenseProblem.of_sums(self.G, self.b, self.yy, self.n, self.dof)

    def without_rows(self) -> DenseProblem:
        """Return the same problem with other rows, or sums: only inner products are kept."""
        if self.is_mixed or (self.X is None and self.source is None):
            return self
        if self.X is None:
            return self.without_source()
        X, y = mixed_rows(self.X, self.y)
        return replace(self, X=X, y=y, sums=None, source=None, is_mixed=True)


def left_over(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return what least squares on X (N, K) leaves of y (N,)."""
    Q, _ = np.linalg.qr(X)
    return y - Q @ (y @ Q)


def mixed_rows(X: Array, y: Array) -> tuple[Array, Array]:
    """Return other rows than X (..., N, D), y (..., N), with the same inner products.

    Where X is wide, the triangle R of [X y] = QR takes less memory than G. Reflecting it
    (R − 2vvᵀR with v = 1/√m) changes no inner product, and mixes its rows.
    """
    xp = namespace(X)
    both = xp.concat([X, y[..., None]], axis=-1)
    R: Array = np.linalg.qr(both, mode="r") if xp is np else xp.linalg.qr(both).R
    R = R - 2.0 * xp.mean(R, axis=-2, keepdims=True)
    return xp.asarray(R[..., :-1], copy=True), xp.asarray(R[..., -1], copy=True)
