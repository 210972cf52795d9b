"""From a table to a standardised problem: centred, weighted, scaled; Gram matrix or rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace
from ..kernel.twin import answered_by
from .centred_sums import CentredSums
from .compiled_table import StandardRows, standard_rows
from .kept_rows import BLOCK_ROWS, TableRows, chosen
from .quadratic import (
    GramQuadratic,
    Problem,
    RowQuadratic,
    SmallProblem,
    WideQuadratic,
    centred_rows,
)
from .standardize import standardized

__all__ = ["ROUNDING", "StandardTable", "as_table"]

ROUNDING = 16
"""A centred column whose root mean square is at most this many units in the last place of its mean
is constant: only the rounding of the mean is left."""
# Numbers up to this power of the largest float, and down to the inverse of that, can be squared and
# summed. The power is below 1/2, with room for the sum.
_FAR = 0.3
_EPS, _LARGEST = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).max)
# A tall table with more numbers than this (8 MB) is never copied whole.
_MOST_COPIED = 1_000_000


@dataclass(frozen=True, eq=False)
class StandardTable:
    """A batch of standardised problems, and what leads back to the units of the data."""

    problem: Problem
    scale: Array
    """What each column was divided by, (B, D); zero for a column that does not vary."""
    x_mean: Array
    """(B, D), zero without an intercept."""
    y_mean: Array
    """(B,), zero without an intercept."""
    y_scale: Array
    """What y less its mean was divided by, (B,): its root mean square, one where that is zero."""
    rows: TableRows | None
    """The rows it came from; None where only sums are known."""

    @property
    def varies(self) -> Array:
        """The columns that can be selected, (B, D)."""
        return self.scale > 0.0

    @property
    def size(self) -> int:
        """How many numbers the tables have, in rows or, without rows, in sums."""
        if isinstance(self.problem, WideQuadratic):
            return self.problem.n_rows * self.problem.b.shape[-1]
        if self.rows is None:
            return int(self.problem.gram.G.size)
        return int(self.rows.X.size)

    def part(self, i: int) -> StandardTable:
        """Return the i-th problem alone, a batch of one."""
        return self.restricted(np.asarray([i]), np.arange(self.scale.shape[-1]))

    def restricted(self, problems: np.ndarray, columns: np.ndarray) -> StandardTable:
        """Return problems (P,) in columns (W,); the same columns must vary in all of them.

        Where columns are left out it is made from the rows again: they change no bit of it.
        """
        if columns.size < self.scale.shape[-1] and self.rows is None:
            return self._among(columns).restricted(problems, np.arange(columns.size))
        if columns.size < self.scale.shape[-1]:
            return as_table(
                *self.rows.raw(problems),  # type: ignore[union-attr] # there are rows here
                centre=self.rows.centre,  # type: ignore[union-attr]
                never=~chosen(self.varies[problems[0], :], columns),
                columns=self.rows.used[columns],  # type: ignore[union-attr]
            )
        if problems.size == self.scale.shape[0]:
            return self
        scale, x_mean, y_mean, y_scale = (
            chosen(field, problems)
            for field in (self.scale, self.x_mean, self.y_mean, self.y_scale)
        )
        some = namespace(scale).asarray(problems, device=scale.device)
        rows = None if self.rows is None else self.rows.problems(problems)
        return StandardTable(self.problem.problems(some), scale, x_mean, y_mean, y_scale, rows)

    def _among(self, columns: np.ndarray) -> StandardTable:
        """Return the table of some columns, from its sums."""
        scale, x_mean = (field[:, columns] for field in (self.scale, self.x_mean))
        every = np.broadcast_to(columns, (len(scale), columns.size))
        if isinstance(self.problem, WideQuadratic):
            problem: Problem = self.problem.among(columns)
        else:
            problem = self.problem.columns(every)
        return StandardTable(problem, scale, x_mean, self.y_mean, self.y_scale, None)

    def owned(self) -> StandardTable:
        """Return the same table with a copy of the rows: nobody else can change them."""
        units = (self.scale, self.x_mean, self.y_mean, self.y_scale)
        if isinstance(self.problem, WideQuadratic):
            return StandardTable(self.problem.owned(), *units, None)
        if self.rows is None:
            return self
        rows = self.rows.owned()
        return StandardTable(self.problem.with_source(rows), *units, rows)

    def intercept(self, coef: Array) -> Array:
        """Return ȳ − x̄ᵀβ, (B,), for coefficients (B, D) in the units of the data."""
        return self.y_mean - namespace(coef).sum(self.x_mean * coef, axis=-1)


def _is_for_kernel(X: Array, y: Array, *_: Any, **__: Any) -> bool:
    """Return whether tables are in NumPy arrays of doubles, and small if all rows are copied."""
    is_double = isinstance(X, np.ndarray) and X.dtype == y.dtype == np.float64
    n_rows, n_columns = X.shape[-2:]
    return is_double and (n_rows < n_columns or n_rows * n_columns <= _MOST_COPIED)


def _compiled(
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    centre: bool = True,
    never: Array | None = None,
    columns: np.ndarray | None = None,
) -> StandardTable:
    """Return what :func:`as_table` returns, by the compiled kernel."""
    used = np.arange(X.shape[-1]) if columns is None else columns
    (B, N), D = y.shape, used.size
    is_tall = N >= D
    n = np.full(B, float(N)) if weights is None else np.sum(weights, axis=-1)
    nobody = np.zeros(D, dtype=bool)
    made, G = [], []
    # Tall tables one after another: their rows are needed for the sums alone.
    for own in [slice(i, i + 1) for i in range(B)] if is_tall else [slice(None)]:
        rows = _standard_rows(
            X[own] if columns is None else X[own][..., columns],
            y[own],
            None if weights is None else weights[own],
            n[own],
            nobody if never is None else never,
            centre,
        )
        made.append(rows._replace(X=rows.X[:0]) if is_tall else rows)
        G += [rows.X.swapaxes(-1, -2) @ rows.X] if is_tall else []
    found = made[0]
    if len(made) > 1:
        found = StandardRows(*(np.concatenate(fields) for fields in zip(*made, strict=True)))
    dof = n - 1.0 if centre else n
    units = (found.x_mean, found.scale, found.y_scale)
    source = TableRows.of(X, used, y, weights, centre, found.y_left, *units)
    problem: Problem
    if is_tall:
        yy, sums = np.sum(found.y * found.y, axis=-1), G[0] if B == 1 else np.concatenate(G)
        problem = GramQuadratic(sums, found.b, yy, n, dof, source=source)
    else:
        problem = RowQuadratic(found.X, found.y, n, dof, source=source)
        problem.__dict__.update(diagonal=found.diagonal, b=found.b)
    return StandardTable(problem, found.scale, found.x_mean, found.y_mean, found.y_scale, source)


def _standard_rows(
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None,
    n: np.ndarray,
    never: np.ndarray,
    centre: bool,
) -> StandardRows:
    """Return standardised rows; columns out of range get units of their own first."""
    given = np.ones_like(y) if weights is None else weights
    limits = {"rounding": ROUNDING * _EPS, "far": _LARGEST**_FAR}
    rows = standard_rows(X, y, given, n, never, centre=centre, **limits)
    if rows is not None:
        return rows
    unit = _unit(X, weights)
    in_range = X / unit[:, None, :]  # type: ignore[index] # some are far; others are divided by one
    rows = standard_rows(in_range, y, given, n, never, centre=centre, **limits)
    if rows is None:
        raise RuntimeError("columns are out of range in units of their own")
    return rows._replace(scale=rows.scale * unit, x_mean=rows.x_mean * unit)


@answered_by(_compiled, where=_is_for_kernel)
def as_table(
    X: Array,
    y: Array,
    weights: Array | None = None,
    *,
    centre: bool = True,
    never: Array | None = None,
    columns: np.ndarray | None = None,
) -> StandardTable:
    """Return the problems of X (B, N, D), y (B, N): by Gram matrix if tall, X itself if wide.

    The columns of the table are those of X at ``columns``, (W,), or all. Those ``never`` to be
    selected, a mask (W,), count as columns that do not vary.
    """
    xp = namespace(X)
    left, mean = _without_mean(y, weights) if centre else (y, 0.0)
    y_scale, unit = _size(left, weights, centre), _unit(X, weights)
    if unit is not None and columns is not None:
        unit = xp.take(unit, xp.asarray(columns, device=X.device), axis=-1)
    source = _Source(X, columns, unit)
    problem, x_mean, y_mean = _problem(source, left / y_scale[:, None], weights, centre)
    rounding = ROUNDING * xp.finfo(X.dtype).eps * x_mean
    smallest = rounding * rounding
    if never is not None:
        smallest = xp.where(never, xp.full_like(smallest, xp.inf), smallest)
    standard, scale = standardized(problem, smallest)
    if unit is not None:
        scale, x_mean = scale * unit, x_mean * unit
    used = np.arange(X.shape[-1]) if columns is None else columns
    rows = TableRows.of(X, used, y, weights, centre, left, x_mean, scale, y_scale)
    y_mean = y_mean * y_scale + mean
    return StandardTable(standard.with_source(rows), scale, x_mean, y_mean, y_scale, rows)


class _Source(NamedTuple):
    """Columns of X, and the unit that each is divided by."""

    X: Array
    columns: np.ndarray | None
    unit: Array | None

    def block(self, rows: slice) -> Array:
        """Return some of the rows, in C order for any layout of X."""
        xp = namespace(self.X)
        block = self.X[:, rows, :]
        if self.columns is not None:
            places = xp.asarray(self.columns, device=self.X.device)
            block = xp.take(block, places, axis=-1)
        if self.unit is not None:
            block = block / self.unit[:, None, :]
        return np.require(block, requirements=["C", "A"]) if xp is np else block


def _problem(
    source: _Source, y: Array, weights: Array | None, centre: bool
) -> tuple[SmallProblem, Array, Array]:
    """Return the problems, and the means that were taken out."""
    xp, n_rows = namespace(y), y.shape[-1]
    n_columns = source.X.shape[-1] if source.columns is None else source.columns.size
    if n_rows >= n_columns:
        sums = _summed(source, y, weights)
        if centre:
            return sums.quadratic(), sums.x_mean, sums.y_mean
        return sums.quadratic(centre=False), xp.zeros_like(sums.x_mean), xp.zeros_like(sums.y_mean)
    X = source.block(slice(0, n_rows))
    if centre:
        return centred_rows(X, y, weights)
    rows = RowQuadratic.from_rows(X, y, weights, centre=False)
    return rows, xp.zeros_like(X[:, 0, :]), xp.zeros_like(y[:, 0])


def _unit(X: Array, weights: Array | None) -> Array | None:
    """Return units of the columns, (B, D), in which squares neither overflow nor vanish.

    A unit is a power of two, so that no digit changes; None where all columns are in range as they
    are. Rows of weight zero do not count.
    """
    xp = namespace(X)
    if weights is None or xp.all(weights > 0.0):
        largest = xp.maximum(xp.max(X, axis=-2), -xp.min(X, axis=-2))
    else:
        weighs = (weights > 0.0)[..., None]
        largest = xp.max(xp.where(weighs, xp.abs(X), xp.zeros_like(X)), axis=-2)
    far = float(xp.finfo(X.dtype).max) ** _FAR
    is_far = (largest > 0.0) & ((largest > far) | (largest < 1.0 / far))
    if not xp.any(is_far):
        return None
    return 2.0 ** xp.floor(xp.log2(xp.where(is_far, largest, xp.ones_like(largest))))


def _without_mean(y: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return y less its mean, up to rounding, and what was taken out, (B,).

    The mean is subtracted before y is divided by anything: a y that varies little loses no digits.
    What is left is zero where y is constant up to rounding: rounding is not fitted.
    """
    xp = namespace(y)
    counts = xp.ones_like(y, dtype=xp.bool) if weights is None else weights > 0.0
    high = xp.max(xp.where(counts, y, -xp.inf), axis=-1)
    low = xp.min(xp.where(counts, y, xp.inf), axis=-1)
    rounding = ROUNDING * xp.finfo(y.dtype).eps * xp.abs(high)
    is_constant = high - low <= rounding
    mean = xp.where(is_constant, high, xp.sum(_share(y, weights) * y, axis=-1))
    return xp.where(is_constant[:, None], xp.zeros_like(y), y - mean[:, None]), mean


def _share(y: Array, weights: Array | None) -> Array:
    """Return the share of each row in the whole weight, (B, N)."""
    share = namespace(y).ones_like(y) if weights is None else weights
    return share / namespace(y).sum(share, axis=-1, keepdims=True)


def _size(y: Array, weights: Array | None, centre: bool) -> Array:
    """Return the root mean square of y, (B,), one where it is zero; nothing over- or underflows."""
    xp = namespace(y)
    share = _share(y, weights)
    if centre:
        y = y - xp.sum(share * y, axis=-1, keepdims=True)
    largest = xp.max(xp.abs(y), axis=-1, keepdims=True)
    largest = xp.where(largest > 0.0, largest, xp.ones_like(largest))
    size = largest[:, 0] * xp.sqrt(xp.sum(share * (y / largest) ** 2, axis=-1))
    return xp.where(size > 0.0, size, xp.ones_like(size))


def _summed(source: _Source, y: Array, weights: Array | None) -> CentredSums:
    n_rows = y.shape[-1]

    def block(first: int) -> CentredSums:
        rows = slice(first, min(first + BLOCK_ROWS, n_rows))
        some = None if weights is None else weights[:, rows]
        return CentredSums.from_rows(source.block(rows), y[:, rows], some)

    sums = block(0)
    for first in range(BLOCK_ROWS, n_rows, BLOCK_ROWS):
        sums = sums.merge(block(first))
    return sums
