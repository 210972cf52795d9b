r"""Columns added one at a time, from rows of G on demand: one algorithm, three rules.

A pursuit is a pivoted Cholesky factorisation of G that stops early. For every column two numbers
are kept: e, its inner product with the residual, and h, the squared norm that the columns taken so
far have left of it. Taking column j updates both. The rules differ only in which j they take:

* :func:`largest_gain`: the largest e_j²/h_j, which is what j lowers the residual sum of squares by
  (forward selection);
* :func:`largest_correlation`: the largest e_j²/‖x_j‖², the correlation with columns of unit norm
  (orthogonal matching pursuit);
* :class:`SoftmaxCorrelation`: a column at random, with probability

  .. math:: p_j \propto \exp\left( \frac{e_j^2}{2 T \|x_j\|^2} \right)

  (randomised orthogonal matching pursuit, Elad and Yavneh 2009); T → 0 is the second rule.

Columns with nothing left are never taken. Many runs of one problem go side by side, each
with its own factor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, clip, namespace, quiet, take_along
from ..data.batch import Batch
from ..kernel import library
from ..kernel.twin import answered_by

__all__ = [
    "Candidates",
    "ForwardPath",
    "Pursuits",
    "SoftmaxCorrelation",
    "correlation_tolerance",
    "forward_selection",
    "gain_tolerance",
    "largest_correlation",
    "largest_gain",
    "matching_pursuits",
    "pursued_columns",
]

# A column with at most this many units in the last place of its squared norm left is rounding.
_ROUNDING = 64
# The largest gain prefers columns with much left; other rules may take one with little, and then
# rounding grows. For them a column is dependent sooner: below 4e-11 of its squared norm in float64.
_DEPENDENT = 2.0 / 3.0


class Candidates(NamedTuple):
    """What a rule may look at, for each run of each problem: arrays (B·R, D)."""

    correlation: Array
    """xᵀr with the residual r."""
    left: Array
    """The squared norm left by the columns taken; infinite for a column that cannot be taken."""
    norm: Array
    """The squared norm of the column itself, one if that is zero."""

    @property
    def score(self) -> Array:
        """(xᵀr)²/‖x‖², and −∞ for a column that cannot be taken."""
        xp = namespace(self.left)
        score = self.correlation * self.correlation / self.norm
        return xp.where(self.left < xp.inf, score, -xp.inf)


Rule = Callable[[int, Candidates], Array]
"""From the number of columns taken and the candidates to the next column of each run, (B·R, 1)."""


def largest_gain(step: int, candidates: Candidates) -> Array:
    """Return the column that lowers the residual most, (B·R, 1)."""
    xp = namespace(candidates.left)
    gain = candidates.correlation * candidates.correlation / candidates.left
    return xp.argmax(gain, axis=-1, keepdims=True)


def largest_correlation(step: int, candidates: Candidates) -> Array:
    """Return the column most correlated with the residual, in any unit, (B·R, 1)."""
    return namespace(candidates.left).argmax(candidates.score, axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class SoftmaxCorrelation:
    """A rule that draws a column: the more correlated with the residual, the likelier.

    One uniform number for each step decides, through the cumulated probabilities. Exponents are
    taken relative to the largest, so that none overflows at any temperature.
    """

    temperature: Array
    """T of each run, (B·R, 1), from 0 to infinity, in the units of yᵀy."""
    draws: Array
    """Uniform numbers in [0, 1), (B·R, K)."""

    def __call__(self, step: int, candidates: Candidates) -> Array:
        """Return the first column at which the cumulated probability is above the draw."""
        xp = namespace(self.draws)
        score = candidates.score
        largest = clip(xp.max(score, axis=-1, keepdims=True), low=0.0)
        twice = clip(2.0 * self.temperature, low=xp.finfo(score.dtype).smallest_normal)
        with quiet():  # far below the largest the exponent is −∞, which is right
            score -= largest
            score /= twice
            total = xp.cumulative_sum(xp.exp(score), axis=-1)
        is_above = total > self.draws[:, step : step + 1] * total[:, -1:]
        return xp.argmax(xp.astype(is_above, xp.int8), axis=-1, keepdims=True)


class ForwardPath(NamedTuple):
    """The columns in the order they came in, and the residual after each, (..., K) both."""

    order: Array
    rss: Array


def forward_selection(problem: Batch, n_steps: int) -> ForwardPath:
    """Return the path of ``n_steps`` columns for each problem of a batch with one leading axis.

    Where no column has anything left the residual does not change any more.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.batch import centred_rows
    >>> X, y = np.eye(4)[None, :, :3], np.array([[1.0, 3.0, 2.0, 0.5]])
    >>> forward_selection(centred_rows(X, y, centre=False)[0], 2)
    ForwardPath(order=array([[1, 2]]), rss=array([[5.25, 1.25]]))
    """
    xp = namespace(problem.b)
    if n_steps == 0:
        return ForwardPath(xp.astype(problem.b[:, :0], xp.int64), problem.b[:, :0])
    tolerance = gain_tolerance(xp.finfo(problem.b.dtype).eps)
    path = _pursued(problem, n_steps, 1, largest_gain, tolerance)
    taken = xp.cumulative_sum(path.projection * path.projection, axis=-1)
    return ForwardPath(path.order, clip(problem.yy[:, None] - taken, low=0.0))


class Pursuits(NamedTuple):
    """What each run of each problem took, (B·R, K)."""

    order: Array
    """The columns in the order they came in."""
    counts: Array
    """Whether a column came in: False from the step on at which none had anything left."""
    coef: Array
    """Least squares of y on the columns of the run, zero where none came in."""


def matching_pursuits(problem: Batch, n_steps: int, n_runs: int, rule: Rule) -> Pursuits:
    """Return R = ``n_runs`` pursuits of K = ``n_steps`` ≥ 1 columns for each of B problems.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.batch import centred_rows
    >>> X, y = np.eye(4)[None, :, :3], np.array([[1.0, 3.0, 2.0, 0.5]])
    >>> problem = centred_rows(X, y, centre=False)[0]
    >>> found = matching_pursuits(problem, 2, 1, largest_correlation)
    >>> found.order.tolist(), found.coef.tolist()
    ([[1, 2]], [[3.0, 2.0]])
    """
    path = _pursued(problem, n_steps, n_runs, rule, _tolerance(problem))
    factor = _at(path.found, path.order)
    return Pursuits(path.order, path.counts, _solved(factor, path.projection, path.counts))


def pursued_columns(problem: Batch, n_steps: int) -> tuple[Array, Array]:
    """Return the columns of one pursuit by correlation, (B, K), and which of them came in."""
    path = _pursued(problem, n_steps, 1, largest_correlation, _tolerance(problem))
    return path.order, path.counts


def gain_tolerance(eps: float) -> float:
    """Return the share of its squared norm that a column must have left, by the largest gain."""
    return _ROUNDING * float(eps)


def correlation_tolerance(eps: float) -> float:
    """Return the same for the other rules."""
    return float(eps) ** _DEPENDENT


def _tolerance(problem: Batch) -> float:
    return correlation_tolerance(namespace(problem.b).finfo(problem.b.dtype).eps)


class _Path(NamedTuple):
    """The factorisation: row s of ``found`` (B·R, K, D) belongs to the s-th column taken.

    ``found`` at the columns taken is the upper factor U of G = UᵀU, and ``projection`` is U⁻ᵀb.
    """

    order: Array
    counts: Array
    projection: Array
    found: Array


def _by_kernel(problem: Batch, n_steps: int, n_runs: int, rule: Rule, tolerance: float) -> _Path:
    """Return what :func:`_pursued` returns, by the compiled kernel."""
    n_problems, n_columns = problem.b.shape
    found = _Path(
        np.empty((n_problems, n_steps), dtype=np.int64),
        np.empty((n_problems, n_steps), dtype=bool),
        np.empty((n_problems, n_steps)),
        np.empty((n_problems, n_steps, n_columns)),
    )
    matrices = np.ascontiguousarray(problem.G if problem.X is None else problem.X)
    left = np.array(problem.diagonal, order="C")
    pursuit = library.PursuitRecord.of(
        B=n_problems,
        D=n_columns,
        N=matrices.shape[1],
        G=matrices if problem.X is None else None,
        X=None if problem.X is None else matrices,
        n_steps=n_steps,
        by_gain=rule is largest_gain,
        correlation=np.array(problem.b, order="C"),
        left=left,
        norm=np.where(left > 0.0, left, 1.0),
        smallest=left * tolerance,
        **found._asdict(),
    )
    library.KERNEL.projstg_pursue(pursuit)
    return found


def _is_for_kernel(problem: Batch, n_steps: int, n_runs: int, rule: Rule, tolerance: float) -> bool:
    return n_runs == 1 and rule in (largest_gain, largest_correlation) and problem.is_double


@answered_by(_by_kernel, where=_is_for_kernel)
def _pursued(problem: Batch, n_steps: int, n_runs: int, rule: Rule, tolerance: float) -> _Path:
    """Factor G; a column with at most ``tolerance`` of its squared norm left cannot be taken."""
    xp = namespace(problem.b)
    n_problems, n_features = problem.b.shape
    left, correlation = (_repeated(array, n_runs) for array in (problem.diagonal, problem.b))
    smallest = left * tolerance
    norm = xp.where(left > 0.0, left, xp.ones_like(left))
    shape = (n_problems * n_runs, n_steps, n_features)
    found = xp.empty(shape, dtype=left.dtype, device=left.device)
    order, roots, projections = [], [], []
    for step in range(n_steps):
        usable = xp.where(left > smallest, left, xp.inf)
        j = rule(step, Candidates(correlation, usable, norm))
        row = xp.reshape(problem.rows(xp.reshape(j, (n_problems, n_runs))), (-1, 1, n_features))
        if step:
            own = _at(found, j, step)
            row = row - xp.matrix_transpose(own) @ found[:, :step, :]
        root = xp.sqrt(take_along(usable, j))  # infinite if no column has anything left
        row = row[:, 0, :] / root
        projection = take_along(correlation, j) / root
        found[:, step, :] = row
        correlation = correlation - row * projection
        left = left - row * row
        order.append(j)
        roots.append(root)
        projections.append(projection)
    order, roots, projections = (xp.concat(one, axis=-1) for one in (order, roots, projections))
    return _Path(order, xp.isfinite(roots), projections, found)


def _repeated(array: Array, n_runs: int) -> Array:
    """Return an array (B, D) as (B·R, D), each problem R times in a row."""
    return array if n_runs == 1 else namespace(array).repeat(array, n_runs, axis=0)


def _at(found: Array, columns: Array, n_rows: int | None = None) -> Array:
    """Return the first rows of ``found``, (B·R, K, D), at columns (B·R, C), as (B·R, rows, C)."""
    xp = namespace(found)
    n_runs, n_steps, n_features = found.shape
    n_rows = n_steps if n_rows is None else n_rows
    # With all rows of a run in one line NumPy gathers in a third of the time.
    starts = xp.arange(0, n_rows * n_features, n_features, device=found.device)
    places = xp.reshape(starts[:, None] + columns[:, None, :], (n_runs, -1))
    taken = take_along(xp.reshape(found, (n_runs, n_steps * n_features)), places)
    return xp.reshape(taken, (n_runs, n_rows, columns.shape[-1]))


def _solved(factor: Array, projection: Array, counts: Array) -> Array:
    """Solve U w = projection for upper factors (..., K, K), by back substitution in every run."""
    xp = namespace(factor)
    n_steps = projection.shape[-1]
    w = xp.zeros_like(projection)
    for s in reversed(range(n_steps)):
        rest = projection[:, s] - xp.sum(factor[:, s, s + 1 :] * w[:, s + 1 :], axis=-1)
        pivot = xp.where(counts[:, s], factor[:, s, s], xp.ones_like(rest))
        w[:, s] = xp.where(counts[:, s], rest / pivot, xp.zeros_like(rest))
    return w
