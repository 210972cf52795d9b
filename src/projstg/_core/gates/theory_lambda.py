r"""How large are the noise and the signal? Needed by the paper's rule for λ when not told.

The paper's rule is λ = C √(2σ² log(D−K) log K / N), with σ known and coefficients of size one. When
σ is unknown, both are read off a greedy fit of K columns:

    σ² ≈ RSS_K / (n − K),        a² ≈ (yᵀy/n − σ²) / K,

a being the root mean square of the coefficients of standardised columns, so that aλ is the rule in
the units of y. With at least twice as many rows as columns all columns are fitted, and σ² is
unbiased. Otherwise there are two biases: where the greedy fit misses true columns, σ comes out
too large; where it picks up noise, which it does when K is larger than the truth, too small. σ is
never put below one percent of the root mean square of y.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..arrays.backend import Array, clip, namespace, take_along
from ..data.quadratic import Problem, RowQuadratic
from ..greedy.matching_pursuit import forward_selection
from .projection import project

__all__ = ["Scale", "estimated_scale", "nominal_sparsity", "theory_alpha"]

_SMALLEST_SHARE = 0.01


class Scale(NamedTuple):
    """The noise's standard deviation and the coefficients' size, in units of y, each (B,)."""

    noise: Array
    signal: Array


def nominal_sparsity(problem: Problem) -> Array:
    """Return the paper's K = ⌈0.4 D^0.75⌉ for when K is not given, at most a quarter of n, (B,)."""
    n_features = problem.b.shape[-1]
    nominal = min(math.ceil(0.4 * n_features**0.75), n_features)
    return clip(_whole(problem.n / 4.0), 1.0, float(nominal))


def estimated_scale(problem: Problem, n_selected: Array) -> Scale:
    """Return the scale of each problem from a greedy fit of ``n_selected`` columns, (B,)."""
    xp = namespace(problem.b)
    n_features = problem.b.shape[-1]
    freedom = _whole(problem.degrees_of_freedom)
    takes_all = freedom >= 2 * n_features
    n_steps = clip(xp.minimum(n_selected, freedom - 1.0), low=0.0)
    rss = _greedy_residual(problem, n_steps) if not xp.all(takes_all) else problem.yy
    if xp.any(takes_all):
        beta = project(problem, xp.zeros_like(problem.b))
        rss = xp.where(takes_all, problem.yy - xp.sum(problem.b * beta, axis=-1), rss)
        n_steps = xp.where(takes_all, float(n_features), n_steps)
    power = problem.yy / problem.n
    least = _SMALLEST_SHARE**2 * power
    variance = xp.maximum(rss / clip(problem.degrees_of_freedom - n_steps, low=1.0), least)
    return Scale(xp.sqrt(variance), xp.sqrt(xp.maximum(power - variance, least) / n_selected))


def _greedy_residual(problem: Problem, n_steps: Array) -> Array:
    """Return the residual sum of squares after so many greedy steps, (B,)."""
    xp = namespace(problem.b)
    # A Gram matrix not much larger than X is quicker than its rows one by one.
    is_wide = isinstance(problem, RowQuadratic) and problem.X.shape[-1] > 4 * problem.X.shape[-2]
    path = forward_selection(problem if is_wide else problem.gram, int(xp.max(n_steps)))
    remains = xp.concat([problem.yy[:, None], path.rss], axis=-1)
    return take_along(remains, xp.astype(n_steps, xp.int64)[:, None])[:, 0]


def theory_alpha(
    scale: Scale, factor: float, n: Array, n_features: int, n_selected: Array
) -> Array:
    """Return λ = C·a √(2σ² log(D−K) log K / N), (B,), each logarithm of at least two."""
    xp = namespace(n)
    others = clip(n_features - n_selected, low=2.0)
    logs = xp.log(others) * xp.log(clip(n_selected, low=2.0))
    return factor * scale.signal * scale.noise * xp.sqrt(2.0 * logs / n)


def _whole(number: Array) -> Array:
    """Return the whole part; weights that sum to 12 but for rounding count as 12."""
    return namespace(number).floor(number + 1e-6)
