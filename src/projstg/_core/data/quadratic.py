"""A least-squares problem: what gates, scores and searches need of the data.

:class:`Quadratic` is all that the search for a support needs of the data: rows of G = XᵀX on
demand, its diagonal, b = Xᵀy, yᵀy and n. :class:`GramQuadratic` has a Gram matrix in memory,
:class:`RowQuadratic` has X, standardised, and :class:`WideQuadratic` has X as it came. Everything
downstream gets columns of mean square one (:mod:`.standardize`), so no answer depends on a column's
unit. Gates are for the first two; of a wide problem some columns get them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from ..arrays.backend import Array, to_numpy
from .gram_quadratic import GramQuadratic, RowsAt, RowSource
from .row_quadratic import RowQuadratic, centred_rows
from .wide_quadratic import WideQuadratic

__all__ = [
    "GramQuadratic",
    "Problem",
    "Quadratic",
    "RowQuadratic",
    "RowSource",
    "SmallProblem",
    "WideQuadratic",
    "centred_rows",
    "in_memory",
    "is_double",
    "on_host",
    "without_rows",
]


class Quadratic(Protocol):
    """‖y − Xβ‖² = yy − 2bᵀβ + βᵀGβ as the search sees it; every field may have batch axes."""

    @property
    def n(self) -> Array:
        """Σw, shape (...): the number of rows where the weights are one."""

    @property
    def degrees_of_freedom(self) -> Array:
        """n, less one if the means were taken out, shape (...)."""

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

        None where only sums are known. X may have fewer rows, with the same inner products.
        """


SmallProblem = GramQuadratic | RowQuadratic
Problem = SmallProblem | WideQuadratic


def is_double(problem: Quadratic) -> bool:
    """Return whether problems are in NumPy arrays of doubles, as the compiled kernel takes them."""
    rows = problem.X if isinstance(problem, RowQuadratic) else problem.b
    is_known = isinstance(problem, (GramQuadratic, RowQuadratic))
    is_numpy = isinstance(rows, np.ndarray) and isinstance(problem.b, np.ndarray)
    return is_known and is_numpy and bool(rows.dtype == problem.b.dtype == np.float64)


def on_host(problem: Problem) -> Problem:
    """Return the problem in NumPy arrays, from any library and device."""
    if isinstance(problem, WideQuadratic) or isinstance(problem.n, np.ndarray):
        return problem
    if isinstance(problem, RowQuadratic):
        rows = (problem.X, problem.y, problem.n, problem.degrees_of_freedom)
        return RowQuadratic(*(to_numpy(one) for one in rows), source=problem.source)
    G, b, yy = (to_numpy(one) for one in (problem.G, problem.b, problem.yy))
    n, freedom = (to_numpy(one) for one in (problem.n, problem.degrees_of_freedom))
    return replace(problem, G=G, b=b, yy=yy, n=n, degrees_of_freedom=freedom)


def in_memory(problem: Problem) -> SmallProblem:
    """Return the problem, which must have its columns or its sums in memory."""
    if isinstance(problem, WideQuadratic):
        raise TypeError("a wide problem has X as it came; take some of its columns first")
    return problem


def without_rows(problem: Problem) -> Problem:
    """Return the same problem without its rows: only inner products of columns and y are kept.

    A Gram matrix has nothing else.
    """
    if isinstance(problem, GramQuadratic):
        return problem.with_source(None)
    rows = in_memory(problem)
    return rows if rows.is_mixed else rows.mixed  # type: ignore[union-attr] # no Gram matrix here
