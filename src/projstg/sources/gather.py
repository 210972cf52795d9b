"""What ``fit`` is given instead of a table, as :class:`Statistics`."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np

from .._printable import printable, shortened
from .statistics import Statistics

__all__ = ["check_is_table", "gathered", "is_table", "source_name"]


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


def check_is_table(who: str, X: Any, y: Any) -> None:
    """Raise unless X is a table in memory with a response y: ``who`` needs all rows at once."""
    if is_table(X, y):
        return
    instead = "pass arrays X and y"
    if _is_dask(X):
        instead = "pass what compute() gives, X and y apart"
    elif isinstance(y, str) and not isinstance(X, Statistics):
        instead = f"pass X and y apart, as table.drop(columns={y!r}) and table[{y!r}]"
    raise TypeError(
        f"{who} needs all rows at once, in memory, and got {source_name(X)}; {instead}, or use "
        "ProjectedSTG, which learns from a source that is read in chunks."
    )


def source_name(X: Any) -> str:
    """Return what a message calls a source of rows.

    Examples
    --------
    >>> source_name("rows.parquet"), source_name(iter([]))
    ("the path 'rows.parquet'", 'an iterator of chunks')
    """
    if isinstance(X, Statistics):
        return "Statistics, which are sums"
    if isinstance(X, str | os.PathLike):
        return f"the path '{shortened(printable(os.path.basename(os.fspath(X))))}'"
    if _is_dask(X):
        return f"a Dask {type(X).__name__}"
    if hasattr(X, "__next__") and not hasattr(X, "__arrow_c_stream__"):
        return "an iterator of chunks"
    return f"a {type(X).__name__} with the name of its target"


def gathered(X: Any, y: Any, weights: Any, **params: Any) -> Statistics:
    """Return the statistics of a source of rows, with one target.

    ``params`` are those of :class:`Statistics`, for a source that is read here.
    """
    if isinstance(X, Statistics):
        _check_unused(weights, "Statistics have their weights already")
        return _one_target(X, y)
    if isinstance(X, str | os.PathLike) or (hasattr(X, "__arrow_c_stream__") and not _is_dask(X)):
        if not (weights is None or isinstance(weights, str)):
            raise TypeError("sample_weight is the name of a column of the source, or None.")
    if isinstance(X, str | os.PathLike):
        return Statistics.from_parquet(X, _name_of_target(y), weights=weights, **params)
    if _is_dask(X):
        return _one_target(Statistics.from_dask(X, y, weights, **params), None)
    if hasattr(X, "__arrow_c_stream__"):
        return Statistics.from_arrow(X, _name_of_target(y), weights=weights, **params)
    if not hasattr(X, "__next__"):
        raise TypeError(
            f"y={y!r} names a target, but X is a {type(X).__name__}; pass a table with names "
            "(anything with __arrow_c_stream__), a path, or y as an array."
        )
    _check_unused(weights, "an iterator has them in its chunks, (X, y, sample_weight)")
    _check_unused(y, "an iterator has it in its chunks, (X, y)")
    return _one_target(Statistics.from_arrays(X, **params), None)


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
