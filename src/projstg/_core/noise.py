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

from .backend import Array, clip, namespace
from .pursuit import forward_selection
from .statistics import Quadratic

__all__ = ["Scale", "estimated_scale", "nominal_sparsity", "theory_alpha"]

_SMALLEST_SHARE = 0.01


class Scale(NamedTuple):
    """The noise's standard deviation and the coefficients' size, in units of y, each (B,)."""

    noise: Array
    signal: Array


def nominal_sparsity(n_features: int, n: float) -> int:
    """Return the paper's K = ⌈0.4 D^0.75⌉ for when K is not given, at most a quarter of n."""
    return max(1, min(math.ceil(0.4 * n_features**0.75), int(n) // 4, n_features))


def estimated_scale(problem: Quadratic, n_selected: int) -> Scale:
    """Return the scale of standardised problems from a greedy fit of ``n_selected`` columns."""
    xp = namespace(problem.b)
    n_features = problem.b.shape[-1]
    freedom = int(xp.min(problem.degrees_of_freedom))
    n_steps = n_features if freedom >= 2 * n_features else n_selected
    n_steps = max(min(n_steps, freedom - 1), 0)
    rss = forward_selection(problem, n_steps).rss[:, -1] if n_steps else problem.yy
    power = problem.yy / problem.n
    least = _SMALLEST_SHARE**2 * power
    variance = xp.maximum(rss / clip(problem.degrees_of_freedom - n_steps, low=1.0), least)
    return Scale(xp.sqrt(variance), xp.sqrt(xp.maximum(power - variance, least) / n_selected))


def theory_alpha(scale: Scale, factor: float, n: Array, n_features: int, n_selected: int) -> Array:
    """Return λ = C·a √(2σ² log(D−K) log K / N), (B,), each logarithm of at least two."""
    logs = math.log(max(n_features - n_selected, 2)) * math.log(max(n_selected, 2))
    return factor * scale.signal * scale.noise * (2.0 * logs / n) ** 0.5
