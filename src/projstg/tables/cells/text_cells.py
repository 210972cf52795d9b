"""A text table as cells: its dialect from the first lines, its rows as often as they are wanted.

pandas cuts the text into cells and reads what is plainly a number. The rows come all at once, or in
pieces where they do not fit into memory.
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

from ..._extras import extra
from ..._printable import printable
from ..words.notes import TableError
from .dialect import decoded, field_trouble, sniff
from .memory_guard import Metered

__all__ = ["MISSING_WORDS", "EncodingGuess", "TextCells"]

_SAMPLE, _FEWEST_LINES = 1 << 18, 3
# A table has its third line by then; a file without line ends has not.
_LONGEST_SAMPLE = 1 << 24
# Measured: pandas takes a second for so many columns, and minutes for ten times as many.
_MOST_COLUMNS = 100_000
MISSING_WORDS = ["?", "."]
"""Cells that are missing, beside those that pandas knows."""


class EncodingGuess(Exception):
    """The encoding was guessed too early: the rows must be read again, in the next one."""


class TextCells:
    """The cells of a text table; columns are numbered from zero."""

    def __init__(
        self, stream: Any, name: str, delimiter: str | None, most_bytes: int | None
    ) -> None:
        self.name = name
        self.meter = Metered(stream, name, most_bytes)
        self._stream = io.BufferedReader(self.meter, _SAMPLE)
        sample, self._is_whole = _beginning(self._stream, name)
        self._n_sample = len(sample)
        text, encoding = decoded(sample, name)
        if not self._is_whole:
            text = text[: max(text.rfind("\n"), text.rfind("\r"), 0)] or text
        self._n_lines = text.count("\n")
        self.dialect = sniff(text, encoding, name, delimiter=delimiter)
        n_columns = len(self.dialect.names)
        if n_columns > _MOST_COLUMNS:
            raise TableError(
                f"{name} has {n_columns} columns; at most {_MOST_COLUMNS} can be read."
            )
        self.meter.delimiter = self.dialect.delimiter.encode()
        self.meter.may_have_zeros = encoding == "utf-16"

    def estimated_rows(self, file: Any) -> int | None:
        """Return about how many rows there are; None where all fit into the first lines.

        ``file`` are the bytes on disk.
        """
        if self._is_whole:
            return None
        length = _length(file, self._n_sample)
        return int(length / self._n_sample * max(self._n_lines, 1))

    def frame(self, **how: Any) -> Any:
        """Return all rows as a frame; ``how`` is passed to ``pandas.read_csv``."""
        pandas = extra("pandas", "cli")
        try:
            with self._lines() as lines:
                return pandas.read_csv(lines, **(self._options() | how))
        except EncodingGuess:
            return self.frame(**how)
        except pandas.errors.EmptyDataError:
            return pandas.DataFrame(columns=range(len(self.dialect.names)))

    def pieces(self, n_rows: int, **how: Any) -> Iterator[Any]:
        """Yield frames of so many rows each; raise :class:`EncodingGuess` to begin again."""
        pandas = extra("pandas", "cli")
        try:
            with self._lines() as lines:
                for piece in pandas.read_csv(lines, chunksize=n_rows, **self._options(), **how):
                    self.meter.count_again()
                    yield piece
        except pandas.errors.EmptyDataError:
            return

    def _options(self) -> dict[str, Any]:
        delimiter = self.dialect.delimiter
        return {
            "sep": r"\s+" if delimiter == " " else delimiter,
            "header": None,
            "names": list(range(len(self.dialect.names))),
            "index_col": False,
            "na_values": MISSING_WORDS,
            "skipinitialspace": True,
            "low_memory": False,
        }

    @contextmanager
    def _lines(self) -> Iterator[io.TextIOWrapper]:
        """Give the lines under the header; what goes wrong with them becomes one line."""
        pandas, n_before = extra("pandas", "cli"), 0
        try:
            with self._rows() as (lines, n_before), warnings.catch_warnings():
                warnings.simplefilter("ignore", pandas.errors.ParserWarning)
                yield lines
        except UnicodeDecodeError:
            known = self.dialect.encoding
            if known == "latin-1":
                text = f"{self.name} is in no encoding known here; save it as UTF-8."
                raise TableError(text) from None
            after = {"utf-8": "cp1252", "utf-8-sig": "cp1252"}.get(known, "latin-1")
            self.dialect = self.dialect._replace(encoding=after)
            raise EncodingGuess from None
        except pandas.errors.ParserError as error:
            if "out of memory" in str(error):
                raise MemoryError from None
            n_names = len(self.dialect.names)
            raise TableError(_parser_trouble(self.name, str(error), n_names, n_before)) from None

    @contextmanager
    def _rows(self) -> Iterator[tuple[io.TextIOWrapper, int]]:
        """Give the lines under the header, and the number of lines before them."""
        dialect = self.dialect
        self._stream.seek(0)
        lines = io.TextIOWrapper(self._stream, encoding=dialect.encoding, newline="")
        try:
            for _ in range(dialect.n_passed):
                lines.readline()
            reader = csv.reader(iter(lines.readline, ""), delimiter=dialect.delimiter)
            if dialect.has_header:
                next(record for record in reader if any(cell.strip() for cell in record))
            yield lines, dialect.n_passed + reader.line_num
        finally:
            lines.detach()  # or the stream would be closed with it

    def check_short_lines(self, has_gaps: bool) -> None:
        """Raise where lines end early; only a last column with gaps can hide that."""
        if not has_gaps:
            return
        expected, first, n_short = len(self.dialect.names), "", 0
        with self._rows() as (lines, n_before):
            rows: Iterable[str] = lines
            if self.dialect.delimiter == " ":  # or a tab; those at a line's end delimit nothing
                rows = (line.replace("\t", " ").rstrip() + "\n" for line in lines)
            reader = csv.reader(rows, delimiter=self.dialect.delimiter, skipinitialspace=True)
            try:
                for record in reader:
                    is_blank = len(record) == 1 and not record[0].strip()
                    if 0 < len(record) < expected and not is_blank:
                        line, n_short = reader.line_num + n_before, n_short + 1
                        first = first or f"line {line} has {len(record)} fields"
            except csv.Error as error:
                trouble = field_trouble(self.name, reader.line_num + n_before, error)
                raise TableError(trouble) from None
        if n_short:
            more = f", and {n_short - 1} more lines end early" if n_short > 1 else ""
            raise TableError(
                f"{self.name} is ragged: {first} and the header {expected}{more}; repair it."
            )


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


def _length(file: Any, n_sample: int) -> int:
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
    return max(said, on_disk * n_sample // max(here, 1)) if is_gzip else on_disk


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
