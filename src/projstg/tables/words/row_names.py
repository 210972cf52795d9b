"""Rows in words: by their number, counted from 1 without the header, of several files by file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..._printable import shortened

__all__ = ["FileRows", "rows_in_words"]


class FileRows(NamedTuple):
    """A file whose rows are part of a table."""

    name: str
    n_rows: int


def rows_in_words(rows: Sequence[int], files: Sequence[FileRows] = ()) -> str:
    """Return rows of a table, counted from 0, as the beginning of a sentence.

    ``files`` are those whose rows follow each other in the table, where there are several.

    Examples
    --------
    >>> rows_in_words([4]), rows_in_words([50, 20, 3])
    ('Row 5', 'Rows 51, 21 and 4')
    >>> files = [FileRows("w1.csv", 40), FileRows("w2.csv", 40)]
    >>> rows_in_words([44], files), rows_in_words([44, 39], files)
    ('Row 5 of w2.csv', 'Row 5 of w2.csv and row 40 of w1.csv')
    """
    said = [_in_file(row, files) if files else str(row + 1) for row in rows]
    *first, last = said
    whole = f"{', '.join(first)} and {last}" if first else last
    if files:
        return whole[0].upper() + whole[1:]
    return f"Row {whole}" if len(rows) == 1 else f"Rows {whole}"


def _in_file(row: int, files: Sequence[FileRows]) -> str:
    for name, n_rows in files:
        if row < n_rows:
            return f"row {row + 1} of {shortened(name)}"
        row -= n_rows
    raise IndexError(row)
