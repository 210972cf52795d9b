"""Columns named by a user: by index, by name or by mask."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from .._did_you_mean import did_you_mean


def column_mask(columns, n_features: int, names, parameter: str) -> np.ndarray:
    """Return the mask of ``columns``; names are looked up in ``names`` (or None)."""
    mask = np.zeros(n_features, dtype=bool)
    if columns is None:
        return mask
    wanted = np.asarray(columns, dtype=object)
    if wanted.ndim != 1:
        raise ValueError(f"{parameter}={columns!r}; give a list of column names or indices.")
    if wanted.size and all(isinstance(column, bool | np.bool_) for column in wanted):
        if wanted.size != n_features:
            raise ValueError(
                f"{parameter} is a mask of {wanted.size} values for {n_features} columns; give one "
                "for each column, or a list of names or indices."
            )
        return wanted.astype(bool)
    for column in wanted:
        mask[_index(column, n_features, names, parameter)] = True
    return mask


def _index(column, n_features: int, names, parameter: str) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(f"{parameter} has {column!r}, but X has no column names; use indices.")
        places = np.flatnonzero(names == column)
        if not places.size:
            hint = did_you_mean(column, names)
            raise ValueError(f"{parameter} has {column!r}, which is no column of X; {hint}")
        return int(places[0])
    if not isinstance(column, Integral) or not -n_features <= column < n_features:
        raise ValueError(
            f"{parameter} has {column!r}; give names, or indices from 0 to {n_features - 1}."
        )
    return int(column)


def check_selection(k, varies, always, never, named) -> None:
    """Raise, and say what could be asked for, unless K and the constraints can be met."""
    both = always & never
    if both.any():
        raise ValueError(
            f"{named(both)} is in always_select and in never_select; leave it out of one of them."
        )
    constant = always & ~varies
    if constant.any():
        raise ValueError(
            f"{named(constant)} is in always_select but does not vary; leave it out of the list."
        )
    if k is None or k == "auto":
        return
    n_features, n_varying = varies.size, int(varies.sum())
    if k > n_features:
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_features} columns of X; ask for at "
            f"most {n_features}, or pass None to choose from the data."
        )
    if n_varying == 0 and not never.any():
        raise ValueError("there are 0 columns of X that vary: all are constant; check X.")
    if k > n_varying and never.any():
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_varying} columns of X that vary and are "
            f"not in never_select; ask for at most {n_varying}, or shorten never_select."
        )
    if k > n_varying:
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_varying} columns of X that vary "
            f"(constant: {named(~varies)}); ask for at most {n_varying}, or drop the constants."
        )
    if k < always.sum():
        raise ValueError(
            f"n_features_to_select={k} is less than the {always.sum()} columns of always_select; "
            f"ask for at least {always.sum()}."
        )
