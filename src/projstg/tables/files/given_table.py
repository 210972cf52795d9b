"""What is given as a table in Python (frames, paths, arrays), as if it had been read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..._extras import extra
from ..._printable import shortened, whole_characters
from ...sources.gather import is_table, source_name
from ..cells.columns import as_categories
from ..cells.half_characters import half_notes, whole_column
from ..words.column_names import distinct, free_name
from ..words.notes import TableError
from .pieces import LargeFile
from .read_table import Read, size_of
from .stacked_files import read_tables

__all__ = ["as_read", "beside", "frame_of_array", "is_response", "table_of"]


def as_read(
    table: Any, target: str | None, weights: Any, sheet: str | None
) -> tuple[Read | LargeFile, str | None, str | None]:
    """Return the table as if read, with target and weights as names of columns."""
    pandas = extra("pandas", "cli")
    rows = table
    if isinstance(table, tuple) and not _paths(table):
        rows = table[0]
        table, target = _joined(pandas, table, target)
    read = table_of(table, sheet=sheet)
    if weights is None or isinstance(weights, str):
        return read, target, weights and _name(weights)
    if not isinstance(read, Read):
        raise TableError(f"{read.name} does not fit into memory; weights must be a column of it.")
    _check_order(rows, weights, "weights")
    weights = np.asarray(_without_mask(weights), dtype=np.float64)
    if weights.shape != (len(read.frame),):
        raise TableError(f"weights have shape {weights.shape} for {len(read.frame)} rows.")
    name = free_name("weights", read.frame.columns)
    return read._replace(frame=read.frame.assign(**{name: weights})), target, name


def _paths(table: Any) -> list[str | os.PathLike[str]]:
    """Return the paths that were given for a table, if any."""
    many = table if isinstance(table, list | tuple) else [table]
    return list(many) if all(isinstance(one, str | os.PathLike) for one in many) else []


def table_of(
    table: Any, *, sheet: str | None = None, wanted: str = "", **known: Any
) -> Read | LargeFile:
    """Return a data frame as if read, or the table at one path or several.

    ``sheet`` and what is known of cells are fields of :class:`.how_to_read.HowToRead`.
    ``wanted`` is what to ask for where something else is given.
    """
    pandas = extra("pandas", "cli")
    if paths := _paths(table):
        return read_tables(paths, sheet=sheet, **known)
    if sheet is not None:
        raise TableError('sheet="…" chooses a sheet of an Excel workbook; give its path.')
    if isinstance(table, pandas.DataFrame) or (
        hasattr(table, "to_pandas") and is_table(table, None)
    ):
        table = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
        names, notes = distinct(map(_name, table.columns))
        frame = _with_categories(table.reset_index(drop=True).set_axis(names, axis=1))
        changed = {name: one for name in frame if (one := whole_column(frame[name])) is not None}
        frame = frame.assign(**changed) if changed else frame
        notes += half_notes([*changed])
        return Read(frame, "data frame", {"format": "frame", **size_of(frame)}, notes)
    if wanted:
        raise TableError(f"give {wanted}; you gave a {type(table).__name__}.")
    raise TableError(f"give a data frame, a path, or arrays, select(X, y); {_seen(table)}.")


def _name(name: Any) -> str:
    """Return the name of a column as text that any file can hold."""
    return whole_characters(str(name))


def _with_categories(frame: Any) -> Any:
    """Return a frame whose categories are levels, whatever they look like."""
    named = [name for name in frame if frame[name].dtype == "category"]
    return frame.assign(**{name: as_categories(frame[name]) for name in named}) if named else frame


def frame_of_array(X: Any) -> Any:
    """Return an array as a frame with the columns x0, x1, ….

    Examples
    --------
    >>> list(frame_of_array([[1, 2], [3, 4]]).columns)
    ['x0', 'x1']
    """
    X = np.asarray(_without_mask(X))
    if X.ndim != 2:
        raise TableError(f"X must have rows and columns; its shape is {X.shape}.")
    names = [f"x{place}" for place in range(X.shape[1])]
    return _in_pandas(extra("pandas", "cli").DataFrame, X, columns=names)


def _in_pandas(kind: Any, values: np.ndarray, **how: Any) -> Any:
    """Return an array as a Series or a frame; its text may have half of a character."""
    try:
        return kind(values, **how)
    except UnicodeEncodeError:  # not as text of pandas, but as any objects
        return kind(values.astype(object), **how, dtype=object)


def _without_mask(values: Any) -> Any:
    """Return an array whose masked cells are missing; others stay as they are."""
    if not np.ma.isMaskedArray(values) or not np.any(values.mask):
        return values
    if values.dtype.kind == "f":
        return values.filled(np.nan)
    cells = values.data.astype(object)
    cells[values.mask] = None
    return cells


def is_response(target: Any) -> bool:
    """Return whether the target is given by its values; texts, numbers and tuples are names."""
    return not isinstance(target, str | tuple) and hasattr(target, "__len__")


def beside(table: Any, y: Any) -> tuple[Any, Any]:
    """Return X and y as a pair, or raise where y has no place."""
    if isinstance(table, tuple):
        raise TableError("y is given twice, in the pair (X, y) and beside it; leave one out.")
    if isinstance(table, str | os.PathLike):
        raise TableError('with a file, target is the name of a column, as in target="price".')
    return table, y


def _joined(pandas: Any, pair: tuple, target: str | None) -> tuple[Any, str]:
    """Return (X, y) as one frame and the name of the target."""
    if len(pair) != 2:
        raise TableError(f"give X and y, select(X, y); a tuple of {len(pair)} was given.")
    X, y = pair
    if not is_table(X, y):
        raise TableError(f"give X and y as arrays or frames; {_seen(X)}.")
    _check_order(X, y, "y")
    called, values = getattr(y, "name", None), np.asarray(_without_mask(y))
    X = _named_columns(pandas, X)
    if values.ndim == 2 and values.shape[1] == 1:
        values, called = values[:, 0], getattr(y, "columns", [None])[0]
    if values.shape != (len(X),):
        raise TableError(
            f"y has shape {values.shape} for {len(X)} rows of X; give one value for each row."
        )
    wanted = _name(target or called or "y")
    _check_is_apart(X, values, wanted)
    name = free_name(wanted, X.columns)
    return pandas.concat([X, _in_pandas(pandas.Series, values, name=name)], axis=1), name


def _check_order(X: Any, values: Any, name: str) -> None:
    """Raise where values have the labels of X in another order; other labels do not matter."""
    index = extra("pandas", "cli").Index
    own, others = getattr(X, "index", None), getattr(values, "index", None)
    if not isinstance(own, index) or not isinstance(others, index) or own.equals(others):
        return
    if len(own) == len(others) and own.isin(others).all() and others.isin(own).all():
        raise TableError(
            f"the index of {name} has the labels of X in another order; pass {name}.loc[X.index], "
            f"or {name}.to_numpy() to go by position."
        )


def _named_columns(pandas: Any, X: Any) -> Any:
    """Return X as a frame with texts for names; the columns of an array are x0, x1, …"""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pandas.DataFrame):
        if hasattr(X, "toarray"):
            raise TableError("X is sparse; pass X.toarray(), or use ProjectedSTG().fit(X, y).")
        X = frame_of_array(X)
    return X.set_axis([*map(_name, X.columns)], axis=1).reset_index(drop=True)


def _check_is_apart(X: Any, values: np.ndarray, name: str) -> None:
    """Raise where y, under its name, is still one of the columns of X."""
    if name in X.columns and np.array_equal(X[name].to_numpy(), values):
        shown = shortened(name)
        raise TableError(
            f"X still has the target '{shown}' in it; leave it out of X, or name it: "
            f"select(X, '{shown}')."
        )


def _seen(given: Any) -> str:
    """Return what was given instead of a table, and what to do with it."""
    if is_table(given, None):
        return f"you gave a {type(given).__name__} alone"
    return f"you gave {source_name(given)}, and ProjectedSTG().fit learns from that"
