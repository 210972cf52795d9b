"""Feather files, which are Arrow's own: read as Parquet files are.

A compressed file may unpack to far more than its size. Each buffer in it begins with the length it
unpacks to, and Arrow takes as much memory as that says; the lengths are added up beforehand.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

from ..._extras import extra
from ..cells.memory_guard import check_memory, free_memory
from ..words.column_names import distinct
from ..words.notes import Note, TableError
from .parquet import categories_in, frame_of, is_nested, is_text, readable, with_nested

__all__ = ["feather_frame"]

# Places of fields in the tables of Arrow's File.fbs and Message.fbs, and of structs in vectors.
_DICTIONARIES, _BATCHES = 2, 3
_HEADER, _ROWS, _BUFFERS, _COMPRESSION, _DICTIONARY_DATA = 2, 0, 2, 3, 1
_BLOCK, _BUFFER = "<qi4xq", "<qq"
# A file ends with the length of its footer and the magic bytes.
_END = struct.Struct("<i6s")
_CONTINUES = b"\xff\xff\xff\xff"


def feather_frame(file: Any, name: str, most_bytes: int | None) -> tuple[Any, list[Note]]:
    """Return the frame in a Feather file, and notes."""
    extra("pandas", "cli")
    ipc = extra("pyarrow.ipc", "cli")
    with readable(name, "a Feather file"):
        # In one thread: running out of memory in another thread would end the process.
        reader = ipc.open_file(file, options=ipc.IpcReadOptions(use_threads=False))
        schema = reader.schema
        _check(file, schema, name, most_bytes)
        nested = [is_nested(field.type) for field in schema]
        flat = [place for place, is_left in enumerate(nested) if not is_left]
        table = reader.read_all()
        table.validate(full=True)  # Arrow believes a file; an offset that is wrong ends the process
        frame = frame_of(_with_levels(table.select(flat)), categories_in(schema))
    names, notes = distinct(schema.names)
    return with_nested(frame, nested).set_axis(names, axis=1), notes


def _check(file: Any, schema: Any, name: str, most_bytes: int | None) -> None:
    """Raise where the file has no columns or would not fit into memory."""
    if not schema.names:
        raise TableError(f"{name} has no columns.")
    free = free_memory() if most_bytes is None else most_bytes
    n_rows, n_bytes = 0, 0
    try:
        for more_rows, more_bytes in _sizes(file):
            n_rows, n_bytes = n_rows + more_rows, n_bytes + more_bytes
            shape = f"{n_rows} rows and {len(schema)} columns or more"
            check_memory(name, n_rows * len(schema), free, n_bytes, shape)
    except (struct.error, IndexError):
        raise ValueError("it is damaged") from None


def _with_levels(table: Any) -> Any:
    """Return the table with text as codes and levels, so that each text is held once."""
    types = extra("pyarrow", "cli").types
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if is_text(field.type) or _is_view(field.type):
            column = column.dictionary_encode()
        if types.is_dictionary(column.type) and _is_view(column.type.value_type):
            column = _without_views(column)
        table = table.set_column(place, field.name, column)
    return table


def _is_view(kind: Any) -> bool:
    """Return whether text is held as views, as Polars writes it."""
    types = extra("pyarrow", "cli").types
    return types.is_string_view(kind) or types.is_binary_view(kind)


def _without_views(column: Any) -> Any:
    """Return a column of codes and levels with plain text for levels."""
    pyarrow = extra("pyarrow", "cli")
    # Arrow copies the view of a level that is missing, which may point anywhere.
    if any(chunk.dictionary.null_count for chunk in column.chunks):
        raise ValueError("a level of a column of text is missing")
    has_bytes = pyarrow.types.is_binary_view(column.type.value_type)
    text = pyarrow.large_binary() if has_bytes else pyarrow.large_string()
    return column.cast(pyarrow.dictionary(column.type.index_type, text))


def _sizes(file: Any) -> Iterator[tuple[int, int]]:
    """Yield rows and bytes, when unpacked, of each part of a file, as its footer names them."""
    end = file.seek(-_END.size, os.SEEK_END)
    length = _END.unpack(file.read(_END.size))[0]
    file.seek(end - length)
    footer = file.read(length)
    fields = _fields(footer, _target(footer, 0))
    for place, is_batch in ((_DICTIONARIES, False), (_BATCHES, True)):
        for start, length, n_body in _structs(footer, fields[place], _BLOCK):
            n_rows, n_bytes = _size(file, start, length, n_body, is_batch)
            yield n_rows if is_batch else 0, n_bytes


def _size(file: Any, start: int, length: int, n_body: int, is_batch: bool) -> tuple[int, int]:
    """Return rows and bytes, when unpacked, of one part."""
    file.seek(start)
    words = file.read(length)
    words = words[8 if words.startswith(_CONTINUES) else 4 :]
    header = _fields(words, _target(words, _fields(words, _target(words, 0))[_HEADER]))
    if not is_batch:
        header = _fields(words, _target(words, header[_DICTIONARY_DATA]))
    n_rows = struct.unpack_from("<q", words, header[_ROWS])[0] if header[_ROWS] else 0
    if not header[_COMPRESSION]:
        return n_rows, n_body
    n_bytes = 0
    for offset, n_packed in _structs(words, header[_BUFFERS], _BUFFER):
        if n_packed:
            file.seek(start + length + offset)
            said = struct.unpack("<q", file.read(8))[0]
            n_bytes += n_packed if said < 0 else said  # -1: it is not compressed
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


def _structs(words: bytes, place: int, form: str) -> Iterator[tuple]:
    """Yield the structs of a vector of FlatBuffers; of none where there is no vector."""
    if not place:
        return
    start = _target(words, place)
    for which in range(struct.unpack_from("<I", words, start)[0]):
        yield struct.unpack_from(form, words, start + 4 + which * struct.calcsize(form))
