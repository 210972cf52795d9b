r"""The original stochastic gates (Yamada et al. 2020) for the linear model: nothing is projected.

The coefficients θ and the gates μ descend side by side on

    V(θ, μ) = 1/(nL) Σ_l ‖y − X(θ⊙z⁽ˡ⁾)‖² + λ Σ_d Φ(μ_d/τ),     z⁽ˡ⁾ = clip(μ + δ⁽ˡ⁾, 0, 1),

L fresh gates a step. With e_l = Xᵀ(y − X(θ⊙z⁽ˡ⁾)) the two gradients are

    ∂V/∂θ = −2/(nL) Σ_l z⁽ˡ⁾ ⊙ e_l,
    ∂V/∂μ = −2/(nL) Σ_l θ ⊙ 1[0 < z⁽ˡ⁾ < 1] ⊙ e_l + λ φ(μ/τ)/τ,

and the second is that of Algorithm 1, where θ is the projection instead. Gates begin at 1/2, as in
Algorithm 1, and coefficients at zero: V is convex in θ, so zero is as good a start as any.

A step has units, and a plain one is stable only below the inverse curvature of V. :func:`balanced`
removes both problems, so that one learning rate serves every table.
"""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.backend import Array, namespace
from ..data.batch import Batch
from ..progress import Report, steps_of
from .algorithm1 import Noise, gate_gradient, residual_correlation
from .alternate import response_scale
from .moments import open_slope, sampled_gate
from .optimizers import Adam, FixedStep

__all__ = ["JointState", "balanced", "joint_descent", "joint_gradient"]


class JointState(NamedTuple):
    """The state of a descent, from which it can go on."""

    theta: Array
    """In units of the standardised columns, (B, D)."""
    mu: Array
    theta_memory: Adam | FixedStep
    mu_memory: Adam | FixedStep
    n_iter: int


def balanced(problem: Batch, alpha: Array) -> tuple[Batch, Array, Array]:
    """Return a standardised problem ready for descent, its λ, and the unit of its θ, (B,).

    y is divided by its root mean square u, and the risk by the largest eigenvalue of XᵀX/n. Gates
    are at most one, so the curvature in θ of any sampled V is then at most 2, and plain steps in θ
    are stable at any learning rate below one. The second factor does not change Adam's steps.
    """
    xp, X = namespace(problem.b), problem.X
    # XXᵀ and XᵀX share their positive eigenvalues.
    products = problem.G if X is None else X @ xp.matrix_transpose(X)
    largest = xp.linalg.eigvalsh(products)[:, -1] / problem.n
    curvature = xp.where(largest > 0.0, largest, xp.ones_like(largest))
    u = response_scale(problem)
    G, b = problem.G / curvature[:, None, None], problem.b / (curvature * u)[:, None]
    price = curvature * u * u
    return Batch.of_sums(G, b, problem.yy / price, problem.n, problem.dof), alpha / price, u


def joint_gradient(problem: Batch, theta: Array, z: Array) -> tuple[Array, Array]:
    """Return the gradients in θ and in μ of the mean of ‖y − X(θ⊙z)‖²/n over gates z, (B, L, D)."""
    correlation = residual_correlation(problem, theta, z)
    total = namespace(z).sum(z * correlation, axis=1)
    in_theta = (-2.0 / z.shape[1]) * total / problem.n[:, None]
    return in_theta, gate_gradient(problem, theta, z, correlation)


def joint_descent(
    problem: Batch,
    alpha: Array,
    tau: float,
    noise: Noise,
    start: JointState | None = None,
    *,
    learning_rate: float,
    max_iter: int,
    optimizer: str = "adam",
    report: Report | None = None,
) -> JointState:
    """Take ``max_iter`` more steps on a batch of problems with one leading axis.

    Parameters
    ----------
    problem, alpha : from :func:`balanced`, a Gram matrix (B, D, D) and λ, (B,)
    noise : where the draws come from, (B, L, D) standard normals a step
    start : the state that an earlier call returned; None is θ = 0 and μ = 1/2
    learning_rate : of both θ and μ
    """
    if start is None:
        xp, rule = namespace(problem.b), Adam if optimizer == "adam" else FixedStep
        theta, mu = xp.zeros_like(problem.b), xp.full_like(problem.b, 0.5)
        start = JointState(theta, mu, rule.at(theta), rule.at(mu), 0)
    theta, mu, theta_memory, mu_memory, n_iter = start
    step = steps_of(report, "gates", max_iter)
    for _ in range(max_iter):
        z = sampled_gate(mu[:, None, :], tau, noise())
        in_theta, in_mu = joint_gradient(problem, theta, z)
        in_mu = in_mu + alpha[:, None] * open_slope(mu, tau)
        theta, theta_memory = theta_memory.step(theta, in_theta, learning_rate)
        mu, mu_memory = mu_memory.step(mu, in_mu, learning_rate)
        n_iter += 1
        if step():
            break
    return JointState(theta, mu, theta_memory, mu_memory, n_iter)
