"""From a stream of text to a data frame: a sample, its dialect, the cells, the numbers in them.

pandas cuts the text into cells and reads what is plainly a number. Other numbers come back
as text; :mod:`.convert_numbers` converts them.
"""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .._extras import extra
from .._printable import few_names, printable
from .column_names import distinct
from .convert_numbers import with_numbers
from .dialect import Dialect, decoded, field_trouble, sniff
from .memory_guard import Metered, check_memory, free_memory
from .notes import Note, TableError

__all__ = ["text_frame"]

_SAMPLE, _FEWEST_LINES = 1 << 18, 3
# A table has its third line by then; a file without line ends has not.
_LONGEST_SAMPLE = 1 << 24
# Measured: pandas takes a second for so many columns, and minutes for ten times as many.
_MOST_COLUMNS = 100_000
_MISSING_WORDS = ["?", "."]


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
    meter = Metered(stream, name, most_bytes)
    stream = io.BufferedReader(meter, _SAMPLE)
    sample, is_whole = _beginning(stream, name)
    text, encoding = decoded(sample, name)
    if not is_whole:
        text = text[: max(text.rfind("\n"), text.rfind("\r"), 0)] or text
    dialect = sniff(text, encoding, name, delimiter=delimiter)
    n_columns = len(dialect.names)
    if n_columns > _MOST_COLUMNS:
        raise TableError(f"{name} has {n_columns} columns; at most {_MOST_COLUMNS} can be read.")
    if not is_whole:
        n_rows = int(_length(file, sample) / len(sample) * max(text.count("\n"), 1))
        free = free_memory() if most_bytes is None else most_bytes
        shape = f"about {n_rows} rows and {n_columns} columns"
        check_memory(name, n_rows * n_columns, free, shape=shape)
    meter.delimiter, meter.may_have_zeros = dialect.delimiter.encode(), encoding == "utf-16"
    frame, dialect = _parsed(stream, dialect, name)
    _check_short_lines(stream, frame, dialect, name)

    def as_text(columns: list[int], n_rows: int | None) -> Any:
        return _parsed(stream, dialect, name, dtype=str, usecols=columns, nrows=n_rows)[0]

    names, twice = distinct(dialect.names)
    swallowed = _swallowed(frame, names, dialect.delimiter)
    frame, marks, notes = with_numbers(frame, names, as_text, dialect.delimiter, decimal)
    facts = {
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        **marks,
        "header": dialect.has_header or dialect.has_comment_header,
    }
    return frame.set_axis(names, axis=1), facts, dialect.notes() + notes + twice + swallowed


def _beginning(stream: Any, name: str) -> tuple[bytes, bool]:
    """Return the first lines, at least three that are not blank, and whether that is all."""
    parts: list[bytes] = []
    n_lines = 0
    while len(parts) * _SAMPLE < _LONGEST_SAMPLE:
        part = stream.read(_SAMPLE)
        parts.append(part)
        if len(part) < _SAMPLE:
            return b"".join(parts), True
        if b"\0" in part:
            break
        n_lines += sum(1 for line in part.splitlines() if line.strip()) - 1
        if n_lines >= _FEWEST_LINES:
            break
    else:
        raise TableError(
            f"{name} has no third line in its first {_LONGEST_SAMPLE >> 20} MB; a table has a "
            "line for each row."
        )
    return b"".join(parts), False


def _length(file: Any, sample: bytes) -> int:
    """Return the bytes of text: for a gzip file as its last bytes say, or by the rate so far.

    It is an estimate. A gzip file says only the length of its last part, modulo 2³²; what really
    comes out of it is counted while it is read.
    """
    here, on_disk = file.tell(), file.seek(0, os.SEEK_END)
    file.seek(0)
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(max(on_disk - 4, 0))
    said = int.from_bytes(file.read(4), "little")
    file.seek(here)
    return max(said, on_disk * len(sample) // max(here, 1)) if is_gzip else on_disk


def _parsed(stream: Any, dialect: Dialect, name: str, **how: Any) -> tuple[Any, Dialect]:
    """Return the frame; where the encoding was guessed too early the next one is tried."""
    pandas = extra("pandas", "cli")
    n_before = 0
    try:
        with _rows(stream, dialect) as (lines, n_before), warnings.catch_warnings():
            warnings.simplefilter("ignore", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                lines,
                sep=r"\s+" if dialect.delimiter == " " else dialect.delimiter,
                header=None,
                names=list(range(len(dialect.names))),
                index_col=False,
                na_values=_MISSING_WORDS,
                skipinitialspace=True,
                low_memory=False,
                **how,
            )
    except UnicodeDecodeError:
        if dialect.encoding == "latin-1":
            raise TableError(f"{name} is in no encoding known here; save it as UTF-8.") from None
        after = {"utf-8": "cp1252", "utf-8-sig": "cp1252"}.get(dialect.encoding, "latin-1")
        return _parsed(stream, dialect._replace(encoding=after), name, **how)
    except pandas.errors.ParserError as error:
        if "out of memory" in str(error):
            raise MemoryError from None
        trouble = _parser_trouble(name, str(error), len(dialect.names), n_before)
        raise TableError(trouble) from None
    except pandas.errors.EmptyDataError:
        return pandas.DataFrame(columns=range(len(dialect.names))), dialect
    return frame, dialect


@contextmanager
def _rows(stream: Any, dialect: Dialect) -> Iterator[tuple[io.TextIOWrapper, int]]:
    """Give the lines under the header, and the number of lines before them."""
    stream.seek(0)
    lines = io.TextIOWrapper(stream, encoding=dialect.encoding, newline="")
    try:
        for _ in range(dialect.n_passed):
            lines.readline()
        reader = csv.reader(iter(lines.readline, ""), delimiter=dialect.delimiter)
        if dialect.has_header:
            next(record for record in reader if any(cell.strip() for cell in record))
        yield lines, dialect.n_passed + reader.line_num
    finally:
        lines.detach()  # or the stream would be closed with it


def _parser_trouble(name: str, message: str, n_names: int, n_before: int) -> str:
    ragged = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message)
    if ragged:
        _, line, saw = map(int, ragged.groups())
        return (
            f"{name} is ragged: line {line + n_before} has {saw} fields and the header {n_names}; "
            "repair that line, or put fields that have the delimiter in them into quotes."
        )
    if "EOF inside string" in message:
        return f"{name} has a quotation mark that is never closed; repair it."
    return f"{name} cannot be read: {printable(message.strip().splitlines()[-1])}"


def _check_short_lines(stream: Any, frame: Any, dialect: Dialect, name: str) -> None:
    """Raise where lines end early; only a last column with gaps can hide that."""
    if frame.shape[0] == 0 or not frame.iloc[:, -1].isna().any():
        return
    expected, short = len(dialect.names), []
    with _rows(stream, dialect) as (lines, n_before):
        rows: Iterable[str] = lines
        if dialect.delimiter == " ":  # or a tab; those at the end of a line delimit nothing
            rows = (line.replace("\t", " ").rstrip() + "\n" for line in lines)
        reader = csv.reader(rows, delimiter=dialect.delimiter, skipinitialspace=True)
        try:
            for record in reader:
                if 0 < len(record) < expected and not (len(record) == 1 and not record[0].strip()):
                    short.append((reader.line_num + n_before, len(record)))
        except csv.Error as error:
            raise TableError(field_trouble(name, reader.line_num + n_before, error)) from None
    if short:
        line, fields = short[0]
        raise TableError(
            f"{name} is ragged: line {line} has {fields} fields and the header {expected}"
            + (f", and {len(short) - 1} more lines end early" if len(short) > 1 else "")
            + "; repair it."
        )


def _swallowed(frame: Any, names: list[str], delimiter: str) -> list[Note]:
    """Return a note where cells in quotes go over lines that look like rows of the table."""
    found = []
    for place, name in enumerate(names):
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
