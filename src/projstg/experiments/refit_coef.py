"""Least squares on a chosen set of columns, without an intercept."""

from __future__ import annotations

import numpy as np

__all__ = ["refit_coef"]


def refit_coef(X: np.ndarray, y: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Return least squares on the columns ``support``, zero elsewhere.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    support : ndarray of shape (n_selected,)
        Indices of columns.

    Returns
    -------
    coef : ndarray of shape (n_features,)

    Examples
    --------
    >>> refit_coef(np.eye(3), np.array([2.0, 3.0, 4.0]), np.array([1])).tolist()
    [0.0, 3.0, 0.0]
    """
    coef = np.zeros(X.shape[1])
    if len(support):
        coef[support] = np.linalg.lstsq(X[:, support], y)[0]
    return coef
