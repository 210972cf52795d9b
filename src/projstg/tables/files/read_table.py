"""From a file to a data frame, or to one line that says why not.

CSV, TSV and the like and JSON, plain or gzipped; Parquet, Feather and Excel. The kind is seen from
the first bytes, not from the name. Nothing in a file is ever executed. A text table or a Parquet
file that would not fit into memory comes back as one to be read in pieces (:mod:`.pieces`); a
pipe, or a file of another kind, that would not is refused.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._messages import Argument, Message
from ..cells.columns import Column, column_of
from ..cells.memory_guard import TooLarge
from ..cells.parse_cells import TextTable, text_table
from ..cells.settle_columns import settled
from ..words.notes import Note, TableError
from ..words.row_names import FileRows
from .feather import feather_frame
from .how_to_read import HowToRead
from .json_lines import begins_json, json_frame
from .open_file import opened
from .parquet import parquet_frame
from .spreadsheet import workbook_frame

if TYPE_CHECKING:
    from .pieces import LargeFile

__all__ = ["Read", "begun_table", "read_table", "settled_reads", "size_of"]

# Enough for the longest of these, and for JSON after a few blank lines.
_N_FIRST = 256
_GZIP = b"\x1f\x8b"
_KINDS = {
    _GZIP: ("gzip", "a gzip file"),
    b"PAR1": ("parquet", "a Parquet file"),
    b"ARROW1": ("feather", "a Feather file"),
    b"PK\x03\x04": ("excel", "a zip archive or an Excel workbook"),
}
_NOT_TABLES = {
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls), or one with a password",
    b"FEA1": "an old Feather file",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"(\xb5/\xfd": "compressed by zstd",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"PARE": "an encrypted Parquet file",
}


class Read(NamedTuple):
    """A table and how it was read."""

    frame: Any
    name: str
    facts: dict
    """Format, encoding, delimiter and so on, as plain values."""
    notes: list[Note]
    files: tuple[FileRows, ...] = ()
    """Whose rows follow each other, where there are several."""
    written: Any = None
    """Its cells as they stand in a text file, a frame, where they are kept."""

    @property
    def may_have_thousands(self) -> bool:
        """Whether text may have commas between thousands; a text file that was read has none."""
        return self.facts.get("format") != "text"

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return list(self.frame.columns)

    def column(self, name: str) -> Column:
        """Return what a column is that is asked for by name, as numbers."""
        may = self.may_have_thousands
        return column_of(
            self.frame[name], is_wanted=True, must_be_number=True, may_have_thousands=may
        )


def read_table(
    path: str | os.PathLike[str], most_bytes: int | None = None, **how: Any
) -> Read | LargeFile:
    """Read a table from a path, or from standard input for ``-``.

    Parameters
    ----------
    path : str or path-like
    most_bytes : int or None
        How much memory it may take; by default what is free.
    **how
        Fields of :class:`HowToRead`.
    """
    asked = HowToRead(**how)
    name, file = opened(path, most_bytes)
    with _in_one_line(name), file:
        found = _found(file, path, name, asked, most_bytes)
        return settled_reads([found], asked)[0] if isinstance(found, TextTable) else found


def begun_table(
    path: str | os.PathLike[str], how: HowToRead, most_bytes: int | None
) -> Read | TextTable | LargeFile:
    """Read a table; the columns of a text table are not settled yet, see :func:`settled_reads`."""
    name, file = opened(path, most_bytes, stays=False)
    with _in_one_line(name):
        return _found(file, path, name, how, most_bytes)


def settled_reads(tables: Sequence[TextTable], how: HowToRead) -> list[Read]:
    """Return text tables with the same columns and the same delimiter, settled together."""
    reads = []
    known = settled(tables, how.decimal, how.texts, how.decimals)
    for table, one in zip(tables, known, strict=True):
        facts = {"format": "text", "gzip": table.is_gzip, **one.facts, **size_of(one.frame)}
        written = table.as_written() if how.keeps_cells else None
        reads.append(Read(one.frame, table.name, facts, one.notes, written=written))
    return reads


def _found(
    file: Any,
    path: str | os.PathLike[str],
    name: str,
    how: HowToRead,
    most_bytes: int | None,
) -> Read | TextTable | LargeFile:
    """Return the table in an open file."""
    try:
        return _read(file, name, how, most_bytes)
    except TooLarge as error:
        if isinstance(file, io.BytesIO):
            raise
        return _in_pieces(file, path, name, how, error)


@contextmanager
def _in_one_line(name: str) -> Iterator[None]:
    """Say in one line what goes wrong while a file is read."""
    try:
        yield
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise TableError(f"{name} is not a whole gzip file ({error}).") from None
    except OSError as error:
        raise TableError(f"{name} cannot be read: {error.strerror or error}.") from None


def _read(file: Any, name: str, how: HowToRead, most_bytes: int | None) -> Read | TextTable:
    kind, stream = _seen(file, name)
    if how.sheet is not None and kind != "excel":
        said = f"{name} is no Excel workbook and has no sheets; leave out "
        raise TableError(Message(said, Argument("sheet", '"…"'), "."))
    if kind == "text":
        return text_table(stream, file, name, how.delimiter, most_bytes)
    facts: dict[str, Any] = {"format": kind}
    if kind == "parquet":
        frame, notes = parquet_frame(file, name, most_bytes)
    elif kind == "feather":
        frame, notes = feather_frame(file, name, most_bytes)
    elif kind == "excel":
        frame, facts, notes = workbook_frame(file, name, how, most_bytes)
    else:
        frame, notes = json_frame(stream, name, how.texts, most_bytes)
        facts["gzip"] = stream is not file
    return Read(frame, name, {**facts, **size_of(frame)}, notes)


def _in_pieces(
    file: Any, path: str | os.PathLike[str], name: str, how: HowToRead, error: TooLarge
) -> LargeFile:
    """Return a file that is read in pieces, or say which files can be."""
    file.seek(0)
    kind, stream = _seen(file, name)
    if kind == "parquet":
        from .parquet_pieces import ParquetPieces

        return ParquetPieces(path, name)
    if kind != "text":
        remedy = "save it as CSV or Parquet, which are read in pieces where they are too large"
        raise TooLarge(error.seen, remedy)
    from .text_pieces import TextPieces

    is_gzip = stream is not file
    return TextPieces(path, name, is_gzip=is_gzip, delimiter=how.delimiter, decimal=how.decimal)


def size_of(frame: Any) -> dict[str, int]:
    """Return the numbers of rows and columns, as facts."""
    return {"n_rows": int(frame.shape[0]), "n_columns": int(frame.shape[1])}


def _seen(file: Any, name: str) -> tuple[str, Any]:
    """Return the kind of a file, and its bytes as a stream, unpacked where they are gzipped."""
    start, stream = _start(file), file
    if start.startswith(_GZIP):
        stream = gzip.GzipFile(fileobj=file)
        start = _start(stream)
    for magic, what in _NOT_TABLES.items():
        if start.startswith(magic):
            raise TableError(f"{name} is {what}; save the table as CSV or Parquet.")
    for magic, (kind, what) in _KINDS.items():
        if start.startswith(magic):
            if stream is not file:
                raise TableError(f"{name} is {what} in a gzip file; unpack it first.")
            return kind, file
    return "json" if begins_json(start) else "text", stream


def _start(stream: Any) -> bytes:
    """Return the first bytes; a device of the system may have none to give."""
    start = stream.read(_N_FIRST) or b""
    stream.seek(0)
    return start
