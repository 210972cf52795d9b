"""The whole job for a batch of tables: λ, gates, columns, least squares.

``ProjectedSTG`` is this function on one table, ``fit_many`` on many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .backend import Array, namespace, take_along
from .fit import GateFit, GateOptions, fit_gates
from .noise import Scale, estimated_scale, nominal_sparsity, theory_alpha
from .optimize import Hook
from .statistics import Problem
from .support import as_mask, gated_coefficients, largest, least_squares, spread
from .table import Table

__all__ = ["Options", "Solution", "solve"]


@dataclass(frozen=True)
class Options:
    """What to look for and how."""

    n_selected: int | None = None
    alpha: float | None = None
    """λ; None is the paper's rule."""
    alpha_scale: float = 0.2
    noise_std: float | None = None
    gates: GateOptions = field(default_factory=GateOptions)


class Solution(NamedTuple):
    """The answer for each table of the batch, in the units of the data."""

    support: Array
    """A mask, (B, D)."""
    coef: Array
    intercept: Array
    gated_coef: Array
    gates: GateFit
    alpha: Array
    noise_std: Array | None
    """The σ in the rule for λ, (B,); None where λ was given."""


def solve(
    table: Table, options: Options, seeds: Sequence[int], on_step: Hook | None = None
) -> Solution:
    """Choose the columns of each table; problem i draws from seeds[i]."""
    alpha, noise_std = _price(table.problem, options)
    gates = fit_gates(table.problem, alpha, options.gates, seeds, on_step=on_step)
    coef, mask = _refitted(table, *_columns(table, gates, options.n_selected))
    return Solution(
        support=mask,
        coef=coef,
        intercept=table.intercept(coef),
        gated_coef=table.in_units(gated_coefficients(gates.mu, gates.theta)),
        gates=gates,
        alpha=alpha,
        noise_std=noise_std,
    )


def _price(problem: Problem, options: Options) -> tuple[Array, Array | None]:
    """Return λ and the noise level it came from."""
    xp = namespace(problem.b)
    one = xp.ones_like(problem.yy)
    if options.alpha is not None:
        return one * options.alpha, None
    k = nominal_sparsity(problem) if options.n_selected is None else one * options.n_selected
    if options.noise_std is None:
        scale = estimated_scale(problem, k)
    else:
        scale = Scale(noise=one * options.noise_std, signal=one)
    return theory_alpha(scale, options.alpha_scale, problem, k), scale.noise


def _columns(table: Table, gates: GateFit, k: int | None) -> tuple[Array, Array]:
    """Return the columns, (B, k), and which places of that array count.

    With K given all do; of open gates there may be a different number in each problem.
    """
    xp = namespace(gates.mu)
    if k is not None:
        # Columns are standardised: |coefficient| is |coefficient|·‖x_d‖ but for a constant.
        size = xp.abs(gated_coefficients(gates.mu, gates.theta))
        score = xp.where(table.varies, size, -xp.ones_like(size))
        support = largest(score, xp.abs(gates.beta), k)
        return support, support >= 0
    is_open = (gates.mu > 0.0) & table.varies
    n_open = xp.sum(xp.astype(is_open, xp.int64), axis=-1)
    first = xp.astype(is_open, gates.mu.dtype)
    support = largest(first, xp.zeros_like(first), int(xp.max(n_open)))
    return support, take_along(is_open, support)


def _refitted(table: Table, support: Array, counts: Array) -> tuple[Array, Array]:
    """Return the coefficients of least squares in the units of the data, and the mask."""
    beta = least_squares(table.problem, support, counts)
    n_features = table.scale.shape[-1]
    coef = table.in_units(spread(beta, support, n_features))
    return coef, as_mask(support, counts, n_features)
