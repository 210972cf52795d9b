r"""Theorem 1: the best θ for given gates is a generalised ridge regression.

Gates are independent, so E[zzᵀ] = qqᵀ + diag(v), and with β = θ ⊙ q the minimiser of
E‖y − X(θ⊙z)‖² solves, for columns of mean square one and noise ratios ρ = v/q²,

    minimise over β   ‖y − Xβ‖² + n Σ_d ρ_d β_d².

The *primal* solves it with a D×D matrix and needs only G and b, the *dual* with an N×N matrix and
needs X; :func:`project` chooses by shape. Both agree with the paper's Hadamard form
(:func:`hadamard`), which is needed by itself only for sampled gates, whose second moments are not
qqᵀ + diag(v).

A gate that is surely open has ρ = 0, and then nothing keeps the matrix from being singular (or,
in the dual, infinite). Both solve with ρ lifted to a floor and take one step of refinement with
the same factor, which removes the floor's bias along every direction the data determine and
leaves the others near zero: the minimum-norm solution the paper's remark asks for, to rounding,
and never a NaN.
"""

from __future__ import annotations

from .backend import Array, cholesky, cholesky_solve, namespace, solve_positive
from .statistics import GramQuadratic, RowQuadratic

__all__ = ["dual", "hadamard", "primal", "project"]

# A closed gate may ask for an infinite ridge; this one is as good and its products stay finite.
_LARGEST_RIDGE = 1e150


def project(problem: GramQuadratic | RowQuadratic, ridge: Array) -> Array:
    """Return β, (..., D), for noise ratios ``ridge``, (..., D); columns at mean square one."""
    if isinstance(problem, GramQuadratic):
        return primal(problem, ridge)
    n_rows, n_columns = problem.X.shape[-2:]
    # The smaller matrix: D×D costs D³/3, N×N costs N³/3 and N²D to form.
    return dual(problem, ridge) if n_rows < n_columns else primal(problem.gram, ridge)


def primal(problem: GramQuadratic, ridge: Array) -> Array:
    """Solve (G + n·diag(ρ)) β = b.

    The unknowns are scaled by s = (1+ρ)^(−1/2), which gives the matrix a unit diagonal: gates
    closed and open at once do not harm its condition.
    """
    xp = namespace(ridge)
    n = problem.n[..., None]
    floor = 8.0 * ridge.shape[-1] * xp.finfo(ridge.dtype).eps
    rho = xp.clip(ridge, floor, _largest(ridge))
    s = 1.0 / xp.sqrt(1.0 + rho)
    scale = s / xp.sqrt(n)
    matrix = _with_diagonal(
        problem.G * scale[..., :, None] * scale[..., None, :], rho / (1.0 + rho)
    )
    if not xp.any(ridge < floor):
        return scale * solve_positive(matrix, scale * problem.b)[0]
    factor, _ = cholesky(matrix)
    beta = scale * cholesky_solve(factor, scale * problem.b)
    missing = problem.b - _times(problem.G, beta) - n * xp.clip(ridge, 0.0, _largest(ridge)) * beta
    return beta + scale * cholesky_solve(factor, scale * missing)


def dual(problem: RowQuadratic, ridge: Array) -> Array:
    """Solve (I + XΓXᵀ) r = y, then β = ΓXᵀr, with Γ = diag(1/(nρ))."""
    xp = namespace(ridge)
    X, n = problem.X, problem.n[..., None]
    Xt = xp.matrix_transpose(X)
    floor = xp.finfo(ridge.dtype).eps ** 0.5
    gamma = 1.0 / (n * xp.clip(ridge, floor, _largest(ridge)))
    matrix = (X * gamma[..., None, :]) @ Xt
    one = xp.ones(matrix.shape[:-1], dtype=matrix.dtype, device=matrix.device)
    matrix = _with_diagonal(matrix, one)
    if not xp.any(ridge < floor):
        return gamma * _times(Xt, solve_positive(matrix, problem.y)[0])
    factor, _ = cholesky(matrix)
    beta = gamma * _times(Xt, cholesky_solve(factor, problem.y))
    residual = problem.y - _times(X, beta)
    missing = _times(Xt, residual) - n * xp.clip(ridge, 0.0, _largest(ridge)) * beta
    step = cholesky_solve(factor, _times(X, gamma * missing))
    return beta + gamma * (missing - _times(Xt, step))


def hadamard(G: Array, b: Array, second: Array, mean: Array, jitter: float = 0.0) -> Array:
    """Return θ = (G ⊙ Q)⁻¹ (b ⊙ q) for second moments Q, (..., D, D), and means q: line 2.

    With M sampled gates Q has rank M, and G ⊙ Q may be nearly singular; ``jitter`` times the mean
    of its diagonal is added to it.
    """
    xp = namespace(G, second)
    matrix = G * second
    diagonal = xp.linalg.diagonal(matrix)
    extra = jitter * xp.mean(diagonal, axis=-1, keepdims=True) + 0.0 * diagonal
    return solve_positive(_with_diagonal(matrix, extra), b * mean)[0]


def _largest(ridge: Array) -> float:
    return min(_LARGEST_RIDGE, namespace(ridge).finfo(ridge.dtype).max ** 0.5)


def _times(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]


def _with_diagonal(matrix: Array, extra: Array) -> Array:
    """Return matrix + diag(extra)."""
    xp = namespace(matrix)
    eye = xp.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    return matrix + eye * extra[..., None, :]
