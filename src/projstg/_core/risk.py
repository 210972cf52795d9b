r"""The profiled risk: the paper's objective with the coefficients projected out, exactly.

With columns of mean square one, ρ = Var[z]/E[z]² and β = θ ⊙ E[z],

    Risk(θ, μ) = ‖y − Xβ‖²/n + Σ_d ρ(μ_d) β_d² + λ Σ_d Φ(μ_d/τ).

At the projected β the first two terms are (yᵀy − bᵀβ)/n, and by the envelope theorem the gradient
of min_θ Risk is the partial derivative with β held fixed,

    ∂/∂μ_d = β_d² ρ'(μ_d) + λ φ(μ_d/τ)/τ,

which is Algorithm 1's −2θq'Xᵀr/n + θ²v' + λφ/τ once Xᵀr = nρβ is put in. Nothing is sampled.
"""

from __future__ import annotations

from typing import NamedTuple

from .backend import Array, clip, namespace
from .gates import gate_moments
from .projection import project
from .statistics import Problem

__all__ = ["ProfiledRisk", "profiled_risk", "residual_sum_of_squares"]


class ProfiledRisk(NamedTuple):
    """The risk at μ with the coefficients at their best."""

    value: Array
    """Shape (...)."""
    gradient: Array
    """In μ, shape (..., D)."""
    beta: Array
    """θ ⊙ E[z], shape (..., D)."""


def profiled_risk(problem: Problem, mu: Array, tau: float, alpha: Array) -> ProfiledRisk:
    """Return min_θ Risk(θ, μ) for gates μ, (..., D), and λ = ``alpha``, (...)."""
    xp = namespace(mu)
    gates = gate_moments(mu, tau)
    ridge = gates.noise_ratio
    beta = project(problem, ridge)
    fit = (problem.yy - xp.sum(problem.b * beta, axis=-1)) / problem.n
    value = fit + alpha * xp.sum(gates.open_probability, axis=-1)
    # β√ρ first: ρ alone may be near the end of the range, and β then near zero.
    charged = beta * xp.sqrt(ridge)
    gradient = charged * charged * gates.log_noise_ratio_slope
    gradient = gradient + xp.asarray(alpha)[..., None] * gates.open_slope
    return ProfiledRisk(value, gradient, beta)


def residual_sum_of_squares(problem: Problem, ridge: Array, beta: Array) -> Array:
    """Return ‖y − Xβ‖² of a projected β, from Xᵀ(y − Xβ) = nρβ; nothing but dot products."""
    xp = namespace(beta)
    charged = xp.where(xp.isfinite(ridge), ridge, xp.zeros_like(ridge)) * beta * beta
    rss = problem.yy - xp.sum(problem.b * beta, axis=-1) - problem.n * xp.sum(charged, axis=-1)
    return clip(rss, low=0.0)
