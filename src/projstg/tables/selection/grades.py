"""How sure each column is: sure, likely or doubtful; and the answer in one sentence.

A column that stands for others is as sure as that one of them belongs. What looks odd about a
column is said beside it.
"""

from __future__ import annotations

from typing import NamedTuple

from ..._printable import few_names, shortened
from ...render.number_text import percent
from ..words.notes import Note
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
    """Return the chosen columns, the surest first; levels of one text column stay together."""
    found = [_graded(selection, one) for one in selection.chosen]
    order, of_text = [*GRADES, ""], _text_columns(selection)

    def first(one: Graded) -> int:
        own = [other for other in found if _same(of_text, one, other)]
        return min(order.index(other.grade) for other in own)

    return sorted(found, key=first)


def _same(of_text: dict[str, str], one: Graded, other: Graded) -> bool:
    """Return whether two are one column, or levels of one text column."""
    text = of_text.get(one.column.column)
    return one is other or (text is not None and text == of_text.get(other.column.column))


def _text_columns(selection: Selection) -> dict[str, str]:
    """Return for each column that is a level the text column it comes from."""
    made = [] if selection.recipe is None else selection.recipe["columns"]
    return {one["name"]: one["column"] for one in made if one["level"] is not None}


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
    parts = [odd or _instead(one), _about_text(selection, one)]
    return "; ".join(part for part in parts if part)


def _instead(one: Chosen) -> str:
    return f"or instead {few_names(one.exchangeable_for, 3)}" if one.exchangeable_for else ""


def _about_text(selection: Selection, one: Chosen) -> str:
    """Return what is to be said of a text column, beside the first of its levels."""
    of_text = _text_columns(selection)
    name = of_text.get(one.column)
    own = [other.column for other in selection.chosen if of_text.get(other.column) == name]
    factor = next((each for each in selection.factors if each["column"] == name), None)
    if name is None or factor is None or own[0] != one.column:
        return ""
    reference, probability = factor["reference"], factor["probability"]
    against = "" if reference is None else f"compared with '{shortened(reference, 30)}'"
    some = f"some level of {shortened(name)} belongs: {percent(probability)}"
    has_several = len(factor["levels"]) > 1 and probability is not None
    return ", ".join(part for part in (against, some if has_several else "") if part)


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
