"""Columns of which one belongs, though it is unclear which: one is chosen and stands for all."""

from __future__ import annotations

from .origins import text_columns
from .result import Selection, Together

__all__ = ["SURE", "stand_ins"]

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
