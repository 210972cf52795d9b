"""How a column writes its numbers: which mark is decimal, and which sets thousands apart.

Each column has its own marks, and all of its cells decide. A mark sets thousands apart only if it
stands before groups of three digits in every cell. If no single way of writing fits all cells,
nothing is changed. ``1.234`` alone fits two ways: then the other columns of the file decide, and a
note quotes the cell. Signs such as € and % are removed if all cells that have a sign have the same
one; percent beside plain numbers are two ways of writing.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ..._printable import few_names, shortened
from ..words.notes import Note

__all__ = [
    "MOSTLY",
    "PLAIN",
    "SHARES",
    "Marks",
    "Writing",
    "bare",
    "marks_notes",
    "plain",
    "written",
]

MOSTLY = 0.5
"""A share of cells that says what the others were meant to be."""

_THOUSANDS = {
    ",": "commas",
    ".": "points",
    "'": "apostrophes",
    "’": "apostrophes",
    " ": "blanks",
    "\u00a0": "blanks",
    "\u2009": "blanks",
    "\u202f": "blanks",
}
_MINUS = "\u2212"
_SIGN = f"[+{_MINUS}-]?"
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
SHARES = "%‰"
"""Signs of shares."""
_CURRENCY = "$€£¥"
# One repetition only, so that a long cell takes time in proportion to its length.
_NUMERAL = rf"{_SIGN}[.,]?[0-9][0-9{''.join(_THOUSANDS)}]*{_EXPONENT}"


class Marks(NamedTuple):
    """A way of writing numbers."""

    decimal: str
    thousands: str | None

    @property
    def changes(self) -> list[tuple[str, str]]:
        """What to replace, and by what, to have a decimal point and no other mark."""
        return [(self.thousands or "", ""), (self.decimal, "."), (_MINUS, "-")]

    @property
    def pattern(self) -> str:
        """What a number written so looks like; with marks for thousands there is no exponent."""
        point = re.escape(self.decimal)
        if self.thousands is None:
            return f"{_SIGN}(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}"
        groups = f"[1-9][0-9]{{0,2}}(?:{re.escape(self.thousands)}[0-9]{{3}})+(?:{point}[0-9]*)?"
        small = f"[0-9]{{1,3}}(?:{point}[0-9]*)?|{point}[0-9]+"
        return f"{_SIGN}(?:{groups}|{small})"


PLAIN = Marks(".", None)
"""A decimal point and nothing else."""
_EVERY = [
    Marks(decimal, mark) for mark in (None, *_THOUSANDS) for decimal in ".," if mark != decimal
]


class Writing(NamedTuple):
    """How the numbers of a column are written."""

    marks: Marks | None
    """None: no way of writing fits all cells that look like numbers."""
    other: Marks | None = None
    """Another way that fits all cells and gives other numbers."""
    example: str = ""
    """A cell for the note: one with a mark, or one that does not fit."""
    is_pure: bool = True
    """Whether all cells are numbers."""

    @property
    def sure(self) -> str | None:
        """The decimal mark, where a cell has it, or has the other mark between thousands."""
        if self.marks is None or self.other is not None:
            return None
        is_told = self.marks.decimal in self.example or self.marks.thousands in {".", ","}
        return self.marks.decimal if is_told else None

    @property
    def has_decimal_comma(self) -> bool:
        """Whether a comma is decimal in a cell."""
        return self.marks is not None and self.marks.decimal == "," and "," in self.example

    @property
    def without_doubt(self) -> Writing:
        """The same, known to be the way that is meant."""
        return self._replace(other=None)

    def with_decimal(self, decimal: str) -> Writing:
        """Return the way of the two that has this decimal mark."""
        if self.marks is None or self.other is None or self.marks.decimal == decimal:
            return self
        return self._replace(marks=self.other, other=self.marks)


def bare(cells: Any) -> Any:
    """Return text cells (a Series) without blanks, currency and percent signs around them."""
    cells = cells.str.strip().str.lstrip(_CURRENCY).str.rstrip(SHARES + _CURRENCY)
    return cells.str.strip()


def written(
    cells: Any, decimals: str = ".,", counts: Any = None, *, has_thousands: bool = True
) -> Writing | None:
    """Return how cells write numbers, or None if most of them are no numbers.

    Parameters
    ----------
    cells : Series of str
    decimals : str
        The decimal marks to consider.
    counts : array or None
        How often each cell occurs; once where not given.
    has_thousands : bool
        Whether a mark may set thousands apart.

    Examples
    --------
    >>> import pandas
    >>> written(pandas.Series(["1.234,50", "2,5"])).marks
    Marks(decimal=',', thousands='.')
    >>> written(pandas.Series(["1.234,50", "2.69"]))
    Writing(marks=None, other=None, example='1.234,50', is_pure=True)
    >>> written(pandas.Series(["1.234", "5"]))[:2]
    (Marks(decimal='.', thousands=None), Marks(decimal=',', thousands='.'))
    >>> written(pandas.Series(["5 %", "7 %", "0.05"])).example
    '0.05'
    """
    counts = np.ones(len(cells)) if counts is None else counts
    signed, cells = cells, bare(cells)
    is_numeral = cells.str.fullmatch(_NUMERAL).to_numpy(dtype=bool)
    enough = MOSTLY * counts.sum()
    if not is_numeral.any() or counts[is_numeral].sum() < enough:
        return None
    stranger = _other_sign(signed[is_numeral])
    if stranger is not None:
        return Writing(None, example=stranger)
    numerals, counts = cells[is_numeral], counts[is_numeral]
    possible = [way for way in _possible(numerals, decimals) if has_thousands or not way.thousands]
    fits = {marks: numerals.str.fullmatch(marks.pattern) for marks in possible}
    fitting = [marks for marks in possible if fits[marks].all()]
    if fitting:
        example = _example(numerals, fitting[0])
        taken = _number(example, fitting[0])
        other = next((marks for marks in fitting if _number(example, marks) != taken), None)
        return Writing(fitting[0], other, example, bool(is_numeral.all()))
    either = "|".join(marks.pattern for marks in _EVERY)
    if counts[numerals.str.fullmatch(f"(?:{either})").to_numpy(dtype=bool)].sum() < enough:
        return None
    best = max(possible, key=lambda marks: fits[marks].sum())
    return Writing(None, example=numerals[~fits[best]].iloc[0])


def _other_sign(cells: Any) -> str | None:
    """Return a cell with the rarest sign, where cells have different signs; else None."""
    if not cells.str.contains(f"[{_CURRENCY}{SHARES}]").any():
        return None
    cells = cells.drop_duplicates()
    signs = cells.str.replace(f"[^{_CURRENCY}{SHARES}]", "", regex=True)
    rarest_last = signs.value_counts().index
    kinds = {sign for sign in rarest_last if sign}
    is_share = any(mark in sign for sign in kinds for mark in SHARES)
    if len(kinds) + (is_share and "" in rarest_last) < 2:
        return None
    return cells[signs == rarest_last[-1]].iloc[0]


def _possible(numerals: Any, decimals: str) -> list[Marks]:
    """Return the ways with these decimal marks, whose mark for thousands occurs in a cell."""
    has_others = numerals.str.contains("[^0-9.,eE+-]").any()
    marks = _THOUSANDS if has_others else ".,"
    seen = {mark for mark in marks if numerals.str.contains(mark, regex=False).any()}
    return [way for way in _EVERY if way.decimal in decimals and way.thousands in {None, *seen}]


def _example(numerals: Any, marks: Marks) -> str:
    """Return the first cell with the decimal mark; else one with that for thousands; else any."""
    for mark in filter(None, marks):
        has_mark = numerals.str.contains(mark, regex=False)
        if has_mark.any():
            return numerals[has_mark].iloc[0]
    return numerals.iloc[0]


def _number(cell: str, marks: Marks) -> float:
    for old, new in marks.changes:
        cell = cell.replace(old, new) if old else cell
    return float(cell)


def plain(cells: Any, marks: Marks) -> Any:
    """Return cells with these marks as cells with a decimal point and no other mark."""
    for old, new in marks.changes:
        cells = cells.str.replace(old, new, regex=False) if old not in {"", new} else cells
    return cells


def marks_notes(found: dict[str, Writing]) -> list[Note]:
    """Return notes on columns whose numbers are not simply written with a decimal point."""
    told: dict[tuple[str, str], list[str]] = {}
    for name, one in found.items():
        if one.marks is None:
            continue
        if one.has_decimal_comma:
            told.setdefault(("decimal", "The decimal mark is a comma"), []).append(name)
        if one.marks.thousands is not None:
            text = f"Thousands are set apart by {_THOUSANDS[one.marks.thousands]}"
            told.setdefault(("thousands", text), []).append(name)
    notes = [
        Note(kind, f"{text}: {few_names(names)}.", tuple(names))
        for (kind, text), names in sorted(told.items())
    ]
    doubtful = {name: one for name, one in found.items() if one.other is not None}
    return [*notes, _doubt(doubtful)] if doubtful else notes


def _doubt(doubtful: dict[str, Writing]) -> Note:
    """Return the note on columns whose numbers could also be others."""
    name, one = next(iter(doubtful.items()))
    taken, other = (_number(one.example, marks) for marks in (one.marks, one.other) if marks)
    more = f" (also {few_names([*doubtful][1:])})" if len(doubtful) > 1 else ""
    text = (
        f"In {shortened(name)}{more}, {one.example} is read as {taken:.12g}, not as {other:.12g}; "
        "if that is wrong, give the other decimal mark (--decimal)."
    )
    return Note("doubtful", text, tuple(doubtful))
