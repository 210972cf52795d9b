"""What a table holds that double precision does not: text, dates, masks, and long whole numbers.

Tables are arrays and data frames of pandas, Polars or pyarrow; what is wrong is said by column.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning

from .._printable import amount, few_names, shortened

__all__ = [
    "LARGEST_EXACT",
    "check_unmasked",
    "has_dates",
    "has_rounded",
    "is_rounded",
    "not_numbers",
    "rounded_columns",
    "rounded_target",
    "warn_of_rounded",
]

LARGEST_EXACT = 2**53
"""From here on a double does not hold every whole number."""
# How the names of types begin, in NumPy, pandas, Polars and pyarrow.
_DATES = ("date", "time", "duration", "period")
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
    for name, column in _columns(table):
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


def _columns(table: Any) -> Iterator[tuple[Any, Any]]:
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


def is_rounded(values: np.ndarray) -> np.ndarray:
    """Return the mask of the whole numbers in an array that double precision does not hold.

    Examples
    --------
    >>> is_rounded(np.array([5, 2**60, 2**60 + 1]))
    array([False, False,  True])
    """
    is_long = _is_long(values.dtype) and values.size
    if not is_long or max(-int(values.min()), int(values.max())) <= LARGEST_EXACT:
        return np.zeros(values.shape, dtype=bool)
    high, low = values >> 32, values & 0xFFFFFFFF
    return values.astype(np.float64) - high * 2.0**32 != low


def rounded_columns(table: Any) -> frozenset[str]:
    """Return what a message calls the columns with whole numbers that doubles do not hold."""
    if isinstance(table, list | tuple):
        with suppress(ValueError):  # rows that are not of one length
            table = np.asarray(table)
    found = [f"column '{shortened(name)}'" for name, own in _columns(table) if has_rounded(own)]
    places = np.zeros(0, dtype=int)
    if issparse(table):
        table = table.tocoo()
        places = table.col[is_rounded(table.data)]
    elif isinstance(table, np.ndarray) and table.ndim == 2 and _is_long(table.dtype):
        places = np.flatnonzero(is_rounded(table).any(axis=0))
    return frozenset([*found, *(f"column {place}" for place in np.unique(places))])


def rounded_target(y: Any) -> frozenset[str]:
    """Return what a message calls a target, or several, with such numbers."""
    if isinstance(y, list | tuple):
        with suppress(ValueError):
            y = np.asarray(y)
    return frozenset({"y"} if rounded_columns(y) or has_rounded(y) else {})


def has_rounded(column: Any) -> bool:
    """Return whether an array or a column has whole numbers that doubles do not hold."""
    kind = _kind(column)
    if not _is_long(kind):
        return False
    for known in ("dropna", "drop_nulls", "drop_null"):  # of pandas, Polars and pyarrow
        if hasattr(column, known):
            column = getattr(column, known)()
    return bool(is_rounded(np.asarray(column, dtype=str(kind).lower().partition("[")[0])).any())


def _is_long(kind: Any) -> bool:
    """Return whether a type of any library is that of whole numbers in 64 bits."""
    return str(kind).lower().startswith(("int64", "uint64"))


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
