"""The answer in one sentence."""

from __future__ import annotations

from ..._printable import few_names, shortened
from ...render.number_text import percent
from .origins import asked_for, distinct_origins
from .result import Selection

__all__ = ["headline"]

_WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()


def headline(selection: Selection) -> str:
    """Return which columns, how sure, and how well they predict."""
    parts = [_what(selection), *_how_sure(selection), *_how_well(selection)]
    return "; ".join(parts) + "."


def _found(selection: Selection) -> list[str]:
    """Return the chosen columns that nobody asked for."""
    asked = set(asked_for(selection))
    return [name for name in selection.columns if name not in asked]


def _what(selection: Selection) -> str:
    target, found = shortened(selection.target), _found(selection)
    asked = distinct_origins(selection, asked_for(selection))
    beside = f" beside {few_names(asked, 3)}, asked for" if asked else ""
    if not found:
        return f"no {'other ' if asked else ''}column helps to explain {target}{beside}"
    if _has_size(selection):
        size, n = len(selection.chosen), selection.n_columns
        return f"{target} by {size} of {n} columns, as many as asked for"
    of_table = distinct_origins(selection, found)
    n_columns = _n_table_columns(selection) - len(asked)
    levels = "" if len(of_table) == len(found) else f" ({len(found)} with levels of text)"
    return f"{target} depends on {len(of_table)} of {n_columns} columns{levels}{beside}"


def _n_table_columns(selection: Selection) -> int:
    """Return how many columns of the table could have been chosen."""
    if selection.recipe is None:
        return selection.n_columns
    return len({one["column"] for one in selection.recipe["columns"]})


def _has_size(selection: Selection) -> bool:
    return isinstance(selection.question.get("k"), int)


def _how_sure(selection: Selection) -> list[str]:
    exactly, belong, size = selection.probability, selection.all_belong, len(_found(selection))
    if exactly is None:
        return []
    if not size:
        others = "no other does" if selection.chosen else f"none of {selection.n_columns} belongs"
        return [f"that {others} has probability {percent(exactly)}"]
    if _has_size(selection):
        n_chosen = len(selection.chosen)
        these = "this one" if n_chosen == 1 else f"these {_word(n_chosen)}"
        return [f"of all choices of that size it is {these} with probability {percent(exactly)}"]
    if belong is None:
        return []
    who = {1: "it belongs", 2: "both belong"}.get(size, f"all {_word(size)} belong")
    return [f"{who} with probability {percent(belong)}"]


def _how_well(selection: Selection) -> list[str]:
    inside, outside, n = selection.r2_in_sample, selection.r2_out_of_sample, selection.n_samples
    if not selection.chosen:
        return [f"there are {n} rows"]
    if outside is None:
        return [f"R² {inside:.2f} on its {n} rows, not checked on rows left out"]
    return [f"R² {inside:.2f} on its {n} rows, {outside:.2f} on rows left out"]


def _word(number: int) -> str:
    """Return a number as a word where it is small.

    Examples
    --------
    >>> _word(4), _word(40)
    ('four', '40')
    """
    return _WORDS[number] if number < len(_WORDS) else str(number)
