r"""Theorem 1: the best θ for given gates is a generalised ridge regression.

Gates are independent, so E[zzᵀ] = qqᵀ + diag(v), and with β = θ ⊙ q the minimiser of
E‖y − X(θ⊙z)‖² solves, for columns of mean square one and noise ratios ρ = v/q²,

    minimise over β   ‖y − Xβ‖² + n Σ_d ρ_d β_d².

The *primal* solves it with a D×D matrix and needs only G and b, the *dual* with an N×N matrix and
needs X; :func:`project` chooses by shape. Both agree with the paper's Hadamard form
(:func:`hadamard`), which is needed by itself only for sampled gates, whose second moments are not
qqᵀ + diag(v).

A gate that is surely open has ρ = 0, and then nothing keeps the matrix from being singular (or,
in the dual, infinite). Both solve with ρ lifted to a floor and take a few steps of refinement with
the same factor, which remove the floor's bias along every direction the data determine and leave
the others near zero: the minimum-norm solution of the paper's remark, to rounding, and never
a NaN. Where rounding has left the matrix indefinite by more than the floor, the floor is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arrays.backend import (
    Array,
    add_diagonal,
    cholesky,
    cholesky_solve,
    clip,
    diagonal,
    namespace,
    solve_positive,
)
from ..data.batch import Batch
from .gate_settings import GATES

__all__ = ["dual", "hadamard", "primal", "project"]


Solve = Callable[[Any, Array, Array, bool], Array]
"""From a batch, ρ, the same ρ lifted to a floor and whether to refine to β, (..., D)."""


def project(
    problem: Batch, ridge: Array, *, refine: bool = True, solve: Solve | None = None
) -> Array:
    """Return β, (..., D), for noise ratios ``ridge``, (..., D); columns at mean square one.

    The floor under ρ is the lowest that leaves each problem's matrix positive definite. Without
    refinement ρ is at least about 1e-8, which is good enough between steps. ``solve`` is
    :func:`primal` or :func:`dual`; None chooses.
    """
    xp = namespace(ridge)
    if solve is None:
        # The smaller matrix: D×D costs D³/3, N×N costs N³/3 and N²D to form.
        is_tall = problem.smaller_side == problem.b.shape[-1]
        solve = primal if is_tall else dual
    floor = xp.finfo(ridge.dtype).eps ** 0.5
    beta = solve(problem, ridge, _lifted(ridge, floor), refine)
    while floor < 1.0:
        failed = ~xp.all(xp.isfinite(beta), axis=-1, keepdims=True)
        if not xp.any(failed):
            break
        floor *= 100.0
        beta = xp.where(failed, solve(problem, ridge, _lifted(ridge, floor), refine), beta)
    return beta


def primal(problem: Batch, ridge: Array, rho: Array, refine: bool) -> Array:
    """Return β, (..., D), of (G + n·diag(ρ)) β = b, ρ being the lifted ridge.

    The unknowns are scaled by s = (1+ρ)^(−1/2), which gives the matrix a unit diagonal: closed and
    open gates together do not harm its condition.
    """
    xp = namespace(ridge)
    s = 1.0 / xp.sqrt(1.0 + rho)
    scale = s / xp.sqrt(problem.n[..., None])
    matrix = problem.G * scale[..., :, None] * scale[..., None, :]
    matrix = add_diagonal(matrix, rho * s * s)
    if not refine:
        return scale * solve_positive(matrix, scale * problem.b)
    factor = cholesky(matrix)
    beta = scale * cholesky_solve(factor, scale * problem.b)
    for _ in range(GATES.refinements):
        missing = problem.b - _times(problem.G, beta) - _charge(problem, ridge, beta)
        beta = beta + scale * cholesky_solve(factor, scale * missing)
    return beta


def dual(problem: Batch, ridge: Array, rho: Array, refine: bool) -> Array:
    """Return β = ΓXᵀr, (..., D), where (I + XΓXᵀ) r = y and Γ = diag(1/(nρ)), ρ being lifted."""
    xp = namespace(ridge)
    X, y = problem.X, problem.y
    Xt = xp.matrix_transpose(X)
    gamma = 1.0 / problem.n[..., None] / rho
    matrix = (X * gamma[..., None, :]) @ Xt
    matrix = add_diagonal(matrix, 1.0)
    if not refine:
        return gamma * _times(Xt, solve_positive(matrix, y))
    factor = cholesky(matrix)
    beta = gamma * _times(Xt, cholesky_solve(factor, y))
    for _ in range(GATES.refinements):
        missing = _times(Xt, y - _times(X, beta)) - _charge(problem, ridge, beta)
        step = cholesky_solve(factor, _times(X, gamma * missing))
        beta = beta + gamma * (missing - _times(Xt, step))
    return beta


def hadamard(G: Array, b: Array, second: Array, mean: Array, jitter: float = 0.0) -> Array:
    """Return θ = (G ⊙ Q)⁻¹ (b ⊙ q) for second moments Q, (..., D, D), and means q, (..., D).

    It is line 2 of Algorithm 1. With M sampled gates Q has rank at most M, and G ⊙ Q may be nearly
    singular; ``jitter`` times the mean of its diagonal is added to the diagonal.
    """
    xp = namespace(G, second)
    matrix = G * second
    extra = (jitter / matrix.shape[-1]) * xp.sum(diagonal(matrix), axis=-1, keepdims=True)
    # Where every sampled gate is closed the matrix is zero, and θ is zero too.
    matrix = add_diagonal(matrix, extra + xp.finfo(extra.dtype).smallest_normal ** 0.5)
    return solve_positive(matrix, b * mean)


def _lifted(ridge: Array, floor: float) -> Array:
    """Return ρ, at least ``floor`` (open gates) and at most the largest float (closed gates)."""
    return clip(ridge, floor, namespace(ridge).finfo(ridge.dtype).max)


def _charge(problem: Batch, ridge: Array, beta: Array) -> Array:
    """Return nρβ without the floor: the ridge's part of the normal equations."""
    return clip(ridge, high=namespace(ridge).finfo(ridge.dtype).max) * beta * problem.n[..., None]


def _times(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]
