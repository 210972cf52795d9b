"""What kind of text a table is: encoding, delimiter, decimal mark, header.

Everything is guessed from the beginning of the file. A delimiter is good if every line has as many
fields as the first, and most of those are numbers. Every guess that is not the plain one (UTF-8,
comma, decimal point, a header) is reported, so that a wrong one can be seen and overruled.
"""

from __future__ import annotations

import csv
import io
import re
from typing import NamedTuple

from .words import Note, TableError, listed

__all__ = ["Dialect", "decoded", "sniff"]

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
_MOST_RECORDS = 200
_NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_POINT = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_GROUPED = {
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"),
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?"),
}
_BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


_NOT_TABLES = {
    "<!doctype": "a web page",
    "<html": "a web page",
    "<?xml": "XML",
    "{": "JSON",
    "[{": "JSON",
    "[[": "JSON",
}


class Dialect(NamedTuple):
    """How to read a text table."""

    encoding: str
    delimiter: str
    decimal: str
    thousands: str | None
    names: list[str]
    """As the header has them, or made up where there is none."""
    has_header: bool

    def notes(self) -> list[Note]:
        """Return what was guessed, where it is not what one expects."""
        found = []
        if self.encoding not in {"utf-8", "utf-8-sig"}:
            found.append(Note("encoding", f"Read as {self.encoding}, for it is not UTF-8."))
        if self.delimiter != ",":
            word = _DELIMITERS.get(self.delimiter, repr(self.delimiter))
            found.append(Note("delimiter", f"The delimiter is a {word}."))
        if self.decimal != ".":
            found.append(Note("decimal", "The decimal mark is a comma."))
        if self.thousands:
            mark = "points" if self.thousands == "." else "commas"
            found.append(Note("thousands", f"Thousands are set apart by {mark}."))
        if not self.has_header:
            text = f"The first line has only numbers, so the columns are named {listed(self.names)}"
            found.append(Note("header", f"{text}."))
        return found


def decoded(sample: bytes, name: str) -> tuple[str, str]:
    """Return the text of a file's beginning and its encoding; ``name`` is for the error."""
    marked = [code for mark, code in _BYTE_ORDER_MARKS.items() if sample.startswith(mark)]
    if not marked and b"\0" in sample:
        raise TableError(f"{name} is not a text table: it has zero bytes; export it as CSV.")
    for encoding in marked or ["utf-8", "cp1252", "latin-1"]:
        text = _decoded(sample, encoding)
        if text is not None:
            break
    else:
        raise TableError(f"{name} begins as {marked[0]} and is not; save it as UTF-8.")
    if any(ord(c) < 32 and c not in "\t\n\r\f" for c in text):
        raise TableError(
            f"{name} is not a text table: it has control characters; export it as CSV."
        )
    return text, encoding


def _decoded(sample: bytes, encoding: str) -> str | None:
    """Return the text; a character cut at the sample's end is left out."""
    for cut in range(4):
        try:
            return sample[: len(sample) - cut].decode(encoding)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                return None
    return None


def sniff(
    text: str, encoding: str, name: str, *, delimiter: str | None = None, decimal: str | None = None
) -> Dialect:
    r"""Return how to read a file that begins with ``text``; a delimiter or mark given stands.

    Examples
    --------
    >>> sniff("a;b\n1,5;2\n", "utf-8", "x.csv")[1:5]
    (';', ',', None, ['a', 'b'])
    """
    if delimiter is not None and len(delimiter) != 1:
        raise TableError(f"the delimiter is {delimiter!r}; give one character, or leave it out.")
    if decimal not in {None, ".", ","}:
        raise TableError(f"the decimal mark is {decimal!r}; give . or , or leave it out.")
    if not text.strip():
        raise TableError(f"{name} is empty.")
    for beginning, kind in _NOT_TABLES.items():
        if text.lstrip().casefold().startswith(beginning):
            raise TableError(f"{name} is {kind}, not a table; save the table as CSV.")
    delimiter = delimiter or max(_DELIMITERS, key=lambda mark: _merit(text, mark))
    records = _records(text, delimiter, name)
    if not records:
        raise TableError(f"{name} is empty but for quotes and delimiters.")
    has_header = not all(_is_number(cell) for cell in records[0])
    body = records[1:] if has_header else records
    names = _names(records[0], has_header)
    names = _with_row_names(names, body, name) if has_header else names
    cells = [cell for record in body for cell in record]
    guessed, thousands = _marks(cells, delimiter)
    return Dialect(
        encoding,
        delimiter,
        decimal or guessed,
        thousands if decimal is None else None,
        names,
        has_header,
    )


def _records(text: str, delimiter: str, name: str) -> list[list[str]]:
    """Return the first records that are not blank."""
    lines = io.StringIO(text, newline=None)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    found = []
    try:
        for record in reader:
            cells = [cell.strip() for cell in record]
            if any(cells):
                found.append(cells[:-1] if delimiter == " " and not cells[-1] else cells)
            if len(found) > _MOST_RECORDS:
                break
    except csv.Error as error:
        raise TableError(f"{name}, line {reader.line_num}: {error}.") from None
    return found


def _merit(text: str, delimiter: str) -> tuple[float, float, int]:
    """Return how good a delimiter is: agreement of the lines, share of numbers, fields."""
    try:
        first, *body = _records(text, delimiter, "")
    except (TableError, ValueError):
        return -1.0, 0.0, 0
    if len(first) < 2:
        return -1.0, 0.0, 0
    agree = [len(record) - len(first) in {0, 1} for record in body]
    cells = [cell for record in body for cell in record if cell]
    numbers = sum(map(_is_number, cells)) / max(len(cells), 1)
    return round(sum(agree) / max(len(agree), 1), 1), round(numbers, 1), len(first)


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _names(first: list[str], has_header: bool) -> list[str]:
    if not has_header:
        return [f"column {place}" for place in range(1, len(first) + 1)]
    return [cell or f"unnamed {place}" for place, cell in enumerate(first, start=1)]


def _with_row_names(names: list[str], body: list[list[str]], name: str) -> list[str]:
    """Return the names with one more where every line has one more field than the header."""
    counts = {len(record) for record in body}
    if counts == {len(names) + 1}:
        if all(not record[-1] for record in body):  # each line ends with a delimiter
            return [*names, f"unnamed {len(names) + 1}"]
        return ["row names", *names]
    if body and len(body[0]) > len(names):
        raise TableError(
            f"{name} is ragged: the first line under the header has {len(body[0])} fields and the "
            f"header {len(names)}; repair it, or put names with commas into quotes."
        )
    return names


def _marks(cells: list[str], delimiter: str) -> tuple[str, str | None]:
    """Return the decimal mark and the mark between thousands."""
    points = [cell for cell in cells if _POINT.fullmatch(cell)]
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    grouped = {mark: [c for c in cells if rule.fullmatch(c)] for mark, rule in _GROUPED.items()}
    # 1.234,5 and 1,234.5 leave no doubt; so does a comma that cannot part thousands.
    if any("," in cell for cell in grouped["."]) or any(c not in grouped[","] for c in commas):
        if len(commas) + len(grouped["."]) > len(points):
            only_groups = bool(points) and all(cell in grouped["."] for cell in points)
            both = any("," in cell for cell in grouped["."])
            return ",", "." if both or only_groups else None
        return ".", None
    if grouped[","]:
        return (",", None) if delimiter == ";" and not points else (".", ",")
    return ".", None
