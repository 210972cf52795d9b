r"""The penalty on β that is left when the risk is minimised over the gates μ first.

With the columns of X at mean square one, a gate with noise ratio ρ(μ) = Var[z]/E[z]² charges its
coefficient β = θ E[z] the ridge ρβ² and the price λΦ(μ/τ) of being open. The cheapest gate for a
given coefficient costs λ g(β²/λ), where

    g(t) = inf_μ { t ρ(μ) + Φ(μ/τ) }.

g is concave, rises like 2√(2t) from 0 (the corner of an ℓ1 penalty) and is exactly 1 from a finite
t* on, where the best gate is surely open, μ = ∞ (the flat top of an ℓ0 penalty). For 0 < t < t*
the best gate has t = −(dΦ/dμ)/(dρ/dμ), an increasing function of μ. This file computes that curve
once for each τ and keeps it as a table, so that the best gate costs a look-up.
Its slope is g'(t) = ρ, which makes the alternation of projection and best gates
(:mod:`projstg._core.gates.alternate`) an iteratively reweighted ridge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline

from ..arrays.backend import Array, clip, namespace
from ..arrays.cubic_table import CubicTable
from .moments import GateMoments, gate_moments

__all__ = ["REACH", "GatePenalty", "gate_penalty"]

# Below this t a gate counts as closed, and its ridge does not grow any more.
_SMALLEST_T = 1e-18
_LOG_SMALLEST_T = math.log(_SMALLEST_T)
# Nodes of the tables: cubics between them are right to seven digits (tests/_core/gates).
_NODES = 1024
REACH = 8.0
"""Gates are tabulated this many standard deviations beyond their stops."""


@dataclass(frozen=True, eq=False)
class GatePenalty:
    """The curve of best gates at one τ; made by :func:`gate_penalty`.

    The argument of its tables is √log(t*/t): nodes are dense where the curve is steep.
    """

    tau: float
    threshold: float
    """t*: from here on the open gate, μ = ∞, is the cheapest."""
    best_log_ratio: CubicTable
    """log ρ of the best gate."""
    best_mu: CubicTable
    """μ of the best gate."""
    log_cost: CubicTable
    """log g."""
    log_ratio: CubicTable
    """log ρ of any gate, as a function of μ."""

    def noise_ratio(self, t: Array) -> Array:
        """Return ρ = g'(t) of the best gate: 0 from t* on, √(2/t) towards 0, finite at 0."""
        xp = namespace(t)
        is_not_open = xp.astype(t < self.threshold, t.dtype)
        return xp.exp(self.best_log_ratio(self._place(t))) * is_not_open

    def best_gate(self, t: Array) -> Array:
        """Return the best μ: ∞ from t* on, −∞ where t is zero up to rounding."""
        xp = namespace(t)
        mu = self.best_mu(self._place(t))
        mu = xp.where(t >= self.threshold, xp.full_like(t, xp.inf), mu)
        return xp.where(t < _SMALLEST_T, xp.full_like(t, -xp.inf), mu)

    def __call__(self, t: Array) -> Array:
        """Return g(t)."""
        xp = namespace(t)
        cost = xp.exp(self.log_cost(self._place(t)))
        cost = xp.where(t < _SMALLEST_T, 2.0 * xp.sqrt(2.0 * t), cost)
        return xp.where(t >= self.threshold, xp.ones_like(t), cost)

    def ridge_and_slope(self, mu: Array) -> tuple[Array, Array]:
        """Return ρ(μ) and dρ/dμ to seven digits, at a fraction of what the moments cost."""
        xp = namespace(mu)
        inside = clip(mu, -REACH * self.tau, 1.0 + REACH * self.tau)
        log_ratio, slope = self.log_ratio.with_slope(inside)
        ratio = xp.exp(log_ratio)
        return ratio, ratio * slope

    def _place(self, t: Array) -> Array:
        xp = namespace(t)
        inside = clip(t, _SMALLEST_T, self.threshold)
        return xp.sqrt(clip(xp.log(self.threshold / inside), low=0.0))


@lru_cache(maxsize=64)
def gate_penalty(tau: float) -> GatePenalty:
    """Return the penalty of gates with noise τ, from tables that are made once."""
    mu = tau * np.linspace(_lowest(tau), 5.0, 4 * _NODES)
    gates = gate_moments(mu, tau)
    log_t = _log_t(mu, tau, gates)
    # Along the curve the cost tρ + Φ rises with t and passes that of the open gate, 1, at t*.
    cost = np.exp(log_t + gates.log_noise_ratio) + gates.open_probability
    end = int(np.argmax(cost > 1.0)) + 2
    threshold_mu = CubicSpline(cost[end - 6 : end], mu[end - 6 : end])(1.0)
    log_threshold = float(CubicSpline(mu[:end], log_t[:end])(threshold_mu))

    step = math.sqrt(log_threshold - _LOG_SMALLEST_T) / (_NODES - 1)
    nodes = log_threshold - (step * np.arange(float(_NODES))) ** 2
    best_mu = CubicSpline(log_t[:end], mu[:end])(nodes)
    best = gate_moments(best_mu, tau)
    log_cost = np.log(np.exp(nodes + best.log_noise_ratio) + best.open_probability)
    every_mu = np.linspace(-REACH * tau, 1.0 + REACH * tau, _NODES)
    every = gate_moments(every_mu, tau).log_noise_ratio
    return GatePenalty(
        tau=tau,
        threshold=math.exp(log_threshold),
        best_log_ratio=CubicTable.through(best.log_noise_ratio, 0.0, step),
        best_mu=CubicTable.through(best_mu, 0.0, step),
        log_cost=CubicTable.through(log_cost, 0.0, step),
        log_ratio=CubicTable.through(every, -REACH * tau, float(every_mu[1] - every_mu[0])),
    )


def _log_t(mu: np.ndarray, tau: float, gates: GateMoments) -> np.ndarray:
    """Return log t of the coefficient for which μ is a stationary gate."""
    log_open_slope = -0.5 * (mu / tau) ** 2 - math.log(math.sqrt(2.0 * math.pi) * tau)
    return log_open_slope - gates.log_noise_ratio - np.log(-gates.log_noise_ratio_slope)


def _lowest(tau: float) -> float:
    """Return a μ/τ below the one that belongs to the smallest t in the tables."""
    ratio = -np.arange(4.0, 40.0)
    log_t = _log_t(tau * ratio, tau, gate_moments(tau * ratio, tau))
    return float(ratio[np.argmax(log_t < _LOG_SMALLEST_T)])
