"""Feather files, which are Arrow's own: read as Parquet files are.

A compressed file may unpack to far more than its size. Each buffer in it begins with the length it
unpacks to, and Arrow takes as much memory as that says; the lengths are added up beforehand.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

from .._extras import extra
from .column_names import distinct
from .memory_guard import check_memory, free_memory
from .notes import Note, TableError
from .parquet import frame_of, is_nested, is_text, readable, with_nested

__all__ = ["feather_frame"]

# The magic bytes and two more; then the rows come as in a stream, and last where each part lies.
_BEGINNING = 8
# Places of fields in the tables of Arrow's Message.fbs.
_HEADER, _ROWS, _BUFFERS, _COMPRESSION, _DICTIONARY_DATA = 2, 0, 2, 3, 1


def feather_frame(file: Any, name: str, most_bytes: int | None) -> tuple[Any, list[Note]]:
    """Return the frame in a Feather file, and notes."""
    extra("pandas", "cli")
    with readable(name, "a Feather file"):
        schema = _checked_schema(file, name, most_bytes)
        nested = [is_nested(field.type) for field in schema]
        table = _table(file, schema)
        flat = table.select([place for place, is_left in enumerate(nested) if not is_left])
        frame = frame_of(_with_levels(flat))
    names, notes = distinct(schema.names)
    return with_nested(frame, nested).set_axis(names, axis=1), notes


def _checked_schema(file: Any, name: str, most_bytes: int | None) -> Any:
    """Return the names and types of columns; raise where there are none, or it is too large."""
    free = free_memory() if most_bytes is None else most_bytes
    check_memory(name, 0, free, file.seek(0, os.SEEK_END))
    schema = extra("pyarrow.ipc", "cli").open_file(file).schema
    if not schema.names:
        raise TableError(f"{name} has no columns.")
    n_rows, n_bytes = 0, 0
    for more_rows, more_bytes in _sizes(file):
        n_rows, n_bytes = n_rows + more_rows, n_bytes + more_bytes
        shape = f"{n_rows} rows and {len(schema)} columns or more"
        check_memory(name, n_rows * len(schema), free, n_bytes, shape)
    return schema


def _table(file: Any, schema: Any) -> Any:
    """Return all rows, in one thread, read in the order in which their sizes were."""
    pyarrow, ipc = extra("pyarrow", "cli"), extra("pyarrow.ipc", "cli")
    n_batches = ipc.open_file(file).num_record_batches
    file.seek(_BEGINNING)
    stream = ipc.open_stream(file, options=ipc.IpcReadOptions(use_threads=False))
    batches = list(stream)
    if len(batches) != n_batches or not stream.schema.equals(schema):
        raise ValueError("its end does not say what is in it")
    return pyarrow.Table.from_batches(batches, schema)


def _with_levels(table: Any) -> Any:
    """Return the table with text as codes and levels, so that each text is held once."""
    pyarrow = extra("pyarrow", "cli")
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pyarrow.types.is_dictionary(field.type):
            text = _without_views(field.type.value_type)
            column = column.cast(pyarrow.dictionary(field.type.index_type, text))
        elif is_text(text := _without_views(field.type)):
            column = column.cast(text).dictionary_encode()
        table = table.set_column(place, field.name, column)
    return table


def _without_views(kind: Any) -> Any:
    """Return the plain type of text; Polars writes views."""
    pyarrow = extra("pyarrow", "cli")
    if pyarrow.types.is_string_view(kind):
        return pyarrow.large_string()
    return pyarrow.large_binary() if pyarrow.types.is_binary_view(kind) else kind


def _sizes(file: Any) -> Iterator[tuple[int, int]]:
    """Yield rows and bytes, when unpacked, of each part of a file."""
    file.seek(_BEGINNING)
    for message in extra("pyarrow.ipc", "cli").MessageReader.open_stream(file):
        if message.type not in {"record batch", "dictionary"}:
            continue
        try:
            n_rows, n_bytes = _size(message)
        except (struct.error, TypeError):
            raise ValueError("it is damaged") from None
        yield n_rows if message.type == "record batch" else 0, n_bytes


def _size(message: Any) -> tuple[int, int]:
    """Return rows and bytes, when unpacked, of one part."""
    words = message.metadata.to_pybytes()
    header = _fields(words, _target(words, _fields(words, _target(words, 0))[_HEADER]))
    if message.type == "dictionary":
        header = _fields(words, _target(words, header[_DICTIONARY_DATA]))
    n_rows = struct.unpack_from("<q", words, header[_ROWS])[0] if header[_ROWS] else 0
    if not header[_COMPRESSION]:
        return n_rows, message.body.size
    start = _target(words, header[_BUFFERS])
    n_buffers = struct.unpack_from("<I", words, start)[0]
    n_bytes = 0
    for place in range(n_buffers):
        offset, length = struct.unpack_from("<qq", words, start + 4 + 16 * place)
        if length:
            said = struct.unpack_from("<q", message.body, offset)[0]
            n_bytes += length if said < 0 else said  # -1: it is not compressed
    return n_rows, n_bytes


def _target(words: bytes, place: int) -> int:
    """Return where a reference of FlatBuffers points."""
    return place + struct.unpack_from("<I", words, place)[0]


def _fields(words: bytes, table: int) -> list[int]:
    """Return where each field of a table of FlatBuffers lies; 0 where it has none."""
    index = table - struct.unpack_from("<i", words, table)[0]
    n_fields = (struct.unpack_from("<H", words, index)[0] - 4) // 2
    offsets = struct.unpack_from(f"<{n_fields}H", words, index + 4)
    found = [table + offset if offset else 0 for offset in offsets]
    return found + [0] * (_COMPRESSION + 1 - len(found))
