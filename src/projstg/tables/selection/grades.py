"""How sure each column is: sure, likely or doubtful.

A column that stands for others is as sure as that one of them belongs, and a text column as sure as
that one of its levels does. What looks odd about a column is said beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..._printable import few_names, shortened
from ...render.number_text import chance
from .origins import asked_for, is_only_choice, text_columns
from .result import Chosen, FactorPart, Selection
from .stand_ins import SURE, stand_ins

__all__ = ["GRADES", "IN_PLACE", "Graded", "LeftOut", "graded", "left_out"]

GRADES = {"sure": SURE, "likely": 0.5, "doubtful": 0.0}
"""Each grade, and how likely a column of it at least belongs."""
IN_PLACE = {"unlikely", "left_out"}
"""Kinds of notes that are shown beside their column."""
# So many levels are named; of more it is said how many they are.
_MOST_LEVELS = 3


class Graded(NamedTuple):
    """A line of the answer: a chosen column, or a text column above its levels."""

    grade: str
    """A key of :data:`GRADES`; empty for levels below their text column, for what was asked for,
    and where no probability is known."""
    name: str
    column: Chosen | None
    """None for a text column, whose levels follow."""
    probability: float | None
    """That the column belongs, or one of those it stands for, or some level of it."""
    stands_for: tuple[str, ...] = ()
    """Columns that may belong instead of it."""
    remark: str = ""
    """What is to be said beside it."""
    is_level: bool = False
    """Whether it is a level of the text column above."""


class LeftOut(NamedTuple):
    """Columns that are not chosen though they are likely."""

    columns: list[tuple[str, float | None]]
    """Each with the probability that it belongs."""
    remark: str


def graded(selection: Selection) -> list[Graded]:
    """Return the lines of the answer, the surest first, the levels of a text column below it."""
    order = [*GRADES, ""]
    blocks = sorted(_blocks(selection), key=lambda block: order.index(block[0].grade))
    return [line for block in blocks for line in block]


def left_out(selection: Selection) -> list[LeftOut]:
    """Return the columns that are not chosen though they are likelier to belong than not."""
    likely = {one.column: one.probability for one in selection.others}
    return [
        LeftOut([(name, likely.get(name)) for name in note.columns], note.reason)
        for note in selection.notes
        if note.kind == "left_out"
    ]


def _blocks(selection: Selection) -> Iterator[list[Graded]]:
    """Yield lines that stay together: those of one column of the table."""
    of_text, asked = text_columns(selection), set(asked_for(selection))
    together: dict[str, list[Chosen]] = {}
    for one in selection.chosen:
        together.setdefault(of_text.get(one.column, one.column), []).append(one)
    factors = {one["column"]: one for one in selection.factors}
    for name, own in together.items():
        factor = factors.get(name) if own[0].column in of_text else None
        lines = [
            _asked(one) if one.column in asked else _graded(selection, one, factor) for one in own
        ]
        if is_only_choice(selection):
            lines = [line._replace(grade="", probability=None) for line in lines]
        if factor is None or factor["probability"] is None or len(factor["levels"]) < 2:
            yield lines
        else:
            yield _below_text(selection, factor, lines)


def _asked(one: Chosen) -> Graded:
    return Graded("", one.column, one, None, remark="asked for")


def _graded(selection: Selection, one: Chosen, factor: FactorPart | None) -> Graded:
    group = stand_ins(selection).get(one.column)
    probability = one.probability if group is None else group["probability"]
    others = () if group is None else tuple(name for name in group["columns"] if name != one.column)
    has_line = factor is not None and len(factor["levels"]) > 1
    parts = [_remark(selection, one, others)]
    parts += [_compared(selection, factor)] if factor is not None and not has_line else []
    remark = "; ".join(part for part in parts if part)
    return Graded(_grade(probability), one.column, one, probability, others, remark)


def _below_text(selection: Selection, factor: FactorPart, lines: Sequence[Graded]) -> list[Graded]:
    """Return a line for a text column, and those of its levels below it."""
    names = dict(zip((line.name for line in lines), _levels(selection, lines), strict=True))
    # That one of the levels belongs says nothing where one was asked for.
    is_known = all(line.probability is not None for line in lines)
    probability = factor["probability"] if is_known else None
    levels = [
        line._replace(grade="" if is_known else line.grade, name=names[line.name], is_level=True)
        for line in lines
    ]
    told = _compared(selection, factor)
    text = Graded(_grade(probability), factor["column"], None, probability, remark=told)
    return [text, *levels]


def _levels(selection: Selection, lines: Sequence[Graded]) -> list[str]:
    """Return the level of each column."""
    made = [] if selection.recipe is None else selection.recipe["columns"]
    level = {one["name"]: one["level"] or "" for one in made}
    return [level[line.name] for line in lines]


def _grade(probability: float | None) -> str:
    if probability is None:
        return ""
    return next(grade for grade, least in GRADES.items() if probability >= least)


def _remark(selection: Selection, one: Chosen, others: tuple[str, ...]) -> str:
    if others:
        names = few_names((one.column, *others), 4)
        alone = f"{shortened(one.column)} alone {chance(one.probability)}"
        return f"at least one of {names} belongs; {alone}"
    odd = [note for note in selection.notes if note.kind == "unlikely"]
    why = next((note.reason for note in odd if one.column in note.columns), "")
    return why or _instead(one)


def _instead(one: Chosen) -> str:
    return f"or instead {few_names(one.exchangeable_for, 3)}" if one.exchangeable_for else ""


def _compared(selection: Selection, factor: FactorPart) -> str:
    """Return what the chosen levels of a text column are compared with: all others together."""
    levels = [] if selection.recipe is None else selection.recipe["levels"][factor["column"]]
    rest = [level for level in levels if level not in factor["chosen"]]
    if not rest:
        return ""
    if len(rest) > _MOST_LEVELS:
        return f"compared with the other {len(rest)} levels"
    *first, last = (f"'{shortened(level, 30)}'" for level in rest)
    return f"compared with {' and '.join([', '.join(first), last] if first else [last])}"
