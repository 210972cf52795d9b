"""What a column of a table is: numbers, a category, a date, an identifier, or of no use.

Numbers stay. A text column with a few levels becomes one column of zeros and ones for each level,
named ``column=level``; one with two levels becomes a single column, because a second one would
repeat it. Dates, identifiers and free text are not quantities: they are left out, and a note names
them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .._extras import extra
from .._printable import shortened
from ..sources.arrow import MOST_LEVELS
from .number_marks import MOSTLY, bare, plain, written

__all__ = ["Column", "column_of", "indicators"]

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
_WRITTEN = {"str", "bool", "bool_", "int", "float", "Decimal"} | {
    kind.__name__ for kind in np.sctypeDict.values() if issubclass(kind, np.number)
}
# From here on a float cannot hold every whole number.
_LARGEST_EXACT = 2**53


class Column(NamedTuple):
    """What a column of the table is taken for."""

    kind: str
    """number, category, date, identifier, text, mixed, empty or other."""
    values: Any
    """Numbers with NaN where missing, for a number; levels or None, for a category."""
    n_not_numbers: int = 0
    """Cells of a number that are text; they count as missing."""
    example: str = ""
    """The first of them; of a mixed column a number that is written in another way."""
    is_counter: bool = False
    """Whether it counts the rows."""
    has_signs: bool = False
    """Whether signs such as % and $ were taken off."""
    is_rounded: bool = False
    """Whether it has whole numbers so large that a float may not hold them exactly."""


def column_of(series: Any, *, is_wanted: bool = False, may_have_thousands: bool = True) -> Column:
    """Return what a column is.

    Parameters
    ----------
    series : Series
    is_wanted : bool
        Whether it is asked for by name; then it is no identifier.
    may_have_thousands : bool
        Whether text may have commas between thousands; a file that was read has none left.
    """
    pandas = extra("pandas", "cli")
    types = pandas.api.types
    if getattr(series.dtype, "kind", "O") in "iuf" and isinstance(series.dtype, np.dtype):
        return _numeric(series, series.to_numpy().astype(np.float64), is_wanted)  # most columns
    if series.isna().all():
        return Column("empty", None)
    if types.is_bool_dtype(series.dtype):
        return Column("number", _floats(series))
    if types.is_complex_dtype(series.dtype):
        return Column("other", None)
    if types.is_datetime64_any_dtype(series.dtype) or types.is_timedelta64_dtype(series.dtype):
        return Column("date", None)
    if types.is_numeric_dtype(series.dtype):
        return _numeric(series, _floats(series), is_wanted)
    return _text(series, is_wanted, may_have_thousands)


def _numeric(series: Any, values: np.ndarray, is_wanted: bool) -> Column:
    if np.isnan(values).all():
        return Column("empty", None)
    return _number(str(series.name), values, is_wanted)


def _floats(series: Any) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _number(name: str, values: np.ndarray, is_wanted: bool) -> Column:
    whole = _is_whole(values)
    if whole and not is_wanted and _is_called_id(name):
        return Column("identifier", None)
    if whole and not is_wanted and _are_days(values):
        return Column("date", None)
    is_counter = whole and len(values) > 2 and bool(np.all(np.diff(values) == 1.0))
    is_rounded = whole and _largest(values) >= _LARGEST_EXACT
    return Column("number", values, is_counter=is_counter, is_rounded=is_rounded)


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


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


class _Levels(NamedTuple):
    """A column as its distinct texts, so that a text that occurs often is parsed once."""

    texts: Any
    """(L,) Series of str."""
    codes: np.ndarray
    """(N,) place of each cell among the texts; -1 where missing."""
    counts: np.ndarray
    """(L,) how often each occurs."""

    def of_cells(self, values: Any, missing: Any) -> np.ndarray:
        """Return for each cell the value of its level."""
        return np.append(np.asarray(values), missing)[self.codes]

    def share(self, which: Any) -> float:
        """Return the share of cells whose level is among these."""
        return float(self.counts[np.asarray(which, dtype=bool)].sum() / self.counts.sum())


def _text(series: Any, is_wanted: bool, may_have_thousands: bool) -> Column:
    kinds = _kinds(series)
    if kinds and kinds <= {"date", "datetime", "Timestamp", "time"}:
        return Column("date", None)
    if kinds and kinds <= {"bool", "bool_"}:
        return Column("number", _floats(series.astype("boolean")))
    if not kinds <= _WRITTEN:
        return Column("other", None)
    levels = _levels(series)
    way = written(levels.texts, ".", levels.counts, has_thousands=may_have_thousands)
    if way is not None:
        if way.marks is None:
            return Column("mixed", None, example=shortened(way.example, 20))
        cells = plain(bare(levels.texts), way.marks)
        return _with_gaps(str(series.name), levels, cells, is_wanted)
    if levels.share([_DATE.fullmatch(text) is not None for text in levels.texts]) >= MOSTLY:
        return Column("date", None)
    n_levels, n_cells = len(levels.texts), levels.counts.sum()
    if n_levels > 2 and not is_wanted and _is_called_id(str(series.name)):
        return Column("identifier", None)
    if n_levels > MOST_LEVELS or (n_levels > 2 and 2 * n_levels > n_cells):
        return Column("text", None)
    return Column("category", levels.of_cells(levels.texts.to_numpy(dtype=object), None))


def _kinds(series: Any) -> set[str]:
    """Return the names of the types of cells that are not missing."""
    if series.dtype == "category":
        series = series.cat.categories.to_series()
    return {"str"} if series.dtype == "str" else {type(value).__name__ for value in series.dropna()}


def _levels(series: Any) -> _Levels:
    pandas = extra("pandas", "cli")
    if series.dtype == "category":
        codes, texts = series.cat.codes.to_numpy(), series.cat.categories.to_series()
    else:
        codes, texts = np.arange(len(series)), series
    is_known = texts.notna().to_numpy()
    into, texts = pandas.factorize(texts[is_known].astype("str").str.strip())
    places = np.full(len(is_known) + 1, -1)  # the last for cells that are missing
    places[np.flatnonzero(is_known)] = into
    codes = places[codes]
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    order = np.append(np.cumsum(counts > 0) - 1, -1)  # a category may occur in no cell
    return _Levels(pandas.Series(texts)[counts > 0], order[codes], counts[counts > 0])


def _with_gaps(name: str, levels: _Levels, cells: Any, is_wanted: bool) -> Column:
    """Return a column of numbers in which a few cells are something else."""
    numbers = extra("pandas", "cli").to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
    is_number = ~np.isnan(numbers)
    column = _number(name, levels.of_cells(numbers, np.nan), is_wanted)
    if column.kind != "number":
        return column
    has_signs = bool(np.any(is_number & (cells != levels.texts).to_numpy()))
    strange = levels.texts[~is_number]
    return column._replace(
        has_signs=has_signs,
        n_not_numbers=int(levels.counts[~is_number].sum()),
        example=shortened(strange.iloc[0], 20) if len(strange) else "",
    )


def indicators(name: str, values: np.ndarray, *, leave_first: bool) -> dict[str, np.ndarray]:
    """Return a column of zeros and ones for each level, the first left out if that is asked for.

    A cell without a level is a level of its own, called ``(missing)``.

    Examples
    --------
    >>> import numpy as np
    >>> made = indicators("sex", np.array(["f", "m", "f"], dtype=object), leave_first=False)
    >>> {key: column.tolist() for key, column in made.items()}
    {'sex=m': [0.0, 1.0, 0.0]}
    """
    # As objects: in an array of str every label takes the room of the longest.
    labels = np.array(
        ["(missing)" if value is None else str(value) for value in values], dtype=object
    )
    levels = sorted(set(labels.tolist()))
    kept = levels[1:] if leave_first or len(levels) == 2 else levels
    return {f"{name}={level}": (labels == level).astype(np.float64) for level in kept}
