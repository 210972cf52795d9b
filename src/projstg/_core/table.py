"""A table becomes a problem: centred, weighted, scaled, and tall or wide as suits it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .backend import Array, clip, namespace, quiet
from .row_source import TableRows
from .statistics import Problem, RowQuadratic, Statistics, centred_rows, standardized

__all__ = ["Table", "as_table"]

# Rows go into the sums in blocks, so that a tall table is never copied whole.
_BLOCK_ROWS = 8192
# A constant column keeps only the rounding of its mean when that is taken out.
_ROUNDING = 16
# A standardised coefficient that is rounding.
_NOTHING = 1e-12
# Sums of squares stay within the range of floats for numbers up to this power of the largest one,
# and down to its inverse.
_FAR = 0.3


@dataclass(frozen=True, eq=False)
class Table:
    """A batch of standardised problems and the way back to the units of the data."""

    problem: Problem
    scale: Array
    """What each column was divided by, (B, D); zero for a column that does not vary."""
    x_mean: Array
    y_mean: Array
    y_scale: Array
    """What y was divided by, (B,): its root mean square, or one where that is zero."""

    @property
    def varies(self) -> Array:
        """The columns that can be selected, (B, D)."""
        return self.scale > 0.0

    def part(self, i: int) -> Table:
        """Return the i-th problem alone, a batch of one."""
        return self.restricted(np.asarray([i]), np.arange(self.scale.shape[-1]))

    def restricted(self, problems: np.ndarray, columns: np.ndarray) -> Table:
        """Return some of the problems, in some of their columns."""
        n_problems, n_columns = self.scale.shape
        xp, device = namespace(self.scale), self.scale.device
        problem, scale, x_mean = self.problem, self.scale, self.x_mean
        y_mean, y_scale = self.y_mean, self.y_scale
        if problems.size < n_problems:
            some = xp.asarray(problems, device=device)
            problem = problem.problems(some)
            scale, x_mean, y_mean, y_scale = (
                xp.take(field, some, axis=0) for field in (scale, x_mean, y_mean, y_scale)
            )
        if columns.size < n_columns:
            few = xp.asarray(columns, device=device)
            problem = problem.columns(xp.broadcast_to(few, (problems.size, columns.size)))
            scale, x_mean = (xp.take(field, few, axis=1) for field in (scale, x_mean))
        return Table(problem, scale, x_mean, y_mean, y_scale)

    def in_units(self, coef: Array) -> Array:
        """Return coefficients (B, D) of standardised columns in the units of the data.

        One that is too large or too small for a number in these units comes out infinite or NaN.
        """
        xp = namespace(coef)
        unit = xp.where(self.varies, self.scale, xp.ones_like(self.scale))
        with quiet():
            unscaled = coef / unit * self.y_scale[:, None]
        smallest = xp.finfo(coef.dtype).smallest_normal
        vanishes = (xp.abs(coef) > _NOTHING) & (xp.abs(unscaled) < smallest)
        unscaled = xp.where(vanishes, xp.full_like(coef, xp.nan), unscaled)
        return xp.where(self.varies, unscaled, xp.zeros_like(coef))

    def in_range(self, coef: Array) -> Array:
        """Return the same, the nearest number where there is none."""
        xp = namespace(coef)
        coef = self.in_units(coef)
        largest = float(xp.finfo(coef.dtype).max)
        return clip(xp.where(xp.isnan(coef), xp.zeros_like(coef), coef), -largest, largest)

    def intercept(self, coef: Array) -> Array:
        """Return what coefficients in the units of the data leave of the mean of y, (B,)."""
        return self.y_mean - namespace(coef).sum(self.x_mean * coef, axis=-1)


def as_table(
    X: Array,
    y: Array,
    weights: Array | None = None,
    *,
    centre: bool = True,
    never: Array | None = None,
) -> Table:
    """Return the problems of X (B, N, D), y (B, N): by Gram matrix if tall, X itself if wide.

    Columns ``never`` to be selected, a mask (D,), count as columns that do not vary.
    """
    y, constant = _without_constant(y, weights) if centre else (y, 0.0)
    y_scale, unit = _size(y, weights, centre), _unit(X, weights)
    problem, x_mean, y_mean = _problem(X, y / y_scale[:, None], weights, centre, unit)
    xp = namespace(X)
    rounding = _ROUNDING * xp.finfo(X.dtype).eps * x_mean
    smallest = rounding * rounding
    if never is not None:
        smallest = xp.where(never, xp.full_like(smallest, xp.inf), smallest)
    problem, scale = standardized(problem, smallest)
    if unit is not None:
        scale, x_mean = scale * unit, x_mean * unit
    rows = TableRows.of(X, y, weights, centre, scale, y_scale)
    return Table(problem.with_source(rows), scale, x_mean, y_mean * y_scale + constant, y_scale)


def _problem(
    X: Array, y: Array, weights: Array | None, centre: bool, unit: Array | None
) -> tuple[Problem, Array, Array]:
    """Return the problems of X in such units, and the means that were taken out."""
    xp = namespace(X)
    if X.shape[-2] >= X.shape[-1]:
        sums = _summed(X, y, weights, unit)
        if centre:
            return sums.quadratic(), sums.x_mean, sums.y_mean
        return sums.quadratic(centre=False), xp.zeros_like(sums.x_mean), xp.zeros_like(sums.y_mean)
    X = _in_units_of(X, unit)
    if centre:
        return centred_rows(X, y, weights)
    rows = RowQuadratic.from_rows(X, y, weights, centre=False)
    return rows, xp.zeros_like(X[:, 0, :]), xp.zeros_like(y[:, 0])


def _unit(X: Array, weights: Array | None) -> Array | None:
    """Return units of the columns, (B, D), in which squares neither overflow nor vanish.

    A unit is a power of two, so that no digit changes; None where all columns are in range as they
    are. Rows that weigh nothing do not count.
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


def _in_units_of(X: Array, unit: Array | None) -> Array:
    return X if unit is None else X / unit[:, None, :]


def _without_constant(y: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return y and what was taken out of it, (B,): all of it where it is constant but for rounding.

    Of what the mean leaves there only rounding would be fitted.
    """
    xp = namespace(y)
    counts = xp.ones_like(y, dtype=xp.bool) if weights is None else weights > 0.0
    high = xp.max(xp.where(counts, y, -xp.inf), axis=-1)
    low = xp.min(xp.where(counts, y, xp.inf), axis=-1)
    rounding = _ROUNDING * xp.finfo(y.dtype).eps * xp.abs(high)
    is_constant = high - low <= rounding
    constant = xp.where(is_constant, high, xp.zeros_like(high))
    return xp.where(is_constant[:, None], xp.zeros_like(y), y), constant


def _size(y: Array, weights: Array | None, centre: bool) -> Array:
    """Return the root mean square of y, (B,), one where it is zero; nothing over- or underflows."""
    xp = namespace(y)
    share = xp.ones_like(y) if weights is None else weights
    share = share / xp.sum(share, axis=-1, keepdims=True)
    if centre:
        y = y - xp.sum(share * y, axis=-1, keepdims=True)
    largest = xp.max(xp.abs(y), axis=-1, keepdims=True)
    largest = xp.where(largest > 0.0, largest, xp.ones_like(largest))
    size = largest[:, 0] * xp.sqrt(xp.sum(share * (y / largest) ** 2, axis=-1))
    return xp.where(size > 0.0, size, xp.ones_like(size))


def _summed(X: Array, y: Array, weights: Array | None, unit: Array | None) -> Statistics:
    def block(first: int) -> Statistics:
        rows = slice(first, min(first + _BLOCK_ROWS, X.shape[-2]))
        some = None if weights is None else weights[:, rows]
        return Statistics.from_rows(_in_units_of(X[:, rows, :], unit), y[:, rows], some)

    sums = block(0)
    for first in range(_BLOCK_ROWS, X.shape[-2], _BLOCK_ROWS):
        sums = sums.merge(block(first))
    return sums
