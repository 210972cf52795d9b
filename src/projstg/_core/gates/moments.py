r"""The clipped Gaussian gate z = clip(μ + δ, 0, 1), δ ~ N(0, τ²): its moments and samples.

Its moments are closed forms. Let a = −μ/τ and b = (1−μ)/τ be the two clipping points in units of
the noise, φ and Q the normal density and upper tail. Since z = ∫₀¹ 1[μ+δ > t] dt,

    E[z]  = τ (I₁(a) − I₁(b))
    E[z²] = 2τ² (I₂(a) − I₂(b)) − 2τ I₁(b)

where I₁, I₂ are the repeated integrals of the tail, I₀ = Q and Iₙ(x) = ∫ₓ^∞ Iₙ₋₁. These formulas
lose all digits far from 0 and 1, so three devices keep them exact:

* *Reflection.* 1 − z(μ) has the law of z(1−μ), hence only μ ≤ 1/2 is computed.
* *Scaling.* The tail functions are carried as Iₙ(x)/φ(x), and φ(a) is multiplied in last, or only
  in the logarithm: Var[z]/E[z]², which decides how strongly a gate shrinks its column, is right
  long after both of its parts have underflowed.
* *Recentring.* Where μ lies between 0 and 1, Var[z] is computed as the variance of
  clip(δ, −μ, 1−μ), where no digits cancel when τ is small.

And d Var[z]/dμ = 2 Cov(z, 1[0 < μ+δ < 1]) = 2 (E[z] Φ(a) − (1−E[z]) Q(b)), a difference of two
positive terms that meet only at μ = 1/2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..arrays.backend import Array, clip, erfcx, namespace, ndtr, quiet

_SQRT_2PI = math.sqrt(2.0 * math.pi)
# Beyond this many standard deviations every moment has underflowed; infinite μ is moved here.
_FARTHEST = 1e4
# The closed forms of I₁/φ and I₂/φ lose x² and x⁴ units in the last place; from here on the
# continued fraction is used; the larger x, the fewer terms it needs.
_CONTINUED_FROM = 5.0
_CONTINUED_TERMS = 20


class GateMoments(NamedTuple):
    """What the risk needs to know about gates at μ, each of μ's shape."""

    mean: Array
    """q = E[z]."""
    variance: Array
    """v = Var[z]."""
    mean_slope: Array
    """dq/dμ = P(0 < μ+δ < 1)."""
    variance_slope: Array
    """dv/dμ."""
    open_probability: Array
    """P(z > 0) = Φ(μ/τ)."""
    open_slope: Array
    """dΦ(μ/τ)/dμ."""
    noise_ratio: Array
    """ρ = v/q², finite: zero for a gate that is surely open, huge for one that is closed."""
    log_noise_ratio: Array
    """log(v/q²), from logarithms, right also where v/q² is out of range."""
    log_noise_ratio_slope: Array
    """d log(v/q²)/dμ = v'/v − 2q'/q."""


def _tail(x: Array, xp: Any) -> tuple[Array, Array, Array]:
    """Return (I₀, I₁, I₂)/φ at x ≥ 0.

    Near: I₀/φ is Mills' ratio R, I₁/φ = 1 − xR, I₂/φ = ((1+x²)R − x)/2. Far: the recurrence
    n Iₙ = Iₙ₋₂ − x Iₙ₋₁ gives the ratios rₙ = Iₙ/Iₙ₋₁ = 1/(x + (n+1) rₙ₊₁), run downwards.
    """
    near = clip(x, 0.0, _CONTINUED_FROM)
    mills = math.sqrt(math.pi / 2.0) * erfcx(near * math.sqrt(0.5))
    first, second = 1.0 - near * mills, ((1.0 + near * near) * mills - near) / 2.0
    is_far = x > _CONTINUED_FROM
    if not xp.any(is_far):
        return mills, first, second
    far = xp.where(is_far, x, xp.full_like(x, _CONTINUED_FROM))
    # The fixed point of the recurrence is a far better start than zero.
    n = _CONTINUED_TERMS
    ratio = 2.0 / (far + xp.sqrt(far * far + 4.0 * (n + 2)))
    for n in range(_CONTINUED_TERMS, 1, -1):
        ratio = 1.0 / (far + (n + 1) * ratio)
    r2 = ratio
    r1 = 1.0 / (far + 2.0 * r2)
    r0 = 1.0 / (far + r1)
    return (
        xp.where(is_far, r0, mills),
        xp.where(is_far, r0 * r1, first),
        xp.where(is_far, r0 * r1 * r2, second),
    )


def gate_moments(mu: Array, tau: float) -> GateMoments:
    """Return all moments of the gates at ``mu`` (any shape) and their derivatives.

    Exact to about 1e-13 in float64 while both clipping points lie within 25 standard deviations;
    farther out finite, monotone and with non-negative variance. Infinite μ gives the limits.
    """
    xp = namespace(mu)
    with quiet():
        return _gate_moments(mu, tau, xp)


def _gate_moments(mu: Array, tau: float, xp: Any) -> GateMoments:
    reflected = mu > 0.5
    m = xp.where(reflected, 1.0 - mu, mu)
    a = clip(-m / tau, -_FARTHEST, _FARTHEST)
    b = clip((1.0 - m) / tau, -_FARTHEST, _FARTHEST + 1.0 / tau)
    interior = a < 0.0  # otherwise the mean of μ+δ is below 0: the gate is more closed than open
    size = xp.abs(a)
    tails = _tail(xp.stack([size, b]), xp)
    (a0, a1, a2), (b0, b1, b2) = ([tail[i, ...] for tail in tails] for i in (0, 1))
    log_phi = -0.5 * size * size - math.log(_SQRT_2PI)
    phi = xp.exp(log_phi)
    # φ(b)/φ(a), from b − a = 1/τ; it is below one because b ≥ |a|.
    k = xp.exp(-0.5 * (b - size) * (b + size))

    # Everything below is divided by φ(a) on the closed side and is plain in the interior.
    outside = xp.where(interior, phi * a0, 1.0 - phi * a0)  # Φ(a), the mass at zero
    above = k * b0 * xp.where(interior, phi, xp.ones_like(phi))  # Q(b), the mass at one
    shift = a1 - k * b1
    q = xp.where(interior, clip(m, 0.0, 0.5) + tau * phi * shift, tau * shift)
    v_interior = tau * tau * (1.0 - 2.0 * phi * (a0 - a2 + k * (b0 - b2)) - (phi * shift) ** 2)
    v_closed = 2.0 * tau * tau * (a2 - k * b2) - 2.0 * tau * k * b1 - phi * q * q
    v = xp.where(interior, v_interior, v_closed)
    scale = xp.where(interior, xp.ones_like(phi), phi)
    inside = xp.where(interior, 1.0 - outside - above, a0 - k * b0)
    dv = 2.0 * (q * outside - (1.0 - scale * q) * above)

    mean = xp.where(reflected, 1.0 - scale * q, scale * q)
    log_scale = xp.where(interior, xp.zeros_like(phi), log_phi)
    # log(v/q²) = log v − 2 log q, with the factor φ(a) in v always and in q unless reflected.
    log_ratio = xp.log(v) + xp.where(
        reflected, log_scale - 2.0 * xp.log1p(-scale * q), -log_scale - 2.0 * xp.log(q)
    )
    relative = xp.where(reflected, -dv, dv) / v
    relative = relative - 2.0 * xp.where(reflected, scale * inside / mean, inside / q)
    return GateMoments(
        mean=mean,
        variance=scale * v,
        mean_slope=scale * inside,
        variance_slope=scale * xp.where(reflected, -dv, dv),
        open_probability=open_probability(mu, tau),
        open_slope=open_slope(mu, tau),
        noise_ratio=xp.exp(clip(log_ratio, high=math.log(xp.finfo(mu.dtype).max) - 1e-3)),
        log_noise_ratio=log_ratio,
        log_noise_ratio_slope=relative,
    )


def gate_mean(mu: Array, tau: float) -> Array:
    """Return q = E[z]."""
    return gate_moments(mu, tau).mean


def open_probability(mu: Array, tau: float) -> Array:
    """Return P(z > 0) = Φ(μ/τ)."""
    return ndtr(mu / tau)


def open_slope(mu: Array, tau: float) -> Array:
    """Return dP(z > 0)/dμ = φ(μ/τ)/τ."""
    z = mu / tau
    return namespace(mu).exp(-0.5 * z * z) / (_SQRT_2PI * tau)


def deterministic_gate(mu: Array) -> Array:
    """Return the gate without its noise, clip(μ, 0, 1): the gate in the paper's estimate."""
    return clip(mu, 0.0, 1.0)


def sampled_gate(mu: Array, tau: float, noise: Array) -> Array:
    """Return clip(μ + τ·noise, 0, 1) for standard normal noise of any shape that broadcasts."""
    return deterministic_gate(mu + tau * noise)


def gated_coefficients(mu: Array, theta: Array) -> Array:
    """Return the paper's estimate β̂ = θ ⊙ z(μ) with gates without noise; 0 where closed."""
    xp = namespace(mu)
    gate = deterministic_gate(mu)
    return xp.where(gate > 0.0, theta * gate, xp.zeros_like(theta))
