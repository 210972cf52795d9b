r"""Which columns of a wide table are likely to matter, before any support is searched.

Where columns are many and correlated, the correlation of a column with y says little: it has a part
of every effect. Both answers here take the other columns into account as random effects.

* :func:`association` tests each column beside all others: with y ~ N(0, V), V = XXᵀ/D + ηI, column
  d has (x_dᵀV⁻¹y)²/(x_dᵀV⁻¹x_d), the square of its coefficient over its error by generalised least
  squares. (Wang and Leng's high-dimensional projection has the same numerator.)
* :func:`relevant_columns` gives each effect a variance γ_d of its own, V = X diag(γ) Xᵀ + ηI, and
  raises the evidence of y by the steps

      γ_d ← γ_d |x_dᵀV⁻¹y| / (x_dᵀV⁻¹x_d)^½,

  none of which lowers it (Wipf and Nagarajan). Most variances go to zero. Those that are smallest
  are left out on the way, so that all steps together cost a few of the first.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular

__all__ = ["MANY_A_ROW", "association", "relevant_columns"]

# With more columns for each row the first of several effects may cost more than they explain.
MANY_A_ROW = 4

# η, as a share of the mean square of a random part, and of y. Neither was tuned by a benchmark that
# is kept; half and double were alike.
_SHARE, _NOISE = 0.1, 0.05
# So many steps; after each at most this share of the columns is left, but two for each row.
_N_STEPS, _LEFT, _FEWEST = 12, 0.5, 2
_TINY = 1e-300


def association(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how much each column of X (N, D) says about y (N,) beside all others, (D,)."""
    V = X @ X.T
    V[np.diag_indices(len(V))] += _SHARE * np.trace(V) / len(V)
    along, size = _whitened(V, X, y)
    return along**2 / np.maximum(size, _TINY)


def relevant_columns(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the columns of X (N, D) that are left in the end, the most relevant first."""
    (N, D), power = X.shape, float(y @ y) / len(y)
    columns, variance, along = np.arange(D), np.full(D, power / D), np.ones(D)
    if power == 0.0:
        return columns
    for _ in range(_N_STEPS):
        V = (X * variance) @ X.T
        V[np.diag_indices(N)] += _NOISE * power
        along, size = _whitened(V, X, y)
        variance = variance * np.abs(along) / np.sqrt(np.maximum(size, _TINY))
        left = max(_FEWEST * N, int(_LEFT * columns.size))
        if left < columns.size:
            kept = np.sort(np.argpartition(-variance, left - 1)[:left])
            columns, X = columns[kept], X[:, kept]
            variance, along = variance[kept], along[kept]
    return columns[np.argsort(-variance * np.abs(along), kind="stable")]


def _whitened(V: np.ndarray, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return xᵀV⁻¹y and xᵀV⁻¹x of each column, (D,) both."""
    L = cholesky(V, lower=True, check_finite=False)
    Z = solve_triangular(L, np.column_stack([y, X]), lower=True, check_finite=False)
    return Z[:, 0] @ Z[:, 1:], np.einsum("nd,nd->d", Z[:, 1:], Z[:, 1:])
