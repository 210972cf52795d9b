"""The first pass over a large file: which columns are plain numbers, and what is known of them.

A column is plain if every piece of it is numbers that mean what pandas read. All others (text,
dates, numbers with marks for thousands, codes with leading zeros) are held in memory and looked at
whole, as in a table that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._messages import Argument, Message
from ..._printable import few_names
from ...render.progress_bar import Show
from ..cells.columns import Column, NumberFacts, column_of, number_column
from ..cells.memory_guard import TooLarge, check_memory, free_memory
from ..cells.text_cells import EncodingGuess
from ..files.pieces import Held, LargeFile
from ..prepare.design_matrix import first_cell
from ..words.notes import Note

__all__ = ["Learned", "learned"]


class _Seen:
    """What is known of one column so far."""

    def __init__(self) -> None:
        self.facts: NumberFacts | None = None
        self.is_text = False
        self.n_bytes, self.n_missing = 0, 0
        self._is_number, self._has_floats = True, False
        self._is_doubtful = True  # until a piece leaves no doubt

    def add(self, piece: Any, file: LargeFile) -> None:
        """Learn from the column of one piece."""
        self.n_bytes += int(piece.memory_usage(index=False, deep=True))
        self.n_missing += int(piece.isna().sum())
        kind = piece.dtype.kind if isinstance(piece.dtype, np.dtype) else "O"
        self.is_text = self.is_text or str(piece.dtype) == "str"
        self._is_number = self._is_number and kind in "iuf"
        if not self._is_number:
            return
        values = piece.to_numpy().astype(np.float64)
        facts = NumberFacts.of(values)
        self.facts = facts if self.facts is None else self.facts.merge(facts)
        self._has_floats = self._has_floats or kind == "f"
        self._is_doubtful = self._is_doubtful and file.is_doubtful(values)

    @property
    def is_plain_number(self) -> bool:
        """Whether all pieces are numbers that mean what pandas read."""
        return self._is_number and not (self._has_floats and self._is_doubtful)


class Learned(NamedTuple):
    """What a file has."""

    file: LargeFile
    n_rows: int
    plain: dict[int, NumberFacts]
    """What is known of the columns that are plain numbers."""
    held: Held
    """All others that may be used."""
    left_out: dict[int, str]
    """Columns of which the kind is known: dates, and what is neither numbers nor text."""

    def column(self, name: str, is_wanted: bool, *, must_be_number: bool = False) -> Column:
        """Return what a column is; that of plain numbers has no values."""
        place = self.file.names.index(name)
        if place in self.left_out:
            return Column(self.left_out[place], None)
        if place in self.plain:
            return number_column(name, self.plain[place], is_wanted)
        return column_of(
            self.held.frame[place].rename(name),
            is_wanted=is_wanted,
            must_be_number=must_be_number,
            may_have_thousands=self.file.may_have_thousands,
        )

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
    """Read all rows once.

    Columns in ``never`` have a say in how numbers are written, if there is room for them.
    """
    kinds = {place: file.kind(place) for place in range(len(file.names))}
    kept = [place for place, name in enumerate(file.names) if name not in never]
    numbers = [place for place, kind in kinds.items() if kind == "numbers"]
    try:
        n_rows, seen = _pass(file, numbers, show)
    except EncodingGuess:  # at most two more encodings are tried
        return learned(file, never, show)
    last = seen.get(len(kinds) - 1)
    file.check_rows(last is not None and last.n_missing > 0)
    plain = {place: one.facts for place, one in seen.items() if one.facts and one.is_plain_number}
    ranges = {place: (one.least, one.largest) for place, one in plain.items() if one.is_whole}
    codes = file.codes(ranges)
    plain = {place: facts for place, facts in plain.items() if place not in codes}
    fractions = [place for place, facts in plain.items() if not facts.is_whole]
    written = [*codes, *(place for place, one in seen.items() if not one.is_plain_number)]
    must = [place for place in kept if kinds[place] == "whole" or place in written]
    held = sorted({*must, *written})
    if not _has_room(file, held, n_rows, seen):
        held = must
        _check_held(file, held, n_rows, seen)
    texts = [place for place in held if place in seen and seen[place].is_text]
    left_out = {place: kind for place, kind in kinds.items() if kind in ("date", "other")}
    return Learned(file, n_rows, plain, file.held(held, texts, fractions), left_out)


def _pass(
    file: LargeFile, columns: Sequence[int], show: Show | None
) -> tuple[int, dict[int, _Seen]]:
    n_rows, seen = 0, {place: _Seen() for place in columns}
    for piece in file.pieces(columns, "looking at the columns", show, is_first=True):
        n_rows += len(piece)
        for place, one in seen.items():
            one.add(piece[place], file)
    return n_rows, seen


def _has_room(file: LargeFile, held: Sequence[int], n_rows: int, seen: dict[int, _Seen]) -> bool:
    try:
        _check_held(file, held, n_rows, seen)
    except TooLarge:
        return False
    return True


def _check_held(file: LargeFile, held: Sequence[int], n_rows: int, seen: dict[int, _Seen]) -> None:
    """Raise where the columns that must be held do not fit into memory."""
    names = few_names(file.names[place] for place in held)
    n_bytes = sum(seen[place].n_bytes for place in held if place in seen)
    check_memory(
        file.name,
        n_rows * len(held),
        free_memory(),
        n_bytes + file.text_bytes([place for place in held if place not in seen]),
        f"{n_rows} rows, and columns that are no plain numbers ({names})",
        Message("leave some of these columns out by ", Argument("never", "[…]")),
    )
