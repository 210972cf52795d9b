"""From a data frame to the numbers a fit takes, with a note for everything that was decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .columns import MOST_LEVELS, Column, column_of, indicators
from .missing import FEWEST_ROWS, counted, filled, kept_rows
from .words import Note, TableError, listed, nearest, shortened

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


class _Question(NamedTuple):
    target: str
    always: list[str]
    never: list[str]
    weights: str | None
    missing: str
    is_settled: bool


def prepared_table(
    frame: Any,
    target: str,
    *,
    always: Iterable[str] = (),
    never: Iterable[str] = (),
    weights: str | None = None,
    missing: str = "error",
    is_settled: bool = False,
) -> Prepared:
    """Return the problem in a data frame whose names are distinct strings.

    Parameters
    ----------
    frame : DataFrame
    target : str
        The column to explain.
    always, never : iterable of str
        Columns that must, or must not, be chosen; of a text column all levels, or one as
        ``column=level``.
    weights : str or None
        A column that says how many rows each row stands for.
    missing : {"error", "drop", "mean"}
        What to do about missing values: nothing, leave the row out, or fill in the column's mean
        (for text, a level of its own). Rows without a target or weight are never filled in.
    is_settled : bool
        Whether commas between thousands have been taken out where they are that.
    """
    question = _Question(str(target), list(always), list(never), weights, missing, is_settled)
    _check_question(frame, question)
    y = _target_of(frame, question)
    weight = None if weights is None else _weights_of(frame, weights, is_settled)
    columns, notes = _candidates(frame, question)
    fixed = {question.target: y} if weight is None else {question.target: y, weights: weight}
    rows, gap_notes = kept_rows(columns, fixed, missing)
    notes += gap_notes
    y = y[rows]
    weight = None if weight is None else weight[rows]
    _check_target(question.target, y)
    designed, from_column = _designed(columns, rows, question)
    X = np.column_stack(list(designed.values())) if designed else np.empty((len(y), 0))
    names = list(designed)
    _check_finite(X, y, weight, names, question)
    wanted, barred = _masks(names, from_column, question)
    varies = np.ptp(X, axis=0) > 0.0 if len(y) else np.zeros(len(names), dtype=bool)
    notes += _constants(names, varies, wanted, barred)
    kept = varies & ~barred
    if not kept.any():
        raise TableError(_nothing_left(columns, notes, question))
    return Prepared(
        X=np.ascontiguousarray(X[:, kept]),
        y=y,
        weights=weight,
        names=[name for name, keep in zip(names, kept, strict=True) if keep],
        target=question.target,
        always=wanted[kept],
        rows=rows,
        notes=notes,
    )


def _check_question(frame, question: _Question) -> None:
    if question.missing not in {"error", "drop", "mean"}:
        raise TableError(f'missing="{question.missing}"; choose "error", "drop" or "mean".')
    names = list(frame.columns)
    for role, name in (("target", question.target), ("weights", question.weights)):
        if name is not None and name not in names:
            raise TableError(
                f"there is no column '{shortened(name)}' ({role}); {_hint(name, names)}"
            )
    if question.weights == question.target:
        raise TableError(f"'{shortened(question.target)}' is both the target and the weights.")
    if len(names) < 2:
        raise TableError(
            f"the table has one column only, {listed(names)}; there is nothing to explain it by."
        )
    if not frame.shape[0]:
        raise TableError("the table has a header and no rows.")
    for role, wanted in (("always", question.always), ("never", question.never)):
        for name in wanted:
            if name in {question.target, question.weights}:
                raise TableError(f"'{shortened(name)}' is in {role} and is the target or weights.")
            if name not in names and name.split("=")[0] not in names:
                raise TableError(f"{role} has '{shortened(name)}'; {_hint(name, names)}")


def _hint(name: str, names: list[str]) -> str:
    numbered = [other for other in names if other.startswith(f"{name} (")]
    if numbered:
        return f"several columns have that name and are read as {listed(numbered)}."
    return nearest(name, names)


def _target_of(frame, question: _Question) -> np.ndarray:
    name = question.target
    column = column_of(frame[name], is_wanted=True, is_settled=question.is_settled)
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


def _weights_of(frame, name: str, is_settled: bool) -> np.ndarray:
    column = column_of(frame[name], is_wanted=True, is_settled=is_settled)
    if column.kind != "number":
        raise TableError(f"the weights '{shortened(name)}' are not numbers.")
    if np.any(column.values < 0.0):
        raise TableError(
            f"the weights '{shortened(name)}' have {np.sum(column.values < 0.0)} negative values; "
            "a weight is a number of rows."
        )
    return column.values


def _candidates(frame, question: _Question) -> tuple[dict[str, Column], list[Note]]:
    """Return the columns of use, and notes on the others."""
    used, left_out = {}, {}
    roles = {question.target, question.weights, *question.never}
    wanted = set(question.always) | {name.split("=")[0] for name in question.always}
    for name in frame.columns:
        if name in roles:
            continue
        column = column_of(frame[name], is_wanted=name in wanted, is_settled=question.is_settled)
        if column.kind in _LEFT_OUT:
            left_out.setdefault(column.kind, {})[name] = column.example
        else:
            used[name] = column
    for kind, names in left_out.items():
        refused = [name for name in names if name in wanted]
        if refused:
            raise TableError(f"always has {listed(refused)}, which {_LEFT_OUT[kind]}.")
    notes = [
        Note(kind, f"Left out, for they {_LEFT_OUT[kind]}: {_quoted(names)}.", tuple(names))
        for kind, names in left_out.items()
    ]
    return used, notes + _encoded_notes(used)


def _quoted(examples: dict[str, str]) -> str:
    """Return names for a sentence, each with the cell that was seen in it, if there is one."""
    return listed(
        f"{shortened(name, 30)} ('{cell}')" if cell else name for name, cell in examples.items()
    )


def _encoded_notes(used: dict[str, Column]) -> list[Note]:
    categories = tuple(name for name, column in used.items() if column.kind == "category")
    counters = tuple(name for name, column in used.items() if column.is_counter)
    signed = tuple(name for name, column in used.items() if column.has_signs)
    rounded = tuple(name for name, column in used.items() if column.is_rounded)
    notes = []
    if rounded:
        text = f"Beyond 2⁵³, so only 15 digits or so are kept: {listed(rounded)}."
        notes.append(Note("rounded", text, rounded))
    if signed:
        text = f"Read as numbers, without %, $ or commas between thousands: {listed(signed)}."
        notes.append(Note("signs", text, signed))
    if categories:
        text = f"Text, one column of 0 and 1 for each level: {listed(categories)}."
        notes.append(Note("category", text, categories))
    if counters:
        text = f"Counts the rows; if it is an identifier, name it in never: {listed(counters)}."
        notes.append(Note("counter", text, counters))
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
    columns: dict[str, Column], rows: np.ndarray, question: _Question
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


def _check_finite(X, y, weight, names, question: _Question) -> None:
    counts = {question.target: int(np.sum(np.isinf(y)))}
    if weight is not None:
        counts[str(question.weights)] = int(np.sum(np.isinf(weight)))
    infinite = np.isinf(X).sum(axis=0)
    counts |= {names[place]: int(infinite[place]) for place in np.flatnonzero(infinite)}
    counts = {name: count for name, count in counts.items() if count}
    if counts:
        raise TableError(
            f"{sum(counts.values())} values are infinite: {counted(counts)}; a column that "
            "overflowed can be left out by never=[…]."
        )


def _masks(names, from_column, question: _Question) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns must be chosen and which must not; levels may be named alone."""
    wanted, barred = set(question.always), set(question.never)
    always = np.array([n in wanted or from_column[n] in wanted for n in names], dtype=bool)
    never = np.array([n in barred for n in names], dtype=bool)
    both = [*(wanted & barred), *(n for n in names if from_column[n] in wanted and n in barred)]
    if both:
        raise TableError(f"'{shortened(both[0])}' is both in always and in never.")
    strange = wanted - {*names, *from_column.values()}
    if strange:
        raise TableError(f"always has '{shortened(min(strange))}', which is no level of a column.")
    return always, never


def _constants(names, varies, wanted, barred) -> list[Note]:
    constant = tuple(
        name for name, is_left in zip(names, ~varies & ~barred, strict=True) if is_left
    )
    forced = [name for name, bad in zip(names, ~varies & wanted, strict=True) if bad]
    if forced:
        raise TableError(f"always has {listed(forced)}, which is the same in every row.")
    if not constant:
        return []
    text = f"Left out, for they are the same in every row: {listed(constant)}."
    return [Note("constant", text, constant)]


def _nothing_left(columns, notes: list[Note], question: _Question) -> str:
    reasons = [note.text for note in notes if note.text.startswith("Left out")]
    said = " ".join(reasons) or f"{listed(columns)} are all in never=[…]."
    return f"no column is left to explain '{shortened(question.target)}' by. {said}"
