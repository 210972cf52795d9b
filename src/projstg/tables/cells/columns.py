"""What a column of a table is: numbers, a category, a date, an identifier, or of no use.

Numbers stay. A text column with a few levels becomes columns of zeros and ones later. Dates,
identifiers and free text are not quantities: they are left out, and a note names them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ..._printable import shortened
from ...sources.arrow import MOST_LEVELS
from ...sources.as_doubles import LARGEST_EXACT
from .leading_zeros import are_codes
from .number_marks import MOSTLY, SHARES, bare, plain, written

__all__ = [
    "Column",
    "NumberFacts",
    "as_categories",
    "cell_texts",
    "column_of",
    "has_categories",
    "number_column",
]

_ID_NAMES = (
    re.compile(
        r"(.*[\s_.-])?(ids?|uuid|guid)|index|idx|key|nr|no|row|rows?[ _.]names?", re.IGNORECASE
    ),
    re.compile(r".*[a-z](ID|Id)"),
)
# A first column without a name, as read here, and as pandas names it when it reads its own index.
_UNNAMED = re.compile(r"unnamed 1|Unnamed: \d+(\.\d+)?")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([ T]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_WRITTEN = {"str", "str_", "bool", "bool_", "int", "float", "Decimal"} | {
    kind.__name__ for kind in np.sctypeDict.values() if issubclass(kind, np.number)
}


class Column(NamedTuple):
    """What a column of the table is taken for."""

    kind: str
    """number, category, date, identifier, unnamed, row_numbers, code, text, mixed, empty, other.

    An identifier without a name is ``unnamed``, or ``row_numbers`` where it counts the rows.
    """
    values: Any
    """Numbers with NaN where missing, for a number; levels or None, for a category."""
    n_not_numbers: int = 0
    """Cells of a number that are text; they count as missing."""
    example: str = ""
    """The first of them; of a mixed column a number written in another way; of codes any."""
    is_counter: bool = False
    """Whether it counts the rows."""
    has_signs: bool = False
    """Whether signs such as % and $ were taken off."""
    share: str = ""
    """The sign of a share, % or ‰, where it was one of these."""
    is_rounded: bool = False
    """Whether it has whole numbers so large that a float may not hold them exactly."""


def column_of(
    series: Any,
    *,
    is_wanted: bool = False,
    must_be_number: bool = False,
    may_have_thousands: bool = True,
) -> Column:
    """Return what a column is.

    Parameters
    ----------
    series : Series
    is_wanted : bool
        Whether it is asked for by name; then it is no identifier.
    must_be_number : bool
        Whether categories are to be read as numbers, too.
    may_have_thousands : bool
        Whether text may have commas between thousands; a file that was read has none left.
    """
    pandas = extra("pandas", "cli")
    types = pandas.api.types
    if has_categories(series):
        if not must_be_number:
            return _of_categories(series)
        series = series.astype(series.cat.categories.dtype)
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


def as_categories(series: Any) -> Any:
    """Return a column whose cells are levels, whatever they look like.

    pandas holds text as categories, too. Those that are meant have another type than ``str``.

    Examples
    --------
    >>> import pandas
    >>> column_of(as_categories(pandas.Series(["1", "2", "1"]))).values.tolist()
    ['1', '2', '1']
    """
    series = series.astype("category")
    levels = series.cat.categories
    return series.cat.rename_categories(levels.astype(object)) if levels.dtype == "str" else series


def has_categories(series: Any) -> bool:
    """Return whether the cells of a column are levels, whatever they look like."""
    return bool(series.dtype == "category" and series.cat.categories.dtype != "str")


def _of_categories(series: Any) -> Column:
    if series.isna().all():
        return Column("empty", None)
    if series.cat.categories.dtype.kind in "mM":
        return Column("date", None)
    if not _kinds(series) <= {*_WRITTEN, "Interval"}:
        return Column("other", None)
    return _category("", _levels(series), "text")


def _numeric(series: Any, values: np.ndarray, is_wanted: bool) -> Column:
    return number_column(str(series.name), NumberFacts.of(values), is_wanted, values)


def _floats(series: Any) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


class NumberFacts(NamedTuple):
    """What decides whether a column of numbers is a quantity. Facts on parts of a column merge."""

    n_rows: int
    n_missing: int
    n_finite: int
    is_whole: bool
    """Whether no finite number has a fraction. The other facts are on whole numbers only."""
    are_days: bool = False
    """Whether all finite numbers are dates as in 20240229."""
    is_counter: bool = False
    """Whether each number is one more than the one before it."""
    ends: tuple[float, float] = (np.nan, np.nan)
    """The first number and the last."""
    largest: float = 0.0
    """The largest finite size."""
    least: float = 0.0
    """The least finite number."""

    @classmethod
    def of(cls, values: np.ndarray) -> NumberFacts:
        """Return the facts on numbers (N,), with NaN where they are missing."""
        n_missing, n_finite = int(np.isnan(values).sum()), int(np.isfinite(values).sum())
        # The first cell decides for most columns of measurements.
        if not n_finite or (np.isfinite(values[0]) and values[0] != np.rint(values[0])):
            return cls(len(values), n_missing, n_finite, not n_finite)
        known = values if n_finite == len(values) else values[np.isfinite(values)]
        if not np.all(known == np.rint(known)):
            return cls(len(values), n_missing, n_finite, False)
        with np.errstate(invalid="ignore"):  # one infinite value after another
            is_counter = bool(np.all(np.diff(values) == 1.0))
        return cls(
            n_rows=len(values),
            n_missing=n_missing,
            n_finite=n_finite,
            is_whole=True,
            are_days=_are_days(known),
            is_counter=is_counter,
            ends=(float(values[0]), float(values[-1])),
            largest=float(np.max(np.abs(known))),
            least=float(np.min(known)),
        )

    def merge(self, other: NumberFacts) -> NumberFacts:
        """Return the facts on this part of a column and the one that follows it."""
        both = [one for one in (self, other) if one.n_finite]
        follows = other.ends[0] - self.ends[1] == 1.0
        return NumberFacts(
            n_rows=self.n_rows + other.n_rows,
            n_missing=self.n_missing + other.n_missing,
            n_finite=self.n_finite + other.n_finite,
            is_whole=all(one.is_whole for one in both),
            are_days=bool(both) and all(one.are_days for one in both),
            is_counter=self.is_counter and other.is_counter and follows,
            ends=(self.ends[0], other.ends[1]),
            largest=max(self.largest, other.largest),
            least=min([one.least for one in both], default=0.0),
        )


def number_column(
    name: str, facts: NumberFacts, is_wanted: bool, values: np.ndarray | None = None
) -> Column:
    """Return what a column of numbers is; ``values`` None: they are not at hand."""
    if facts.n_missing == facts.n_rows:
        return Column("empty", None)
    is_whole = facts.is_whole and facts.n_finite > 0
    is_counter = is_whole and facts.n_rows > 2 and facts.is_counter
    if is_whole and not is_wanted and _is_called_id(name):
        return Column("row_numbers" if _has_no_name(name) and is_counter else _id_kind(name), None)
    if is_whole and not is_wanted and facts.are_days:
        return Column("date", None)
    is_rounded = is_whole and facts.largest >= LARGEST_EXACT
    return Column("number", values, is_counter=is_counter, is_rounded=is_rounded)


def _is_called_id(name: str) -> bool:
    return _has_no_name(name) or any(rule.fullmatch(name) for rule in _ID_NAMES)


def _has_no_name(name: str) -> bool:
    return _UNNAMED.fullmatch(name) is not None


def _id_kind(name: str) -> str:
    return "unnamed" if _has_no_name(name) else "identifier"


def _are_days(known: np.ndarray) -> bool:
    """Return whether whole numbers are dates as in 20240229."""
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
    if not is_wanted and are_codes(levels.texts):
        return _category(str(series.name), levels, "code")
    way = written(levels.texts, ".", levels.counts, has_thousands=may_have_thousands)
    if way is not None:
        if way.marks is None:
            return Column("mixed", None, example=shortened(way.example, 20))
        cells = plain(bare(levels.texts), way.marks)
        return _with_gaps(str(series.name), levels, cells, is_wanted)
    if levels.share([_DATE.fullmatch(text) is not None for text in levels.texts]) >= MOSTLY:
        return Column("date", None)
    return _category("" if is_wanted else str(series.name), levels, "text")


def _category(name: str, levels: _Levels, otherwise: str) -> Column:
    """Return a category, or what a column with so many levels is otherwise."""
    n_levels, n_cells = len(levels.texts), levels.counts.sum()
    if n_levels > 2 and _is_called_id(name):
        return Column(_id_kind(name), None)
    if n_levels > MOST_LEVELS or (n_levels > 2 and 2 * n_levels > n_cells):
        example = shortened(levels.texts.min(), 20) if otherwise == "code" else ""
        return Column(otherwise, None, example=example)
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
        texts = texts.convert_dtypes() if texts.dtype.kind == "f" else texts
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


def cell_texts(series: Any) -> np.ndarray:
    """Return the text of each cell as that of a level, None where it is missing.

    Whole numbers have no point: beside other rows they were text.

    Examples
    --------
    >>> import pandas
    >>> cell_texts(pandas.Series([" a", None, "b"])).tolist()
    ['a', None, 'b']
    >>> cell_texts(pandas.Series([1.0, None])).tolist()
    ['1', None]
    """
    levels = _levels(series.convert_dtypes() if series.dtype.kind == "f" else series)
    return levels.of_cells(levels.texts.to_numpy(dtype=object), None)


def _with_gaps(name: str, levels: _Levels, cells: Any, is_wanted: bool) -> Column:
    """Return a column of numbers in which a few cells are something else."""
    numbers = extra("pandas", "cli").to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
    is_number = ~np.isnan(numbers)
    values = levels.of_cells(numbers, np.nan)
    column = number_column(name, NumberFacts.of(values), is_wanted, values)
    if column.kind != "number":
        return column
    has_signs = bool(np.any(is_number & (cells != levels.texts).to_numpy()))
    strange = levels.texts[~is_number]
    ends = set(levels.texts[is_number].str[-1])
    return column._replace(
        has_signs=has_signs,
        share=next((sign for sign in SHARES if sign in ends), ""),
        n_not_numbers=int(levels.counts[~is_number].sum()),
        example=shortened(strange.iloc[0], 20) if len(strange) else "",
    )
