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

from .backend import Array, namespace
from .gates import gate_moments
from .projection import project
from .statistics import GramQuadratic, RowQuadratic

__all__ = ["ProfiledRisk", "profiled_risk", "residual_sum_of_squares"]


class ProfiledRisk(NamedTuple):
    """The risk at μ with the coefficients at their best."""

    value: Array
    """Shape (...)."""
    gradient: Array
    """In μ, shape (..., D)."""
    beta: Array
    """θ ⊙ E[z], shape (..., D)."""


def profiled_risk(
    problem: GramQuadratic | RowQuadratic, mu: Array, tau: float, alpha: Array
) -> ProfiledRisk:
    """Return min_θ Risk(θ, μ) for gates μ, (..., D), and λ = ``alpha``, (...)."""
    xp = namespace(mu)
    gates = gate_moments(mu, tau)
    ridge = xp.exp(gates.log_noise_ratio)
    beta = project(problem, ridge)
    fit = (problem.yy - xp.sum(problem.b * beta, axis=-1)) / problem.n
    value = fit + alpha * xp.sum(gates.open_probability, axis=-1)
    slope = xp.where(ridge > 0.0, ridge, xp.zeros_like(ridge)) * gates.log_noise_ratio_slope
    gradient = beta * beta * slope + xp.asarray(alpha)[..., None] * gates.open_slope
    return ProfiledRisk(value, gradient, beta)


def residual_sum_of_squares(
    problem: GramQuadratic | RowQuadratic, ridge: Array, beta: Array
) -> Array:
    """Return ‖y − Xβ‖² of a projected β, from Xᵀ(y − Xβ) = nρβ; nothing but dot products."""
    xp = namespace(beta)
    charged = xp.where(xp.isfinite(ridge), ridge, xp.zeros_like(ridge)) * beta * beta
    rss = problem.yy - xp.sum(problem.b * beta, axis=-1) - problem.n * xp.sum(charged, axis=-1)
    return xp.clip(rss, min=0.0)
