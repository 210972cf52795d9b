r"""The profiled risk: the paper's objective with the coefficients projected out, exactly.

With columns of mean square one, ρ = Var[z]/E[z]² and β = θ ⊙ E[z],

    Risk(θ, μ) = ‖y − Xβ‖²/n + Σ_d ρ(μ_d) β_d² + λ Σ_d Φ(μ_d/τ).

At the projected β the first two terms are (yᵀy − bᵀβ)/n, and by the envelope theorem the gradient
of min_θ Risk is the partial derivative with β fixed,

    ∂/∂μ_d = β_d² ρ'(μ_d) + λ φ(μ_d/τ)/τ,

which is Algorithm 1's −2θq'Xᵀr/n + θ²v' + λφ/τ once Xᵀr = nρβ is put in. Nothing is sampled.
"""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.backend import Array, clip, namespace
from ..data.batch import Batch
from .moments import gate_moments
from .projection import project

__all__ = ["Risk", "joint_risk", "profiled_risk", "residual_sum_of_squares"]


class Risk(NamedTuple):
    """The risk at μ, with given coefficients or the best for these gates."""

    value: Array
    """Shape (...)."""
    gradient: Array
    """In μ, shape (..., D)."""


def profiled_risk(problem: Batch, mu: Array, tau: float, alpha: Array) -> Risk:
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
    return Risk(value, gradient)


def joint_risk(problem: Batch, theta: Array, mu: Array, tau: float, alpha: Array) -> Risk:
    r"""Return the exact Risk(θ, μ) and its gradient in μ, for columns of any scale.

    With q, v the gates' mean and variance, c the columns' squared norms and e = b − G(θ⊙q),

        ∂/∂μ = (−2 θ q' e + θ² c v')/n + λ φ(μ/τ)/τ.
    """
    xp = namespace(mu)
    gates, n, price = gate_moments(mu, tau), xp.asarray(problem.n)[..., None], xp.asarray(alpha)
    beta, squared = theta * gates.mean, problem.diagonal / n
    e = problem.b - (problem.G @ beta[..., None])[..., 0]
    rss = problem.yy - xp.sum((problem.b + e) * beta, axis=-1)
    spread = xp.sum(theta * theta * squared * gates.variance, axis=-1)
    value = (
        clip(rss, low=0.0) / problem.n + spread + price * xp.sum(gates.open_probability, axis=-1)
    )
    gradient = -2.0 * theta * gates.mean_slope * e / n
    gradient = gradient + theta * theta * squared * gates.variance_slope
    return Risk(value, gradient + price[..., None] * gates.open_slope)


def residual_sum_of_squares(problem: Batch, ridge: Array, beta: Array) -> Array:
    """Return ‖y − Xβ‖² of a projected β, from Xᵀ(y − Xβ) = nρβ; nothing but dot products."""
    xp = namespace(beta)
    charged = ridge * beta * beta
    rss = problem.yy - xp.sum(problem.b * beta, axis=-1) - problem.n * xp.sum(charged, axis=-1)
    return clip(rss, low=0.0)
