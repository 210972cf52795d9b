"""From a file to a data frame, or to one line that says why not.

CSV, TSV and the like, plain or gzipped, and Parquet. The kind is seen from the first bytes, not
from the name. Nothing in a file is ever executed. A file that would not fit into memory comes
back as one to be read in pieces (:mod:`.large_files`), a pipe that would not is refused.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from .memory_guard import TooLarge
from .notes import Note, TableError
from .open_file import opened
from .parquet import parquet_frame
from .parse_cells import text_frame

if TYPE_CHECKING:
    from .large_files.pieces import LargeFile

__all__ = ["Read", "read_table", "size_of"]

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_NOT_TABLES = {
    b"PK\x03\x04": "a zip archive or an Excel file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
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

    @property
    def may_have_thousands(self) -> bool:
        """Whether text may have commas between thousands; a text file that was read has none."""
        return self.facts.get("format") != "text"


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    most_bytes: int | None = None,
) -> Read | LargeFile:
    """Read a table from a path, or from standard input for ``-``.

    Parameters
    ----------
    path : str or path-like
    delimiter, decimal : str or None
        What stands between fields and in decimals; guessed where not given.
    most_bytes : int or None
        How much memory it may take; by default what is free.
    """
    if decimal not in {None, ".", ","}:
        raise TableError(f"the decimal mark is {decimal!r}; give . or , or leave it out.")
    name, file = opened(path, most_bytes)
    with file:
        try:
            return _read(file, name, delimiter, decimal, most_bytes)
        except TooLarge:
            if isinstance(file, io.BytesIO):
                raise
            return _in_pieces(file, path, name, delimiter, decimal)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise TableError(f"{name} is not a whole gzip file ({error}).") from None
        except OSError as error:
            raise TableError(f"{name} cannot be read: {error.strerror or error}.") from None


def _read(
    file: Any, name: str, delimiter: str | None, decimal: str | None, most_bytes: int | None
) -> Read:
    start = _start(file)
    if start.startswith(_PARQUET):
        frame, notes = parquet_frame(file, name, most_bytes)
        facts: dict[str, Any] = {"format": "parquet"}
    else:
        is_gzip = start.startswith(_GZIP)
        stream = gzip.GzipFile(fileobj=file) if is_gzip else file
        start = _start(stream)
        if start.startswith((_GZIP, _PARQUET)):
            what = "Parquet" if start.startswith(_PARQUET) else "gzip"
            raise TableError(f"{name} is a {what} file in a gzip file; unpack it first.")
        _check_kind(start, name)
        frame, facts, notes = text_frame(stream, file, name, delimiter, decimal, most_bytes)
        facts = {"format": "text", "gzip": is_gzip, **facts}
    return Read(frame, name, {**facts, **size_of(frame)}, notes)


def _in_pieces(
    file: Any,
    path: str | os.PathLike[str],
    name: str,
    delimiter: str | None,
    decimal: str | None,
) -> LargeFile:
    """Return a file that is read in pieces."""
    file.seek(0)
    start = _start(file)
    if start.startswith(_PARQUET):
        from .large_files.parquet_pieces import ParquetPieces

        return ParquetPieces(path, name)
    from .large_files.text_pieces import TextPieces

    is_gzip = start.startswith(_GZIP)
    return TextPieces(path, name, is_gzip=is_gzip, delimiter=delimiter, decimal=decimal)


def size_of(frame: Any) -> dict[str, int]:
    """Return the numbers of rows and columns, as facts."""
    return {"n_rows": int(frame.shape[0]), "n_columns": int(frame.shape[1])}


def _start(stream: Any) -> bytes:
    """Return the first bytes; a device of the system may have none to give."""
    start = stream.read(16) or b""
    stream.seek(0)
    return start


def _check_kind(start: bytes, name: str) -> None:
    for magic, kind in _NOT_TABLES.items():
        if start.startswith(magic):
            raise TableError(f"{name} is {kind}; save the table as CSV or Parquet.")
