r"""The penalty the gates amount to: minimise over μ first and a function of β alone is left.

With the columns of X at mean square one, a gate with noise ratio ρ(μ) = Var[z]/E[z]² charges its
coefficient β = θ E[z] the ridge ρβ² and the price λΦ(μ/τ) of being open. The cheapest gate for a
given coefficient costs λ g(β²/λ), where

    g(t) = inf_μ { t ρ(μ) + Φ(μ/τ) }.

g is concave, rises like 2√(2t) from 0 (the corner of an ℓ1 penalty) and is exactly 1 from a finite
t* on, where the best gate is open for good, μ = ∞ (the flat top of an ℓ0 penalty). For 0 < t < t*
the best gate has t = −(dΦ/dμ)/(dρ/dμ), an increasing function of μ. This file follows that curve
once for each τ and keeps it as a table, uniform in log t, so that the best gate costs a look-up.
Its slope is g'(t) = ρ, which makes the alternation of projection and best gates
(:mod:`projstg._core.optimize`) an iteratively reweighted ridge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline

from .backend import Array, namespace, quiet
from .gates import GateMoments, gate_moments

__all__ = ["GatePenalty", "gate_penalty"]

# Below this t a gate is closed for every purpose; its ridge goes on as √(2/t), the limit's form.
_SMALLEST_T = 1e-18
_NODES = 1024


@dataclass(frozen=True, eq=False)
class GatePenalty:
    """The curve of best gates at one τ; made by :func:`gate_penalty`."""

    tau: float
    threshold: float
    """t*: from here on the open gate, μ = ∞, is the cheapest."""
    step: float
    """Distance of two nodes in log t."""
    log_ratio: np.ndarray
    """log ρ of the best gate: the coefficients of a cubic in log t from each node to the next."""
    mu: np.ndarray
    """μ of the best gate, likewise."""

    def _at(self, t: Array, cubics: np.ndarray) -> Array:
        xp = namespace(t)
        inside = xp.clip(t, _SMALLEST_T, self.threshold)
        place = (xp.log(inside) - math.log(_SMALLEST_T)) / self.step
        left = xp.clip(xp.floor(place), 0.0, _NODES - 2.0)
        u = (place - left) * self.step
        node = xp.reshape(xp.astype(left, xp.int64), (-1,))
        c = xp.take(_like(cubics, t), node, axis=0)
        c3, c2, c1, c0 = (xp.reshape(c[:, i], t.shape) for i in range(4))
        return c0 + u * (c1 + u * (c2 + u * c3))

    def noise_ratio(self, t: Array) -> Array:
        """Return ρ = g'(t) of the best gate: 0 from t* on, growing like √(2/t) as t → 0."""
        xp = namespace(t)
        with quiet(xp):
            ratio = xp.exp(self._at(t, self.log_ratio))
            ratio = xp.where(t < _SMALLEST_T, ratio * xp.sqrt(_SMALLEST_T / t), ratio)
        return xp.where(t >= self.threshold, xp.zeros_like(t), ratio)

    def best_gate(self, t: Array) -> Array:
        """Return the best μ: ∞ from t* on, −∞ where t is zero but for rounding."""
        xp = namespace(t)
        mu = self._at(t, self.mu)
        mu = xp.where(t >= self.threshold, xp.full_like(t, xp.inf), mu)
        return xp.where(t < _SMALLEST_T, xp.full_like(t, -xp.inf), mu)

    def __call__(self, t: Array) -> Array:
        """Return g(t)."""
        xp = namespace(t)
        mu = self.best_gate(t)
        is_interior = xp.isfinite(mu)
        gates = gate_moments(xp.where(is_interior, mu, xp.zeros_like(mu)), self.tau)
        inside = t * xp.exp(gates.log_noise_ratio) + gates.open_probability
        edge = xp.where(t >= self.threshold, xp.ones_like(t), 2.0 * xp.sqrt(2.0 * t))
        return xp.where(is_interior, inside, edge)


def _like(table: np.ndarray, t: Array) -> Array:
    xp = namespace(t)
    if xp is np:
        return table if t.dtype == table.dtype else table.astype(t.dtype)
    return xp.asarray(table, dtype=t.dtype, device=t.device)


@lru_cache(maxsize=64)
def gate_penalty(tau: float) -> GatePenalty:
    """Return the penalty of gates with noise τ, from a table that is made once."""
    mu = np.linspace(_lowest_mu(tau), 1.0 + 2.0 * tau, 4 * _NODES)
    gates = gate_moments(mu, tau)
    log_t = _log_t(mu, tau, gates)
    # Along the curve the cost tρ + Φ rises with t and passes that of the open gate, 1, at t*.
    cost = np.exp(log_t + gates.log_noise_ratio) + gates.open_probability
    end = int(np.argmax(cost > 1.0)) + 2
    threshold_mu = CubicSpline(cost[end - 6 : end], mu[end - 6 : end])(1.0)
    threshold = math.exp(CubicSpline(mu[:end], log_t[:end])(threshold_mu))

    nodes = np.linspace(math.log(_SMALLEST_T), math.log(threshold), _NODES)
    best_mu = CubicSpline(log_t[:end], mu[:end])(nodes)
    log_ratio = gate_moments(best_mu, tau).log_noise_ratio
    return GatePenalty(
        tau=tau,
        threshold=threshold,
        step=float(nodes[1] - nodes[0]),
        log_ratio=np.ascontiguousarray(CubicSpline(nodes, log_ratio).c.T),
        mu=np.ascontiguousarray(CubicSpline(nodes, best_mu).c.T),
    )


def _log_t(mu: np.ndarray, tau: float, gates: GateMoments) -> np.ndarray:
    """Return log t of the coefficient for which μ is a stationary gate."""
    log_open_slope = -0.5 * (mu / tau) ** 2 - math.log(math.sqrt(2.0 * math.pi) * tau)
    return log_open_slope - gates.log_noise_ratio - np.log(-gates.log_noise_ratio_slope)


def _lowest_mu(tau: float) -> float:
    """Return a μ below that of the smallest tabulated t."""
    mu = -tau * np.arange(4.0, 40.0)
    return float(mu[np.argmax(_log_t(mu, tau, gate_moments(mu, tau)) < math.log(_SMALLEST_T))])
