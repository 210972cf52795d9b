"""A table becomes a problem: centred, weighted, scaled, and tall or wide as suits it."""

from __future__ import annotations

from dataclasses import dataclass

from .backend import Array, namespace
from .statistics import Problem, RowQuadratic, Statistics, centred_rows, standardized

__all__ = ["Table", "as_table"]

# Rows go into the sums in blocks, so that a tall table is never copied whole.
_BLOCK_ROWS = 8192
# A constant column keeps only the rounding of its mean when that is taken out.
_ROUNDING = 16


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
        own = slice(i, i + 1)
        some = namespace(self.scale).asarray([i], device=self.scale.device)
        rest = (self.scale, self.x_mean, self.y_mean, self.y_scale)
        return Table(self.problem.problems(some), *(field[own] for field in rest))

    def in_units(self, coef: Array) -> Array:
        """Return coefficients (B, D) of standardised columns in the units of the data."""
        xp = namespace(coef)
        unit = xp.where(self.varies, self.scale, xp.ones_like(self.scale))
        unscaled = coef / unit * self.y_scale[:, None]
        return xp.where(self.varies, unscaled, xp.zeros_like(coef))

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
    xp = namespace(X)
    y_scale = _size(y, weights, centre)
    y = y / y_scale[:, None]
    problem: Problem
    x_mean, y_mean = xp.zeros_like(X[:, 0, :]), xp.zeros_like(y[:, 0])
    if X.shape[-2] >= X.shape[-1]:
        sums = _summed(X, y, weights)
        problem = sums.quadratic(centre=centre)
        x_mean, y_mean = (sums.x_mean, sums.y_mean) if centre else (x_mean, y_mean)
    elif centre:
        problem, x_mean, y_mean = centred_rows(X, y, weights)
    else:
        problem = RowQuadratic.from_rows(X, y, weights, centre=False)
    rounding = _ROUNDING * xp.finfo(X.dtype).eps * x_mean
    smallest = rounding * rounding
    if never is not None:
        smallest = xp.where(never, xp.full_like(smallest, xp.inf), smallest)
    problem, scale = standardized(problem, smallest)
    return Table(problem, scale, x_mean, y_mean * y_scale, y_scale)


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


def _summed(X: Array, y: Array, weights: Array | None) -> Statistics:
    def block(first: int) -> Statistics:
        rows = slice(first, min(first + _BLOCK_ROWS, X.shape[-2]))
        some = None if weights is None else weights[:, rows]
        return Statistics.from_rows(X[:, rows, :], y[:, rows], some)

    sums = block(0)
    for first in range(_BLOCK_ROWS, X.shape[-2], _BLOCK_ROWS):
        sums = sums.merge(block(first))
    return sums
