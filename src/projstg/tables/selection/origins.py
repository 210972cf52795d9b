"""Where the columns of an answer come from, and what was given beforehand.

They are columns of the table, or levels of its text.
"""

from __future__ import annotations

from collections.abc import Iterable

from .result import Selection

__all__ = [
    "asked_for",
    "asked_in_words",
    "distinct_origins",
    "has_choice",
    "has_size",
    "is_only_choice",
    "text_columns",
]


def text_columns(selection: Selection) -> dict[str, str]:
    """Return for each column that is a level the text column it comes from."""
    made = selection.recipe["columns"]
    return {one["name"]: one["column"] for one in made if one["level"] is not None}


def distinct_origins(selection: Selection, names: Iterable[str]) -> list[str]:
    """Return the columns of the table that columns come from, each once."""
    of_text = text_columns(selection)
    return list(dict.fromkeys(of_text.get(name, name) for name in names))


def asked_for(selection: Selection) -> list[str]:
    """Return the chosen columns that had to be chosen; a text column may be named as a whole."""
    wanted, of_text = set(selection.question["always"]), text_columns(selection)
    return [name for name in selection.columns if {name, of_text.get(name, name)} & wanted]


def asked_in_words(selection: Selection) -> list[str]:
    """Return what had to be chosen as it was asked for: columns of the table, or levels of text."""
    asked = asked_for(selection)
    wanted = set(selection.question["always"])
    whole = [name for name in distinct_origins(selection, asked) if name in wanted]
    of_text = text_columns(selection)
    return [*whole, *(name for name in asked if of_text.get(name, name) not in whole)]


def has_size(selection: Selection) -> bool:
    """Return whether the number of columns was given."""
    return isinstance(selection.question["k"], int)


def has_choice(selection: Selection) -> bool:
    """Return whether there were rows enough to compare columns, where the data say how many."""
    return selection.probability is not None or selection.question["k"] != "auto"


def is_only_choice(selection: Selection) -> bool:
    """Return whether no other choice was possible, so that probabilities say nothing."""
    size, n_asked = len(selection.chosen), len(asked_for(selection))
    if has_size(selection):
        return size in {selection.n_columns, n_asked}
    return 0 < n_asked == selection.n_columns
