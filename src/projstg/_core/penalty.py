r"""The penalty the gates amount to: minimise over μ first and a function of β alone is left.

With the columns of X at mean square one, a gate with noise ratio ρ(μ) = Var[z]/E[z]² charges its
coefficient β = θ E[z] the ridge ρβ² and the price λΦ(μ/τ) of being open. The cheapest gate for a
given coefficient costs λ g(β²/λ), where

    g(t) = inf_μ { t ρ(μ) + Φ(μ/τ) }.

g is concave, rises like 2√(2t) from 0 (the corner of an ℓ1 penalty) and is exactly 1 from a finite
t* on, where the best gate is open for good, μ = ∞ (the flat top of an ℓ0 penalty). For 0 < t < t*
the best gate has t = −(dΦ/dμ)/(dρ/dμ), an increasing function of μ. This file follows that curve
once for each τ and keeps it as a table, so that the best gate costs a look-up.
Its slope is g'(t) = ρ, which makes the alternation of projection and best gates
(:mod:`projstg._core.optimize`) an iteratively reweighted ridge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline

from .backend import Array, clip, namespace, take_rows
from .gates import GateMoments, gate_moments

__all__ = ["GatePenalty", "gate_penalty"]

# Below this t a gate is shut for every purpose, and its ridge grows no further.
_SMALLEST_T = 1e-18
_LOG_SMALLEST_T = math.log(_SMALLEST_T)
_NODES = 1024


@dataclass(frozen=True, eq=False)
class GatePenalty:
    """The curve of best gates at one τ; made by :func:`gate_penalty`.

    Each curve is a table of cubics: row i holds, from the third power down, the coefficients
    between node i and the next, in units of their distance.
    """

    tau: float
    threshold: float
    """t*: from here on the open gate, μ = ∞, is the cheapest."""
    step: float
    """Distance of two nodes in √log(t*/t), which puts them close where the curve is steep."""
    log_ratio: np.ndarray
    """log ρ of the best gate."""
    mu: np.ndarray
    """μ of the best gate."""
    log_cost: np.ndarray
    """log g."""
    neutral_ratio: float
    """ρ at μ = 1/2, where every gate begins."""

    def _at(self, t: Array, cubics: np.ndarray) -> Array:
        xp = namespace(t)
        inside = clip(t, _SMALLEST_T, self.threshold)
        place = xp.sqrt(clip(xp.log(self.threshold / inside), low=0.0)) / self.step
        left = clip(xp.astype(place, xp.int64), high=_NODES - 2)
        u = place - xp.astype(left, t.dtype)
        c = take_rows(_like(cubics, t), left)
        return ((c[..., 0] * u + c[..., 1]) * u + c[..., 2]) * u + c[..., 3]

    def noise_ratio(self, t: Array) -> Array:
        """Return ρ = g'(t) of the best gate: 0 from t* on, √(2/t) towards 0, finite at 0."""
        xp = namespace(t)
        is_shut_in_part = xp.astype(t < self.threshold, t.dtype)
        return xp.exp(self._at(t, self.log_ratio)) * is_shut_in_part

    def best_gate(self, t: Array) -> Array:
        """Return the best μ: ∞ from t* on, −∞ where t is zero but for rounding."""
        xp = namespace(t)
        mu = self._at(t, self.mu)
        mu = xp.where(t >= self.threshold, xp.full_like(t, xp.inf), mu)
        return xp.where(t < _SMALLEST_T, xp.full_like(t, -xp.inf), mu)

    def __call__(self, t: Array) -> Array:
        """Return g(t)."""
        xp = namespace(t)
        cost = xp.where(t < _SMALLEST_T, 2.0 * xp.sqrt(2.0 * t), xp.exp(self._at(t, self.log_cost)))
        return xp.where(t >= self.threshold, xp.ones_like(t), cost)


def _like(table: np.ndarray, t: Array) -> Array:
    xp = namespace(t)
    if xp is np:
        return table if t.dtype == table.dtype else table.astype(t.dtype)
    return xp.asarray(table, dtype=t.dtype, device=t.device)


@lru_cache(maxsize=64)
def gate_penalty(tau: float) -> GatePenalty:
    """Return the penalty of gates with noise τ, from a table that is made once."""
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
    curves = np.stack([best.log_noise_ratio, best_mu, log_cost], axis=-1)
    cubics = CubicSpline(np.arange(float(_NODES)), curves).c  # (4, nodes - 1, 3)
    log_ratio, best_mu, log_cost = np.ascontiguousarray(cubics.transpose(2, 1, 0))
    threshold = math.exp(log_threshold)
    neutral = float(gate_moments(np.asarray([0.5]), tau).noise_ratio[0])
    return GatePenalty(tau, threshold, step, log_ratio, best_mu, log_cost, neutral)


def _log_t(mu: np.ndarray, tau: float, gates: GateMoments) -> np.ndarray:
    """Return log t of the coefficient for which μ is a stationary gate."""
    log_open_slope = -0.5 * (mu / tau) ** 2 - math.log(math.sqrt(2.0 * math.pi) * tau)
    return log_open_slope - gates.log_noise_ratio - np.log(-gates.log_noise_ratio_slope)


def _lowest(tau: float) -> float:
    """Return a μ/τ below that of the smallest tabulated t."""
    ratio = -np.arange(4.0, 40.0)
    log_t = _log_t(tau * ratio, tau, gate_moments(tau * ratio, tau))
    return float(ratio[np.argmax(log_t < _LOG_SMALLEST_T)])
