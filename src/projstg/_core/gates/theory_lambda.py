r"""The paper's rule for λ, and estimates of the noise and the signal that it needs.

The rule is λ = C √(2σ² log(D−K) log K / N), with σ known and coefficients of size one
(:func:`theory_alpha`; :func:`rule_alpha` applies it to a table). Where σ is unknown, it and the
size of the coefficients are estimated from a greedy fit of K columns:

    σ² ≈ RSS_K / (n − K),        a² ≈ (yᵀy/n − σ²) / K,

a being the root mean square of the coefficients of standardised columns, so that aλ is the rule in
the units of y. With at least twice as many rows as columns all columns are fitted, and σ² is
unbiased. Otherwise there are two biases: where the greedy fit misses true columns, σ is too large;
where it fits noise, as it does when K is larger than the truth, σ is too small. σ is never below
one percent of the root mean square of y.
"""

from __future__ import annotations

import math

from ..arrays.backend import Array, clip, namespace, quiet, take_along
from ..data.batch import Batch
from ..greedy.matching_pursuit import forward_selection
from .gate_settings import GATES
from .projection import project

__all__ = ["estimated_scale", "given_alpha", "rule_alpha", "theory_alpha"]


def given_alpha(alpha: float | Array, y_scale: Array) -> Array:
    """Return a λ in the units of y² in units of the scaled y, (B,).

    It is at most ``GATES.largest_alpha``, which closes every gate.
    """
    with quiet():
        return clip(alpha / y_scale / y_scale, high=GATES.largest_alpha)


def rule_alpha(
    problem: Batch,
    y_scale: Array,
    *,
    factor: float,
    noise_std: float | None,
    n_features: int,
    n_selected: int | None,
) -> tuple[Array, Array]:
    """Return λ by the paper's rule, and σ, in units of the scaled y, each (B,).

    σ is ``noise_std`` in the units of y, with coefficients of size one; None estimates both.
    ``n_features`` counts all columns, also those that are not in ``problem``. K is ``n_selected``,
    or the paper's (:func:`_nominal_sparsity`).
    """
    one = namespace(problem.b).ones_like(problem.yy)
    K = _nominal_sparsity(problem) if n_selected is None else one * max(n_selected, 1)
    if noise_std is None:
        noise, signal = estimated_scale(problem, K)
    else:
        noise, signal = noise_std / y_scale, 1.0 / y_scale
    with quiet():
        alpha = theory_alpha(noise, factor * signal, problem.n, n_features, K)
    return clip(alpha, high=GATES.largest_alpha), noise


def _nominal_sparsity(problem: Batch) -> Array:
    """Return the paper's K = ⌈0.4 D^0.75⌉ for when K is not given, at most a quarter of n, (B,)."""
    n_features = problem.b.shape[-1]
    nominal = min(math.ceil(0.4 * n_features**0.75), n_features)
    return clip(_whole(problem.n / 4.0), 1.0, float(nominal))


def estimated_scale(problem: Batch, n_selected: Array) -> tuple[Array, Array]:
    """Return σ and a, in units of y, (B,), from a greedy fit of ``n_selected`` columns, (B,)."""
    xp = namespace(problem.b)
    n_features = problem.b.shape[-1]
    freedom = _whole(problem.dof)
    takes_all = freedom >= 2 * n_features
    n_steps = clip(xp.minimum(n_selected, freedom - 1.0), low=0.0)
    rss = _greedy_residual(problem, n_steps) if not xp.all(takes_all) else problem.yy
    if xp.any(takes_all):
        beta = project(problem, xp.zeros_like(problem.b))
        rss = xp.where(takes_all, problem.yy - xp.sum(problem.b * beta, axis=-1), rss)
        n_steps = xp.where(takes_all, float(n_features), n_steps)
    power = problem.yy / problem.n
    least = GATES.smallest_noise**2 * power
    variance = xp.maximum(rss / clip(problem.dof - n_steps, low=1.0), least)
    return xp.sqrt(variance), xp.sqrt(xp.maximum(power - variance, least) / n_selected)


def _greedy_residual(problem: Batch, n_steps: Array) -> Array:
    """Return the residual sum of squares after ``n_steps``, (B,), greedy steps, (B,)."""
    xp = namespace(problem.b)
    # A Gram matrix not much larger than X is faster to form at once than row by row.
    is_wide = problem.b.shape[-1] > 4 * problem.smaller_side
    most = int(xp.max(n_steps))
    rss = forward_selection(problem if is_wide else problem.by_sums, most).rss(problem.yy)
    if most and xp.all(n_steps == most):
        return rss[:, -1]
    remains = xp.concat([problem.yy[:, None], rss], axis=-1)
    return take_along(remains, xp.astype(n_steps, xp.int64)[:, None])[:, 0]


def theory_alpha(
    noise: Array, factor: Array, n: Array, n_features: int, n_selected: Array
) -> Array:
    """Return λ = C·a √(2σ² log(D−K) log K / N), (B,), with D−K and K at least two.

    ``noise`` is σ, ``factor`` is C·a.

    Examples
    --------
    >>> import numpy as np
    >>> n, k = np.asarray(40.0), np.asarray(10.0)
    >>> theory_alpha(0.5, 0.2, n, 64, k).round(4)
    np.float64(0.0678)
    """
    xp = namespace(n)
    others = clip(n_features - n_selected, low=2.0)
    logs = xp.log(others) * xp.log(clip(n_selected, low=2.0))
    return factor * noise * xp.sqrt(2.0 * logs / n)


def _whole(number: Array) -> Array:
    """Return the whole part; weights that sum to 12 up to rounding count as 12."""
    return namespace(number).floor(number + 1e-6)
