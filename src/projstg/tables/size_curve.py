"""The same question for other sizes: how R² depends on the number of columns."""

from __future__ import annotations

import warnings
from time import perf_counter

import numpy as np

from .held_out import checked
from .prepared import Prepared
from .result import Tried

__all__ = ["sizes_around", "tried_sizes"]

_BEYOND, _MOST_SIZES = 5, 15
# Seconds after which no further size is tried; sizes near the chosen one come first.
_PATIENCE = 60.0


def sizes_around(k: int, least: int, most: int) -> list[int]:
    """Return sizes from ``least`` to a little beyond k, with k among them and not too many.

    Examples
    --------
    >>> sizes_around(3, 1, 10)
    [1, 2, 3, 4, 5, 6, 7, 8]
    >>> sizes_around(40, 1, 60)
    [1, 4, 7, 10, 14, 17, 20, 23, 26, 29, 32, 36, 39, 40, 42, 45]
    """
    last = max(min(max(k + _BEYOND, 8), most), least)
    if last - least < _MOST_SIZES:
        return list(range(least, last + 1))
    spread = np.linspace(least, last, _MOST_SIZES).round().astype(int).tolist()
    return sorted({*spread, k})


def tried_sizes(
    data: Prepared, params: dict, sizes: list[int], n_folds: int, k_asked: int
) -> tuple[Tried, ...]:
    """Return for each size its columns and R² on all rows and, given folds, on rows left out."""
    seed = params["random_state"]
    found: list[Tried] = []
    start = perf_counter()
    for k in sorted(sizes, key=lambda size: (abs(size - k_asked), size)):
        if found and perf_counter() - start > _PATIENCE:
            break
        own = {**params, "n_features_to_select": k}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = data.fitted(own)
            outside = _outside(data, own, n_folds, seed)
        found.append(
            {
                "k": int(k),
                "r2_in_sample": data.errors(model.coef_, model.intercept_).r_squared,
                "r2_out_of_sample": outside,
                "columns": [data.names[place] for place in np.flatnonzero(model.support_)],
            }
        )
    return tuple(sorted(found, key=lambda one: one["k"]))


def _outside(data: Prepared, params: dict, n_folds: int, seed: int) -> float | None:
    if n_folds < 2:
        return None
    try:
        return checked(data, params, n_folds, seed).r2
    except ValueError:  # a fold in which too few columns vary
        return None
