"""Which column is the target, which may be chosen, which must or must not be; errors and notes.

Nothing here needs the numbers of a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from ..._messages import Argument, Message
from ..._printable import amount, counted, few_names, shortened
from ...sources.as_doubles import LARGEST_EXACT
from ..cells.columns import MOST_LEVELS, Column
from ..words.notes import Note, TableError
from ..words.question import TableQuestion
from .level_columns import Factor, LevelColumn, factors_of
from .missing import FEWEST_ROWS

__all__ = [
    "check_finite",
    "check_is_number",
    "check_not_negative",
    "check_shape",
    "check_varies",
    "check_weights",
    "nothing_left",
    "roles",
    "usable",
    "weightless_notes",
]

_ALWAYS, _NEVER = Argument("always"), Argument("never")
_LEFT_OUT = {
    "date": "hold dates or times; write them as numbers, such as days since the first, to use them",
    "identifier": Message("look like identifiers; one named in ", _ALWAYS, " is used all the same"),
    "unnamed": "have no name and look like names or numbers of rows",
    "row_numbers": "have no name and count the rows",
    "code": Message(
        "hold codes with leading zeros, not amounts; one named in ", _ALWAYS, " is used as a number"
    ),
    "text": f"hold free text (hardly a level occurs twice), or more than {MOST_LEVELS} levels",
    "mixed": "have numbers not all written in one way, with a decimal point and one sign or none",
    "empty": "have no values",
    "other": "hold something that is neither a number nor text",
}
_VERBS = {"have": "has", "hold": "holds", "look": "looks", "count": "counts"}
"""Of the reasons, for several columns and for one."""
_NO_NAME = (["unnamed 1"], ["Unnamed: 0"])
_OF_FIRST = {"row_numbers": "counts the rows", "unnamed": "looks like names or numbers of rows"}


def check_shape(names: Sequence[str], n_rows: int) -> None:
    """Raise where a table has too few columns, or no rows."""
    if len(names) < 2:
        raise TableError(
            f"the table has one column only, {few_names(names)}; there is nothing to explain it by."
        )
    if not n_rows:
        raise TableError("the table has a header and no rows.")


def check_is_number(column: Column, name: str, begins: str | None) -> None:
    """Raise where the target is no column of numbers; ``begins`` is its first cell, if any."""
    if column.kind == "number" and not column.n_not_numbers:
        return
    if column.n_not_numbers:
        cells = amount(column.n_not_numbers, "cell that is no number", "cells that are not numbers")
        raise TableError(
            f"the target '{shortened(name)}' has {cells}, the first '{column.example}'; repair "
            "them."
        )
    if column.kind == "mixed":
        raise TableError(
            f"the target '{shortened(name)}' has numbers that are not all written in one way, such "
            f"as '{column.example}'; write them with a decimal point, and one sign or none."
        )
    if column.kind == "other":
        raise TableError(f"the target '{shortened(name)}' holds neither numbers nor text.")
    what = "is empty" if begins is None else f"has no numbers (it begins '{shortened(begins, 20)}')"
    how = ", so write two classes as 0 and 1" if column.kind in {"category", "text"} else ""
    raise TableError(f"the target '{shortened(name)}' {what}; the target must be a number{how}.")


def check_weights(column: Column, name: str) -> None:
    """Raise where weights are no numbers."""
    if column.kind != "number":
        raise TableError(f"the weights '{shortened(name)}' are not numbers.")


def check_not_negative(n_negative: int, name: str) -> None:
    """Raise where weights are negative."""
    if n_negative:
        raise TableError(
            f"the weights '{shortened(name)}' have {amount(n_negative, 'negative value')}; a "
            "weight is a number of rows."
        )


def weightless_notes(n_zero: int, n_left: int, name: str) -> list[Note]:
    """Return a note on rows of weight zero; raise where too few others are left."""
    if not n_zero:
        return []
    n_rows = n_zero + n_left
    if n_left < FEWEST_ROWS:
        raise TableError(
            f"the weights '{shortened(name)}' are zero in {n_zero} of {n_rows} rows; at least "
            f"{FEWEST_ROWS} rows must have a positive weight."
        )
    return [Note("weightless", f"{n_zero} of {n_rows} rows left out, for their weight is zero.")]


def usable(
    names: Iterable[str],
    column_named: Callable[[str, bool], Column],
    fixed: dict[str, Column],
    question: TableQuestion,
) -> tuple[dict[str, Column], list[Note]]:
    """Return the columns that can be used, and notes on the others.

    ``column_named(name, is_wanted)`` says what a column is; ``fixed`` are the target and the
    weights.
    """
    used: dict[str, Column] = {}
    left_out: dict[str, dict[str, str]] = {}
    roles = {question.target, question.weights, *question.never}
    wanted = set(question.always) | {name.split("=")[0] for name in question.always}
    for name in names:
        if name in roles:
            continue
        column = column_named(name, name in wanted)
        if column.kind in _LEFT_OUT:
            left_out.setdefault(column.kind, {})[name] = column.example
        else:
            used[name] = column
    for kind, kept in left_out.items():
        refused = [name for name in kept if name in wanted]
        if refused:
            reason = _reason(kind, len(refused))
            raise TableError(Message(_ALWAYS, f" has {few_names(refused)}, which ", reason, "."))
    notes = [Note(kind, _why_left_out(kind, kept), tuple(kept)) for kind, kept in left_out.items()]
    return used, notes + _encoded_notes(used, fixed)


def _why_left_out(kind: str, kept: dict[str, str]) -> str:
    """Return why columns are left out; a name that was made up is not said."""
    if kind in _OF_FIRST and [*kept] in _NO_NAME:
        return f"Left out: the first column, which has no name and {_OF_FIRST[kind]}."
    who = "it" if len(kept) == 1 else "they"
    return Message(f"Left out, for {who} ", _reason(kind, len(kept)), f": {_quoted(kept)}.")


def _reason(kind: str, n_columns: int) -> Message:
    """Return why so many columns are left out, with a verb that fits.

    Examples
    --------
    >>> _reason("empty", 1), _reason("empty", 2), _reason("row_numbers", 1)
    ('has no values', 'have no values', 'has no name and counts the rows')
    """
    reason = Message(_LEFT_OUT[kind])
    if n_columns > 1:
        return reason
    what, *how = reason.parts[0].split(";", 1)
    for many, one in _VERBS.items():
        what = re.sub(rf"\b{many}\b", one, what)
    return Message(";".join([what, *how]), *reason.parts[1:])


def _quoted(examples: dict[str, str]) -> str:
    """Return names for a sentence, each with the cell that was seen in it, if there is one."""
    return few_names(
        f"{shortened(name, 30)} ('{cell}')" if cell else name for name, cell in examples.items()
    )


_ENCODED: tuple[tuple[str, Callable[[Column], bool], str], ...] = (
    ("rounded", lambda one: one.is_rounded, "Beyond 2⁵³, so only 15 digits or so are kept"),
    (
        "signs",
        lambda one: one.has_signs,
        "Read as numbers, without %, $ or commas between thousands",
    ),
    (
        "counter",
        lambda one: one.is_counter,
        Message("Counts the rows; if it is an identifier, name it in ", _NEVER),
    ),
)
"""Kinds of notes, the columns they are about, and what they say."""


def _encoded_notes(used: dict[str, Column], fixed: dict[str, Column]) -> list[Note]:
    notes = []
    for kind, is_such, text in _ENCODED:
        columns = used | fixed if kind == "rounded" else used
        names = tuple(name for name, column in columns.items() if is_such(column))
        if names:
            notes.append(Note(kind, Message(text, f": {few_names(names)}."), names))
    return notes


def check_varies(name: str, n_rows: int, least: float, most: float) -> None:
    """Raise where the target has too few rows, or is the same in every one."""
    if n_rows < FEWEST_ROWS:
        raise TableError(
            f"the table has {amount(n_rows, 'row')}; at least {FEWEST_ROWS} are needed."
        )
    if least == most:
        digits = ", in the 15 digits or so that are kept" if abs(least) >= LARGEST_EXACT else ""
        raise TableError(
            f"the target '{shortened(name)}' is the same in every row ({least:g}{digits}); there "
            "is nothing to explain."
        )


def check_finite(n_infinite: dict[str, int]) -> None:
    """Raise where columns have infinite values, so many each."""
    counts = {name: count for name, count in n_infinite.items() if count}
    if counts:
        raise TableError(
            Message(
                f"{amount(sum(counts.values()), 'value is', 'values are')} infinite: "
                f"{counted(counts)}; a column that overflowed can be left out by ",
                Argument("never", "[…]"),
                ".",
            )
        )


class Roles(NamedTuple):
    """Which columns of numbers are used, and notes on the others."""

    kept: np.ndarray
    """The mask of columns that vary and may be chosen, (D,)."""
    always: np.ndarray
    """The mask of those that must be, (D,)."""
    notes: list[Note]
    factors: tuple[Factor, ...]
    """The text columns; their places are among the columns kept."""


def roles(
    origins: dict[str, LevelColumn],
    references: dict[str, str],
    varies: np.ndarray,
    notes: list[Note],
    question: TableQuestion,
) -> Roles:
    """Return the roles of columns of numbers, or raise where none is left.

    ``origins`` has their names, and where they come from; ``references`` the levels of text columns
    that have no column.
    """
    names = list(origins)
    always, never = _masks(origins, references, question)
    rounded = {name for note in notes if note.kind == "rounded" for name in note.columns}
    notes = notes + _constants(names, varies, always, never, rounded)
    kept = varies & ~never
    if not kept.any():
        raise TableError(nothing_left(notes, question.target))
    factors = factors_of(list(origins.values()), kept, references)
    return Roles(kept, always, notes + _factor_notes(factors), factors)


def _factor_notes(factors: Sequence[Factor]) -> list[Note]:
    """Return notes on how text columns are coded."""
    against = {one.column: one.reference for one in factors if one.reference is not None}
    every = tuple(one.column for one in factors if one.reference is None)
    notes = []
    if against:
        told = few_names(f"{shortened(n, 20)} ('{shortened(r, 14)}')" for n, r in against.items())
        text = f"Text as columns of 0 and 1, none for the most frequent level: {told}."
        notes.append(Note("factor", text, tuple(against)))
    if every:
        text = f"Text, one column of 0 and 1 for each level: {few_names(every)}."
        notes.append(Note("category", text, every))
    return notes


def _masks(
    origins: dict[str, LevelColumn], references: dict[str, str], question: TableQuestion
) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns must be chosen and which must not; levels may be named alone.

    A reference level has no column: in never it says what is so anyway.
    """
    wanted, excluded = set(question.always), set(question.never)
    whole = {name for name, origin in origins.items() if origin.column in wanted}
    always = np.array([name in wanted or name in whole for name in origins], dtype=bool)
    never = np.array([name in excluded for name in origins], dtype=bool)
    both = sorted((wanted | whole) & excluded)
    if both:
        shown = shortened(both[0])
        raise TableError(Message(f"'{shown}' is both in ", _ALWAYS, " and in ", _NEVER, "."))
    strange = wanted - {*origins, *(origin.column for origin in origins.values())}
    for column, reference in references.items():
        key = LevelColumn(column, reference).key
        if key in strange and column not in wanted:
            others = [name for name, origin in origins.items() if origin.column == column]
            raise TableError(_wants_reference(key, column, others))
        strange.discard(key)
    if strange:
        said = f" has '{shortened(min(strange))}', which is no level of a column."
        raise TableError(Message(_ALWAYS, said))
    return always, never


def _wants_reference(key: str, column: str, others: Sequence[str]) -> Message:
    """Return what to say where the level that others are compared with must be chosen."""
    name, every = shortened(column), Argument("levels", '"all"')
    how = Message("choose ", every, f", or name {name} as a whole.")
    if len(others) == 1:
        how = Message(f"name '{shortened(others[0])}', which says the same.")
    begins = f" has '{shortened(key)}', the level that the rest of {name} is compared with; "
    return Message(_ALWAYS, begins, how)


def _constants(
    names: list[str],
    varies: np.ndarray,
    always: np.ndarray,
    never: np.ndarray,
    rounded: Set[str],
) -> list[Note]:
    """Return notes on the columns that are the same in every row; raise where one is wanted.

    Those that were ``rounded`` may differ in digits that are lost.
    """
    forced = [name for name, is_forced in zip(names, ~varies & always, strict=True) if is_forced]
    if forced:
        are = "is" if len(forced) == 1 else "are"
        said = f" has {few_names(forced)}, which {are} the same in every row."
        raise TableError(Message(_ALWAYS, said))
    constant = [name for name, is_left in zip(names, ~varies & ~never, strict=True) if is_left]
    notes = []
    for which, digits in ((False, ""), (True, " in the 15 digits or so that are kept")):
        own = tuple(name for name in constant if (name in rounded) is which)
        if own:
            who = "it is" if len(own) == 1 else "they are"
            text = f"Left out, for {who} the same in every row{digits}: {few_names(own)}."
            notes.append(Note("constant", text, own))
    return notes


def nothing_left(notes: list[Note], target: str) -> Message:
    """Return what to say where no column can be chosen."""
    reasons = [note.text for note in notes if note.text.startswith("Left out")]
    reasons = reasons or [Message("All others are in ", Argument("never", "[…]"), ".")]
    said = f"no column is left to explain '{shortened(target)}' by."
    return Message(said, *(Message(" ", reason) for reason in reasons))
