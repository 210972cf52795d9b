"""The answer in one sentence."""

from __future__ import annotations

from collections import Counter

from ..._printable import amount, few_names, shortened
from ...render.number_text import chance, r_squared
from .grades import GRADES, graded
from .origins import (
    asked_for,
    asked_in_words,
    distinct_origins,
    has_choice,
    has_size,
    is_only_choice,
)
from .result import Selection, Together
from .stand_ins import stand_ins

__all__ = ["headline"]

# Below this it is likelier that some column helps than that none does.
_CLEAR = 0.5
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
    asked, size = asked_in_words(selection), len(selection.chosen)
    beside = f" beside {few_names(asked, 3)}, asked for" if asked else ""
    if has_size(selection):
        return f"{target} by {size} of {selection.n_columns} columns, as many as asked for"
    if is_only_choice(selection):
        return f"{target} by {few_names(asked, 3)}, asked for"
    if not has_choice(selection):
        return f"it cannot be said what {'else ' if asked else ''}{target} depends on{beside}"
    if not found:
        is_clear = selection.probability is None or selection.probability >= _CLEAR
        clear = "helps" if is_clear else "clearly helps"
        return f"no {'other ' if asked else ''}column {clear} to explain {target}{beside}"
    n_found = len(distinct_origins(selection, found))
    n_columns = _n_columns(selection, asked)
    return f"{target} depends on {n_found} of {n_columns} columns{_grades(selection)}{beside}"


def _grades(selection: Selection) -> str:
    """Return how many columns are sure, likely and doubtful, unless all are sure."""
    counts = Counter(line.grade for line in graded(selection) if line.grade)
    if set(counts) <= {"sure"}:
        return ""
    if counts.total() == 1:
        return f" ({next(iter(counts))})"
    return f" ({', '.join(f'{counts[grade]} {grade}' for grade in GRADES if counts[grade])})"


def _n_columns(selection: Selection, asked: list[str]) -> int:
    """Return how many columns of the table could have been chosen, beside those asked for."""
    return len({one["column"] for one in selection.recipe["columns"]} - set(asked))


def _how_sure(selection: Selection) -> list[str]:
    exactly, size = selection.probability, len(_found(selection))
    if exactly is None or is_only_choice(selection):
        return []
    if has_size(selection):
        n_chosen = len(selection.chosen)
        these = "this one" if n_chosen == 1 else f"these {_word(n_chosen)}"
        return [f"of all choices of that size it is {these} with probability {chance(exactly)}"]
    if not size and exactly < _CLEAR:
        some = f"some {'other ' if selection.chosen else ''}column does"
        return [f"{some} with probability {chance(1.0 - exactly)}, but it cannot be said which"]
    if not size:
        return [f"that none does has probability {chance(exactly)}"]
    return [] if selection.all_belong is None else [_all_belong(selection)]


def _all_belong(selection: Selection) -> str:
    """Return how likely all columns belong, or those that stand for them."""
    found, groups = _found(selection), stand_ins(selection)
    n_columns = len(distinct_origins(selection, found))
    if n_columns < len(found):  # levels of a text column are not counted one by one
        who = "all of them belong" if n_columns > 1 else "all of its levels chosen belong"
    else:
        usual = f"all {_word(n_columns)} belong"
        who = {1: "it belongs", 2: "both belong"}.get(n_columns, usual)
    if groups and selection.each_belongs is not None:
        either = "; ".join(_either(name, group) for name, group in groups.items())
        return f"{who} ({either}) with probability {chance(selection.each_belongs)}"
    return f"{who} with probability {chance(selection.all_belong)}"


def _either(name: str, group: Together) -> str:
    """Return the columns that stand for each other, the chosen one first."""
    others = [other for other in group["columns"] if other != name]
    return f"{shortened(name)} or {few_names(others, 2)}"


def _how_well(selection: Selection) -> list[str]:
    rows = amount(selection.n_samples, "row")
    if not selection.chosen:
        return [f"there are {rows}"]
    inside = f"R² {r_squared(selection.r2_in_sample)} on its {rows}"
    if selection.r2_out_of_sample is None:
        return [f"{inside}, not checked on rows left out"]
    return [f"{inside}, {r_squared(selection.r2_out_of_sample)} on rows left out"]


def _word(number: int) -> str:
    """Return a number as a word where it is small.

    Examples
    --------
    >>> _word(4), _word(40)
    ('four', '40')
    """
    return _WORDS[number] if number < len(_WORDS) else str(number)
