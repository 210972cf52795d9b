"""What ``fit`` is given instead of a table, as :class:`Statistics`."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np

from .statistics import Statistics

__all__ = ["gathered", "is_table"]


def is_table(X: Any, y: Any) -> bool:
    """Return whether X is a table in memory, with a response y; not a source of rows.

    Examples
    --------
    >>> is_table([[1.0], [2.0]], [1.0, 2.0]), is_table("rows.parquet", "price")
    (True, False)
    """
    if type(X) is np.ndarray and not isinstance(y, str):
        return True
    return not (
        isinstance(X, Statistics | str | os.PathLike)
        or isinstance(y, str)
        or hasattr(X, "__next__")
        or _is_dask(X)
    )


def _is_dask(X: Any) -> bool:
    return hasattr(X, "__dask_graph__")


def gathered(X: Any, y: Any, weights: Any) -> Statistics:
    """Return the statistics of a source of rows, with one target."""
    if isinstance(X, Statistics):
        _check_unused(weights, "Statistics have their weights already")
        return _one_target(X, y)
    if isinstance(X, str | os.PathLike) or (hasattr(X, "__arrow_c_stream__") and not _is_dask(X)):
        if not (weights is None or isinstance(weights, str)):
            raise TypeError("sample_weight is the name of a column of the source, or None.")
    if isinstance(X, str | os.PathLike):
        return Statistics.from_parquet(X, _name_of_target(y), weights=weights)
    if _is_dask(X):
        return _one_target(Statistics.from_dask(X, y, weights), None)
    if hasattr(X, "__arrow_c_stream__"):
        return Statistics.from_arrow(X, _name_of_target(y), weights=weights)
    if not hasattr(X, "__next__"):
        raise TypeError(
            f"y={y!r} names a target, but X is a {type(X).__name__}; pass a table with names "
            "(anything with __arrow_c_stream__), a path, or y as an array."
        )
    _check_unused(weights, "an iterator has them in its chunks, (X, y, sample_weight)")
    _check_unused(y, "an iterator has it in its chunks, (X, y)")
    return _one_target(Statistics.from_arrays(X), None)


def _check_unused(given: Any, why: str) -> None:
    if given is not None:
        raise TypeError(f"leave out what is given beside X: {why}.")


def _name_of_target(y: Any) -> str:
    if isinstance(y, str):
        return y
    raise TypeError("say which column is the target: fit(source, 'price').")


def _one_target(statistics: Statistics, y: Any) -> Statistics:
    if isinstance(y, str | Integral):
        return statistics.target(y)  # type: ignore[arg-type] # any whole number
    if y is not None:
        raise TypeError("leave out y: Statistics have it already; give a target's name, or None.")
    if not statistics.n_rows:
        raise ValueError("the Statistics have no rows yet; add some by update().")
    if statistics.n_targets > 1:
        raise ValueError(
            f"the Statistics have {statistics.n_targets} targets; say which, as in "
            "fit(statistics, 'price') or fit(statistics.target(0)), or use fit_many."
        )
    return statistics
