r"""A background of small effects: what is left of a problem that every column has a part in.

Beside the effects of a support let every column have a small one, u_j ~ N(0, σ²η). Then
y ~ N(X_S β_S, σ²V) with V = I + ηXXᵀ, and least squares in the metric of V⁻¹ is least squares of
transformed sums. With XXᵀ = WΛWᵀ, the *loadings* A = XᵀW and c = Wᵀy,

    G̃ = XᵀV⁻¹X = A (I + ηΛ)⁻¹ Aᵀ,    b̃ = A (I + ηΛ)⁻¹ c,    ỹᵀỹ = yᵀy − Σ c² ηλ/(1 + ηλ),

and log |V| = Σ log(1 + ηλ). All of it comes from one decomposition, of XXᵀ or of G = XᵀX, whichever
is smaller. The columns have mean square one, so ηD is the variance of the background as a multiple
of the noise's: its *strength*.

Given β_S the small effects have the mean η(I + ηG)⁻¹(b − Gβ) and the covariance σ²η(I + ηG)⁻¹, and
(I + ηG)⁻¹ = I − A diag(η/(1 + ηλ)) Aᵀ. So the sum of both, β + u, has the mean
(I + ηG)⁻¹(ηb + β): it is linear in β.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .determined_directions import SMALLEST_SHARE
from .quadratic import GramQuadratic, Problem, RowQuadratic, on_host

__all__ = ["Background", "backgrounds"]


class Background(NamedTuple):
    """Backgrounds of one standardised problem, each with its η."""

    eta: np.ndarray
    """(E,)."""
    values: np.ndarray
    """λ, (r,)."""
    loadings: np.ndarray
    """A, (D, r)."""
    along: np.ndarray
    """c, (r,)."""
    numbers: tuple[float, float, float]
    """yᵀy, n and the degrees of freedom."""

    @property
    def log_determinants(self) -> np.ndarray:
        """Log |V| of each, (E,)."""
        return np.asarray(np.log1p(self.eta[:, None] * self.values).sum(axis=1))

    def problems(self, columns: np.ndarray) -> GramQuadratic:
        """Return the transformed problems of some columns, one for each η: a batch of E."""
        A, kept = self.loadings[columns], 1.0 / (1.0 + self.eta[:, None] * self.values)
        G = (A * kept[:, None, :]) @ A.T
        yy, n, dof = (np.full(self.eta.size, one) for one in self.numbers)
        yy -= np.sum(self.along**2 * (1.0 - kept), axis=1)
        return GramQuadratic(G, (self.along * kept) @ A.T, yy, n, dof)

    def shrinkage(self, number: int) -> np.ndarray:
        """Return (I + ηG)⁻¹, (D, D), of one of them."""
        eta = self.eta[number]
        taken = (self.loadings * (eta / (1.0 + eta * self.values))) @ self.loadings.T
        return np.eye(len(self.loadings)) - taken


def backgrounds(problem: Problem, strengths: np.ndarray) -> Background:
    """Return backgrounds with so many times the noise's variance, (E,), of a batch of one."""
    problem = on_host(problem)
    n_columns = problem.b.shape[1]
    if isinstance(problem, RowQuadratic) and problem.X.shape[1] < n_columns:
        X = problem.X[0].astype(float)
        values, vectors = np.linalg.eigh(X @ X.T)
        counts = _counts(values)
        loadings, along = X.T @ vectors[:, counts], problem.y[0] @ vectors[:, counts]
    else:
        values, vectors = np.linalg.eigh(problem.gram.G[0])
        counts = _counts(values)
        roots = np.sqrt(values[counts])
        loadings = vectors[:, counts] * roots
        along = problem.b[0] @ vectors[:, counts] / roots
    numbers = (problem.yy, problem.n, problem.degrees_of_freedom)
    yy, n, dof = (float(np.broadcast_to(one, 1)[0]) for one in numbers)
    eta = np.asarray(strengths, dtype=float) / max(n_columns, 1)
    return Background(eta, values[counts], loadings, along, (yy, n, dof))


def _counts(values: np.ndarray) -> np.ndarray:
    return np.asarray(values > SMALLEST_SHARE * np.max(values, initial=0.0))
