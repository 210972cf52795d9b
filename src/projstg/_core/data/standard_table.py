"""From tables to standardised problems: centred, weighted, scaled; through their sums or rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from ..arrays.backend import Array, namespace, to_numpy
from ..kernel import library
from ..kernel.twin import answered_by
from .batch import Batch, centred_rows
from .centred_sums import CentredSums
from .frame import Frame
from .problem import Problem
from .source_rows import BLOCK_ROWS, SourceRows
from .standardize import standardized
from .wide_problem import WideProblem

__all__ = ["ROUNDING", "StandardTables", "as_tables", "of_same_columns"]

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
class StandardTables:
    """B tables over the same columns, standardised: as a batch, and one by one as problems."""

    batch: Batch | None
    """None for a wide table, which is alone."""
    units: Frame
    """What leads back to the data, of B tables."""
    raw: tuple[Array, Array, Array | None] | None = None
    """X (B, N, D) as they came, what is left of y without its mean (B, N), and weights (B, N) or
    None. None where only sums are known, or the table is wide."""
    centre: bool = True
    """Whether the means were taken out."""
    few_rows: int | None = None
    """How many different rows are behind sums; None where they are many or not known."""
    wide: WideProblem | None = None

    def __len__(self) -> int:
        return int(self.units.y_scale.shape[0])

    @property
    def columns(self) -> np.ndarray:
        """The columns of the data that they have, (W,), in increasing order."""
        return self.units.columns

    @property
    def varies(self) -> np.ndarray:
        """Which columns vary, (B, W)."""
        return np.asarray(self._host_units.scale > 0.0)

    @property
    def size(self) -> int:
        """How many numbers a table has, in rows or, without rows, in sums."""
        height = self.problem(0).height if self.raw is None else int(self.raw[0].shape[1])
        return height * self.columns.size

    def problem(self, i: int) -> Problem:
        """Return table i as a problem, on the host."""
        return self._only if len(self) == 1 else self._problem(i)

    @cached_property
    def _only(self) -> Problem:
        return self._problem(0)

    def _problem(self, i: int) -> Problem:
        if self.batch is None:
            return self.wide  # type: ignore[return-value] # one of the two is there
        if self.raw is None:
            return self.batch.problem(i, few_rows=self.few_rows)
        X, y_left, weights = (None if one is None else one[i, ...] for one in self.raw)
        places = np.arange(self.columns.size)
        source = SourceRows(X, y_left, weights, self.centre, self.frame(i), places)
        return self.batch.problem(i, source=source)

    def frame(self, i: int) -> Frame:
        """Return what leads from problem i back to the data."""
        return self._host_units.problem(i)

    @cached_property
    def _host_units(self) -> Frame:
        return self.units.each(to_numpy)

    def some(self, chosen: np.ndarray) -> StandardTables:
        """Return the chosen tables, (P,)."""
        if chosen.size == len(self) and np.array_equal(chosen, np.arange(chosen.size)):
            return self
        xp = namespace(self.units.scale)
        places = xp.asarray(chosen, device=self.units.scale.device)

        def own(field: Array | None) -> Array | None:
            return None if field is None else xp.take(field, places, axis=0)

        return replace(
            self,
            batch=None if self.batch is None else self.batch.problems(places),
            units=self.units.each(own),
            raw=None if self.raw is None else tuple(map(own, self.raw)),  # type: ignore[arg-type]
        )


def of_same_columns(
    first: StandardTables, remake: Callable[[np.ndarray, np.ndarray], StandardTables]
) -> list[tuple[np.ndarray, StandardTables]]:
    """Return tables without their constant columns, and their numbers, in groups of one shape.

    The first table is in the first group, and so on.

    ``remake`` makes tables again, with some columns: no bit of them depends on what is left out.
    Where nothing varies one column stays, for a table needs one.
    """
    varies = first.varies
    if varies.all():
        return [(np.arange(len(varies)), first)]
    masks, which = np.unique(varies, axis=0, return_inverse=True)
    groups = [(np.flatnonzero(which.ravel() == i), mask) for i, mask in enumerate(masks)]
    return [
        (members, remake(members, first.columns[mask] if mask.any() else first.columns[:1]))
        for members, mask in sorted(groups, key=lambda group: int(group[0][0]))
    ]


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
    columns: np.ndarray | None = None,
) -> StandardTables:
    """Return what :func:`as_tables` returns, by the compiled kernel."""
    used = np.arange(X.shape[-1]) if columns is None else columns
    (B, N), D = y.shape, used.size
    given, is_tall = np.ones(y.shape) if weights is None else weights, N >= D
    n = np.sum(given, axis=-1)
    b, squares, scale, x_mean = np.empty((4, B, D))
    (y_mean, y_scale), (target, y_left) = np.empty((2, B)), np.empty((2, B, N))
    # Tall tables one after another: their rows are needed for the sums alone.
    Z, G = np.empty((1 if is_tall else B, N, D)), np.empty((B if is_tall else 0, D, D))
    for own in [slice(i, i + 1) for i in range(B)] if is_tall else [slice(None)]:
        some = X[own] if columns is None else X[own][..., columns]
        unit: np.ndarray | None = None
        while True:
            sides = (np.require(one, np.float64, ["C", "A"]) for one in (some, y[own], given[own]))
            tables = library.RawTablesRecord.of(
                B=len(some),
                N=N,
                D=D,
                **dict(zip(("X", "y", "weights"), sides, strict=True)),
                totals=n[own],
                centre=centre,
                rounding=ROUNDING * _EPS,
                far=_LARGEST**_FAR,
                Z=Z,
                z=target[own],
                b=b[own],
                diagonal=squares[own],
                scale=scale[own],
                x_mean=x_mean[own],
                y_mean=y_mean[own],
                y_scale=y_scale[own],
                y_left=y_left[own],
            )
            if not library.KERNEL.projstg_standardize(tables):
                break
            # Columns out of range get units of their own.
            unit = _unit(some, given[own])
            some = some / unit[:, None, :]  # type: ignore[index] # some are far
        if unit is not None:
            scale[own] *= unit
            x_mean[own] *= unit
        if is_tall:
            np.matmul(Z[0].T, Z[0], out=G[own][0])
    dof = n - 1.0 if centre else n
    batch = Batch.of_rows(Z, target, n, dof, b, squares) if not is_tall else None
    if batch is None:
        batch = Batch.of_sums(G, b, np.sum(target * target, axis=-1), n, dof)
    units = Frame(X.shape[-1], used, scale, x_mean, y_mean, y_scale)
    return StandardTables(batch, units, (X, y_left, weights), centre)


@answered_by(_compiled, where=_is_for_kernel)
def as_tables(
    X: Array,
    y: Array,
    weights: Array | None = None,
    *,
    centre: bool = True,
    columns: np.ndarray | None = None,
) -> StandardTables:
    """Return the tables X (B, N, D), y (B, N): through sums if tall, through rows if wide.

    The columns are those of X at ``columns``, (W,), or all.
    """
    xp, used = namespace(X), np.arange(X.shape[-1]) if columns is None else columns
    left, mean = _without_mean(y, weights) if centre else (y, 0.0)
    y_scale, unit = _size(left, weights, centre), _unit(X, weights)
    places = None if columns is None else xp.asarray(columns, device=X.device)
    if unit is not None and places is not None:
        unit = xp.take(unit, places, axis=-1)

    def block(rows: slice) -> Array:
        """Return some of the rows, in C order for any layout of X."""
        some = X[:, rows, :] if places is None else xp.take(X[:, rows, :], places, axis=-1)
        some = some if unit is None else some / unit[:, None, :]
        return np.require(some, requirements=["C", "A"]) if xp is np else some

    response = left / y_scale[:, None]
    if y.shape[-1] < used.size:
        batch, x_mean, y_mean = centred_rows(block(slice(None)), response, weights, centre=centre)
    else:
        batch, x_mean, y_mean = _summed(block, response, weights, centre)
    rounding = ROUNDING * xp.finfo(X.dtype).eps * x_mean
    standard, scale = standardized(batch, rounding * rounding)
    if unit is not None:
        scale, x_mean = scale * unit, x_mean * unit
    units = Frame(X.shape[-1], used, scale, x_mean, y_mean * y_scale + mean, y_scale)
    return StandardTables(standard, units, (X, left, weights), centre)


def _summed(
    block: Callable[[slice], Array], y: Array, weights: Array | None, centre: bool
) -> tuple[Batch, Array, Array]:
    """Return what :func:`.batch.centred_rows` returns, through sums over blocks of rows of X."""

    def sums_from(first: int) -> CentredSums:
        rows = slice(first, min(first + BLOCK_ROWS, y.shape[-1]))
        some = None if weights is None else weights[:, rows]
        return CentredSums.from_rows(block(rows), y[:, rows], some)

    sums = reduce(CentredSums.merge, map(sums_from, range(0, y.shape[-1], BLOCK_ROWS)))
    own = sums if centre else sums.about_zero()
    batch = Batch.of_sums(own.G, own.b, own.yy, own.n, own.n - int(centre))
    return batch, own.x_mean, own.y_mean


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
