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
    "Pursuits",
    "SoftmaxCorrelation",
    "forward_selection",
    "largest_correlation",
    "matching_pursuits",
    "smallest_share",
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


class Pursuits(NamedTuple):
    """What each run of each problem took: G at these columns is UᵀU with U upper triangular."""

    order: Array
    """The columns in the order they came in, (B·R, K)."""
    counts: Array
    """Whether a column came in: False from the step on at which none had anything left."""
    projection: Array
    """U⁻ᵀb, (B·R, K), with b at these columns."""
    found: Array
    """U⁻ᵀ times the rows of G at these columns, (B·R, K, D): at the columns themselves it is U."""

    @property
    def coef(self) -> Array:
        """Least squares of y on the columns of the run, (B·R, K), zero where none came in."""
        xp, U = namespace(self.found), _at(self.found, self.order)
        w = xp.zeros_like(self.projection)
        for s in reversed(range(w.shape[-1])):  # Uw = U⁻ᵀb from below
            rest = self.projection[:, s] - xp.sum(U[:, s, s + 1 :] * w[:, s + 1 :], axis=-1)
            pivot = xp.where(self.counts[:, s], U[:, s, s], xp.ones_like(rest))
            w[:, s] = xp.where(self.counts[:, s], rest / pivot, xp.zeros_like(rest))
        return w

    def rss(self, yy: Array) -> Array:
        """Return the residual sum of squares after each column, (B·R, K), from yᵀy, (B·R,)."""
        taken = namespace(yy).cumulative_sum(self.projection * self.projection, axis=-1)
        return clip(yy[:, None] - taken, low=0.0)


def forward_selection(problem: Batch, n_steps: int) -> Pursuits:
    """Return the path of K = ``n_steps`` columns for each problem of a batch, by the largest gain.

    Where no column has anything left the residual does not change any more.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.batch import centred_rows
    >>> X, y = np.eye(4)[None, :, :3], np.array([[1.0, 3.0, 2.0, 0.5]])
    >>> problem = centred_rows(X, y, centre=False)[0]
    >>> path = forward_selection(problem, 2)
    >>> path.order.tolist(), path.rss(problem.yy).tolist(), path.coef.tolist()
    ([[1, 2]], [[5.25, 1.25]], [[3.0, 2.0]])
    """
    return matching_pursuits(problem, n_steps, 1, largest_gain)


def smallest_share(rule: Rule, eps: float) -> float:
    """Return the share of its squared norm that a column must have left to be taken."""
    return _ROUNDING * float(eps) if rule is largest_gain else float(eps) ** _DEPENDENT


def _empty(problem: Batch, n_steps: int, n_runs: int) -> Pursuits:
    """Return pursuits whose arrays are still to be filled."""
    xp, (n_problems, n_columns) = namespace(problem.b), problem.b.shape
    runs, device = (n_problems * n_runs, n_steps), problem.b.device
    return Pursuits(
        order=xp.empty(runs, dtype=xp.int64, device=device),
        counts=xp.empty(runs, dtype=xp.bool, device=device),
        projection=xp.empty(runs, dtype=problem.b.dtype, device=device),
        found=xp.empty((*runs, n_columns), dtype=problem.b.dtype, device=device),
    )


def _by_kernel(problem: Batch, n_steps: int, n_runs: int, rule: Rule) -> Pursuits:
    """Return what :func:`matching_pursuits` returns, by the compiled kernel."""
    pursuits, (n_problems, n_columns) = _empty(problem, n_steps, n_runs), problem.b.shape
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
        smallest=left * smallest_share(rule, np.finfo(left.dtype).eps),
        **pursuits._asdict(),
    )
    library.KERNEL.projstg_pursue(pursuit)
    return pursuits


def _is_for_kernel(problem: Batch, n_steps: int, n_runs: int, rule: Rule) -> bool:
    is_known = rule in (largest_gain, largest_correlation)
    return n_runs == 1 and n_steps > 0 and is_known and problem.is_double


@answered_by(_by_kernel, where=_is_for_kernel)
def matching_pursuits(problem: Batch, n_steps: int, n_runs: int, rule: Rule) -> Pursuits:
    """Return R = ``n_runs`` pursuits of K = ``n_steps`` columns for each of B problems."""
    xp = namespace(problem.b)
    n_problems, n_features = problem.b.shape
    left, correlation = (
        array if n_runs == 1 else xp.repeat(array, n_runs, axis=0)
        for array in (problem.diagonal, problem.b)
    )
    smallest = left * smallest_share(rule, xp.finfo(left.dtype).eps)
    norm = xp.where(left > 0.0, left, xp.ones_like(left))
    pursuits = order, counts, projections, found = _empty(problem, n_steps, n_runs)
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
        correlation = correlation - row * projection
        left = left - row * row
        order[:, step], counts[:, step] = j[:, 0], xp.isfinite(root[:, 0])
        projections[:, step], found[:, step, :] = projection[:, 0], row
    return pursuits


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
