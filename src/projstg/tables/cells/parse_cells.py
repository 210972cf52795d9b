"""From a stream of text to a data frame: its cells, and the numbers in them.

pandas cuts the text into cells and reads what is plainly a number. Other numbers come back
as text; :mod:`.convert_numbers` converts them.
"""

from __future__ import annotations

from typing import Any

from ..._printable import few_names
from ..words.column_names import distinct
from ..words.notes import Note
from .convert_numbers import with_numbers
from .dialect import Dialect
from .leading_zeros import with_codes
from .memory_guard import check_memory, free_memory
from .text_cells import TextCells

__all__ = ["swallowed", "text_facts", "text_frame"]


def text_frame(
    stream: Any,
    file: Any,
    name: str,
    delimiter: str | None,
    decimal: str | None,
    most_bytes: int | None,
) -> tuple[Any, dict, list[Note]]:
    """Return the frame, facts and notes.

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

    def as_text(columns: list[int], n_rows: int | None) -> Any:
        return cells.frame(dtype=str, usecols=columns, nrows=n_rows)

    dialect = cells.dialect
    names, twice = distinct(dialect.names)
    notes = swallowed(frame, names, dialect.delimiter)
    frame, marks, on_marks = with_numbers(frame, names, as_text, dialect.delimiter, decimal)
    frame = with_codes(frame, as_text).set_axis(names, axis=1)
    return frame, text_facts(dialect, marks), dialect.notes() + on_marks + twice + notes


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
