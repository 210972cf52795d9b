"""A file in pieces of rows: what text and Parquet have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...render.progress_bar import Show
from ..words.notes import Note, TableError

__all__ = ["FileState", "Held", "LargeFile", "has_changed", "rows_of_piece"]

# Numbers of a piece: 16 MB.
_PIECE = 2_000_000


def rows_of_piece(n_columns: int) -> int:
    """Return how many rows a piece has."""
    return max(_PIECE // max(n_columns, 1), 1)


class Held(NamedTuple):
    """Columns that are held in memory whole."""

    frame: Any
    """Columns by number, as in a table that was read whole."""
    facts: dict
    """Marks of numbers, as plain values."""
    notes: list[Note]


class LargeFile(Protocol):
    """A file whose rows come in pieces, as often as they are wanted; columns have numbers."""

    @property
    def name(self) -> str:
        """What a message calls it."""

    @property
    def names(self) -> list[str]:
        """Of the columns, distinct."""

    @property
    def facts(self) -> dict:
        """Format and so on, as plain values."""

    @property
    def may_have_thousands(self) -> bool:
        """Whether text may have commas between thousands."""

    def pieces(
        self, columns: Sequence[int], what: str, show: Show | None, *, is_first: bool = False
    ) -> Iterator[Any]:
        """Yield frames with these columns, under their numbers; ``what`` is being done.

        ``is_first``: no pass was made before; the fields of all lines are counted.
        """

    def kind(self, column: int) -> str:
        """Return "numbers" where a column may be plain numbers, and "whole", "date" or "other".

        "whole" must be seen whole; "other" is neither numbers nor text.
        """

    def is_doubtful(self, values: np.ndarray) -> bool:
        """Return whether numbers may have been written to mean others, with points in thousands."""

    def codes(self, ranges: dict[int, tuple[float, float]]) -> list[int]:
        """Return which columns of whole numbers are codes with leading zeros.

        ``ranges`` has the least and the largest number of each.
        """

    def check_rows(self, has_gaps: bool) -> None:
        """Raise where lines end early; ``has_gaps`` says whether the last column has any."""

    def text_bytes(self, columns: Sequence[int]) -> int:
        """Return what is known of the bytes that these columns take beside their numbers."""

    def held(self, columns: Sequence[int], texts: Sequence[int], fractions: Sequence[int]) -> Held:
        """Return columns whole.

        ``texts`` are those with a cell that is no number, ``fractions`` other columns, with a
        decimal point.
        """


class FileState:
    """A file that must stay as it is while it is read several times."""

    def __init__(self, path: str | os.PathLike[str], name: str) -> None:
        self.path, self._name = path, name
        self.size, self._changed = self._seen()

    def _seen(self) -> tuple[int, int]:
        try:
            about = os.stat(self.path)
        except OSError as error:
            raise TableError(f"{self._name} cannot be read again: {error.strerror}.") from None
        return about.st_size, about.st_mtime_ns

    def check(self) -> None:
        """Raise where the file has changed."""
        if self._seen() != (self.size, self._changed):
            raise TableError(has_changed(self._name))


def has_changed(name: str) -> str:
    """Return what to say of a file that is not the same in every pass."""
    return f"{name} changed while it was read; ask again when it is whole."
