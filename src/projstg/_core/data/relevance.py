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

__all__ = ["MANY_A_ROW", "association", "is_affordable", "relevant_columns"]

# With more columns for each row the first of several effects may cost more than they explain.
MANY_A_ROW = 4

# With more for N²D it takes longer than a search, and where rows are so many correlations do.
_MOST_WORK = 2e9

# η, as a share of the mean square of a random part, and of y. Neither was tuned by a benchmark that
# is kept; half and double were alike.
_SHARE, _NOISE = 0.1, 0.05
# At first a share of the columns, those with the highest association; so many steps, and after each
# at most half of the columns is left. There are at least two for each row.
_FIRST, _N_STEPS, _LEFT, _FEWEST = 0.3, 11, 0.5, 2
_TINY = 1e-30
# With more numbers X is large.
_LARGE = 500_000


def is_affordable(X: np.ndarray) -> bool:
    """Return whether the answers here take little time for X (N, D)."""
    return X.size * float(len(X)) <= _MOST_WORK


def association(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how much each column of X (N, D) says about y (N,) beside all others, (D,)."""
    X, y = _rough(X, y)
    V = X @ X.T
    V[np.diag_indices(len(V))] += _SHARE * np.trace(V) / len(V)
    along, size = _whitened(V, X, y)
    return along**2 / np.maximum(size, _TINY)


def relevant_columns(X: np.ndarray, y: np.ndarray, promise: np.ndarray) -> np.ndarray:
    """Return the columns of X (N, D) that are left in the end, the most relevant first.

    ``promise`` (D,) is :func:`association`, from which a first step would make about these
    variances.
    """
    (N, D), power = X.shape, float(y @ y) / len(y)
    if power == 0.0:
        return np.arange(D)
    size = min(max(_FEWEST * N, int(_FIRST * D)), D)
    columns = np.sort(np.argpartition(-promise, size - 1)[:size])
    X, y = _rough(X[:, columns], y)
    variance, along = np.sqrt(promise[columns]), np.ones(size)
    variance *= power / max(float(variance.sum()), _TINY)
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
    Z = solve_triangular(L, X, lower=True, check_finite=False)
    of_y = solve_triangular(L, y, lower=True, check_finite=False)
    return of_y @ Z, np.einsum("nd,nd->d", Z, Z)


def _rough(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y in single precision where they are large: it takes half the time."""
    kind = np.float32 if X.size > _LARGE else X.dtype
    return X.astype(kind, copy=False), y.astype(kind, copy=False)
