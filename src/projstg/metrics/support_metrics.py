"""Two supports compared: the true one and the one found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .plain_values import plain_value

__all__ = ["exact_recovery", "f1", "false_discovery_rate", "hamming", "true_positive_rate"]

Support = np.ndarray | Sequence[bool] | Sequence[int]
"""A mask (..., n_features), or column indices (n_selected,)."""


def exact_recovery(support_true: Support, support: Support) -> Any:
    """Whether the two supports are equal.

    Examples
    --------
    >>> exact_recovery([0, 3], [3, 0])
    True
    >>> exact_recovery([True, False], [[True, False], [True, True]])
    array([ True, False])
    """
    truth, found = _masks(support_true, support)
    return plain_value(np.all(truth == found, axis=-1))


def true_positive_rate(support_true: Support, support: Support) -> Any:
    """Share of the true columns that were found, TP/(TP+FN); 1 where there are none.

    Examples
    --------
    >>> true_positive_rate([0, 3], [3, 5, 6])
    0.5
    >>> true_positive_rate([], [3, 5, 6])
    1.0
    """
    truth, found = _masks(support_true, support)
    return _share(_size(truth & found), _size(truth), empty=1.0)


def false_discovery_rate(support_true: Support, support: Support) -> Any:
    """Share of the found columns that are not true, FP/(FP+TP); 0 where nothing was found.

    Examples
    --------
    >>> false_discovery_rate([0, 3], [3, 5, 6, 7])
    0.75
    >>> false_discovery_rate([0, 3], [])
    0.0
    """
    truth, found = _masks(support_true, support)
    return _share(_size(found & ~truth), _size(found), empty=0.0)


def f1(support_true: Support, support: Support) -> Any:
    """Twice the columns in common over the columns of both, 2TP/(2TP+FP+FN); 1 if both are empty.

    Examples
    --------
    >>> f1([0, 3], [3, 5])
    0.5
    >>> f1([], [])
    1.0
    """
    truth, found = _masks(support_true, support)
    return _share(2 * _size(truth & found), _size(truth) + _size(found), empty=1.0)


def hamming(support_true: Support, support: Support) -> Any:
    """Number of columns in one support and not in the other.

    Examples
    --------
    >>> hamming([0, 3], [3, 5])
    2
    """
    truth, found = _masks(support_true, support)
    return plain_value(_size(truth != found))


def _size(mask: np.ndarray) -> Any:
    """Return the number of columns in a mask (..., n_features), (...)."""
    return np.count_nonzero(mask, axis=-1)


def _share(part: Any, whole: Any, empty: float) -> Any:
    """Return part/whole, or ``empty`` where the whole is zero."""
    return plain_value(np.where(whole == 0, empty, part / np.maximum(whole, 1)))


def _masks(support_true: Support, support: Support) -> tuple[np.ndarray, np.ndarray]:
    """Return both supports as masks (..., n_features), leading axes broadcast."""
    pair = [_as_array(support_true), _as_array(support)]
    widths = {array.shape[-1] for array in pair if array.dtype == bool}
    if len(widths) > 1:
        raise ValueError(
            f"masks of {pair[0].shape[-1]} and {pair[1].shape[-1]} columns; "
            "give both over the same columns"
        )
    if not widths:
        widths = {max(int(array.max(initial=-1)) + 1 for array in pair)}
    truth, found = np.broadcast_arrays(*(_as_mask(array, *widths) for array in pair))
    return truth, found


def _as_array(support: Support) -> np.ndarray:
    """Return a mask (..., n_features) or indices (n_selected,), whichever was given."""
    array = np.asarray(sorted(support) if isinstance(support, set | frozenset) else support)
    if array.dtype == bool and array.ndim:
        return array
    if array.shape == (0,):
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"a support of dtype {array.dtype} and shape {array.shape}; give a boolean mask "
            "(for coefficients: coef != 0) or a sequence of column indices"
        )
    if array.min() < 0 or len(np.unique(array)) < len(array):
        raise ValueError(
            f"column indices {array.tolist()} are negative or repeated; give each column once, "
            "from 0 on, or a mask as booleans"
        )
    return array


def _as_mask(array: np.ndarray, n_features: int) -> np.ndarray:
    """Return a mask as it is, and indices as a mask (n_features,)."""
    if array.dtype == bool:
        return array
    if array.max(initial=-1) >= n_features:
        raise ValueError(
            f"column index {array.max()} beside a mask of {n_features} columns; "
            f"give indices below {n_features}"
        )
    mask = np.zeros(n_features, dtype=bool)
    mask[array] = True
    return mask
