"""From a stream of text to the cells of a table.

pandas cuts the text into cells and reads what is plainly a number. Other numbers come back
as text; :mod:`.settle_columns` finds out what they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._printable import few_names
from ..words.column_names import distinct
from ..words.notes import Note
from .dialect import Dialect
from .memory_guard import check_memory, free_memory
from .text_cells import TextCells

__all__ = ["TextTable", "swallowed", "text_facts", "text_table"]


class TextTable(NamedTuple):
    """A text table in cells; how its numbers are written is yet to be settled."""

    cells: TextCells
    frame: Any
    """As pandas reads it, with a decimal point; columns are numbered."""
    names: list[str]
    notes: list[Note]
    """On its names and its cells."""
    is_gzip: bool

    @property
    def name(self) -> str:
        """What a message calls it."""
        return self.cells.name

    def as_text(self, columns: list[int], n_rows: int | None) -> Any:
        """Return columns without reading numbers; None: all rows."""
        return self.cells.frame(dtype=str, usecols=columns, nrows=n_rows)[columns]

    def as_written(self) -> Any:
        """Return all columns by name, their cells as they stand in the file, also missing ones."""
        frame = self.cells.frame(dtype=str, na_values=[], keep_default_na=False)
        return frame.set_axis(self.names, axis=1)


def text_table(
    stream: Any, file: Any, name: str, delimiter: str | None, most_bytes: int | None
) -> TextTable:
    """Return a table in cells.

    ``stream`` is the text, and ``file`` the bytes on disk, which differ for a gzip file.
    """
    cells = TextCells(stream, name, delimiter, most_bytes)
    n_columns, n_rows = len(cells.dialect.names), cells.estimated_rows(file)
    if n_rows is not None:
        free = free_memory() if most_bytes is None else most_bytes
        shape = f"about {n_rows} rows and {n_columns} columns"
        check_memory(name, n_rows * n_columns, free, shape=shape)
    frame = cells.frame()
    cells.check_short_lines(frame.shape[0] and frame.iloc[:, -1].isna().any())
    names, notes = distinct(cells.dialect.names)
    notes += swallowed(frame, names, cells.dialect.delimiter)
    return TextTable(cells, frame, names, notes, stream is not file)


def text_facts(dialect: Dialect, marks: dict) -> dict:
    """Return how a text table is written, as plain values."""
    return {
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        **marks,
        "header": dialect.has_header or dialect.has_comment_header,
    }


def swallowed(frame: Any, names: list[str], delimiter: str) -> list[Note]:
    """Return a note where cells in quotes go over lines that look like rows of the table.

    The columns of the frame are numbered; it need not have all of ``names``.
    """
    found = []
    for place in frame.columns:
        name = names[place]
        if str(frame[place].dtype) in {"str", "object"}:
            # As text: an object column may also hold booleans, or whole numbers beyond 64 bits.
            has_lines = frame[place].astype("str").str.contains("\n", regex=False)
            cells = frame[place][has_lines.fillna(False).astype(bool)]
            lines = (line for cell in cells for line in cell.splitlines()[1:])
            found += [name] * any(line.count(delimiter) == len(names) - 1 for line in lines)
    if not found:
        return []
    text = f"Cells in quotes hold whole rows; is a quotation mark never closed? {few_names(found)}."
    return [Note("quote", text, tuple(found))]
