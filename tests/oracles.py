"""Slow, obvious answers that the core is held against. Nothing here imports the core."""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import mpmath
import numpy as np
from hypothesis import HealthCheck, settings
from mpmath.calculus.quadrature import GaussLegendre
from scipy import optimize
from scipy.special import ndtr

# Random shapes: few, and the same ones in every run, however slow the machine.
few_examples = settings(
    derandomize=True,
    deadline=None,
    max_examples=20,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

_DIGITS = 60


class ExactGate(NamedTuple):
    """Moments of clip(μ + δ, 0, 1) as 60-digit numbers."""

    mean: mpmath.mpf
    variance: mpmath.mpf
    mean_slope: mpmath.mpf
    variance_slope: mpmath.mpf
    open_probability: mpmath.mpf
    open_slope: mpmath.mpf
    noise_ratio: mpmath.mpf
    log_noise_ratio: mpmath.mpf
    log_noise_ratio_slope: mpmath.mpf
    variance_slope_terms: mpmath.mpf
    """Sum of the two positive terms whose difference is the slope of the variance."""


@lru_cache
def _legendre():
    with mpmath.workdps(_DIGITS):
        return GaussLegendre(mpmath.mp).calc_nodes(5, mpmath.mp.prec)


def _pieces(mu, tau):
    """Cut [0, 1] where the density of μ + δ moves by a bounded factor, from the end near μ."""
    outside = max(-mu, mu - 1, mpmath.mpf(0))
    step = 6 * tau / (1 + outside / tau)
    count = min(int(mpmath.ceil(1 / step)), 40)
    cuts = [min(i * step, mpmath.mpf(1)) for i in range(count)] + [mpmath.mpf(1)]
    return cuts if mu < mpmath.mpf(1) / 2 else [1 - cut for cut in reversed(cuts)]


def _integrals(mu, tau, origin):
    """∫ (t−origin)ᵏ density(t) dt over (0, 1) for k = 0, 1, 2."""
    total = [mpmath.mpf(0)] * 3
    cuts = _pieces(mu, tau)
    for left, right in pairwise(cuts):
        half = (right - left) / 2
        for node, weight in _legendre():
            t = left + half * (1 + node)
            mass = half * weight * mpmath.exp(-(((t - mu) / tau) ** 2) / 2)
            total = [s + mass * (t - origin) ** k for k, s in enumerate(total)]
    return [s / (tau * mpmath.sqrt(2 * mpmath.pi)) for s in total]


@lru_cache(maxsize=4096)
def exact_gate(mu: float, tau: float) -> ExactGate:
    """Gauss-Legendre quadrature of the definitions, about whichever end of [0, 1] is nearer."""
    with mpmath.workdps(_DIGITS):
        mu, tau = mpmath.mpf(float(mu)), mpmath.mpf(float(tau))
        origin = mpmath.mpf(1 if mu > 0.5 else 0)
        below, above = mpmath.ncdf(-mu / tau), mpmath.ncdf((mu - 1) / tau)
        inside, first, second = _integrals(mu, tau, origin)
        # z − origin is −origin with the mass below and 1 − origin with the mass above
        shift = first - origin * below + (1 - origin) * above
        variance = second + (origin * below + (1 - origin) * above) - shift**2
        mean = origin + shift
        variance_slope = 2 * (first - shift * inside)
        open_slope = mpmath.npdf(mu / tau) / tau
        return ExactGate(
            mean=mean,
            variance=variance,
            mean_slope=inside,
            variance_slope=variance_slope,
            open_probability=mpmath.ncdf(mu / tau),
            open_slope=open_slope,
            noise_ratio=variance / mean**2,
            log_noise_ratio=mpmath.log(variance) - 2 * mpmath.log(mean),
            log_noise_ratio_slope=variance_slope / variance - 2 * inside / mean,
            variance_slope_terms=2 * (mean * below + (1 - origin - shift) * above),
        )


def exact_moments(mu, tau):
    """(q, v, P(open)) for a vector μ, as floats."""
    gates = [exact_gate(m, tau) for m in np.ravel(mu)]
    fields = ("mean", "variance", "open_probability")
    return tuple(np.asarray([float(getattr(g, f)) for g in gates]) for f in fields)


def second_moments(q, v):
    """Q = E[zzᵀ] of independent gates."""
    return np.outer(q, q) + np.diag(v)


def explicit_risk(X, y, theta, q, v, open_probability, alpha):
    """The paper's risk at (θ, μ), from the moments of the gates."""
    n = len(y)
    fit = np.sum((y - X @ (theta * q)) ** 2) / n
    noise = np.sum(theta**2 * v * np.sum(X**2, axis=0)) / n
    return fit + noise + alpha * np.sum(open_probability)


def theorem_1(X, y, q, v):
    """Minimum-norm minimiser θ of E‖y − X(θ⊙z)‖² = yᵀy − 2θᵀ(b⊙q) + θᵀ(XᵀX⊙Q)θ."""
    matrix = (X.T @ X) * second_moments(q, v)
    return np.linalg.pinv(matrix, rcond=1e-11, hermitian=True) @ ((X.T @ y) * q)


def hadamard_formula(X, y, q, v):
    """θ = (XᵀX ⊙ Q)⁻¹ (Xᵀy ⊙ q), as the paper writes it."""
    return np.linalg.solve((X.T @ X) * second_moments(q, v), (X.T @ y) * q)


def ridge_minimiser(X, y, ridge):
    """Minimum-norm minimiser of ‖y − Xβ‖² + n Σ ρ_d β_d²; infinite ρ means β = 0."""
    ridge = np.minimum(ridge, 1e300)
    s = 1.0 / np.sqrt(1.0 + ridge)  # solved for β/s, whose matrix has columns of one size
    charge = s * np.sqrt(len(y) * ridge)
    rows, rhs = np.vstack([X * s, np.diag(charge)]), np.append(y, np.zeros(len(s)))
    return s * np.linalg.lstsq(rows, rhs, rcond=1e-11)[0]


def brute_penalty(cost, grid, n_zooms=3):
    """Infimum of a cost over a grid of gates, looked at ever closer, and of the open gate's, one.

    ``cost`` takes gates (T, M) for T coefficients and returns their costs.
    """
    for _ in range(n_zooms):
        values = cost(grid)
        best = np.clip(np.argmin(values, axis=-1), 1, grid.shape[-1] - 2)[:, None]
        left, right = (np.take_along_axis(grid, best + i, axis=-1)[:, 0] for i in (-1, 1))
        grid = np.linspace(left, right, 201, axis=-1)
    return np.minimum(1.0, np.min(cost(grid), axis=-1))


def finite_differences(function, x, step=1e-5):
    """Central differences, one coordinate at a time; fourth order."""
    gradient = np.empty_like(x)
    for d in range(x.size):
        e = np.zeros_like(x)
        e.flat[d] = step
        near = function(x + e) - function(x - e)
        wide = function(x + 2 * e) - function(x - 2 * e)
        gradient.flat[d] = (8 * near - wide) / (12 * step)
    return gradient


def minimum_near(function, start):
    """Value of the best point a simplex finds from here."""
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000, "maxfev": 4000}
    return optimize.minimize(function, start, method="Nelder-Mead", options=options).fun


def adam_loop(gradient, x, learning_rate, n_steps):
    """Kingma and Ba's Algorithm 1, number by number."""
    x = [float(value) for value in x]
    m, s = [0.0] * len(x), [0.0] * len(x)
    for k in range(1, n_steps + 1):
        g = gradient(x)
        for d in range(len(x)):
            m[d] = 0.9 * m[d] + 0.1 * g[d]
            s[d] = 0.999 * s[d] + 0.001 * g[d] ** 2
            m_hat, s_hat = m[d] / (1 - 0.9**k), s[d] / (1 - 0.999**k)
            x[d] -= learning_rate * m_hat / (s_hat**0.5 + 1e-8)
    return x


def sampled_objective(X, y, theta, mu, tau, alpha, noise):
    """V of line 9: the mean of ‖y − X(θ⊙z)‖²/N over the gates of each row of noise, and the price.

    ``mu`` alone moves; θ and the noise are given.
    """
    total = 0.0
    for delta in noise:
        z = [min(max(m + tau * d, 0.0), 1.0) for m, d in zip(mu, delta, strict=True)]
        total += np.sum((y - X @ (theta * z)) ** 2) / len(y)
    return total / len(noise) + alpha * np.sum(ndtr(np.asarray(mu) / tau))


def sampled_projection(X, y, mu, tau, noise, jitter):
    """θ of lines 1 and 2, the moments summed draw by draw; jitter is a share of the diagonal."""
    Q, q = np.zeros((len(mu), len(mu))), np.zeros(len(mu))
    for delta in noise:
        z = np.asarray([min(max(m + tau * d, 0.0), 1.0) for m, d in zip(mu, delta, strict=True)])
        Q += np.outer(z, z) / len(noise)
        q += z / len(noise)
    matrix = (X.T @ X) * Q
    matrix += jitter * np.mean(np.diag(matrix)) * np.eye(len(mu))
    return np.linalg.solve(matrix, (X.T @ y) * q)


def algorithm_1(X, y, alpha, tau, epochs, n_projection, rate, rule, jitter):
    """The paper's Algorithm 1 on given draws; ∇V numerically. Returns μ and the last θ."""
    draws = iter(epochs)
    theta = None

    def gradient(mu):
        nonlocal theta
        noise = next(draws)
        theta = sampled_projection(X, y, mu, tau, noise[:n_projection], jitter)
        fresh = noise[n_projection:]
        return finite_differences(
            lambda m: sampled_objective(X, y, theta, m, tau, alpha, fresh), np.asarray(mu), 1e-6
        )

    mu = [0.5] * X.shape[1]
    if rule == "adam":
        return adam_loop(gradient, mu, rate, len(epochs)), theta
    for _ in epochs:
        mu = [m - rate * g for m, g in zip(mu, gradient(mu), strict=True)]
    return mu, theta


def greedy_refits(X, y, n_steps):
    """Forward selection by fitting every candidate anew: the order, and ‖y − Xβ‖² after each."""
    order, left = [], []
    for _ in range(n_steps):
        others = [d for d in range(X.shape[1]) if d not in order]
        costs = [residual_sum(X[:, [*order, d]], y) for d in others]
        order.append(others[int(np.argmin(costs))])
        left.append(min(costs))
    return order, left


def residual_sum(X, y):
    """‖y − Xβ‖² at the least-squares β."""
    return np.sum((y - X @ np.linalg.lstsq(X, y)[0]) ** 2)


def nested_problems(rng, n_problems, n, n_features):
    """X (B, N, D) and y (B, N); problem i has i + 1 true columns, and the noise grows with i."""
    X = rng.normal(size=(n_problems, n, n_features)) + 1.0
    beta = np.tril(np.ones((n_problems, n_features)))
    noise = np.linspace(0.1, 1.0, n_problems)[:, None] * rng.normal(size=X.shape[:2])
    return X, (X @ beta[:, :, None])[:, :, 0] + noise
