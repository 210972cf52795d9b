"""Parquet files: the types a table can have, and what they take in memory.

Text is read as codes and levels, so that a long text in many rows is held once. Decimals become
floats. Columns of lists and records hold no numbers that could be chosen: they are not read,
and count as neither numbers nor text.
"""

from __future__ import annotations

from typing import Any

from .._extras import extra
from .._printable import printable
from .column_names import distinct
from .memory_guard import check_memory, free_memory
from .notes import Note, TableError

__all__ = ["parquet_frame"]

# Measured: pages, levels while they grow, and the levels of pandas; on top of what is checked.
_COPIES_OF_LEVELS = 2


def parquet_frame(file: Any, name: str, most_bytes: int | None) -> tuple[Any, list[Note]]:
    """Return the frame in a Parquet file, and notes."""
    extra("pandas", "cli")
    pyarrow, parquet = extra("pyarrow", "cli"), extra("pyarrow.parquet", "cli")
    try:
        schema = parquet.ParquetFile(file).schema_arrow
        texts = [field.name for field in schema if _is_text(pyarrow.types, field.type)]
        about = parquet.ParquetFile(file, read_dictionary=texts)
        _check(about, name, most_bytes)
        nested = [pyarrow.types.is_nested(field.type) for field in schema]
        # In one thread: running out of memory in another thread would end the process.
        table = about.read(columns=_wanted(schema, nested), use_threads=False)
        frame = _decimals_as_floats(pyarrow, table).to_pandas(ignore_metadata=True)
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        if isinstance(error, TableError):
            raise
        reason = printable(error)[:200]
        raise TableError(f"{name} is not a Parquet file that can be read: {reason}") from None
    names, notes = distinct(schema.names)
    return _with_nested(frame, nested).set_axis(names, axis=1), notes


def _is_text(types: Any, kind: Any) -> bool:
    return any(
        test(kind)
        for test in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )


def _check(about: Any, name: str, most_bytes: int | None) -> None:
    """Raise where the file has no columns or would not fit into memory."""
    n_rows, n_columns = about.metadata.num_rows, len(about.schema_arrow.names)
    if not n_columns:
        raise TableError(f"{name} has no columns.")
    groups = [about.metadata.row_group(place) for place in range(about.metadata.num_row_groups)]
    n_bytes = sum(
        group.column(place).total_uncompressed_size
        for group in groups
        for place in range(group.num_columns)
    )
    shape = f"{n_rows} rows and {n_columns} columns"
    free = free_memory() if most_bytes is None else most_bytes
    check_memory(name, n_rows * n_columns, free, _COPIES_OF_LEVELS * n_bytes, shape)


def _wanted(schema: Any, nested: list[bool]) -> list[str] | None:
    """Return the names of the columns to read; None for all, where names occur twice."""
    if len(set(schema.names)) < len(schema.names):
        return None
    return [name for name, is_nested in zip(schema.names, nested, strict=True) if not is_nested]


def _decimals_as_floats(pyarrow: Any, table: Any) -> Any:
    """Return the table with floats for decimals, by way of text: Arrow's own conversion rounds."""
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_decimal(field.type):
            column = table.column(place).cast(pyarrow.string()).cast(pyarrow.float64())
            table = table.set_column(place, field.name, column)
    return table


def _with_nested(frame: Any, nested: list[bool]) -> Any:
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
