"""Which library an array belongs to, and the few functions the array standard lacks.

The core is written against the `array API standard <https://data-apis.org/array-api>`_: a function
gets ``xp`` from :func:`namespace` and calls ``xp.exp``, for arrays of any library. What the
standard lacks is here and nowhere else: the normal distribution function, the scaled complementary
error function, solves with a symmetric positive definite matrix that give NaN rather than an
exception, writing at indices, and switching floating-point warnings off. NumPy uses SciPy and
LAPACK, torch its own functions. Other libraries use the solves of the standard, and SciPy for the
two functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from scipy import special
from scipy.linalg import lapack

from ..._compat import array_namespace

Array = Any

__all__ = [
    "Array",
    "add_diagonal",
    "cholesky",
    "cholesky_solve",
    "clip",
    "diagonal",
    "erfcx",
    "is_torch",
    "namespace",
    "ndtr",
    "put_along",
    "quiet",
    "solve_positive",
    "take_along",
    "take_rows",
    "taken_together",
    "to_numpy",
]


def namespace(*arrays: Array) -> Any:
    """Return the array-API namespace the arrays share."""
    # The common case costs nothing; a mixture of libraries fails at the first operation anyway.
    kind = type(arrays[0])
    return np if kind is np.ndarray or issubclass(kind, np.generic) else array_namespace(*arrays)


def is_torch(xp: Any) -> bool:
    """Return whether a namespace is torch's."""
    return "torch" in xp.__name__


def to_numpy(array: Array) -> np.ndarray:
    """Return the array on the host, as NumPy."""
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def _special(name: str, x: Array) -> Array:
    xp = namespace(x)
    if xp is np:
        return getattr(special, name)(x)
    if is_torch(xp):
        import torch

        return getattr(torch.special, name)(x)
    return xp.asarray(getattr(special, name)(to_numpy(x)), dtype=x.dtype)


def ndtr(x: Array) -> Array:
    """Return the standard normal distribution function Φ(x)."""
    return _special("ndtr", x)


def erfcx(x: Array) -> Array:
    """Return exp(x²)·erfc(x), which stays a number where erfc underflows."""
    return _special("erfcx", x)


def clip(x: Array, low: float | None = None, high: float | None = None) -> Array:
    """Return x within [low, high]; ``np.clip`` takes five times as long on short arrays."""
    xp = namespace(x)
    if xp is not np:
        return xp.clip(x, low, high)
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def diagonal(matrix: Array) -> Array:
    """Return the diagonal (..., D) of matrix (..., D, D); a view of a NumPy matrix in C order."""
    xp = namespace(matrix)
    size = matrix.shape[-1]
    if xp is np:
        return matrix.reshape(*matrix.shape[:-2], size * size)[..., :: size + 1]
    return xp.linalg.diagonal(matrix)


def add_diagonal(matrix: Array, extra: Array | float) -> Array:
    """Return matrix + diag(extra) for a fresh matrix (..., D, D), which may be overwritten.

    ``extra`` is (..., D), (..., 1) or a number.
    """
    xp = namespace(matrix)
    size = matrix.shape[-1]
    if xp is np:
        on_diagonal = diagonal(matrix)
        on_diagonal += extra
        return matrix
    eye = xp.eye(size, dtype=matrix.dtype, device=matrix.device)
    return matrix + eye * (extra if isinstance(extra, float) else extra[..., None, :])


def take_rows(table: Array, indices: Array) -> Array:
    """Return rows of table (D, E) at integer indices of any shape (...), as (..., E)."""
    xp = namespace(table)
    if xp is np:
        return table[indices]
    flat = xp.take(table, xp.reshape(indices, (-1,)), axis=0)
    return xp.reshape(flat, (*indices.shape, table.shape[-1]))


def take_along(values: Array, indices: Array) -> Array:
    """Return values (..., D) at integer indices (..., K) of their last axis."""
    xp = namespace(values)
    if is_torch(xp):
        import torch

        return torch.take_along_dim(values, indices, dim=-1)
    if xp is np and values.ndim == 2:  # NumPy's own is general and takes ten times as long
        return values[np.arange(values.shape[0])[:, None], indices]
    return xp.take_along_axis(values, indices, axis=-1)


def put_along(values: Array, indices: Array, size: int, others: float | bool) -> Array:
    """Return values (B, K) at indices (B, K) among ``size`` places, with ``others`` elsewhere."""
    xp, shape = namespace(values), (values.shape[0], size)
    whole = xp.full(shape, others, dtype=values.dtype, device=values.device)
    if is_torch(xp):
        return whole.scatter_(-1, indices, values)
    if xp is np:
        np.put_along_axis(whole, indices, values, axis=-1)
        return whole
    for i in range(whole.shape[0]):
        for j in range(indices.shape[1]):
            whole[i, int(indices[i, j])] = values[i, j]
    return whole


def taken_together(arrays: Iterable[Array], places: np.ndarray) -> Array:
    """Return rows ``places``, (P,), of the arrays joined along their first axis, (P, ...)."""
    below = list(arrays)
    xp = namespace(below[0])
    return xp.take(xp.concat(below, axis=0), xp.asarray(places, device=below[0].device), axis=0)


def quiet() -> AbstractContextManager[Any]:
    """Return a context without NumPy's floating-point warnings, for overflow that is expected."""
    return np.errstate(all="ignore")


def cholesky(A: Array) -> Array:
    """Return lower factors L of A = LLᵀ, shape (..., D, D); NaN where A is not positive definite.

    NumPy runs LAPACK's ``potrf`` problem by problem: a batch gives the same bits as its members
    alone, and one indefinite matrix does not spoil the others. The upper triangle may hold
    anything.
    """
    xp = namespace(A)
    if is_torch(xp):
        import torch

        factor, info = torch.linalg.cholesky_ex(A)
        return torch.where(info[..., None, None] == 0, factor, torch.nan)
    stack = xp.reshape(A, (-1, *A.shape[-2:]))
    one = _lapack_cholesky if xp is np else _standard_cholesky
    factors = [one(stack[i, :, :]) for i in range(stack.shape[0])]
    return xp.reshape(xp.stack(factors), A.shape)


def _lapack_cholesky(A: np.ndarray) -> np.ndarray:
    potrf = lapack.dpotrf if A.dtype == np.float64 else lapack.spotrf
    # A symmetric matrix in C order is itself in Fortran order: .T costs no copy.
    upper, info = potrf(A.T, lower=0, clean=0)
    return upper.T if info == 0 else np.full_like(A, np.nan)


def _standard_cholesky(A: Array) -> Array:
    xp = namespace(A)
    try:
        return xp.linalg.cholesky(A)
    except Exception:  # every library has a LinAlgError of its own
        return xp.full_like(A, xp.nan)


def cholesky_solve(factor: Array, rhs: Array) -> Array:
    """Return x of LLᵀ x = rhs for factors of :func:`cholesky`, (..., D, D), and rhs (..., D)."""
    xp = namespace(factor, rhs)
    if xp is np:
        potrs = lapack.dpotrs if factor.dtype == np.float64 else lapack.spotrs
        if factor.ndim == 2:
            return potrs(factor.T, rhs, lower=0)[0]
        x = np.empty_like(rhs)
        for i in np.ndindex(rhs.shape[:-1]):
            x[i] = potrs(factor[i].T, rhs[i], lower=0)[0]
        return x
    if is_torch(xp):
        import torch

        return torch.cholesky_solve(rhs[..., None], factor)[..., 0]
    half = xp.linalg.solve(xp.tril(factor), rhs[..., None])
    return xp.linalg.solve(xp.matrix_transpose(xp.tril(factor)), half)[..., 0]


def solve_positive(A: Array, rhs: Array) -> Array:
    """Return x of A x = rhs, A symmetric positive definite (..., D, D), rhs (..., D).

    NaN where A is not positive definite; A may be overwritten. NumPy calls ``posv`` once for each
    problem, which is faster than a factorisation and then a solve.
    """
    xp = namespace(A, rhs)
    if xp is not np:
        return cholesky_solve(cholesky(A), rhs)
    posv = lapack.dposv if A.dtype == np.float64 else lapack.sposv
    x = np.empty_like(rhs)
    for i in np.ndindex(rhs.shape[:-1]):
        _, solution, info = posv(A[i].T, rhs[i], lower=1, overwrite_a=1)
        x[i] = solution if info == 0 else np.nan
    return x
