r"""A background of small effects: what is left of a problem that every column has a part in.

Beside the effects of a support let every column have a small one, u_j ~ N(0, σ²η). Then
y ~ N(X_S β_S, σ²V) with V = I + ηXXᵀ, and least squares in the metric of V⁻¹ is least squares of
transformed sums. With XXᵀ = WΛWᵀ, the *loadings* A = XᵀW and c = Wᵀy,

    G̃ = XᵀV⁻¹X = A (I + ηΛ)⁻¹ Aᵀ,    b̃ = A (I + ηΛ)⁻¹ c,    ỹᵀỹ = yᵀy − Σ c² ηλ/(1 + ηλ),

and log |V| = Σ log(1 + ηλ). All of it comes from one decomposition, of XXᵀ or of G = XᵀX, whichever
is smaller. The columns have mean square one, so ηD is the variance of the background as a multiple
of the noise's: its *strength*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .determined_directions import SMALLEST_SHARE
from .quadratic import GramQuadratic, Problem, RowQuadratic, on_host

__all__ = ["Background"]


@dataclass(frozen=True, eq=False)
class Background:
    """Backgrounds of one standardised problem (a batch of one), each with its η."""

    problem: Problem
    eta: np.ndarray
    """(E,)."""
    values: np.ndarray
    """λ, (r,)."""
    vectors: np.ndarray
    """The directions in X's rows, W (N, r), or in its columns, A Λ^(−½) (D, r)."""
    along: np.ndarray
    """c, (r,)."""

    @classmethod
    def of(cls, problem: Problem, strengths: np.ndarray) -> Background:
        """Return backgrounds of so many times the noise's variance, (E,)."""
        problem = on_host(problem)
        n_columns = problem.b.shape[1]
        if isinstance(problem, RowQuadratic) and problem.X.shape[1] < n_columns:
            X = problem.X[0].astype(float)
            values, vectors = np.linalg.eigh(X @ X.T)
            along = vectors.T @ problem.y[0]
        else:
            values, vectors = np.linalg.eigh(problem.gram.G[0])
            along = vectors.T @ problem.b[0] / np.sqrt(np.where(values > 0.0, values, 1.0))
        counts = values > SMALLEST_SHARE * np.max(values, initial=0.0)
        eta = np.asarray(strengths, dtype=float) / max(n_columns, 1)
        return cls(problem, eta, values[counts], vectors[:, counts], along[counts])

    @property
    def log_determinants(self) -> np.ndarray:
        """Log |V| of each, (E,)."""
        return np.log1p(self.eta[:, None] * self.values).sum(axis=1)

    def loadings(self, columns: np.ndarray) -> np.ndarray:
        """Return A at some columns, (W, r)."""
        if isinstance(self.problem, RowQuadratic) and len(self.vectors) != self.problem.b.shape[1]:
            return self.problem.X[0][:, columns].T @ self.vectors
        return self.vectors[columns] * np.sqrt(self.values)

    def problems(self, columns: np.ndarray, number: int | None = None) -> GramQuadratic:
        """Return the transformed problems of some columns: a batch, one for each η, or of one."""
        eta = self.eta if number is None else self.eta[number, None]
        A, kept = self.loadings(columns), 1.0 / (1.0 + eta[:, None] * self.values)
        G = (A * kept[:, None, :]) @ A.T
        yy = self.problem.yy[0] - np.sum(self.along**2 * (1.0 - kept), axis=1)
        n, dof = self.problem.n[0], self.problem.degrees_of_freedom[0]
        repeated = (np.full(eta.size, float(one)) for one in (n, dof))
        return GramQuadratic(G, (self.along * kept) @ A.T, yy, *repeated)
