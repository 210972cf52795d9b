"""What a table holds that double precision does not: text, dates, masks, and long whole numbers.

Tables are arrays and data frames of pandas, Polars or pyarrow; what is wrong is said by column.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning

from .._printable import amount, few_names, shortened

__all__ = [
    "LARGEST_EXACT",
    "check_response",
    "check_unmasked",
    "columns_of",
    "has_dates",
    "has_rounded",
    "is_rounded",
    "not_numbers",
    "rounded_columns",
    "rounded_target",
    "warn_of_rounded",
    "word_for",
]

LARGEST_EXACT = 2**53
"""From here on a double does not hold every whole number."""
# How the names of types begin, in NumPy, pandas, Polars and pyarrow.
_DATES = ("date", "time", "duration", "period")
# Of whole numbers in 64 bits, and of those whose cells are looked at one by one.
_LONG = ("int64", "uint64")
_OBJECTS = ("object", "decimal", "int128", "uint128", "dictionary")
_INSTEAD = {
    "text": "make columns of 0 and 1 of it, as {} does, or leave it out",
    "dates": "make numbers of them, such as days since the first, or leave them out",
}


def has_dates(values: Any) -> bool:
    """Return whether an array, a column, or a column of a data frame has a type of dates or times.

    NumPy would make numbers of them, in units that depend on the library.
    """
    if hasattr(values, "column_names"):  # of pyarrow
        kinds = values.schema.types
    else:
        kinds = getattr(values, "dtypes", [_kind(values)])
    return any(str(kind).lower().startswith(_DATES) for kind in np.atleast_1d(kinds))


def _kind(column: Any) -> Any:
    return getattr(column, "dtype", getattr(column, "type", None))


def not_numbers(table: Any, what: str, coder: str) -> str:
    """Return a line on the first column of a data frame that is not numbers; "" where none is.

    ``what`` is what the message calls the table, ``coder`` what codes text.
    """
    for name, column in columns_of(table):
        if not has_dates(column):
            with suppress(TypeError, ValueError):
                np.asarray(column, dtype=np.float64)
                continue
        for cell in map(_plain, column):
            word = _word(cell)
            if word:
                instead = _INSTEAD.get(word, "leave it out").format(coder)
                seen = f"in column '{shortened(name)}', such as '{shortened(cell)}'"
                return f"{what} has {word} {seen}; {instead}."
    return ""


def check_response(y: Any, what: str = "y") -> None:
    """Raise where y has text that is no number: all estimators here are for regression."""
    if getattr(getattr(y, "dtype", None), "kind", "O") not in "OSUT":
        return
    try:
        cells = np.asarray(y).ravel()
    except (TypeError, ValueError):  # it is no array for another reason
        return
    if cells.dtype.kind not in "OSUT":
        return
    kinds = (str, bytes)
    text = next((one for one in cells if isinstance(one, kinds) and not _is_numeral(one)), None)
    if text is not None:
        shown = f"'{shortened(text)}'" if isinstance(text, str) else shortened(repr(bytes(text)))
        raise ValueError(
            f"{what} has text, such as {shown}, and must be numbers, for this is regression; write "
            f"one class as 1 and the others as 0: np.asarray(y) == {shown}."
        )


def _is_numeral(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_unmasked(values: Any, what: str) -> None:
    """Raise where an array has masked cells, or one of a list: NumPy would use what is under them.

    ``what`` is what the message calls it.
    """
    arrays = values if isinstance(values, list | tuple) else [values]
    masks = [one.mask for one in arrays if isinstance(one, np.ma.MaskedArray)]
    n_masked = sum(int(np.sum(mask)) for mask in masks if mask.dtype == bool)
    if n_masked:
        cells = amount(n_masked, "masked cell")
        rows = f"np.ma.getmaskarray({what})"
        raise ValueError(
            f"{what} has {cells}; leave out these rows (see {rows}), or fill the cells in by "
            f"{what}.filled(…)."
        )


def columns_of(table: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the columns of a data frame, with their names; none of an array."""
    if hasattr(table, "iloc") and hasattr(table, "columns"):  # of pandas
        yield from table.items()
    elif hasattr(table, "get_columns"):  # of Polars
        yield from ((column.name, column) for column in table.get_columns())
    elif hasattr(table, "column_names"):  # of pyarrow
        yield from zip(table.column_names, table.columns, strict=True)


def _plain(cell: Any) -> Any:
    return cell.as_py() if hasattr(cell, "as_py") else cell


def _word(cell: Any) -> str:
    """Return what a cell is that is no number; "" for a number and for one that is missing."""
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return "" if cell != cell else "dates"  # pandas' NaT is one of them
    with suppress(TypeError, ValueError):
        float(cell)
        return ""
    kind = type(cell).__name__
    if cell is None or kind in ("NAType", "NaTType"):
        return ""
    return {"str": "text", "Period": "dates"}.get(kind, f"cells of type {kind}")


def word_for(values: np.ndarray) -> str:
    """Return what cells there are that are no numbers: "text", "dates", …; "" for none."""
    if has_dates(values):
        return "dates"
    return next((word for word in map(_word, values.ravel().tolist()) if word), "")


def is_rounded(values: np.ndarray) -> np.ndarray:
    """Return the mask of the whole numbers in an array that double precision does not hold.

    Examples
    --------
    >>> is_rounded(np.array([5, 2**60, 2**60 + 1]))
    array([False, False,  True])
    """
    if values.dtype.kind == "O":
        return _are_rounded_cells(values)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        is_large = np.isfinite(values) & (np.abs(values) > LARGEST_EXACT)
        with np.errstate(over="ignore"):
            return is_large & (np.floor(values) == values) & (values.astype(np.float64) != values)
    is_long = _is_long(values.dtype) and values.size
    if not is_long or max(-int(values.min()), int(values.max())) <= LARGEST_EXACT:
        return np.zeros(values.shape, dtype=bool)
    high, low = values >> 32, values & 0xFFFFFFFF
    return values.astype(np.float64) - high * 2.0**32 != low


def _are_rounded_cells(cells: np.ndarray) -> np.ndarray:
    """Return that mask for an array of objects; where they are no numbers it is empty."""
    found = np.zeros(cells.shape, dtype=bool)
    with suppress(TypeError, ValueError, OverflowError):
        doubles = cells.astype(np.float64)
        is_large = np.isfinite(doubles) & (np.abs(doubles) >= LARGEST_EXACT)
        for place in zip(*np.nonzero(is_large), strict=True):
            cell, double = cells[place], int(doubles[place])
            is_number = isinstance(cell, Number)
            found[place] = is_number and int(cell) == cell != double
    return found


def rounded_columns(table: Any) -> frozenset[str]:
    """Return what a message calls the columns with whole numbers that doubles do not hold."""
    table = _listed(table)
    found = [f"column '{shortened(name)}'" for name, own in columns_of(table) if has_rounded(own)]
    places = np.zeros(0, dtype=int)
    if issparse(table) and _may_round(table.dtype):
        table = table.tocoo()
        places = table.col[is_rounded(table.data)]
    elif isinstance(table, np.ndarray) and table.ndim == 2 and _may_round(table.dtype):
        places = np.flatnonzero(is_rounded(table).any(axis=0))
    return frozenset([*found, *(f"column {place}" for place in np.unique(places))])


def _may_round(kind: np.dtype) -> bool:
    """Return whether numbers of a type may have digits that doubles do not: others cost nothing."""
    return _is_long(kind) or kind.kind == "O" or (kind.kind == "f" and kind.itemsize > 8)


def rounded_target(y: Any) -> frozenset[str]:
    """Return what a message calls a target, or several, with such numbers."""
    y = _listed(y)
    return frozenset({"y"} if rounded_columns(y) or has_rounded(y) else {})


def _listed(values: Any) -> Any:
    """Return a list as an array, of objects where it has numbers that may have lost digits."""
    if not isinstance(values, list | tuple):
        return values
    try:
        array = np.asarray(values)
        is_large = array.dtype.kind == "f" and np.any(np.abs(array) >= LARGEST_EXACT)
        return np.asarray(values, dtype=object) if is_large else array
    except ValueError:  # rows that are not of one length
        return values


def has_rounded(column: Any) -> bool:
    """Return whether an array or a column has whole numbers that doubles do not hold."""
    column = _listed(column)
    kind = str(_kind(column)).lower()
    if kind == "category":
        return has_rounded(getattr(column, "cat", column).categories)  # of pandas
    if kind.startswith("dictionary") and hasattr(column, "cast"):
        return has_rounded(column.cast(column.type.value_type))
    if not kind.startswith((*_LONG, *_OBJECTS, "float128", "longdouble")):
        return False
    for known in ("dropna", "drop_nulls", "drop_null"):  # of pandas, Polars and pyarrow
        if hasattr(column, known):
            column = getattr(column, known)()
    if kind.startswith(_OBJECTS):
        return bool(_are_rounded_cells(_objects(column)).any())
    own = kind.partition("[")[0] if kind.startswith(_LONG) else None
    return bool(is_rounded(np.asarray(column, dtype=own)).any())


def _objects(column: Any) -> np.ndarray:
    """Return a column as an array of Python's numbers; libraries make doubles of some."""
    if isinstance(column, np.ndarray):
        return column
    cells = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


def _is_long(kind: Any) -> bool:
    """Return whether a type of any library is that of whole numbers in 64 bits."""
    return str(kind).lower().startswith(_LONG)


def warn_of_rounded(columns: Iterable[str], stacklevel: int) -> None:
    """Warn where there are such columns; the level is that of this function's caller and up."""
    names = sorted(columns)
    if names:
        text = (
            f"whole numbers beyond 2**53 (in {few_names(names)}) keep 15 digits or so in float64, "
            "and those that differ in later digits count as equal; subtract a constant first, such "
            "as the least of them."
        )
        warnings.warn(text, DataConversionWarning, stacklevel=stacklevel + 1)
