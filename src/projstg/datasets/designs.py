r"""Designs: how the rows of X are drawn.

A design is a function of a generator, a number of rows N, a number of columns D and options given
by keyword; it returns X of shape (N, D) with entries of mean ``mean`` and variance one. The table
``DESIGNS`` names them; a new line in it is a new design for every experiment.

Correlated rows are made from independent normals by a recursion or a common factor, without a D×D
covariance matrix, so that D may be large. Only elementwise sums and products in a fixed order are
used, no BLAS, whose last bit depends on the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ._checks import check_count, check_number, choose

__all__ = ["DESIGNS"]

Mean = float | Sequence[float]
# "q moments": the q-th moment is finite, hardly more. The tail index is q plus this.
_TAIL_EXCESS = 0.1


def _shifted(X: np.ndarray, mean: Mean) -> np.ndarray:
    """Return X plus the mean: one number for all columns, or one for each, (n_features,)."""
    shift = np.asarray(mean, dtype=float)
    if shift.shape not in [(), (X.shape[1],)]:
        raise ValueError(
            f"mean has shape {shift.shape}; use one number, or a list of {X.shape[1]}, the columns"
        )
    return X + shift


def gaussian(
    rng: np.random.Generator, n_samples: int, n_features: int, *, mean: Mean = 0.0
) -> np.ndarray:
    """Independent standard normal entries.

    Examples
    --------
    >>> gaussian(np.random.default_rng(0), 3, 2).shape
    (3, 2)
    """
    return _shifted(rng.standard_normal((n_samples, n_features)), mean)


def bernoulli(
    rng: np.random.Generator, n_samples: int, n_features: int, *, mean: Mean = 0.0
) -> np.ndarray:
    """Independent entries, −1 or 1 with equal odds.

    Examples
    --------
    >>> sorted(set(bernoulli(np.random.default_rng(0), 9, 2).ravel().tolist()))
    [-1.0, 1.0]
    """
    return _shifted(2.0 * rng.integers(0, 2, size=(n_samples, n_features)) - 1.0, mean)


def toeplitz(
    rng: np.random.Generator,
    n_samples: int,
    n_features: int,
    *,
    rho: float = 0.3,
    mean: Mean = 0.0,
) -> np.ndarray:
    r"""Normal rows with covariance :math:`\rho^{|l-m|}`: each column depends on the one before.

    Examples
    --------
    >>> X = toeplitz(np.random.default_rng(0), 1000, 3, rho=0.5)
    >>> np.round(np.corrcoef(X.T)[0], 1).tolist()
    [1.0, 0.5, 0.2]
    """
    rho = check_number("rho", rho, -1.0, 1.0)
    X = rng.standard_normal((n_samples, n_features))
    X[:, 1:] *= math.sqrt((1.0 - rho) * (1.0 + rho))
    for j in range(1, n_features):
        X[:, j] += rho * X[:, j - 1]
    return _shifted(X, mean)


def block(
    rng: np.random.Generator,
    n_samples: int,
    n_features: int,
    *,
    block_size: int = 8,
    rho: float = 0.3,
    mean: Mean = 0.0,
) -> np.ndarray:
    r"""Normal rows in blocks of adjacent columns: correlation ρ within, none between.

    Each block shares one normal u, :math:`x = \sqrt\rho\, u + \sqrt{1-\rho}\, e`. The last block is
    shorter where ``block_size`` does not divide D.

    Examples
    --------
    >>> X = block(np.random.default_rng(0), 4000, 4, block_size=2, rho=0.5)
    >>> np.abs(np.round(np.corrcoef(X.T)[0], 1)).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    rho = check_number("rho", rho, 0.0, 1.0, or_equal=True)
    block_size = check_count("block_size", block_size, 1)
    shared = rng.standard_normal((n_samples, -(-n_features // block_size)))
    X = math.sqrt(1.0 - rho) * rng.standard_normal((n_samples, n_features))
    X += math.sqrt(rho) * shared[:, np.arange(n_features) // block_size]
    return _shifted(X, mean)


def equicorrelated(
    rng: np.random.Generator,
    n_samples: int,
    n_features: int,
    *,
    rho: float = 0.3,
    mean: Mean = 0.0,
) -> np.ndarray:
    """Normal rows, every two columns with correlation ρ: one block of all columns.

    Examples
    --------
    >>> X = equicorrelated(np.random.default_rng(0), 1000, 3, rho=0.5)
    >>> np.round(np.corrcoef(X.T)[0], 1).tolist()
    [1.0, 0.5, 0.5]
    """
    return block(rng, n_samples, n_features, block_size=n_features, rho=rho, mean=mean)


def student(
    rng: np.random.Generator,
    n_samples: int,
    n_features: int,
    *,
    df: float = 5.0,
    truncate: float | None = None,
    mean: Mean = 0.0,
) -> np.ndarray:
    r"""Independent Student t entries scaled to variance one; moments of order below df are finite.

    ``truncate`` = α shortens every row with ‖x‖ > α√D to that length, direction kept, as
    Corollary 3 asks (‖x‖ ≤ α√D almost surely). Rows are shortened last, so mean and variance are
    those of the law without truncation only where long rows are rare.

    Examples
    --------
    >>> X = student(np.random.default_rng(0), 500, 4, df=3, truncate=1.5)
    >>> bool(np.linalg.norm(X, axis=1).max() <= 1.5 * np.sqrt(4) + 1e-12)
    True
    """
    df = check_number("df", df, 2.0)
    X = math.sqrt((df - 2.0) / df) * rng.standard_t(df, size=(n_samples, n_features))
    return _truncated(_shifted(X, mean), truncate)


def heavy(
    rng: np.random.Generator,
    n_samples: int,
    n_features: int,
    *,
    moments: float = 4.0,
    tail: str = "student",
    truncate: float | None = None,
    mean: Mean = 0.0,
) -> np.ndarray:
    r"""Independent entries of variance one with ``moments`` finite moments and hardly one more.

    The tail falls like :math:`|x|^{-a}` with index a = moments + 0.1: Student's t with a degrees
    of freedom (``tail="student"``), or a symmetric Pareto law of the second kind
    (``tail="pareto"``), :math:`P(|x| > t) = (1 + t/s)^{-a}`, with :math:`s^2 = (a-1)(a-2)/2`.
    ``truncate`` as in :func:`student`.

    Examples
    --------
    >>> X = heavy(np.random.default_rng(0), 1000, 5, moments=4, tail="pareto")
    >>> bool(np.abs(X).max() > 10)
    True
    """
    index = check_number("moments", moments, 2.0, or_equal=True) + _TAIL_EXCESS
    draw = choose("tail", tail, {"student": student, "pareto": _symmetric_pareto})
    X = draw(rng, n_samples, n_features, df=index)
    return _truncated(_shifted(X, mean), truncate)


def _symmetric_pareto(
    rng: np.random.Generator, n_samples: int, n_features: int, *, df: float
) -> np.ndarray:
    """Return independent Pareto entries with random signs and variance one; ``df`` is the index."""
    shape = (n_samples, n_features)
    sign = 2.0 * rng.integers(0, 2, size=shape) - 1.0
    return math.sqrt((df - 1.0) * (df - 2.0) / 2.0) * sign * rng.pareto(df, size=shape)


def _truncated(X: np.ndarray, alpha: float | None) -> np.ndarray:
    """Return X with the rows longer than α√D shortened to that length; None: unchanged."""
    if alpha is None:
        return X
    radius = check_number("truncate", alpha, 0.0) * math.sqrt(X.shape[1])
    length = np.sqrt(np.sum(X * X, axis=1, keepdims=True))
    return X * (radius / np.maximum(length, radius))


def orthogonal(
    rng: np.random.Generator, n_samples: int, n_features: int, *, basis: str = "cosine"
) -> np.ndarray:
    """A fixed design, the same in every repetition: orthogonal columns of mean square one.

    For N ≥ D, XᵀX = N·I, and the columns are centred where N > D (the constant vector comes last).
    For N < D, D columns cannot be orthogonal; then the rows are, XXᵀ = D·I, and the columns have
    mean square one on average (each of them with "hadamard"). These rows are taken from the whole
    basis in a fixed, irregular order: the first N are smooth and would make columns alike.

    ``basis="cosine"`` is the discrete cosine basis, for any N and D; ``"hadamard"`` has entries ±1
    and needs max(N, D) to be a power of two. ``rng`` is not used.

    Examples
    --------
    >>> X = orthogonal(None, 6, 3)
    >>> np.abs(np.round(X.T @ X, 12)).tolist()
    [[6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]]
    """
    entries = choose("basis", basis, {"cosine": _cosine_basis, "hadamard": _hadamard_basis})
    size, n_vectors = max(n_samples, n_features), min(n_samples, n_features)
    frequencies = np.arange(1, size)
    if n_samples < n_features:
        frequencies = np.random.default_rng(0).permutation(frequencies)
    frequencies = np.append(frequencies, 0)[:n_vectors]
    vectors = entries(np.arange(size)[:, None], frequencies, size)
    return vectors if n_samples >= n_features else np.ascontiguousarray(vectors.T)


def _cosine_basis(i: np.ndarray, j: np.ndarray, size: int) -> np.ndarray:
    """Return √2·cos(π(2i+1)j / (2·size)); whole numbers first reduce the angle to [0, π/2]."""
    turn = (2 * i + 1) * j % (4 * size)
    half = np.minimum(turn, 4 * size - turn)
    quarter = np.minimum(half, 2 * size - half)
    cosine = np.where(half > size, -1.0, 1.0) * _cosine(quarter * (math.pi / (2 * size)))
    return np.where(j == 0, 1.0, math.sqrt(2.0) * cosine)


def _cosine(x: np.ndarray) -> np.ndarray:
    """Return the cosine on [0, π/2] by its series; NumPy's last bit depends on the machine."""
    square, total = x * x, np.ones_like(x)
    for k in range(13, 0, -1):
        total = 1.0 - square / ((2 * k - 1) * (2 * k)) * total
    return total


def _hadamard_basis(i: np.ndarray, j: np.ndarray, size: int) -> np.ndarray:
    """Return Sylvester's matrix: −1 to the power of the number of bits that i and j share."""
    if size & (size - 1):
        raise ValueError(
            f"basis='hadamard' has {size} as the larger of rows and columns; "
            "make that a power of two, or use basis='cosine'"
        )
    return 1.0 - 2.0 * (np.bitwise_count(i & j) % 2)


DESIGNS: dict[str, Callable[..., np.ndarray]] = {
    "gaussian": gaussian,
    "bernoulli": bernoulli,
    "toeplitz": toeplitz,
    "equicorrelated": equicorrelated,
    "block": block,
    "student": student,
    "heavy": heavy,
    "orthogonal": orthogonal,
}
