"""A text table in pieces of rows, plain or gzipped."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..._extras import extra
from ...render.progress_bar import Show
from ..cells.convert_numbers import may_be_groups, with_numbers
from ..cells.leading_zeros import code_widths, with_codes
from ..cells.parse_cells import swallowed, text_facts
from ..cells.text_cells import EncodingGuess, TextCells
from ..words.column_names import distinct
from ..words.notes import TableError
from .pieces import FileState, Held, rows_of_piece

__all__ = ["TextPieces"]

# Text is packed to a tenth or so; what unpacks to far more was made to, and might never end.
_MOST_UNPACKED = 100


class TextPieces:
    """A text table whose rows come in pieces; each pass opens the file anew."""

    may_have_thousands = False  # they are taken out with the marks

    def __init__(
        self,
        path: Any,
        name: str,
        *,
        is_gzip: bool,
        delimiter: str | None,
        decimal: str | None,
    ) -> None:
        self.name, self._state = name, FileState(path, name)
        self._is_gzip, self._decimal = is_gzip, decimal
        self._delimiter = delimiter
        self._encoding: str | None = None
        with self._cells() as (cells, _):
            self._dialect = cells.dialect
        self.names, self._twice = distinct(self._dialect.names)
        self.facts = {"format": "text", "gzip": is_gzip, **text_facts(self._dialect, {})}

    @contextmanager
    def _cells(self) -> Iterator[tuple[TextCells, Any]]:
        """Give the cells, and the file on disk they come from."""
        self._state.check()
        try:
            with open(self._state.path, "rb") as file:
                stream: Any = file
                if self._is_gzip:
                    stream = _Unpacked(file, self.name, _MOST_UNPACKED * self._state.size)
                cells = TextCells(stream, self.name, self._delimiter, None)
                if self._encoding is not None:
                    cells.dialect = cells.dialect._replace(encoding=self._encoding)
                yield cells, file
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise TableError(f"{self.name} is not a whole gzip file ({error}).") from None
        except OSError as error:
            text = f"{self.name} cannot be read: {error.strerror or error}."
            raise TableError(text) from None

    def pieces(
        self, columns: Sequence[int], what: str, show: Show | None, *, is_first: bool = False
    ) -> Iterator[Any]:
        """Yield frames with these columns, under their numbers; ``what`` is being done.

        ``is_first``: no pass was made before; the fields of all lines are counted.
        """
        # Where it is to pass over columns, pandas takes lines with too many fields.
        how = {} if is_first else {"usecols": list(columns)}
        with self._cells() as (cells, file):
            try:
                for piece in cells.pieces(rows_of_piece(len(self.names)), **how):
                    yield piece[list(columns)]
                    if show is not None:
                        show(what, file.tell(), self._state.size)
            except EncodingGuess:
                self._encoding = cells.dialect.encoding
                self._dialect = cells.dialect
                raise
        self._state.check()

    def kind(self, column: int) -> str:
        """Return that a column may be plain numbers."""
        return "numbers"

    def is_doubtful(self, values: np.ndarray) -> bool:
        """Return whether numbers may have been written to mean others, with points in thousands."""
        return self._decimal != "." and may_be_groups(values)

    def codes(self, ranges: dict[int, tuple[float, float]]) -> list[int]:
        """Return which columns of whole numbers are codes with leading zeros."""
        with self._cells() as (cells, _):
            return list(code_widths(ranges, partial(self._as_text, cells)))

    def check_rows(self, has_gaps: bool) -> None:
        """Raise where lines end early; ``has_gaps`` says whether the last column has any."""
        if has_gaps:
            with self._cells() as (cells, _):
                cells.check_short_lines(has_gaps)

    def text_bytes(self, columns: Sequence[int]) -> int:
        """Return zero: they are counted while they are read."""
        return 0

    def held(self, columns: Sequence[int], texts: Sequence[int], fractions: Sequence[int]) -> Held:
        """Return columns whole.

        ``texts`` are those with a cell that is no number, ``fractions`` other columns, with a
        decimal point.
        """
        names, delimiter = self.names, self._dialect.delimiter
        with self._cells() as (cells, _):
            as_text = partial(self._as_text, cells)
            frame = self._whole(cells, columns, dict.fromkeys(texts, str))
            quotes = swallowed(frame, names, delimiter)
            frame, marks, on_marks = with_numbers(
                frame, names, as_text, delimiter, self._decimal, fractions
            )
            frame = with_codes(frame, as_text)
        notes = self._dialect.notes() + on_marks + self._twice + quotes
        return Held(frame, text_facts(self._dialect, marks), notes)

    def _as_text(self, cells: TextCells, places: list[int], n_rows: int | None) -> Any:
        """Return columns as text; None: all rows."""
        return self._whole(cells, places, dict.fromkeys(places, str), n_rows)

    def _whole(
        self, cells: TextCells, columns: Sequence[int], kinds: dict, n_rows: int | None = None
    ) -> Any:
        """Return columns, by way of pieces: pandas takes room for all columns that it passes."""
        pandas, size = extra("pandas", "cli"), rows_of_piece(len(self.names))
        if not columns:
            return pandas.DataFrame()
        parts = cells.pieces(size, usecols=list(columns), dtype=kinds, nrows=n_rows)
        return pandas.concat(list(parts), ignore_index=True)


class _Unpacked(gzip.GzipFile):
    """The text of a gzip file, up to a number of bytes."""

    def __init__(self, file: Any, table: str, most: int) -> None:
        super().__init__(fileobj=file)
        self._table, self._most = table, most

    def read(self, size: int | None = -1) -> bytes:
        """Read, and raise where it is too much."""
        part = super().read(size)
        if self.tell() > self._most:
            raise TableError(
                f"{self._table} unpacks to more than {_MOST_UNPACKED} times its size, and does not "
                "fit into memory; unpack it first, or give a sample of the rows."
            )
        return part
