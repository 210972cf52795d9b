"""Missing values: counted, and then refused, left out by rows, or filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..._messages import Argument, Message
from ..._printable import amount, counted, shortened
from ..cells.columns import Column
from ..words.notes import Note, TableError
from .level_columns import gap_level

__all__ = [
    "FEWEST_ROWS",
    "check_left",
    "fill_of",
    "filled",
    "gap_notes",
    "kept_rows",
    "missing_trouble",
    "words_among_numbers",
]

FEWEST_ROWS = 4


def kept_rows(
    columns: dict[str, Column], fixed: dict[str, np.ndarray], missing: str
) -> tuple[np.ndarray, list[Note]]:
    """Return the rows to use, or raise where missing values are not allowed.

    ``fixed`` are the target and the weights, which are never filled in.
    """
    n_rows = len(next(iter(fixed.values())))
    gaps = {name: gap for name, column in columns.items() if (gap := _gaps(column)).any()}
    binding = {name: gap for name, v in fixed.items() if (gap := np.isnan(v)).any()}
    everything = gaps | binding
    if not everything:
        return np.arange(n_rows), []
    counts = {name: int(gap.sum()) for name, gap in everything.items()}
    if missing == "error":
        n_left = n_rows - int(np.sum(np.logical_or.reduce(list(everything.values()))))
        raise TableError(missing_trouble(counts, columns, f" (leaves {n_left} of {n_rows} rows)"))
    binding = everything if missing == "drop" else binding
    dropped = np.logical_or.reduce([np.zeros(n_rows, dtype=bool), *binding.values()])
    rows = np.flatnonzero(~dropped)
    check_left(len(rows), n_rows, counts, missing)
    texts = {name: column.values for name, column in columns.items() if column.kind == "category"}
    levels = {name: gap_level(texts[name][rows]) if name in texts else None for name in gaps}
    words = words_among_numbers(counts, columns)
    return rows, gap_notes(counts, levels, int(dropped.sum()), n_rows, missing, words)


def _gaps(column: Column) -> np.ndarray:
    if column.kind == "category":
        return np.array([value is None for value in column.values])
    return np.isnan(column.values)


def missing_trouble(counts: dict[str, int], columns: dict[str, Column], left: str = "") -> Message:
    """Return what to say where values are missing, so many in each column.

    ``left`` says how many rows would be left without those that have a missing value.
    """
    words = words_among_numbers(counts, columns)
    return Message(
        f"{amount(sum(counts.values()), 'value is', 'values are')} missing: {counted(counts)}",
        f"{words}; choose ",
        Argument("missing", '"drop"'),
        f"{left} or ",
        Argument("missing", '"mean"'),
        ".",
    )


def words_among_numbers(names: Iterable[str], columns: Mapping[str, Column]) -> str:
    """Return that cells are missing for they are no numbers, with an example; "" where none is."""
    for name in names:
        if name in columns and columns[name].n_not_numbers:
            n_words, example = columns[name].n_not_numbers, columns[name].example
            words = amount(n_words, "is no number,", "are not numbers, such as")
            return f" (in {shortened(name)} {words} '{example}')"
    return ""


def check_left(n_left: int, n_rows: int, counts: dict[str, int], missing: str) -> None:
    """Raise where too few rows are left without those that have a missing value."""
    if n_left < FEWEST_ROWS:
        few = "no row" if not n_left else f"only {amount(n_left, 'row')}"
        raise TableError(
            Message(
                Argument("missing", f'"{missing}"'),
                f" leaves {few} of {n_rows} ({counted(counts)} missing); leave out the columns "
                "with most gaps by ",
                Argument("never", "[…]"),
                ".",
            )
        )


def gap_notes(
    counts: dict[str, int],
    levels: dict[str, str | None],
    n_dropped: int,
    n_rows: int,
    missing: str,
    words: str,
) -> list[Note]:
    """Return notes on rows that were left out, and on columns that were filled in.

    ``levels`` has these columns, and the level that stands for a gap in text. ``words`` are those
    of :func:`words_among_numbers`.
    """
    notes = []
    if n_dropped:
        own = words if missing == "drop" else ""
        text = f"{n_dropped} of {n_rows} rows left out for missing values{own}."
        notes.append(Note("dropped", text))
    for level in sorted(set(levels.values()), key=str) if missing == "mean" else []:
        filled = {name: counts[name] for name, own in levels.items() if own == level}
        text = f"Missing text is a level of its own, '{level}': {counted(filled)}."
        if level is None:
            text = f"Missing values filled in with the column's mean: {counted(filled)}{words}."
        notes.append(Note("filled", text, tuple(filled)))
    return notes


def filled(values: np.ndarray) -> np.ndarray:
    """Return the values with their mean where they are missing."""
    gap = np.isnan(values)
    if not gap.any():
        return values
    known = values[~gap]
    return np.where(gap, np.mean(known) if known.size else 0.0, values)


def fill_of(values: np.ndarray) -> float:
    """Return what a missing value of a column was filled in with: the mean, which stays the same.

    The sum of very large numbers would overflow.

    Examples
    --------
    >>> import numpy as np
    >>> fill_of(filled(np.array([1.0, np.nan, 4.0]))), fill_of(np.array([1e308, 1e308]))
    (2.5, 1e+308)
    """
    size = float(np.max(np.abs(values), initial=0.0)) or 1.0
    return size * float(np.mean(values / size))
