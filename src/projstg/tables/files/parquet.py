"""Parquet files: the types a table can have, and what they take in memory.

Text is read as codes and levels, so that a long text in many rows is held once. Decimals become
floats. Categories are levels, whatever they look like. Columns of lists and records hold no numbers
that could be chosen: they are not read, and count as neither numbers nor text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..._extras import extra
from ..._printable import printable
from ..cells.columns import as_categories
from ..cells.memory_guard import check_memory, free_memory
from ..words.column_names import distinct
from ..words.notes import Note, TableError

__all__ = [
    "categories_in",
    "frame_of",
    "is_nested",
    "is_text",
    "opened_parquet",
    "parquet_frame",
    "readable",
    "text_bytes",
    "with_nested",
]

# Measured: pages, levels while they grow, and the levels of pandas; on top of what is checked.
_COPIES_OF_LEVELS = 2


def parquet_frame(file: Any, name: str, most_bytes: int | None) -> tuple[Any, list[Note]]:
    """Return the frame in a Parquet file, and notes."""
    extra("pandas", "cli")
    with readable(name):
        about, categories = opened_parquet(file)
        schema = about.schema_arrow
        _check(about, name, most_bytes)
        nested = [is_nested(field.type) for field in schema]
        # In one thread: running out of memory in another thread would end the process.
        wanted = _wanted(schema, nested)
        table = about.read(columns=wanted, use_threads=False)
        # Asked for 'a.b', Arrow also reads the field b of a record a.
        frame = frame_of(table if wanted is None else table.select(wanted), categories)
    names, notes = distinct(schema.names)
    return with_nested(frame, nested).set_axis(names, axis=1), notes


@contextmanager
def readable(name: str, what: str = "a Parquet file") -> Iterator[None]:
    """Say in one line what goes wrong while a file is read."""
    try:
        yield
    except (OSError, ValueError, extra("pyarrow", "cli").ArrowException) as error:
        if isinstance(error, TableError):
            raise
        reason = printable(error)[:200]
        raise TableError(f"{name} is not {what} that can be read: {reason}") from None


def opened_parquet(file: Any) -> tuple[Any, set[str]]:
    """Return the Parquet file in an open file, and the names of its categories.

    Text is read as codes and levels.
    """
    parquet = extra("pyarrow.parquet", "cli")
    schema = parquet.ParquetFile(file).schema_arrow
    texts = [field.name for field in schema if is_text(field.type)]
    return parquet.ParquetFile(file, read_dictionary=texts), categories_in(schema)


def categories_in(schema: Any) -> set[str]:
    """Return the names of columns that are dictionaries, or were categories of pandas.

    Parquet keeps dictionaries of text only; of others what pandas wrote says so.
    """
    types = extra("pyarrow", "cli").types
    found = {field.name for field in schema if types.is_dictionary(field.type)}
    try:
        columns = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("columns", [])
        said = {one["field_name"] for one in columns if one["pandas_type"] == "categorical"}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return found  # what another program wrote there
    return found | (said & set(schema.names))


def is_text(kind: Any) -> bool:
    """Return whether cells are text, or bytes that may be text."""
    types = extra("pyarrow", "cli").types
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in tests)


def is_nested(kind: Any) -> bool:
    """Return whether cells are lists or records."""
    return extra("pyarrow", "cli").types.is_nested(kind)


def _check(about: Any, name: str, most_bytes: int | None) -> None:
    """Raise where the file has no columns or would not fit into memory."""
    n_rows, n_columns = about.metadata.num_rows, len(about.schema_arrow.names)
    if not n_columns:
        raise TableError(f"{name} has no columns.")
    n_bytes = text_bytes(about)
    shape = f"{n_rows} rows and {n_columns} columns"
    free = free_memory() if most_bytes is None else most_bytes
    check_memory(name, n_rows * n_columns, free, n_bytes, shape)


def text_bytes(about: Any, names: Sequence[str] | None = None) -> int:
    """Return what the cells of columns, none of them nested, take beside their numbers.

    None: of all columns.
    """
    metadata = about.metadata
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    parts = [group.column(place) for group in groups for place in range(group.num_columns)]
    own = [one for one in parts if names is None or one.path_in_schema in names]
    return _COPIES_OF_LEVELS * sum(one.total_uncompressed_size for one in own)


def _wanted(schema: Any, nested: list[bool]) -> list[str] | None:
    """Return the names of the columns to read; None for all, where names occur twice."""
    if len(set(schema.names)) < len(schema.names):
        return None
    return [name for name, is_nested in zip(schema.names, nested, strict=True) if not is_nested]


def frame_of(table: Any, categories: Collection[str] = ()) -> Any:
    """Return the frame of an Arrow table; decimals are floats, by way of text: Arrow rounds.

    ``categories`` are the columns whose cells are levels.
    """
    pyarrow = extra("pyarrow", "cli")
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_decimal(field.type):
            column = table.column(place).cast(pyarrow.string()).cast(pyarrow.float64())
            table = table.set_column(place, field.name, column)
    frame = table.to_pandas(ignore_metadata=True)
    for place, name in enumerate(table.schema.names):
        if name in categories:
            frame.isetitem(place, as_categories(frame.iloc[:, place]))
    return frame


def with_nested(frame: Any, nested: list[bool]) -> Any:
    """Return the frame with an empty tuple in each cell of a nested column."""
    pandas = extra("pandas", "cli")
    nothing = pandas.Series([()] * len(frame), dtype=object)
    has_all = frame.shape[1] == len(nested)
    flat = iter(range(frame.shape[1]))
    columns = []
    for place, is_nested in enumerate(nested):
        own = place if has_all else None if is_nested else next(flat)
        columns.append(nothing if is_nested else frame.iloc[:, own])
    return pandas.concat(dict(enumerate(columns)), axis=1)
