"""JSON: an object for each row, one after the other or in a list.

That is what ``.jsonl`` and ``.ndjson`` files have, and what ``jq`` prints. A key that an object
lacks is a missing value. Lists and objects in cells are not kept: such a column counts as neither
numbers nor text.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..._extras import extra
from ..._printable import shortened, whole_characters
from ..cells.half_characters import half_notes, whole_cells
from ..cells.memory_guard import Metered, check_memory, free_memory
from ..words.column_names import distinct
from ..words.notes import Note, TableError

__all__ = ["begins_json", "json_frame"]

_BEGINNING = re.compile(rb"(\xef\xbb\xbf)?\s*(\{|\[\s*\{)")
_BETWEEN = re.compile(r"[\s,]*")
# What may be half of a character; two halves make one.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
# As many as a text table may have.
_MOST_COLUMNS = 100_000
_NESTED = ()


def begins_json(start: bytes) -> bool:
    """Return whether a file begins with an object of JSON, or with a list of them.

    Examples
    --------
    >>> begins_json(b'{"a": 1}'), begins_json(b'[ {"a"'), begins_json(b"[1, 2]")
    (True, True, False)
    """
    return _BEGINNING.match(start) is not None


def json_frame(
    stream: Any, name: str, texts: Collection[str], most_bytes: int | None
) -> tuple[Any, list[Note]]:
    """Return the frame in a stream of JSON, and notes; the cells of ``texts`` stay as they are."""
    pandas = extra("pandas", "cli")
    text = _text(stream, name, most_bytes)
    columns, n_rows = _columns(text, name)
    free = free_memory() if most_bytes is None else most_bytes
    shape = f"{n_rows} rows and {len(columns)} columns"
    check_memory(name, n_rows * len(columns), free, shape=shape)
    names, notes = distinct(map(whole_characters, columns))
    may_have_halves, halves, made = _HALF.search(text) is not None, [], {}
    for own, cells in zip(names, columns.values(), strict=True):
        whole = whole_cells(cells) if may_have_halves else None
        halves += [own] if whole is not None else []
        kept = _padded(cells if whole is None else whole, n_rows)
        made[own] = pandas.Series(kept, dtype=object if own in texts else None)
    return pandas.concat(made, axis=1), [*notes, *half_notes(halves)]


def _text(stream: Any, name: str, most_bytes: int | None) -> str:
    meter = Metered(stream, name, most_bytes)
    meter.delimiter = b","  # one between two cells, in lists too
    try:
        return io.BufferedReader(meter, 1 << 20).read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise TableError(f"{name}, line {line}: it is not UTF-8; save it as UTF-8.") from None


def _columns(text: str, name: str) -> tuple[dict[str, list], int]:
    """Return the cells of each key, up to the last row that has it, and the number of rows."""
    columns: dict[str, list] = {}
    n_rows = 0
    for n_rows, row in enumerate(_objects(text, name), start=1):
        for key, value in row.items():
            cells = columns.setdefault(key, [])
            if len(cells) < n_rows - 1:
                _padded(cells, n_rows - 1)
            cells.append(_NESTED if isinstance(value, dict | list) else value)
        if len(columns) > _MOST_COLUMNS:
            raise TableError(f"{name} has more than {_MOST_COLUMNS} different keys.")
    if n_rows == 1:
        raise TableError(f"{name} is JSON with one object; a table has an object for each row.")
    if not columns:
        raise TableError(f"{name} has no columns: its objects are empty.")
    return columns, n_rows


def _padded(cells: list, length: int) -> list:
    """Return the list, made longer by cells that are missing."""
    cells.extend([None] * (length - len(cells)))
    return cells


def _next(text: str, place: int) -> int:
    """Return the place of what comes after blanks and commas."""
    return _BETWEEN.match(text, place).end()  # type: ignore[union-attr]


def _objects(text: str, name: str) -> Iterator[dict]:
    """Yield the objects in a text; raise with the line in which a bad one begins."""
    decoder, place = json.JSONDecoder(), _next(text, 0)
    is_list = text[place] == "["
    place += is_list
    while (place := _next(text, place)) < len(text):
        if is_list and text[place] == "]" and not text[place + 1 :].strip():
            return
        try:
            row, end = decoder.raw_decode(text, place)
            said = "" if isinstance(row, dict) else "a row is an object, such as {"
        except RecursionError:
            said = "lists in lists, too deep to be read"
        except ValueError as error:
            said = getattr(error, "msg", str(error))
        if said:
            line = text.count("\n", 0, place) + 1
            seen = shortened(text[place : place + 80].split("\n")[0], 30)
            raise TableError(f"{name}, line {line}: {seen} is no row of JSON: {said}.")
        yield row
        place = end
    if is_list:
        raise TableError(f"{name} has a list of JSON that is never closed; is it whole?")
