"""Several files with the same columns as one table, their rows one after the other.

The columns may be in another order. Text files with the same delimiter are settled together: their
marks of numbers, and what their columns are, are those of one file with all these rows. Any other
file has its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..._extras import extra
from ..._printable import few_names, shortened
from ..cells.columns import as_categories, cell_texts, has_categories
from ..cells.memory_guard import TooLarge, check_memory, free_memory
from ..cells.parse_cells import TextTable
from ..words.column_names import difference
from ..words.notes import Note, TableError
from ..words.row_names import FileRows
from .how_to_read import HowToRead
from .pieces import LargeFile
from .read_table import Read, begun_table, read_table, settled_reads, size_of

__all__ = ["read_tables"]

_REMEDY = "save them as one Parquet file, which is read in pieces where it is too large"
_CALLED = {
    "number": "numbers",
    "mixed": "numbers not all written in one way",
    "category": "text",
    "text": "text",
    "date": "dates",
}
"""What kinds of columns are called. The others hold nothing that two files could differ in."""


def read_tables(
    paths: Sequence[str | os.PathLike[str]], most_bytes: int | None = None, **how: Any
) -> Read | LargeFile:
    """Read one file, or several as one table; ``how`` are fields of :class:`HowToRead`."""
    if len(paths) == 1:
        return read_table(paths[0], most_bytes=most_bytes, **how)
    _check_paths(paths)
    asked = HowToRead(**how)
    free = free_memory() if most_bytes is None else most_bytes
    begun: list[Read | TextTable] = []
    n_cells = 0
    for path in paths:
        one = begun_table(path, asked, most_bytes)
        if not isinstance(one, Read | TextTable):
            raise TooLarge(f"{one.name} does not fit into memory beside other files", _REMEDY)
        if begun:
            _check_same_columns(begun[0], one)
        begun.append(one)
        n_cells += one.frame.size
        check_memory(f"a table of {len(begun)} files or more", n_cells, free, remedy=_REMEDY)
    return _stacked(_settled_by_delimiter(begun, asked))


def _settled_by_delimiter(begun: list[Read | TextTable], how: HowToRead) -> list[Read]:
    """Return the tables, text tables with the same delimiter settled together."""
    reads = {place: one for place, one in enumerate(begun) if isinstance(one, Read)}
    groups: dict[str, dict[int, TextTable]] = {}
    for place, one in enumerate(begun):
        if isinstance(one, TextTable):
            groups.setdefault(one.cells.dialect.delimiter, {})[place] = one
    for group in groups.values():
        reads |= zip(group, settled_reads(list(group.values()), how), strict=True)
    return [reads[place] for place in range(len(begun))]


def _check_paths(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Raise where a file is given twice: each of its rows would count as two."""
    seen: set[str] = set()
    for path in paths:
        real = "-" if str(path) == "-" else os.path.realpath(path)
        if real in seen:
            raise TableError(f"{shortened(path, 200)} is given twice; leave one out.")
        seen.add(real)


def _check_same_columns(first: Read | TextTable, other: Read | TextTable) -> None:
    if set(first.names) != set(other.names):
        differs = difference(first.names, other.names)
        raise TableError(
            f"{other.name} has other columns than {first.name} ({differs}); files that are read "
            "as one table have the same columns."
        )


def _stacked(reads: list[Read]) -> Read:
    """Return tables with the same columns as one."""
    pandas = extra("pandas", "cli")
    names = list(reads[0].frame.columns)
    columns = {name: [read.frame[name] for read in reads] for name in names}
    whole = {name: pandas.concat(_alike(own), ignore_index=True) for name, own in columns.items()}
    frame = pandas.DataFrame(whole, copy=False)
    files = [read.name for read in reads]
    text = f"{len(files)} files, their rows one after the other: {few_names(files)}."
    notes = [Note("files", text), *_common(reads), *_on_kinds(reads, names)]
    shared = {
        key: value
        for key, value in reads[0].facts.items()
        if all(read.facts.get(key) == value for read in reads)
    }
    facts = {"format": "several", **shared, "files": files, **size_of(frame)}
    rows = tuple(FileRows(read.name, len(read.frame)) for read in reads)
    written = None
    if all(read.written is not None for read in reads):
        written = pandas.concat([read.written[names] for read in reads], ignore_index=True)
    return Read(frame, few_names(files, 2), facts, notes, rows, written)


def _alike(parts: list[Any]) -> list[Any]:
    """Return the parts of a column so that they can follow each other.

    Beside text, numbers and booleans are what they are as text. Beside numbers booleans are
    numbers. Moments are written as text tables write them.
    """
    if len({part.dtype for part in parts}) == 1:
        return parts
    if all(map(has_categories, parts)):
        return [_united(parts)]
    has_text = any(_has_text(part) for part in parts)
    return [_beside(part, has_text) for part in parts]


def _united(parts: list[Any]) -> Any:
    """Return columns of categories, one after the other, as one."""
    texts = [cell_texts(part) for part in parts]
    return as_categories(extra("pandas", "cli").Series([cell for own in texts for cell in own]))


def _has_text(series: Any) -> bool:
    """Return whether a column has cells of text."""
    if series.dtype == "category":
        series = series.cat.categories.to_series()
    return series.dtype == "str" or any(isinstance(cell, str) for cell in series)


def _beside(series: Any, has_text: bool) -> Any:
    """Return a column as one that can follow others, of which some have text."""
    pandas = extra("pandas", "cli")
    if series.dtype.kind == "M":
        return series.astype("str")
    if has_text and series.dtype.kind in "biuf":
        return pandas.Series(cell_texts(series), dtype=object)
    return series.astype(float) if series.dtype == bool else series


def _common(reads: list[Read]) -> list[Note]:
    """Return the notes on all files once, and those on some with the names of these."""
    files: dict[Note, list[str]] = {}
    for read in reads:
        for note in read.notes:
            files.setdefault(note, []).append(read.name)
    return [
        note if len(own) == len(reads) else note._replace(text=f"In {few_names(own)}: {note.text}")
        for note, own in files.items()
    ]


def _on_kinds(reads: list[Read], names: list[str]) -> list[Note]:
    """Return notes on columns that are numbers in one file and text, say, in another."""
    notes = []
    for name in names:
        where: dict[str, str] = {}
        for read in reads:
            called = _CALLED.get(read.column(name).kind)
            if called is not None:
                where.setdefault(called, read.name)
        if len(where) > 1:
            said = " and ".join(f"{called} in {file}" for called, file in where.items())
            text = f"Not the same in all files, '{shortened(name)}' is {said}."
            notes.append(Note("kinds", text, (name,)))
    return notes
