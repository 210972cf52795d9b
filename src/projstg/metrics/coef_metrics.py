"""Two vectors of coefficients compared: the true one and the estimate, each (..., n_features)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain_values import plain_value

__all__ = ["estimation_error", "excess_residual", "sign_recovery"]


def sign_recovery(coef_true: Any, coef: Any) -> Any:
    """Whether every coefficient has the right sign, zeros included.

    Examples
    --------
    >>> sign_recovery([1.0, 0.0, -1.0], [0.2, 0.0, -3.0])
    True
    >>> sign_recovery([1.0, 0.0], [[1.0, 0.1], [2.0, 0.0]])
    array([False,  True])
    """
    truth, found = _vectors(coef_true, coef)
    return plain_value(np.all(np.sign(truth) == np.sign(found), axis=-1))


def estimation_error(coef_true: Any, coef: Any) -> Any:
    r"""Euclidean distance :math:`\|\hat\beta - \beta^*\|_2`, which Theorem 2 sends to zero.

    Examples
    --------
    >>> estimation_error([1.0, 0.0, -1.0], [1.0, 3.0, 3.0])
    5.0
    """
    truth, found = _vectors(coef_true, coef)
    return plain_value(np.linalg.norm(found - truth, axis=-1))


def excess_residual(X: Any, y: Any, coef_true: Any, coef: Any) -> Any:
    r"""Mean squared residual of ``coef`` less that of the truth.

    .. math:: (\|y - X\hat\beta\|^2 - \|y - X\beta^*\|^2) / N

    Negative where the answer fits the noise. With :math:`a = y - X\hat\beta` and
    :math:`b = y - X\beta^*`, :math:`\|a\|^2 - \|b\|^2 = (a-b)^T(a+b)`; the right side has no
    cancellation of large numbers. ``X`` is (..., N, D), ``y`` (..., N), the result (...).

    Examples
    --------
    >>> excess_residual([[1.0], [1.0]], [1.0, 3.0], [1.0], [2.0])
    -1.0
    """
    truth, found = _vectors(coef_true, coef)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim < 2 or X.shape[-2:] != (*y.shape[-1:], truth.shape[-1]):
        raise ValueError(
            f"X of shape {X.shape} with y of shape {y.shape} and {truth.shape[-1]} coefficients; "
            "give X with a row for each y and a column for each coefficient"
        )
    difference, total = np.matvec(X, truth - found), 2.0 * y - np.matvec(X, truth + found)
    return plain_value(np.mean(difference * total, axis=-1))


def _vectors(coef_true: Any, coef: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return both vectors as arrays of floats (..., n_features)."""
    truth, found = np.asarray(coef_true, dtype=float), np.asarray(coef, dtype=float)
    if truth.ndim == 0 or found.ndim == 0 or truth.shape[-1] != found.shape[-1]:
        raise ValueError(
            f"coefficients of shapes {truth.shape} and {found.shape}; "
            "give both over the same columns, on the last axis"
        )
    return truth, found
