"""The first pass over a large file: which columns are plain numbers, and what is known of them.

A column is plain if every piece of it is numbers that mean what pandas read. All others (text,
dates, numbers with marks for thousands) are held in memory and looked at whole, as in a table that
fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._printable import few_names
from ..columns import Column, NumberFacts, column_of, number_column
from ..design_matrix import first_cell
from ..memory_guard import check_memory, free_memory
from ..notes import Note
from ..text_cells import EncodingGuess
from .pieces import Held, LargeFile, Show

__all__ = ["Learned", "learned"]


class _Seen:
    """What is known of one column so far."""

    def __init__(self) -> None:
        self.facts: NumberFacts | None = None
        self.is_plain, self.has_floats, self.is_doubtful, self.is_text = True, False, True, False
        self.n_bytes, self.n_missing = 0, 0

    def add(self, piece: Any, file: LargeFile) -> None:
        """Learn from the column of one piece."""
        self.n_bytes += int(piece.memory_usage(index=False, deep=True))
        self.n_missing += int(piece.isna().sum())
        kind = piece.dtype.kind if isinstance(piece.dtype, np.dtype) else "O"
        self.is_text = self.is_text or str(piece.dtype) == "str"
        if kind not in "iuf":
            self.is_plain = False
        if not self.is_plain:
            return
        values = piece.to_numpy().astype(np.float64)
        facts = NumberFacts.of(values)
        self.facts = facts if self.facts is None else self.facts.merge(facts)
        self.has_floats = self.has_floats or kind == "f"
        self.is_doubtful = self.is_doubtful and file.is_doubtful(values)

    @property
    def must_be_held(self) -> bool:
        return not self.is_plain or (self.has_floats and self.is_doubtful)


class Learned(NamedTuple):
    """What a file has."""

    file: LargeFile
    n_rows: int
    plain: dict[int, NumberFacts]
    """What is known of the columns that are plain numbers."""
    held: Held
    """All others that may be used."""
    other: set[int]
    """Columns that are neither numbers nor text."""

    def column(self, name: str, is_wanted: bool) -> Column:
        """Return what a column is; that of plain numbers has no values."""
        place = self.file.names.index(name)
        if place in self.other:
            return Column("other", None)
        if place in self.plain:
            return number_column(name, self.plain[place], is_wanted)
        series, may = self.held.frame[place].rename(name), self.file.may_have_thousands
        return column_of(series, is_wanted=is_wanted, may_have_thousands=may)

    def first_cell(self, name: str) -> str | None:
        """Return the first cell of a column that is held; None for another."""
        place = self.file.names.index(name)
        return first_cell(self.held.frame[place]) if place in self.held.frame else None

    def notes(self) -> list[Note]:
        """Return what was guessed, and that the file was read in pieces."""
        text = (
            f"{self.file.name} does not fit into memory: it is read in pieces, a few times, and "
            "only sums over its rows are kept."
        )
        return [Note("streamed", text), *self.held.notes]


def learned(file: LargeFile, never: Sequence[str], show: Show | None) -> Learned:
    """Read all rows once; columns in ``never`` are not kept."""
    names = file.names
    kinds = {place: file.kind(place) for place, name in enumerate(names) if name not in never}
    last = len(names) - 1  # its gaps may be lines that end early
    numbers = [place for place, kind in kinds.items() if kind == "numbers"]
    try:
        n_rows, seen = _pass(file, sorted({*numbers, last}), show)
    except EncodingGuess:  # at most two more encodings are tried
        return learned(file, never, show)
    file.check_rows(seen[last].n_missing > 0)
    held = [place for place, kind in kinds.items() if kind == "whole"]
    held += [place for place in numbers if seen[place].must_be_held]
    plain = {place: seen[place].facts for place in numbers if not seen[place].must_be_held}
    known = {place: facts for place, facts in plain.items() if facts is not None}
    _check_held(file, held, n_rows, sum(seen[one].n_bytes for one in held if one in seen))
    fractions = [place for place, facts in known.items() if not facts.is_whole]
    other = {place for place, kind in kinds.items() if kind == "other"}
    texts = [place for place in held if place in seen and seen[place].is_text]
    return Learned(file, n_rows, known, file.held(sorted(held), texts, fractions), other)


def _pass(
    file: LargeFile, columns: Sequence[int], show: Show | None
) -> tuple[int, dict[int, _Seen]]:
    n_rows, seen = 0, {place: _Seen() for place in columns}
    for piece in file.pieces(columns, "looking at the columns", show):
        n_rows += len(piece)
        for place, one in seen.items():
            one.add(piece[place], file)
    return n_rows, seen


def _check_held(file: LargeFile, held: Sequence[int], n_rows: int, n_bytes: int) -> None:
    """Raise where the columns that must be held do not fit into memory."""
    names = few_names(file.names[place] for place in held)
    check_memory(
        file.name,
        n_rows * len(held),
        free_memory(),
        n_bytes + file.text_bytes(held),
        f"{n_rows} rows, and columns that are no plain numbers ({names})",
        "leave some of these columns out by never=[…]",
    )
