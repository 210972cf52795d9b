r"""Whether numbers can be the sums of any rows, up to rounding.

Sums of squares and products of rows about their mean are inner products. So for every target

.. math:: \begin{pmatrix} G & b \\ b^\top & y^\top y \end{pmatrix}

has no negative eigenvalue, which bounds b by yᵀy, too; and of n different rows G has a rank below
n.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import solve_triangular

from .._core.data.centred_sums import CentredSums
from .._core.data.different_rows import n_different

__all__ = ["can_be_sums"]

# What sums of squares know of a mean, relative to it: of a column that hardly varies, its rounding.
_ROUNDING = 1e-6
# What rounding leaves below zero of eigenvalues, of columns of size one: 1e-13 in sums of 100
# columns and 3000 blocks of rows; this much in the worst case of 2000 columns and 50 000 blocks.
_LEAST = 1e-8
# The eigenvalues of so many columns take a second.
_MOST_COLUMNS = 2000


def can_be_sums(part: CentredSums) -> bool:
    """Return whether rows can have these sums; of more than 2000 columns, by parts of them.

    The parts are a random choice, the same each time.
    """
    if part.n[0] <= 0.0 or part.n_rows < 1 or np.any(part.yy < 0.0):
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # what is not a number is not below another
        blocks = _blocks(part.b.shape[1])
        return _are_products(part) and all(_has_root(part.among(own)) for own in blocks)


def _blocks(n_columns: int) -> Iterator[np.ndarray]:
    order = np.random.default_rng(0).permutation(n_columns)
    yield from np.array_split(order, -(-n_columns // _MOST_COLUMNS))


def _are_products(part: CentredSums) -> bool:
    """Return whether G is symmetric, and no entry is beyond the product of the two sizes."""
    G, mean = part.G[0], np.abs(part.x_mean[0])
    bound = np.sqrt(np.maximum(np.diagonal(G), 0.0))
    scale = bound[:, None] * bound + _ROUNDING**2 * float(part.n[0]) * mean[:, None] * mean
    along = np.sqrt(part.yy)[:, None] * np.sqrt(np.diagonal(scale))
    return bool(
        np.all(np.abs(G - G.T) <= _ROUNDING * scale)
        and np.all(np.abs(G) <= (1.0 + _ROUNDING) * scale)
        and np.all(np.abs(part.b) <= (1.0 + _ROUNDING) * along)
    )


def _has_root(part: CentredSums) -> bool:
    """Return whether the matrix above has no negative eigenvalue, and G no more than n − 1 others.

    With ε on its diagonal it has none if G + ε = LLᵀ, and |L⁻¹b|² ≤ yᵀy + ε.
    """
    x_size, y_size = _sizes(part)
    G = part.G[0] / x_size[:, None] / x_size
    try:
        root = np.linalg.cholesky(G + _LEAST * np.eye(len(G)))
        cells = part.cells
        n_rows = part.n_rows if cells is None else min(part.n_rows, n_different(cells))
        has_rank = n_rows > len(G) or np.linalg.eigvalsh(G)[-n_rows] <= _LEAST
    except np.linalg.LinAlgError:
        return False
    b = part.b.T / x_size[:, None] / y_size
    explained = np.sum(solve_triangular(root, b, lower=True, check_finite=False) ** 2, axis=0)
    return bool(has_rank and np.all(explained <= part.yy / y_size**2 + _LEAST))


def _sizes(part: CentredSums) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of columns and targets, with the rounding of their means; 1 for nothing."""
    n = float(part.n[0])
    sides = ((np.diagonal(part.G[0]), part.x_mean[0]), (part.yy, part.y_mean))
    x, y = (np.sqrt(np.maximum(sq, 0.0) + n * (_ROUNDING * mean) ** 2) for sq, mean in sides)
    return np.where(x > 0.0, x, 1.0), np.where(y > 0.0, y, 1.0)
