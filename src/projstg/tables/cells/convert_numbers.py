"""Numbers of a text table that have other marks than a decimal point: found and converted.

Two kinds of column are examined. Text: pandas leaves ``1.234,50`` and ``5 %`` as they are. And
floats such as 1.234: pandas read a decimal point, but the point may set thousands apart. Only for
those is the text read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..._extras import extra
from ..._printable import few_names
from ..words.notes import Note
from .number_marks import PLAIN, Writing, bare, marks_notes, plain, written

__all__ = ["may_be_groups", "with_numbers"]

# Enough rows to see in most columns that a point is decimal, before all rows are read again.
_FEW_ROWS = 200


def with_numbers(
    frame: Any,
    names: list[str],
    as_text: Callable[[list[int], int | None], Any],
    delimiter: str,
    decimal: str | None,
    other_fractions: Sequence[int] = (),
    known: Mapping[str, str] | None = None,
) -> tuple[Any, dict, list[Note]]:
    """Return the frame with numbers for text that is numbers, facts on marks, and notes.

    Parameters
    ----------
    frame : DataFrame
        As pandas read it with a decimal point, its columns numbered.
    names : of the columns, for the notes
    as_text : callable
        ``as_text(columns, n_rows)`` reads columns again, as text; None: all rows.
    delimiter : str
        Between semicolons a comma is decimal where nothing else says what it is.
    decimal : str or None
        The decimal mark, where it is known.
    other_fractions : sequence of int
        Columns with a decimal point that are not in the frame.
    known : mapping or None
        Decimal marks of columns, by name, for cells that leave two possible; those of another
        table with the same columns.
    """
    decimals = decimal or ".,"
    kinds = {place: str(frame[place].dtype) for place in frame.columns}
    floats = [place for place, kind in kinds.items() if kind == "float64"]
    texts = {place: frame[place] for place, kind in kinds.items() if kind in {"str", "object"}}
    ways = {place: _writing(text, decimals) for place, text in texts.items()}
    for place, text, one in _doubtful(frame, floats, as_text):
        texts[place], ways[place] = text, one if decimal is None else _writing(text, decimals)
    found = {place: one for place, one in ways.items() if one is not None}
    fractions = [place for place in floats if place not in found and _has_fractions(frame[place])]
    fractions = sorted([*fractions, *other_fractions])
    sure = {one.sure for one in found.values()} - {None} | ({"."} if fractions else set())
    usual = decimal or (sure.pop() if len(sure) == 1 else None)
    for place, one in found.items():
        own = None if decimal else (known or {}).get(names[place])
        between = "," if delimiter == ";" and "," in one.example else "."
        one = one.with_decimal(own or usual or between)
        found[place] = one if own is None or usual not in {None, own} else one.without_doubt
    frame = _converted(frame, texts, found)
    told = {names[place]: one for place, one in found.items()}
    facts = {
        "decimal": "," if any(one.has_decimal_comma for one in told.values()) else ".",
        "thousands": next((m.thousands for m, *_ in told.values() if m and m.thousands), None),
        "decimals": {name: m.decimal for name, (m, *_) in told.items() if m and m != PLAIN},
    }
    notes = marks_notes(told)
    if decimal == "," and fractions:
        others = tuple(names[place] for place in fractions)
        text = f"The decimal mark is a point all the same: {few_names(others)}."
        notes.append(Note("decimal", text, others))
    return frame, facts, notes


def _doubtful(
    frame: Any, floats: list[int], as_text: Callable
) -> Iterator[tuple[int, Any, Writing]]:
    """Yield the text of those columns of floats whose points may set thousands apart."""
    places = [place for place in floats if may_be_groups(frame[place].to_numpy())]
    for n_rows in (_FEW_ROWS, None):
        texts: Any = as_text(places, n_rows) if places else None
        ways = {place: _writing(texts[place], ".,") for place in places}
        places = [place for place, one in ways.items() if one is None or one.sure is None]
    yield from ((place, texts[place], one) for place, one in ways.items() if one and one.other)


def may_be_groups(values: np.ndarray) -> bool:
    """Return whether all numbers could be written as one to three digits, a point and three."""
    values = np.abs(values[np.isfinite(values)])
    for few in (values[:_FEW_ROWS], values):
        if not np.all((few < 1000.0) & ((few >= 1.0) | (few == 0.0))):
            return False
        thousandths = 1000.0 * few
        if not np.all(np.abs(thousandths - np.rint(thousandths)) < 1e-6):
            return False
    return True


def _has_fractions(column: Any) -> bool:
    values = column.to_numpy()
    for few in (values[:_FEW_ROWS], values):  # mostly the first rows tell
        if np.any(np.mod(few[np.isfinite(few)], 1.0)):
            return True
    return False


def _writing(column: Any, decimals: str) -> Writing | None:
    known = column.dropna()
    return written(known.astype(str), decimals) if len(known) else None


def _converted(frame: Any, texts: dict[int, Any], found: dict[int, Writing]) -> Any:
    """Return the frame with columns in other marks than a decimal point written with one."""
    changed = {
        place: _plain_column(texts[place], one)
        for place, one in found.items()
        if one.marks is not None and not (one.marks == PLAIN and frame[place].dtype == np.float64)
    }
    if not changed:
        return frame
    pandas = extra("pandas", "cli")
    columns = {place: changed.get(place, frame[place]) for place in frame.columns}
    return pandas.DataFrame(columns, copy=False)


def _plain_column(column: Any, way: Writing) -> Any:
    """Return a column of floats, or of text where a few cells are words or have signs."""
    if way.marks is None:  # no way of writing fits
        return column
    pandas = extra("pandas", "cli")
    known = column.dropna().astype(str)
    text = plain(known, way.marks)
    if not way.is_pure:  # words stay
        text = text.where(bare(known).str.fullmatch(way.marks.pattern), known)
    numbers = pandas.to_numeric(text, errors="coerce")
    return (numbers if numbers.notna().all() else text).reindex(column.index)
