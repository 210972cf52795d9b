"""What a column of a table is: numbers, a category, a date, an identifier, or nothing of use.

Numbers stay. A text column with a few levels becomes one column of zeros and ones for each level,
named ``column=level``; one with two levels becomes a single column, for the other would only repeat
it. Dates, identifiers and free text are no quantities: they are left out and named.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .._extras import extra
from .words import shortened

__all__ = ["Column", "column_of", "indicators"]

MOST_LEVELS = 20
_ID_NAMES = (
    re.compile(
        r"(.*[\s_.-])?(ids?|uuid|guid)|index|idx|key|nr|no|row|rows?[ _.]names?", re.IGNORECASE
    ),
    re.compile(r".*[a-z](ID|Id)|Unnamed: \d+|unnamed 1"),
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_SIGNS = re.compile(r"^[$€£¥]\s*|\s*[%‰$€£¥]$|(?<=\d),(?=\d{3}\b)")
# A share of cells that says what the others were meant to be.
_MOSTLY = 0.5


class Column(NamedTuple):
    """What a column of the table is taken for."""

    kind: str
    """number, category, date, identifier, text, empty or other."""
    values: Any
    """Numbers with NaN where missing, for a number; levels or None, for a category."""
    n_not_numbers: int = 0
    """Cells of a number that are text; they count as missing."""
    example: str = ""
    """The first of them."""
    is_counter: bool = False
    """Whether it counts the rows."""
    has_signs: bool = False
    """Whether signs such as % and $ were taken off."""


def column_of(series, *, is_wanted: bool = False) -> Column:
    """Return what a column is; one that is asked for by name is no identifier."""
    pandas = extra("pandas", "cli")
    types = pandas.api.types
    if series.isna().all():
        return Column("empty", None)
    if types.is_bool_dtype(series.dtype):
        return Column("number", _floats(series))
    if types.is_complex_dtype(series.dtype):
        return Column("other", None)
    if types.is_datetime64_any_dtype(series.dtype) or types.is_timedelta64_dtype(series.dtype):
        return Column("date", None)
    if types.is_numeric_dtype(series.dtype):
        return _number(str(series.name), _floats(series), is_wanted)
    return _text(series, is_wanted)


def _floats(series) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _number(name: str, values: np.ndarray, is_wanted: bool) -> Column:
    whole = _is_whole(values)
    if whole and not is_wanted and _is_called_id(name):
        return Column("identifier", None)
    if whole and not is_wanted and _are_days(values):
        return Column("date", None)
    is_counter = whole and len(values) > 2 and bool(np.all(np.diff(values) == 1.0))
    return Column("number", values, is_counter=is_counter)


def _is_called_id(name: str) -> bool:
    return any(rule.fullmatch(name) for rule in _ID_NAMES)


def _is_whole(values: np.ndarray) -> bool:
    # The first cell decides for most columns of measurements.
    if values[0] != np.rint(values[0]):
        return np.isnan(values[0]) and _is_whole(values[~np.isnan(values)])
    known = values[np.isfinite(values)]
    return bool(known.size) and bool(np.all(known == np.rint(known)))


def _are_days(values: np.ndarray) -> bool:
    """Return whether whole numbers are dates as in 20240229."""
    known = values[np.isfinite(values)]
    if known.min() < 19000101 or known.max() > 21001231:
        return False
    month, day = known // 100 % 100, known % 100
    return bool(np.all((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)))


def _text(series, is_wanted: bool) -> Column:
    pandas = extra("pandas", "cli")
    known = series.dropna()
    if not all(isinstance(value, str | bool | int | float | np.generic) for value in known):
        kinds = {type(value).__name__ for value in known}
        is_date = kinds <= {"date", "datetime", "Timestamp", "time"}
        return Column("date" if is_date else "other", None)
    if all(isinstance(value, bool | np.bool_) for value in known):
        return Column("number", _floats(series.astype("boolean")))
    text = known.astype(str).str.strip()
    numbers = pandas.to_numeric(text, errors="coerce")
    is_number = numbers.notna()
    if is_number.mean() >= _MOSTLY:
        return _with_gaps(series, text, numbers, is_wanted)
    bare = pandas.to_numeric(text.str.replace(_SIGNS, "", regex=True), errors="coerce")
    if bare.notna().mean() >= _MOSTLY:
        return _with_gaps(series, text, bare, is_wanted)._replace(has_signs=True)
    if text.map(lambda cell: _DATE.fullmatch(cell) is not None).mean() >= _MOSTLY:
        return Column("date", None)
    levels = text.nunique()
    if levels > 2 and not is_wanted and _is_called_id(str(series.name)):
        return Column("identifier", None)
    if levels > MOST_LEVELS or (levels > 2 and 2 * levels > len(text)):
        return Column("text", None)
    values = np.full(len(series), None, dtype=object)
    values[series.notna().to_numpy()] = text.to_numpy(dtype=object)
    return Column("category", values)


def _with_gaps(series, text, numbers, is_wanted: bool) -> Column:
    """Return a column of numbers in which a few cells are something else."""
    is_number = numbers.notna()
    values = np.full(len(series), np.nan)
    values[series.notna().to_numpy()] = numbers.to_numpy(dtype=np.float64)
    column = _number(str(series.name), values, is_wanted)
    if column.kind != "number" or is_number.all():
        return column
    strange = text[~is_number]
    return column._replace(n_not_numbers=len(strange), example=shortened(strange.iloc[0], 20))


def indicators(name: str, values: np.ndarray, *, leave_first: bool) -> dict[str, np.ndarray]:
    """Return a column of zeros and ones for each level; without the first level if so asked.

    A cell without a level is a level of its own, called ``(missing)``.

    Examples
    --------
    >>> import numpy as np
    >>> made = indicators("sex", np.array(["f", "m", "f"], dtype=object), leave_first=False)
    >>> {key: column.tolist() for key, column in made.items()}
    {'sex=m': [0.0, 1.0, 0.0]}
    """
    labels = np.array(["(missing)" if value is None else str(value) for value in values])
    levels = sorted(set(labels.tolist()))
    kept = levels[1:] if leave_first or len(levels) == 2 else levels
    return {f"{name}={level}": (labels == level).astype(np.float64) for level in kept}
