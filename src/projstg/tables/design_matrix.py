"""From a data frame to the numbers of a fit, with a note for every decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._printable import counted, few_names, shortened
from .columns import MOST_LEVELS, Column, column_of, indicators
from .missing import FEWEST_ROWS, filled, kept_rows
from .notes import Note, TableError
from .question import TableQuestion

__all__ = ["Prepared", "prepared_table"]

_LEFT_OUT = {
    "date": "are dates; write them as numbers, such as days since the first, to use them",
    "identifier": "look like identifiers; one named in always is used all the same",
    "text": f"are free text or have more than {MOST_LEVELS} levels",
    "mixed": "have numbers not all written in one way, with a decimal point and one sign or none",
    "empty": "have no values",
    "other": "hold something that is neither a number nor text",
}


class Prepared(NamedTuple):
    """A problem: columns that vary, all numbers finite."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    names: list[str]
    target: str
    always: np.ndarray
    """Mask of the columns that must be chosen."""
    rows: np.ndarray
    """The rows of the table that were kept."""
    notes: list[Note]


def prepared_table(
    frame: Any, question: TableQuestion, *, may_have_thousands: bool = True
) -> Prepared:
    """Return the problem in a data frame whose names are distinct strings.

    Parameters
    ----------
    frame : DataFrame
    question : TableQuestion
        Rows without a target or a weight are left out, also where missing values are filled in.
    may_have_thousands : bool
        Whether text may have commas between thousands; a file that was read has none left.
    """
    question.check_names(list(frame.columns))
    _check_shape(frame)
    target, weights = question.target, question.weights
    fixed = {target: _target_of(frame, target, may_have_thousands)}
    if weights is not None:
        fixed[weights] = _weights_of(frame, weights, may_have_thousands)
    columns, notes = _candidates(frame, question, may_have_thousands)
    rows, gap_notes = kept_rows(columns, fixed, question.missing)
    fixed = {name: values[rows] for name, values in fixed.items()}
    _check_target(target, fixed[target])
    designed, from_column = _designed(columns, rows, question)
    names = list(designed)
    X = np.column_stack(list(designed.values())) if designed else np.empty((len(rows), 0))
    _check_finite(X, names, fixed)
    always, never = _masks(names, from_column, question)
    varies = np.ptp(X, axis=0) > 0.0
    notes += gap_notes + _constants(names, varies, always, never)
    kept = varies & ~never
    if not kept.any():
        raise TableError(_nothing_left(notes, target))
    return Prepared(
        X=np.ascontiguousarray(X[:, kept]),
        y=fixed[target],
        weights=None if weights is None else fixed[weights],
        names=[name for name, keep in zip(names, kept, strict=True) if keep],
        target=target,
        always=always[kept],
        rows=rows,
        notes=notes,
    )


def _check_shape(frame: Any) -> None:
    if frame.shape[1] < 2:
        raise TableError(
            f"the table has one column only, {few_names(frame.columns)}; there is nothing to "
            "explain it by."
        )
    if not frame.shape[0]:
        raise TableError("the table has a header and no rows.")


def _target_of(frame: Any, name: str, may_have_thousands: bool) -> np.ndarray:
    column = column_of(frame[name], is_wanted=True, may_have_thousands=may_have_thousands)
    if column.kind == "number" and not column.n_not_numbers:
        return column.values
    if column.n_not_numbers:
        raise TableError(
            f"the target '{shortened(name)}' has {column.n_not_numbers} cells that are not "
            f"numbers, the first '{column.example}'; repair them."
        )
    if column.kind == "mixed":
        raise TableError(
            f"the target '{shortened(name)}' has numbers that are not all written in one way, such "
            f"as '{column.example}'; write them with a decimal point, and one sign or none."
        )
    if column.kind == "other":
        raise TableError(f"the target '{shortened(name)}' holds neither numbers nor text.")
    shown = frame[name].dropna()
    what = (
        f"has no numbers (it begins '{shortened(shown.iloc[0], 20)}')" if len(shown) else "is empty"
    )
    how = ", so write two classes as 0 and 1" if column.kind in {"category", "text"} else ""
    raise TableError(f"the target '{shortened(name)}' {what}; the target must be a number{how}.")


def _weights_of(frame: Any, name: str, may_have_thousands: bool) -> np.ndarray:
    column = column_of(frame[name], is_wanted=True, may_have_thousands=may_have_thousands)
    if column.kind != "number":
        raise TableError(f"the weights '{shortened(name)}' are not numbers.")
    if np.any(column.values < 0.0):
        raise TableError(
            f"the weights '{shortened(name)}' have {np.sum(column.values < 0.0)} negative values; "
            "a weight is a number of rows."
        )
    return column.values


def _candidates(
    frame: Any, question: TableQuestion, may_have_thousands: bool
) -> tuple[dict[str, Column], list[Note]]:
    """Return the columns that can be used, and notes on the others."""
    used: dict[str, Column] = {}
    left_out: dict[str, dict[str, str]] = {}
    roles = {question.target, question.weights, *question.never}
    wanted = set(question.always) | {name.split("=")[0] for name in question.always}
    for name in frame.columns:
        if name in roles:
            continue
        column = column_of(
            frame[name], is_wanted=name in wanted, may_have_thousands=may_have_thousands
        )
        if column.kind in _LEFT_OUT:
            left_out.setdefault(column.kind, {})[name] = column.example
        else:
            used[name] = column
    for kind, names in left_out.items():
        refused = [name for name in names if name in wanted]
        if refused:
            raise TableError(f"always has {few_names(refused)}, which {_LEFT_OUT[kind]}.")
    notes = [
        Note(kind, f"Left out, for they {_LEFT_OUT[kind]}: {_quoted(names)}.", tuple(names))
        for kind, names in left_out.items()
    ]
    return used, notes + _encoded_notes(used)


def _quoted(examples: dict[str, str]) -> str:
    """Return names for a sentence, each with the cell that was seen in it, if there is one."""
    return few_names(
        f"{shortened(name, 30)} ('{cell}')" if cell else name for name, cell in examples.items()
    )


_ENCODED: tuple[tuple[str, Callable[[Column], bool], str], ...] = (
    ("rounded", lambda one: one.is_rounded, "Beyond 2⁵³, so only 15 digits or so are kept: {}."),
    (
        "signs",
        lambda one: one.has_signs,
        "Read as numbers, without %, $ or commas between thousands: {}.",
    ),
    (
        "category",
        lambda one: one.kind == "category",
        "Text, one column of 0 and 1 for each level: {}.",
    ),
    (
        "counter",
        lambda one: one.is_counter,
        "Counts the rows; if it is an identifier, name it in never: {}.",
    ),
)
"""Kinds of notes, the columns they are about, and what they say."""


def _encoded_notes(used: dict[str, Column]) -> list[Note]:
    notes = []
    for kind, is_such, text in _ENCODED:
        names = tuple(name for name, column in used.items() if is_such(column))
        if names:
            notes.append(Note(kind, text.format(few_names(names)), names))
    return notes


def _check_target(name: str, y: np.ndarray) -> None:
    known = y[np.isfinite(y)]
    if len(y) < FEWEST_ROWS:
        raise TableError(f"the table has {len(y)} rows; at least {FEWEST_ROWS} are needed.")
    if known.size == y.size and np.ptp(y) == 0.0:
        raise TableError(
            f"the target '{shortened(name)}' is the same in every row ({y[0]:g}); there is nothing "
            "to explain."
        )


def _designed(
    columns: dict[str, Column], rows: np.ndarray, question: TableQuestion
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the columns of numbers by name, and which column of the table each came from."""
    designed, from_column = {}, {}
    for name, column in columns.items():
        values = column.values[rows]
        if column.kind == "category":
            made = indicators(name, values, leave_first=name in question.always)
        else:
            made = {name: filled(values)}
        for key, numbers in made.items():
            while key in designed:
                key += "'"
            designed[key], from_column[key] = numbers, name
    return designed, from_column


def _check_finite(X: np.ndarray, names: list[str], fixed: dict[str, np.ndarray]) -> None:
    counts = {name: int(np.sum(np.isinf(values))) for name, values in fixed.items()}
    counts |= dict(zip(names, np.isinf(X).sum(axis=0).tolist(), strict=True))
    counts = {name: count for name, count in counts.items() if count}
    if counts:
        raise TableError(
            f"{sum(counts.values())} values are infinite: {counted(counts)}; a column that "
            "overflowed can be left out by never=[…]."
        )


def _masks(
    names: list[str], from_column: dict[str, str], question: TableQuestion
) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns must be chosen and which must not; levels may be named alone."""
    wanted, excluded = set(question.always), set(question.never)
    always = np.array([n in wanted or from_column[n] in wanted for n in names], dtype=bool)
    never = np.array([n in excluded for n in names], dtype=bool)
    both = [*(wanted & excluded), *(n for n in names if from_column[n] in wanted and n in excluded)]
    if both:
        raise TableError(f"'{shortened(both[0])}' is both in always and in never.")
    strange = wanted - {*names, *from_column.values()}
    if strange:
        raise TableError(f"always has '{shortened(min(strange))}', which is no level of a column.")
    return always, never


def _constants(
    names: list[str], varies: np.ndarray, always: np.ndarray, never: np.ndarray
) -> list[Note]:
    """Return a note on the columns that are the same in every row; raise where one is wanted."""
    forced = [name for name, is_forced in zip(names, ~varies & always, strict=True) if is_forced]
    if forced:
        raise TableError(f"always has {few_names(forced)}, which is the same in every row.")
    constant = tuple(name for name, is_left in zip(names, ~varies & ~never, strict=True) if is_left)
    if not constant:
        return []
    text = f"Left out, for they are the same in every row: {few_names(constant)}."
    return [Note("constant", text, constant)]


def _nothing_left(notes: list[Note], target: str) -> str:
    reasons = [note.text for note in notes if note.text.startswith("Left out")]
    said = " ".join(reasons) or "All others are in never=[…]."
    return f"no column is left to explain '{shortened(target)}' by. {said}"
