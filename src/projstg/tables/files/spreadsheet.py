"""Excel workbooks: the first sheet with data, or the one that is asked for.

A number in a cell is a number, and a date a date. Cells of text are read as the cells of a text
table are. The first row that is not empty has the names, unless it has only numbers. What a formula
gives is what Excel saved with it; nothing is computed.
"""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from typing import Any, NamedTuple

import numpy as np

from ..._did_you_mean import did_you_mean
from ..._extras import MissingExtra, extra
from ..._messages import Argument, Message
from ..._printable import few_names, printable, shortened
from ..cells.convert_numbers import with_numbers
from ..cells.dialect import is_number, no_header, numbered_names
from ..cells.leading_zeros import with_codes
from ..cells.memory_guard import check_memory, free_memory
from ..cells.text_cells import MISSING_WORDS
from ..words.column_names import distinct
from ..words.notes import Note, TableError
from .how_to_read import HowToRead

__all__ = ["workbook_frame"]

# Of a sheet in Excel. A file may name any row, and openpyxl makes up those before it.
_MOST_ROWS = 1 << 20
_PIECE = 1 << 20
# Parts of which openpyxl makes objects, about a kilobyte for a tag; of the others it holds about as
# much for a tag as a number takes.
_OBJECTS = ("[Content_Types].xml", "docProps/", "xl/workbook.xml", "xl/styles.xml")
_NUMBERS_IN_OBJECT = 20
# Other compressions unpack in one step, however much that gives.
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class _SheetRows(NamedTuple):
    """The rows of a sheet that are not empty, each without the empty cells at its end."""

    title: str
    others: list[str]
    rows: list[list]


def workbook_frame(
    file: Any, name: str, how: HowToRead, most_bytes: int | None
) -> tuple[Any, dict, list[Note]]:
    """Return the frame in an Excel workbook, facts and notes."""
    free = free_memory() if most_bytes is None else most_bytes
    with _readable(name):
        _check_parts(file, name, free)
        found = _read_sheet(file, name, how.sheet, free)
        names, body, notes = _header(found.rows)
        columns = {place: [_cell(row, place) for row in body] for place in range(len(names))}
        used = [place for place in columns if names[place] or any(map(_is_value, columns[place]))]
        names, twice = distinct(names[place] for place in used)
        frame, marks, on_marks = _frame([columns[place] for place in used], names, how)
        empty = {
            place: names[i]
            for i, place in enumerate(used)
            if not any(map(_is_value, columns[place]))
        }
        notes += _on_formulas(file, found.title, empty) if empty else []
    if how.sheet is None and found.others:
        notes = [_on_sheets(found), *notes]
    facts = {"format": "excel", "sheet": found.title, **marks}
    return frame.set_axis(names, axis=1), facts, notes + on_marks + twice


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Say in one line what goes wrong; openpyxl raises anything where a workbook is damaged."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on what openpyxl does not keep, such as styles
            yield
    except (TableError, MissingExtra, MemoryError):
        raise
    except Exception as error:
        reason = printable(error.__cause__ or error)[:200] or type(error).__name__
        raise TableError(f"{name} is not an Excel workbook that can be read: {reason}") from None


def _check_parts(file: Any, name: str, free: int | None) -> None:
    """Raise where a zip archive is no workbook, or would not fit into memory unpacked."""
    n_tags, n_bytes = 0, 0
    with zipfile.ZipFile(file) as archive:
        parts = archive.namelist()
        if any(one.compress_type not in _COMPRESSIONS for one in archive.infolist()):
            raise ValueError("a part is compressed in a way that Excel does not use")
        if "[Content_Types].xml" not in parts or not any(one.startswith("xl/") for one in parts):
            raise TableError(
                f"{name} is a zip archive and no Excel workbook; unpack it, or save the table as "
                "CSV."
            )
        for part in parts:
            if not part.endswith((".xml", ".rels")):
                continue
            has_objects = part.startswith(_OBJECTS) or part.endswith(".rels")
            with archive.open(part) as stream:
                while piece := stream.read(_PIECE):
                    n_bytes += len(piece)
                    n_tags += piece.count(b"<") * (_NUMBERS_IN_OBJECT if has_objects else 1)
                    check_memory(name, n_tags, free, n_bytes)


def _read_sheet(file: Any, name: str, wanted: str | None, free: int | None) -> _SheetRows:
    """Return the sheet that is wanted, or the first with data; those that are hidden come last."""
    load = extra("openpyxl", "excel").load_workbook
    book = load(file, read_only=True, data_only=True, keep_links=False)
    try:
        sheets = sorted(book.worksheets, key=lambda one: one.sheet_state != "visible")
        titles = [sheet.title for sheet in sheets]
        if wanted is not None and wanted not in titles:
            hint = did_you_mean(wanted, titles)
            raise TableError(f"{name} has no sheet '{shortened(wanted)}'; {hint}")
        for sheet in sheets:
            if wanted in {None, sheet.title} and (rows := _rows(sheet, name, free)):
                others = [title for title in titles if title != sheet.title]
                return _SheetRows(sheet.title, others, rows)
    finally:
        book.close()
    where = "its sheets" if wanted is None else f"the sheet '{shortened(wanted)}'"
    raise TableError(f"{name} has no data in {where}.")


def _rows(sheet: Any, name: str, free: int | None) -> list[list]:
    """Return the rows of a sheet that have any cells."""
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    rows: list[list] = []
    n_columns = 0
    for place, cells in enumerate(sheet.iter_rows(values_only=True)):
        if place >= _MOST_ROWS:
            raise TableError(f"{name} has a row beyond {_MOST_ROWS}, the last that Excel has.")
        row = list(cells)
        while row and not _is_value(row[-1]):
            row.pop()
        if row:
            rows.append(row)
            n_columns = max(n_columns, len(row))
            shape = f"{len(rows)} rows and {n_columns} columns or more"
            check_memory(name, len(rows) * n_columns, free, shape=shape)
    return rows


def _is_value(cell: Any) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def _cell(row: list, place: int) -> Any:
    """Return a cell; None where it is empty."""
    return row[place] if place < len(row) and _is_value(row[place]) else None


def _header(rows: list[list]) -> tuple[list[str], list[list], list[Note]]:
    """Return the names, "" where there is none, the rows under them, and notes."""
    first, n_columns = rows[0], max(map(len, rows))
    if all(is_number(str(cell)) for cell in first):
        names = numbered_names(n_columns)
        return names, rows, [no_header(names)]
    names = ["" if cell is None else str(cell).strip() for cell in first]
    return names + [""] * (n_columns - len(names)), rows[1:], []


def _on_sheets(found: _SheetRows) -> Note:
    text = f"Read from the sheet '{shortened(found.title)}', the first that has data; "
    another = Argument("sheet", '"…"')
    return Note("sheet", Message(text, another, f" reads another: {few_names(found.others)}."))


def _on_formulas(file: Any, title: str, empty: dict[int, str]) -> list[Note]:
    """Return a note on those of the empty columns, by place, that have formulas."""
    book = extra("openpyxl", "excel").load_workbook(file, read_only=True, keep_links=False)
    found: set[int] = set()
    try:
        sheet = book[title]
        sheet.reset_dimensions()
        for cells in sheet.iter_rows():
            found |= {i for i in empty if i < len(cells) and cells[i].data_type == "f"}
            if len(found) == len(empty):
                break
    finally:
        book.close()
    names = tuple(name for place, name in empty.items() if place in found)
    text = "Empty, for formulas have no saved values; open the workbook in Excel and save it: "
    return [Note("formulas", f"{text}{few_names(names)}.", names)] if names else []


def _frame(columns: list[list], names: list[str], how: HowToRead) -> tuple[Any, dict, list[Note]]:
    """Return the frame of columns, numbered; facts on marks of numbers, and notes."""
    pandas = extra("pandas", "cli")
    kept = [place for place, name in enumerate(names) if name in how.texts]
    typed = {place: _typed(cells) for place, cells in enumerate(columns)}
    made = {place: one for place, one in typed.items() if one is not None and place not in kept}
    texts = {place: cells for place, cells in enumerate(columns) if place not in made}
    marks: dict = {}
    notes: list[Note] = []
    if texts:
        as_text = _TextColumns(texts)
        frame = as_text.frame().drop(columns=kept)
        frame, marks, notes = with_numbers(
            frame, names, as_text, ",", how.decimal, known=how.decimals
        )
        frame = with_codes(frame, as_text)
        unread = as_text(kept, None) if kept else {}
        made |= {place: unread[place] if place in kept else frame[place] for place in texts}
    return pandas.concat({place: made[place] for place in typed}, axis=1), marks, notes


def _typed(cells: list) -> Any:
    """Return a column of numbers, booleans or dates; None where it is text."""
    pandas = extra("pandas", "cli")
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {int, float}:
        return pandas.Series(
            [np.nan if cell is None else float(cell) for cell in cells], dtype=float
        )
    if kinds == {bool} or kinds <= {datetime, date, time}:
        return pandas.Series(cells, dtype=object)
    return None


class _TextColumns:
    """Columns with text, as the text table that they would be."""

    def __init__(self, columns: dict[int, list]) -> None:
        # As text: pandas takes numbers for places among these columns, not for their names.
        self._names, written = list(map(str, columns)), io.StringIO()
        rows = zip(*columns.values(), strict=True)
        csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        self._written = written.getvalue()

    def frame(self, **how: Any) -> Any:
        frame = extra("pandas", "cli").read_csv(
            io.StringIO(self._written),
            header=None,
            names=self._names,
            na_values=MISSING_WORDS,
            skipinitialspace=True,
            skip_blank_lines=False,
            low_memory=False,
            float_precision="round_trip",
            **how,
        )
        return frame.set_axis(frame.columns.astype(int), axis=1)

    def __call__(self, columns: list[int], n_rows: int | None) -> Any:
        """Return columns, of the first rows or of all, without reading numbers."""
        return self.frame(dtype=str, usecols=list(map(str, columns)), nrows=n_rows)
