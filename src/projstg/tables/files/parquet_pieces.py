"""A Parquet file in pieces of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..._extras import extra
from ..._printable import few_names
from ...render.progress_bar import Show
from ..words.column_names import distinct
from ..words.notes import TableError
from .parquet import frame_of, is_nested, opened_parquet, readable, text_bytes
from .pieces import FileState, Held, rows_of_piece

__all__ = ["ParquetPieces"]


class ParquetPieces:
    """A Parquet file whose rows come in pieces; each pass opens the file anew."""

    may_have_thousands = True

    def __init__(self, path: Any, name: str) -> None:
        self.name, self._state = name, FileState(path, name)
        with self._opened() as (about, self._categories):
            self._schema, self._n_rows = about.schema_arrow, about.metadata.num_rows
        self.names, twice = distinct(self._schema.names)
        if twice:
            columns = few_names(twice[0].columns)
            raise TableError(f"{name} has more than one column called {columns}; rename them.")
        self.facts = {"format": "parquet"}

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, set[str]]]:
        self._state.check()
        with readable(self.name), open(self._state.path, "rb") as file:
            yield opened_parquet(file)

    def pieces(
        self, columns: Sequence[int], what: str, show: Show | None, *, is_first: bool = False
    ) -> Iterator[Any]:
        """Yield frames with these columns, under their numbers; ``what`` is being done."""
        wanted, done = [self._schema.names[place] for place in columns], 0
        with self._opened() as (about, _):
            size = rows_of_piece(len(self.names))
            for batch in about.iter_batches(size, columns=wanted, use_threads=False):
                frame = frame_of(extra("pyarrow", "cli").Table.from_batches([batch]))
                yield frame[wanted].set_axis(list(columns), axis=1)
                done += len(frame)
                if show is not None:
                    show(what, done, self._n_rows)
        self._state.check()

    def kind(self, column: int) -> str:
        """Return "numbers" where a column is plain numbers, and "whole", "date" or "other"."""
        types, kind = extra("pyarrow", "cli").types, self._schema.field(column).type
        if self._schema.names[column] in self._categories:
            return "whole"
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            return "numbers"
        if types.is_temporal(kind):
            return "date"
        return "other" if is_nested(kind) else "whole"

    def is_doubtful(self, values: np.ndarray) -> bool:
        """Return that numbers are what they are."""
        return False

    def codes(self, ranges: dict[int, tuple[float, float]]) -> list[int]:
        """Return none: numbers have no leading zeros here."""
        return []

    def check_rows(self, has_gaps: bool) -> None:
        """All rows have all columns."""

    def text_bytes(self, columns: Sequence[int]) -> int:
        """Return the bytes that these columns take beside their numbers."""
        with self._opened() as (about, _):
            return text_bytes(about, [self._schema.names[place] for place in columns])

    def held(self, columns: Sequence[int], texts: Sequence[int], fractions: Sequence[int]) -> Held:
        """Return columns whole."""
        wanted = [self._schema.names[place] for place in columns]
        with self._opened() as (about, _):
            table = about.read(columns=wanted, use_threads=False)
            frame = frame_of(table, self._categories)
        return Held(frame[wanted].set_axis(list(columns), axis=1), {}, [])
