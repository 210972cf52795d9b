"""From a file to a data frame, or to one line that says why not.

CSV, TSV and the like, plain or gzipped, and Parquet. The kind is seen from the first bytes, not
from the name. Nothing in a file is ever executed, and a file that would not fit into memory is
refused before it is read.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import warnings
import zlib
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from .._extras import extra
from .sniffing import Dialect, decoded, sniff
from .words import Note, TableError, listed

__all__ = ["Read", "named_apart", "read_table"]

_SAMPLE = 1 << 18
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
}
_MISSING_WORDS = ["?", "."]
# Measured: reading, preparing, the fit and its check hold the numbers about six times at the peak.
_COPIES = 7


class Read(NamedTuple):
    """A table and how it was read."""

    frame: Any
    name: str
    facts: dict
    """Format, encoding, delimiter and so on, as plain values."""
    notes: list[Note]


def read_table(
    path, *, delimiter: str | None = None, decimal: str | None = None, most_bytes: int | None = None
) -> Read:
    """Read a table from a path, or from standard input for ``-``.

    Parameters
    ----------
    path : str or path-like
    delimiter, decimal : str or None
        What stands between fields and in decimals; guessed where not given.
    most_bytes : int or None
        How much memory it may take; by default what is free.
    """
    name, file = _opened(path)
    with file:
        start = file.read(8)
        file.seek(0)
        if start.startswith(b"PAR1"):
            return _read_parquet(file, name, most_bytes)
        for magic, kind in _NOT_TABLES.items():
            if start.startswith(magic):
                raise TableError(f"{name} is {kind}; save the table as CSV or Parquet.")
        try:
            return _read_text(file, name, delimiter, decimal, most_bytes)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise TableError(f"{name} is not a whole gzip file ({error}).") from None


def _opened(path) -> tuple[str, Any]:
    if str(path) == "-":
        return "standard input", io.BytesIO(sys.stdin.buffer.read())
    path = Path(path)
    try:
        return path.name, path.open("rb")
    except FileNotFoundError:
        others = [other.name for other in path.parent.glob("*") if other.is_file()]
        close = [other for other in others if other.casefold() == path.name.casefold()]
        hint = f"; did you mean {close[0]}?" if close else ""
        raise TableError(f"{path} is not there{hint}") from None
    except IsADirectoryError:
        raise TableError(f"{path} is a folder; give a file.") from None
    except OSError as error:
        raise TableError(f"{path} cannot be opened: {error.strerror}.") from None


def _read_parquet(file, name: str, most_bytes: int | None) -> Read:
    extra("pandas", "cli")
    parquet = extra("pyarrow.parquet", "cli")
    try:
        about = parquet.ParquetFile(file)
        rows, columns = about.metadata.num_rows, len(about.schema_arrow.names)
        _check_memory(name, rows, columns, most_bytes)
        frame = about.read().to_pandas()
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        if isinstance(error, TableError):
            raise
        reason = str(error).splitlines()[0]
        raise TableError(f"{name} is not a Parquet file that can be read: {reason}") from None
    frame, notes = named_apart(frame, [str(column) for column in frame.columns])
    return Read(frame, name, {"format": "parquet", **_size(frame)}, notes)


def _read_text(file, name, delimiter, decimal, most_bytes) -> Read:
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    stream = gzip.GzipFile(fileobj=file) if is_gzip else file
    sample, is_whole = _beginning(stream)
    text, encoding = decoded(sample, name)
    if not is_whole:
        text = text[: max(text.rfind("\n"), text.rfind("\r"), 0)] or text
    dialect = sniff(text, encoding, name, delimiter=delimiter, decimal=decimal)
    if not is_whole:
        size = _unpacked_length(file, len(sample)) if is_gzip else _length(file)
        n_rows = int(size / len(sample) * max(text.count("\n"), 1))
        _check_memory(name, n_rows, len(dialect.names), most_bytes)
    frame, dialect = _parsed(stream, dialect, name)
    _check_short_lines(stream, frame, dialect, name)
    frame, notes = named_apart(frame, dialect.names)
    facts = {
        "format": "text",
        "gzip": is_gzip,
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "decimal": dialect.decimal,
        "thousands": dialect.thousands,
        "header": dialect.has_header,
        **_size(frame),
    }
    return Read(frame, name, facts, dialect.notes() + notes)


def _size(frame) -> dict:
    return {"n_rows": int(frame.shape[0]), "n_columns": int(frame.shape[1])}


def _beginning(stream) -> tuple[bytes, bool]:
    """Return the first lines, at least three of them, and whether that is all."""
    sample = b""
    while True:
        more = stream.read(_SAMPLE)
        sample += more
        if len(more) < _SAMPLE:
            return sample, True
        if sample.count(b"\n") + sample.count(b"\r") >= 3 or b"\0" in more:
            return sample, False


def _length(file) -> int:
    here = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(here)
    return end


def _unpacked_length(file, n_read: int) -> int:
    """Return the bytes in a gzip file: as its end says (modulo 2³²), or at the rate so far."""
    here, packed = file.tell(), _length(file)
    file.seek(packed - 4)
    said = int.from_bytes(file.read(4), "little")
    file.seek(here)
    return max(said, packed * n_read // max(here, 1))


def _parsed(stream, dialect: Dialect, name: str) -> tuple[Any, Dialect]:
    """Return the frame; where the encoding was guessed too early the next one is tried."""
    pandas = extra("pandas", "cli")
    stream.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                stream,
                sep=r"\s+" if dialect.delimiter == " " else dialect.delimiter,
                decimal=dialect.decimal,
                thousands=dialect.thousands,
                encoding=dialect.encoding,
                header=0 if dialect.has_header else None,
                names=list(range(len(dialect.names))),
                index_col=False,
                na_values=_MISSING_WORDS,
                skipinitialspace=True,
                low_memory=False,
            )
    except UnicodeDecodeError:
        if dialect.encoding == "latin-1":
            raise TableError(f"{name} is in no encoding known here; save it as UTF-8.") from None
        after = {"utf-8": "cp1252", "utf-8-sig": "cp1252"}.get(dialect.encoding, "latin-1")
        return _parsed(stream, dialect._replace(encoding=after), name)
    except pandas.errors.ParserError as error:
        raise TableError(_parser_trouble(name, str(error), len(dialect.names))) from None
    except pandas.errors.EmptyDataError:
        raise TableError(f"{name} is empty.") from None
    return frame, dialect


def _parser_trouble(name: str, message: str, n_names: int) -> str:
    ragged = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if ragged:
        _, line, saw = ragged.groups()
        return (
            f"{name} is ragged: line {line} has {saw} fields and the header {n_names}; repair that "
            "line, or put fields that have the delimiter in them into quotes."
        )
    if "EOF inside string" in message:
        return f"{name} has a quotation mark that is never closed; repair it."
    return f"{name} cannot be read: {message.strip().splitlines()[-1]}"


def _check_short_lines(stream, frame, dialect: Dialect, name: str) -> None:
    """Raise where lines end early; only a last column with gaps can hide that."""
    if frame.shape[0] == 0 or not frame.iloc[:, -1].isna().any() or dialect.delimiter == " ":
        return
    stream.seek(0)
    lines = io.TextIOWrapper(stream, encoding=dialect.encoding, newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=True)
    expected, short = len(dialect.names), []
    for record in reader:
        if 0 < len(record) < expected and not (len(record) == 1 and not record[0].strip()):
            short.append((reader.line_num, len(record)))
    lines.detach()
    if dialect.has_header and short and short[0][1] == expected - 1 and short[0][0] == 1:
        short = short[1:]  # a header without a name for the row names
    if short:
        line, fields = short[0]
        raise TableError(
            f"{name} is ragged: line {line} has {fields} fields and the header {expected}"
            + (f", and {len(short) - 1} more lines end early" if len(short) > 1 else "")
            + "; repair it."
        )


def named_apart(frame, names: list[str]) -> tuple[Any, list[Note]]:
    """Return the frame with these names, those that occur twice told apart by a number."""
    names = [name.strip() or f"unnamed {place}" for place, name in enumerate(names, start=1)]
    counts, seen, unique = Counter(names), Counter(), []
    taken = set(names)
    for name in names:
        if counts[name] > 1:
            seen[name] += 1
            while (numbered := f"{name} ({seen[name]})") in taken:
                seen[name] += 1
            taken.add(numbered)
            name = numbered
        unique.append(name)
    frame = frame.set_axis(unique, axis=1)
    twice = tuple(name for name, count in counts.items() if count > 1)
    if not twice:
        return frame, []
    example = f"{twice[0]} (1), {twice[0]} (2)"
    text = f"Names that occur more than once are numbered, as {listed([example])}: {listed(twice)}."
    return frame, [Note("duplicate", text, twice)]


def _check_memory(name: str, n_rows: int, n_columns: int, most_bytes: int | None) -> None:
    free = _free_memory() if most_bytes is None else most_bytes
    needed = _COPIES * 8 * n_rows * n_columns
    if free is not None and needed > free:
        raise TableError(
            f"{name} has about {n_rows} rows and {n_columns} columns, which as numbers take "
            f"{needed / 2**30:.1f} GB of memory, and {free / 2**30:.1f} GB are free; give a sample "
            "of the rows, or fewer columns."
        )


def _free_memory() -> int | None:
    """Return the bytes of memory that are free, where the system says."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        return 1024 * free["MemAvailable"]
    except (OSError, KeyError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
