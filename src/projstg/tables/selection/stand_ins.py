"""Columns of which one belongs, though it is unclear which: one is chosen and stands for all."""

from __future__ import annotations

from ..._printable import few_names
from .origins import text_columns
from .result import Selection, Together

__all__ = ["SURE", "stand_ins", "whole_choice"]

SURE = 0.95
"""A column that belongs with this probability is sure; so are credible groups of columns."""


def stand_ins(selection: Selection) -> dict[str, Together]:
    """Return for chosen columns that are not sure by themselves the group that is.

    What levels of one text column have in common is said of the text column.
    """
    chosen, of_text = set(selection.columns), text_columns(selection)
    doubtful = {one.column for one in selection.chosen if (one.probability or 0.0) < SURE}
    found: dict[str, Together] = {}
    for group in selection.groups:
        names = set(group["columns"])
        is_text = len({of_text.get(name, name) for name in names}) == 1
        if len(names) > 1 and not is_text and len(own := names & chosen) == 1 and own <= doubtful:
            found.setdefault(own.pop(), group)
    return found


def whole_choice(selection: Selection) -> list[tuple[str, float]]:
    """Return what can be said of the choice as a whole, most important first, each with how likely.

    With the size given, "all belong" and "exactly these" are the same.
    """
    if selection.probability is None:
        return []
    several = [
        (f"at least one of {few_names(one['columns'], 5)} belongs", one["probability"])
        for one in selection.groups
        if len(one["columns"]) > 1
    ]
    if not selection.chosen:
        return [("no column belongs", selection.probability), *several]
    exactly = ("exactly these columns, and no others, belong", selection.probability)
    if not selection.sizes or selection.all_belong is None:
        return [exactly, *several]
    if stand_ins(selection) and selection.each_belongs is not None:
        each = ("each of these columns, or one that stands for it, belongs", selection.each_belongs)
    else:
        each = ("all of these columns belong", selection.all_belong)
    return [each, exactly, *several]
