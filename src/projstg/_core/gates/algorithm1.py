r"""Algorithm 1 of the paper as written: sampled gates, the Hadamard projection, gradient steps.

Each of R epochs, with ``mu`` starting at 1/2 (the input line of the algorithm):

    line 1       Q = mean of zzᵀ, q = mean of z over M sampled gates
    line 2       θ = [XᵀX ⊙ Q]⁻¹ [Xᵀy ⊙ q]
    lines 3-8    L fresh gates z⁽ˡ⁾ = clip(μ + δ⁽ˡ⁾, 0, 1)
    line 9       V = 1/(NL) Σ ‖y − X(θ⊙z⁽ˡ⁾)‖² + λ Σ Φ(μ_d/τ)
    line 10      μ ← μ − γ ∇V, the θ of line 2 fixed; Adam's step in section 4
    line 12      β̂ = θ ⊙ z(μ), z without its noise; the K largest

With Adam a few draws recover more supports than infinitely many; docs/why_noise_helps.md says why.

The columns have mean square one. Only the jitter depends on their scale; it keeps line 2 solvable
when M sampled gates leave its matrix nearly singular. With standardised columns it has no unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.backend import Array, namespace
from ..data.batch import Batch
from ..progress import Report, steps_of
from .gate_settings import GATES
from .moments import open_slope, sampled_gate
from .optimizers import Adam, FixedStep
from .projection import hadamard

__all__ = [
    "Noise",
    "algorithm1",
    "gate_gradient",
    "numpy_noise",
    "projected_theta",
    "residual_correlation",
    "sampled_gradient",
    "torch_noise",
]

Noise = Callable[[], Array]
"""Each call returns fresh standard normals for one epoch, shape (B, M + L, D)."""


def algorithm1(
    problem: Batch,
    alpha: Array,
    tau: float,
    noise: Noise,
    *,
    n_projection_samples: int,
    learning_rate: float,
    max_iter: int,
    optimizer: str = "adam",
    report: Report | None = None,
) -> tuple[Array, Array, int]:
    """Run Algorithm 1 on a batch of problems with one leading axis.

    Returned are μ and θ after the last epoch, (B, D) each, and the number of epochs.

    Parameters
    ----------
    problem : standardised, as a Gram matrix (B, D, D)
    alpha : λ, shape (B,)
    noise : where the draws come from; the first ``n_projection_samples`` (M) of an epoch serve
        lines 1-2, the others (L) lines 3-9
    """
    xp = namespace(problem.b)
    mu = xp.full_like(problem.b, 0.5)
    state = (Adam if optimizer == "adam" else FixedStep).at(mu)
    theta, step = mu, steps_of(report, "gates", max_iter)
    n_iter = 0
    for _ in range(max_iter):
        draws = noise()
        z = sampled_gate(mu[:, None, :], tau, draws)
        theta = projected_theta(problem, z[:, :n_projection_samples, :])
        gradient = sampled_gradient(problem, theta, z[:, n_projection_samples:, :])
        gradient = gradient + alpha[:, None] * open_slope(mu, tau)
        mu, state = state.step(mu, gradient, learning_rate)
        n_iter += 1
        if step():
            break
    return mu, theta, n_iter


def projected_theta(problem: Batch, z: Array) -> Array:
    """Return θ, (B, D), of lines 1 and 2 for sampled gates z, (B, M, D)."""
    xp = namespace(z)
    # Both sides of line 2 carry a factor M.
    return hadamard(
        problem.G, problem.b, xp.matrix_transpose(z) @ z, xp.sum(z, axis=1), GATES.jitter
    )


def sampled_gradient(problem: Batch, theta: Array, z: Array) -> Array:
    """Return the gradient in μ of the mean of ‖y − X(θ⊙z)‖²/N over gates z, (B, L, D): line 10."""
    return gate_gradient(problem, theta, z, residual_correlation(problem, theta, z))


def residual_correlation(problem: Batch, theta: Array, z: Array) -> Array:
    """Return Xᵀ(y − X(θ⊙z)) = b − G(θ⊙z) for each of the gates z, (B, L, D)."""
    return problem.b[:, None, :] - (z * theta[:, None, :]) @ problem.G


def gate_gradient(problem: Batch, theta: Array, z: Array, correlation: Array) -> Array:
    """Return the gradient in μ, (B, D), from the residuals' correlations, (B, L, D).

    θ is fixed, and dz/dμ is one where a gate lies strictly between 0 and 1, else zero.
    """
    xp = namespace(z)
    moves = xp.astype((z > 0.0) & (z < 1.0), z.dtype)
    total = xp.sum(moves * correlation, axis=1)
    return (-2.0 / z.shape[1]) * theta * total / problem.n[:, None]


def numpy_noise(generators: Sequence[np.random.Generator], n_draws: int, like: Array) -> Noise:
    """Return a source for problems like ``like``, (B, D), each with a generator of its own.

    A problem's draws are the same whether it runs alone or in a batch. Several epochs are drawn at
    once, which saves time and changes no draw.
    """
    n_problems, size = like.shape
    n_epochs = max(1, 65536 // (n_draws * size * n_problems))
    block = np.empty((n_problems, n_epochs, n_draws, size), dtype=like.dtype)
    used = n_epochs

    def draw() -> np.ndarray:
        nonlocal used
        if used == n_epochs:
            for generator, out in zip(generators, block, strict=True):
                if out.dtype == np.float64:
                    generator.standard_normal(out=out)
                else:
                    out[...] = generator.standard_normal(out.shape)
            used = 0
        used += 1
        return block[:, used - 1]

    return draw


def torch_noise(like: Any, n_draws: int, seed: int) -> Noise:
    """Return a source on the device of ``like``, (B, D); one generator serves the whole batch."""
    import torch

    generator = torch.Generator(device=like.device).manual_seed(seed)
    shape = (like.shape[0], n_draws, like.shape[1])

    def draw() -> Any:
        return torch.randn(shape, generator=generator, dtype=like.dtype, device=like.device)

    return draw
