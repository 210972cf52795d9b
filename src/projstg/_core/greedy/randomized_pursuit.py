r"""Many randomised pursuits, their average, and the K largest of it.

Elad and Yavneh ("A plurality of sparse representations is better than the sparsest one alone",
IEEE Transactions on Information Theory 55, 2009): each run of a matching pursuit draws its columns
with probability

.. math:: p_j \propto \exp\left( \frac{(x_j^T r)^2}{2 T \|x_j\|^2} \right)

and the least-squares coefficients of all runs are averaged. Their T is σ²(1 + σ²/s²), where s²
is the mean square of the coefficients of columns of unit norm and σ² the variance of the noise; the
average then estimates the posterior mean. The projected gates' authors compare with the constant
1/T = 4/3, which is σ² = 1/2 and s = 1, at every noise level; they average least squares, not the
ridge of the posterior, over the runs, and select the K largest coefficients.

Here T is a parameter, 3/4 by default. Other decisions:

* the K largest are those of |mean coefficient|·‖x_j‖, free of the columns' units, as elsewhere in
  this package; ties go to the column more correlated with y, then to the smaller index;
* a column once taken is not drawn again in the same run, and one that depends on those taken is not
  drawn at all (drawing a column anew and ignoring it, as the authors do, is the same law);
* T = 0 is one run of orthogonal matching pursuit on columns of unit norm.

Rates of exact recovery measured for the paper's setting (D = 64, 100 runs) agree with that reading:
over 32 cells of three designs, with 300 problems each, the root mean square difference is 0.9
standard errors and the largest 2.0. They also agree with 3/8, which leaves out the 2 in the
exponent (0.8 and 1.6): low temperatures can hardly be told apart by recovery. Readings that do
not agree, over nine Gaussian cells with K = 10: 3/2 (2.2 standard errors), Elad and Yavneh's rule
with the true σ at s = 1 (2.0). So 3/4 rests on the authors' code, not on the rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, clip, namespace
from ..data.batch import Batch
from ..data.least_squares import largest
from .matching_pursuit import Rule, SoftmaxCorrelation, largest_correlation, matching_pursuits

__all__ = ["Plurality", "averaged_pursuits", "randomized_omp"]

# Problems are solved together while their factors have at most this many numbers and stay in the
# cache (1 MB), runs while they have at most this many and fit in memory (256 MB).
_CACHED = 2**17
_IN_MEMORY = 2**25
# With more columns no Gram matrix is made from rows: it would have more than 134 MB.
_LARGEST_GRAM = 4096


class Plurality(NamedTuple):
    """Averages over the runs, (B, D) each."""

    mean_coef: Array
    """The average of the runs' least-squares coefficients."""
    frequency: Array
    """The share of runs that took the column."""


def randomized_omp(
    batch: Batch, n_selected: int, temperature: Array, n_runs: int, seeds: Sequence[int]
) -> tuple[Array, Plurality]:
    """Return ``n_selected`` columns of each standardised problem, (B, K), and the averages.

    Problem i draws from seeds[i], and ``temperature``, (B,), is in units of yᵀy/n. The draws depend
    on (seed, n_selected) alone.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.standard_table import as_tables
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5, 30, 50))
    >>> y = 2 * X[:, :, 3] - X[:, :, 17] + 0.1 * rng.standard_normal((5, 30))
    >>> tables = as_tables(X, y)
    >>> temperature = 0.75 / tables.units.y_scale**2
    >>> randomized_omp(tables.batch, 2, temperature, n_runs=20, seeds=range(5))[0].tolist()
    [[3, 17], [3, 17], [3, 17], [3, 17], [3, 17]]
    """
    xp = namespace(batch.b)
    # At T = 0 all runs are the same.
    n_runs = n_runs if xp.any(temperature > 0.0) else 1
    runs = averaged_pursuits(batch, n_selected, temperature, n_runs, seeds)
    # Columns are standardised: |coefficient| is |coefficient|·‖x_d‖ times a constant.
    size = xp.abs(runs.mean_coef)
    score = xp.where(batch.diagonal > 0.0, size, -xp.ones_like(size))
    return largest(score, xp.abs(batch.b), n_selected), runs


def averaged_pursuits(
    problem: Batch, n_steps: int, temperature: Array, n_runs: int, seeds: Sequence[int]
) -> Plurality:
    """Return the averages of ``n_runs`` pursuits at temperatures (B,), in the units of yᵀy."""
    xp = namespace(problem.b)
    n_problems, n_features = problem.b.shape
    if n_steps == 0 or n_problems == 0:
        return Plurality(xp.zeros_like(problem.b), xp.zeros_like(problem.b))
    size = max(1, _CACHED // (n_runs * n_steps * n_features))
    blocks = []
    for first in range(0, n_problems, size):
        last = min(first + size, n_problems)
        generators = [np.random.default_rng([seed, n_steps]) for seed in seeds[first:last]]
        draws = np.stack([one.random((n_runs, n_steps)) for one in generators])
        own = xp.arange(first, last, device=problem.b.device)
        some = problem if last - first == n_problems else problem.problems(own)
        blocks.append(_averaged(_quicker(some, draws), temperature[first:last], draws))
    return Plurality(*(xp.concat(parts, axis=0) for parts in zip(*blocks, strict=True)))


def _quicker(problem: Batch, draws: np.ndarray) -> Batch:
    """Return the problem through its Gram matrix if the runs need at least that many rows."""
    n_needed = draws[0].size
    is_large = problem.b.shape[-1] > min(n_needed, _LARGEST_GRAM)
    return problem if is_large else problem.by_sums


def _averaged(problem: Batch, temperature: Array, draws: np.ndarray) -> Plurality:
    """Return the averages over draws (B, R, K), a block of runs at a time."""
    xp = namespace(problem.b)
    (n_runs, n_steps), n_columns = draws.shape[1:], problem.b.shape[-1]
    at_once = max(1, _IN_MEMORY // (draws.shape[0] * n_steps * n_columns))
    mean_coef, frequency = xp.zeros_like(problem.b), xp.zeros_like(problem.b)
    for first in range(0, n_runs, at_once):
        some = draws[:, first : first + at_once]
        rule = _rule(problem.b, temperature, some)
        runs = matching_pursuits(problem, n_steps, some.shape[1], rule)
        order, coef, counts = (
            xp.reshape(one, (draws.shape[0], -1)) for one in (runs.order, runs.coef, runs.counts)
        )
        mean_coef = mean_coef + _added(coef, order, n_columns) / n_runs
        counts = xp.astype(counts, coef.dtype)
        frequency = frequency + _added(counts, order, n_columns) / n_runs
    return Plurality(mean_coef, frequency)


def _added(values: Array, places: Array, n_features: int) -> Array:
    """Return the sums (B, D) of values (B, M) by their places among D columns."""
    if namespace(values) is not np:
        columns = namespace(values).arange(n_features, device=places.device)
        is_there = namespace(values).astype(places[:, :, None] == columns, values.dtype)
        return namespace(values).sum(values[:, :, None] * is_there, axis=1)
    own = places + n_features * np.arange(places.shape[0])[:, None]
    total = np.bincount(own.ravel(), values.ravel(), minlength=places.shape[0] * n_features)
    return total.reshape(-1, n_features).astype(values.dtype, copy=False)


def _rule(like: Array, temperature: Array, draws: np.ndarray) -> Rule:
    """Return the rule of draws (B, R, K): at random, unless every temperature is zero."""
    xp = namespace(like)
    if not xp.any(temperature > 0.0):
        return largest_correlation
    n_runs, n_steps = draws.shape[1:]
    own = xp.asarray(draws.reshape(-1, n_steps), dtype=like.dtype, device=like.device)
    own = clip(own, high=1.0 - float(xp.finfo(like.dtype).eps))  # rounding must not make it one
    return SoftmaxCorrelation(xp.repeat(temperature, n_runs)[:, None], own)
