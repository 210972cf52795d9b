r"""A background of small effects: what is left of a problem that every column has a part in.

Beside the effects of a support let every column have a small one, u_j ~ N(0, σ²η). Then
y ~ N(X_S β_S, σ²V) with V = I + ηXXᵀ, and least squares in the metric of V⁻¹ is least squares of
other rows. With XXᵀ = QΛQᵀ, the *loadings* A = XᵀQ and c = Qᵀy these are

    X̃ = (I + ηΛ)^(−½) Aᵀ,    ỹ = (I + ηΛ)^(−½) c,

and one row of zeros with what X cannot explain of y; log |V| = Σ log(1 + ηλ). All of it comes from
one decomposition, of XXᵀ or of G = XᵀX, whichever is smaller. The columns have mean square one, so
ηD is the variance of the background as a multiple of the noise's: its *strength*.

Given β the small effects have the mean A d (c − Aᵀβ) with d = η/(1 + ηλ), and the covariance
σ²η(I + ηG)⁻¹ = σ²η(I − A d Aᵀ).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .determined_directions import SMALLEST_SHARE
from .problem import DenseProblem, Problem

__all__ = ["Background", "background"]


class Background(NamedTuple):
    """The directions of one standardised problem; each method takes an η."""

    values: np.ndarray
    """λ, (r,)."""
    loadings: np.ndarray
    """A, (D, r)."""
    along: np.ndarray
    """c, (r,)."""
    rest: float
    """What X cannot explain of yᵀy."""
    n: float
    dof: float

    def log_determinant(self, eta: float) -> float:
        """Return log |V|."""
        return float(np.sum(np.log1p(eta * self.values)))

    def problem(self, eta: float) -> DenseProblem:
        """Return the problem in the metric of V⁻¹."""
        roots = 1.0 / np.sqrt(1.0 + eta * self.values)
        X = np.zeros((roots.size + 1, len(self.loadings)))
        X[:-1] = roots[:, None] * self.loadings.T
        y = np.append(roots * self.along, np.sqrt(self.rest))
        return DenseProblem.of_rows(X, y, self.n, self.dof)

    def shrinkage(self, eta: float) -> np.ndarray:
        """Return η/(1 + ηλ), (r,)."""
        return eta / (1.0 + eta * self.values)


def background(problem: Problem) -> Background:
    """Return the directions of a problem."""
    X = problem.X
    if X is not None and len(X) < problem.b.size:
        values, vectors = np.linalg.eigh(X @ X.T)
        counts = _counts(values)
        loadings, along = X.T @ vectors[:, counts], problem.y @ vectors[:, counts]
    else:
        values, vectors = np.linalg.eigh(problem.G)
        counts = _counts(values)
        roots = np.sqrt(values[counts])
        loadings = vectors[:, counts] * roots
        along = problem.b @ vectors[:, counts] / roots
    rest = max(problem.yy - float(along @ along), 0.0)
    return Background(values[counts], loadings, along, rest, problem.n, problem.dof)


def _counts(values: np.ndarray) -> np.ndarray:
    return np.asarray(values > SMALLEST_SHARE * np.max(values, initial=0.0))
