"""How sure each column is: sure, likely or doubtful; and the answer in one sentence.

A column that stands for others is as sure as that one of them belongs. What looks odd about a
column is said beside it.
"""

from __future__ import annotations

from typing import NamedTuple

from .._printable import few_names, shortened
from ..render.number_text import percent
from .notes import Note
from .result import Chosen, Selection, Together

__all__ = ["GRADES", "IN_PLACE", "Graded", "LeftOut", "graded", "headline", "left_out"]

GRADES = {"sure": 0.95, "likely": 0.5, "doubtful": 0.0}
"""Each grade, and how likely a column of it at least belongs. Credible groups have 0.95, too."""
IN_PLACE = {"unlikely", "left_out"}
"""Kinds of notes that are shown beside their column."""
_WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()


class Graded(NamedTuple):
    """A chosen column and how sure it is."""

    grade: str
    """A key of :data:`GRADES`; empty where no probability is known."""
    column: Chosen
    probability: float | None
    """That the column belongs, or one of those it stands for."""
    stands_for: tuple[str, ...]
    """Columns that may belong instead of it."""
    remark: str
    """What is to be said beside it; may be empty."""


class LeftOut(NamedTuple):
    """A column that is not chosen though it is likely."""

    column: str
    probability: float | None
    remark: str


def graded(selection: Selection) -> list[Graded]:
    """Return the chosen columns, the surest grade first, in each the order of the answer."""
    found = [_graded(selection, one) for one in selection.chosen]
    order = [*GRADES, ""]
    return sorted(found, key=lambda one: order.index(one.grade))


def left_out(selection: Selection) -> list[LeftOut]:
    """Return the columns that are not chosen though they are likelier to belong than not."""
    likely = {one.column: one.probability for one in selection.others}
    return [
        LeftOut(name, likely.get(name), _reason(note))
        for note in selection.notes
        if note.kind == "left_out"
        for name in note.columns
    ]


def _graded(selection: Selection, one: Chosen) -> Graded:
    group = _group(selection, one)
    probability = one.probability if group is None else group["probability"]
    grade = next((g for g, least in GRADES.items() if (probability or 0.0) >= least), "")
    others = () if group is None else tuple(name for name in group["columns"] if name != one.column)
    remark = _remark(selection, one, others)
    return Graded(grade if probability is not None else "", one, probability, others, remark)


def _group(selection: Selection, one: Chosen) -> Together | None:
    """Return the columns of which this one is chosen, where it is not sure by itself."""
    if one.probability is None or one.probability >= GRADES["sure"]:
        return None
    chosen = set(selection.columns)
    own = (group for group in selection.groups if chosen & set(group["columns"]) == {one.column})
    return next((group for group in own if len(group["columns"]) > 1), None)


def _remark(selection: Selection, one: Chosen, others: tuple[str, ...]) -> str:
    if one.column in selection.question.get("always", []):
        return "asked for"
    if others:
        names = few_names((one.column, *others), 4)
        return f"one of {names} belongs; {shortened(one.column)} alone {percent(one.probability)}"
    notes = [note for note in selection.notes if note.kind == "unlikely"]
    odd = next((_reason(note) for note in notes if one.column in note.columns), "")
    if odd or not one.exchangeable_for:
        return odd
    return f"or instead {few_names(one.exchangeable_for, 3)}"


def _reason(note: Note) -> str:
    """Return why, without what is seen beside it anyway: the name and its probability."""
    return note.text.partition(": ")[2].rstrip(".")


def headline(selection: Selection) -> str:
    """Return the answer in one sentence."""
    parts = [_what(selection), *_how_sure(selection), *_how_well(selection)]
    return "; ".join(part for part in parts if part) + "."


def _what(selection: Selection) -> str:
    target, size, n = shortened(selection.target), len(selection.chosen), selection.n_columns
    if not size:
        return f"no column helps to explain {target}"
    if _is_asked(selection):
        return f"{target} by {size} of {n} columns, as many as asked for"
    return f"{target} depends on {size} of {n} columns"


def _is_asked(selection: Selection) -> bool:
    return isinstance(selection.question.get("k"), int)


def _how_sure(selection: Selection) -> list[str]:
    size, exactly, belong = len(selection.chosen), selection.probability, selection.all_belong
    if exactly is None:
        return []
    if not size:
        return [f"that none of {selection.n_columns} belongs has probability {percent(exactly)}"]
    if _is_asked(selection):
        these = "this one" if size == 1 else f"these {_count(size)}"
        return [f"of all choices of that size it is {these} with probability {percent(exactly)}"]
    if belong is None:
        return []
    who = {1: "it belongs", 2: "both belong"}.get(size, f"all {_count(size)} belong")
    return [f"{who} with probability {percent(belong)}"]


def _how_well(selection: Selection) -> list[str]:
    inside, outside, n = selection.r2_in_sample, selection.r2_out_of_sample, selection.n_samples
    if not selection.chosen:
        return [f"there are {n} rows"]
    if outside is None:
        return [f"R² {inside:.2f} on its {n} rows, not checked on rows left out"]
    return [f"R² {inside:.2f} on its {n} rows, {outside:.2f} on rows left out"]


def _count(number: int) -> str:
    """Return a number as a word where it is small.

    Examples
    --------
    >>> _count(4), _count(40)
    ('four', '40')
    """
    return _WORDS[number] if number < len(_WORDS) else str(number)
