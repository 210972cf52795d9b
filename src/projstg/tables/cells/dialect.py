"""How a text table is written: encoding, delimiter, lines to skip, header.

Everything is guessed from the beginning of the file. A delimiter is good if every line has as many
fields as the first and most fields are numbers. Every unusual guess (other than UTF-8, a comma, a
header in the first line) is reported, so that the user can see and correct a wrong one.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise
from typing import NamedTuple

from ..._printable import few_names
from ..words.notes import Note, TableError

__all__ = [
    "Dialect",
    "decoded",
    "field_trouble",
    "is_number",
    "no_header",
    "numbered_names",
    "sniff",
]

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
_MOST_RECORDS = 200
_NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
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
    names: list[str]
    """As the header has them, or made up where there is none."""
    has_header: bool
    """Whether the first line that is not passed over has the names."""
    n_passed: int = 0
    """Lines at the top that are not part of the table."""
    n_comments: int = 0
    """Those of them that begin with #."""
    has_comment_header: bool = False
    """Whether the last of those has the names."""
    has_row_names: bool = False
    """Whether lines begin with the name of a row, for which the header has no name."""

    def notes(self) -> list[Note]:
        """Return what was guessed, where it is not what one expects."""
        found = []
        if self.encoding not in {"utf-8", "utf-8-sig"}:
            found.append(Note("encoding", f"Read as {self.encoding}, for it is not UTF-8."))
        if self.delimiter != ",":
            word = _DELIMITERS.get(self.delimiter, repr(self.delimiter))
            found.append(Note("delimiter", f"The delimiter is a {word}."))
        if self.n_comments:
            text = f"Lines at the top that begin with # are passed over: {self.n_comments}"
            text += "; the last has the names" if self.has_comment_header else ""
            found.append(Note("comment", f"{text}."))
        if not self.has_header and not self.has_comment_header:
            found.append(no_header(self.names))
        if self.has_row_names:
            text = "Lines have one field more than the header; the first is the name of the row."
            found.append(Note("row_names", text))
        return found


def numbered_names(n_columns: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"column {place}" for place in range(1, n_columns + 1)]


def no_header(names: list[str]) -> Note:
    """Return the note for such names."""
    text = f"The first line has only numbers, so the columns are named {few_names(names)}."
    return Note("header", text)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")  # but no tab, line end or form feed


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
    if _CONTROL.search(text):
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


def sniff(text: str, encoding: str, name: str, *, delimiter: str | None = None) -> Dialect:
    r"""Return how to read a file that begins with ``text``; a given delimiter is not changed.

    Examples
    --------
    >>> sniff("a;b\n1,5;2\n", "utf-8", "x.csv")[1:4]
    (';', ['a', 'b'], True)
    >>> sniff("sep=|\n# made by hand\na|b\n1|2\n", "utf-8", "x.csv")[1:6]
    ('|', ['a', 'b'], True, 2, 1)
    """
    if delimiter is not None:
        _check_delimiter(delimiter)
    if not text.strip():
        raise TableError(f"{name} is empty.")
    for beginning, kind in _NOT_TABLES.items():
        if text.lstrip().casefold().startswith(beginning):
            raise TableError(f"{name} is {kind}, not a table; save the table as CSV.")
    top, separator, text = _top(text)
    if delimiter is None and separator is not None:
        _check_delimiter(separator)
    if not text.strip():
        raise TableError(f"{name} has only lines that begin with # or sep=.")
    comments = [line for line in top if line.startswith("#")]
    delimiter = delimiter or separator or max(_DELIMITERS, key=lambda mark: _merit(text, mark))
    records = _records(text, delimiter, name)
    if not records:
        raise TableError(f"{name} is empty but for quotes and delimiters.")
    names = _names_in_comment(comments, records[0], delimiter)
    has_header = names is None and not all(is_number(cell) for cell in records[0])
    has_row_names = False
    if has_header:
        own = _names(records[0])
        has_row_names = _has_row_names(own, records[1:], name)
        names = ["row names", *own] if has_row_names else _with_last(own, records[1:])
    return Dialect(
        encoding,
        delimiter,
        names or numbered_names(len(records[0])),
        has_header,
        n_passed=len(top),
        n_comments=len(comments),
        has_comment_header=names is not None and not has_header,
        has_row_names=has_row_names,
    )


def _check_delimiter(delimiter: str) -> None:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise TableError(
            f"the delimiter is {delimiter!r}; give one ASCII character such as ; or leave it out."
        )


def _top(text: str) -> tuple[list[str], str | None, str]:
    """Return the lines before the table, the delimiter that Excel's ``sep=`` names, the rest.

    Blank lines before a skipped line are skipped, too.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines, n_passed, separator, end = [], 0, None, 0
    while end < len(text):
        line = text[end : text.find("\n", end) % (len(text) + 1)]
        given = _SEPARATOR.fullmatch(line)
        if given and not n_passed:
            separator = given[1]
        elif line.strip() and not line.startswith("#"):
            break
        end += len(line) + 1
        lines.append(line)
        n_passed = len(lines) if line.strip() else n_passed
    return lines[:n_passed], separator, text[end:]


def _names_in_comment(comments: list[str], first: list[str], delimiter: str) -> list[str] | None:
    """Return the names in the last comment, if it has as many as a first line with numbers."""
    if not comments or not any(map(is_number, first)):
        return None
    records = _records(comments[-1].lstrip("#").strip(), delimiter, "")
    if len(records) != 1 or len(records[0]) != len(first) or len(first) < 2:
        return None
    return _names([records[0][0] or "#", *records[0][1:]])


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
        raise TableError(field_trouble(name, reader.line_num, error)) from None
    return found


def field_trouble(name: str, line: int, error: Exception) -> str:
    """Return what to say where the cells of a line cannot be told apart."""
    if "field limit" in str(error):
        return (
            f"{name}, line {line}: a cell has more than {csv.field_size_limit()} characters; is "
            "there a quotation mark that is never closed?"
        )
    return f"{name}, line {line}: {error}."


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
    numbers = sum(map(is_number, cells)) / max(len(cells), 1)
    return round(sum(agree) / max(len(agree), 1), 1), round(numbers, 1), len(first)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, in any way of writing it."""
    return _NUMBER.fullmatch(cell) is not None


def _names(first: list[str]) -> list[str]:
    return [cell or f"unnamed {place}" for place, cell in enumerate(first, start=1)]


def _with_last(names: list[str], body: list[list[str]]) -> list[str]:
    """Return the names with one more where each line ends with a delimiter."""
    is_ended = body and {len(record) for record in body} == {len(names) + 1}
    return [*names, f"unnamed {len(names) + 1}"] if is_ended else names


def _has_row_names(names: list[str], body: list[list[str]], name: str) -> bool:
    """Return whether the header lacks a name for the names of the rows, as R writes it.

    Raise where lines have more fields than the header for another reason.
    """
    has_one_more = {len(record) for record in body} == {len(names) + 1}
    if has_one_more and all(not record[-1] for record in body):  # each line ends with a delimiter
        return False
    if has_one_more and _are_row_names([record[0] for record in body]):
        return True
    if body and len(body[0]) > len(names):
        more = "if the first is the name of the row, give it a name in the header; otherwise "
        raise TableError(
            f"{name} is ragged: the first line under the header has {len(body[0])} fields and the "
            f"header {len(names)}; {more if has_one_more else ''}repair it, or put names and "
            "numbers with commas into quotes."
        )
    return False


def _are_row_names(cells: list[str]) -> bool:
    """Return whether cells are different texts, or count the rows.

    Examples
    --------
    >>> _are_row_names(["a", "b"]), _are_row_names(["7", "8"]), _are_row_names(["1", "3"])
    (True, True, False)
    """
    if not any(map(is_number, cells)):
        return all(cells) and len(set(cells)) == len(cells)
    if len(cells) < 2 or not all(cell.isdecimal() for cell in cells):
        return False
    return all(int(after) == int(before) + 1 for before, after in pairwise(cells))
