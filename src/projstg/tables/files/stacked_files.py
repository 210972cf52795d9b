"""Several files with the same columns as one table, their rows one after the other.

Each file is read on its own: its delimiter, its marks of numbers, its encoding. The columns may be
in another order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..._extras import extra
from ..._printable import few_names, shortened
from ..cells.memory_guard import TooLarge, check_memory, free_memory
from ..words.column_names import difference
from ..words.notes import Note, TableError
from .pieces import LargeFile
from .read_table import Read, read_table, size_of

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
    """Read one file, or several as one table; ``how`` is passed to :func:`read_table`."""
    if len(paths) == 1:
        return read_table(paths[0], most_bytes=most_bytes, **how)
    _check_paths(paths)
    free = free_memory() if most_bytes is None else most_bytes
    reads: list[Read] = []
    n_cells = 0
    for path in paths:
        read = read_table(path, most_bytes=most_bytes, **how)
        if not isinstance(read, Read):
            raise TooLarge(f"{read.name} does not fit into memory beside other files", _REMEDY)
        if reads:
            _check_same_columns(reads[0], read)
        reads.append(read)
        n_cells += read.frame.size
        check_memory(f"a table of {len(reads)} files or more", n_cells, free, remedy=_REMEDY)
    return _stacked(reads)


def _check_paths(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Raise where a file is given twice: each of its rows would count as two."""
    seen: set[str] = set()
    for path in paths:
        real = "-" if str(path) == "-" else os.path.realpath(path)
        if real in seen:
            raise TableError(f"{shortened(path, 200)} is given twice; leave one out.")
        seen.add(real)


def _check_same_columns(first: Read, other: Read) -> None:
    if set(first.frame.columns) != set(other.frame.columns):
        differs = difference(first.frame.columns, other.frame.columns)
        raise TableError(
            f"{other.name} has other columns than {first.name} ({differs}); files that are read "
            "as one table have the same columns."
        )


def _stacked(reads: list[Read]) -> Read:
    """Return tables with the same columns as one."""
    pandas = extra("pandas", "cli")
    names = list(reads[0].frame.columns)
    columns = {name: [read.frame[name] for read in reads] for name in names}
    for name, parts in columns.items():
        dtypes = {part.dtype for part in parts}
        alike = [_alike(part, dtypes) for part in parts]
        columns[name] = pandas.concat(alike, ignore_index=True)
    frame = pandas.DataFrame(columns, copy=False)
    files = [read.name for read in reads]
    text = f"{len(files)} files, their rows one after the other: {few_names(files)}."
    notes = [Note("files", text), *_common(reads), *_on_kinds(reads, names)]
    shared = {
        key: value
        for key, value in reads[0].facts.items()
        if all(read.facts.get(key) == value for read in reads)
    }
    facts = {"format": "several", **shared, "files": files, **size_of(frame)}
    return Read(frame, few_names(files, 2), facts, notes)


def _alike(series: Any, dtypes: set) -> Any:
    """Return a column as one that can follow a column of another type.

    Booleans are numbers, and moments are written as text tables write them.
    """
    if len(dtypes) == 1:
        return series
    if series.dtype == bool:
        return series.astype(float)
    return series.astype("str") if series.dtype.kind == "M" else series


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
