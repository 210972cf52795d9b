"""Text that is safe to print: one line, no control characters, not too long.

Names of columns, methods and files, and messages of other programs, may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

__all__ = [
    "amount",
    "counted",
    "few_names",
    "printable",
    "shortened",
    "told_apart",
    "whole_characters",
]

_LONGEST_NAME, _MOST_NAMES = 40, 6


def printable(text: object) -> str:
    r"""Return a text on one line; control characters are escaped, so no terminal acts on them.

    Examples
    --------
    >>> print(printable("red \x1b[31m\nand\tblank"))
    red \x1b[31m and blank
    """
    return " ".join("".join(map(_escaped, str(text))).split())


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if character.isspace():
        return " "
    return character.encode("unicode_escape").decode()


def whole_characters(text: str) -> str:
    r"""Return a text that any file can hold: half of a character is written out.

    Examples
    --------
    >>> print(whole_characters("caf\u00e9 \ud83d"))
    café \ud83d
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def shortened(text: object, longest: int = _LONGEST_NAME) -> str:
    r"""Return a text on one line, of at most ``longest`` characters: its middle is left out.

    Names that begin alike often end differently.

    Examples
    --------
    >>> shortened("line\nbreak")
    'line break'
    >>> shortened("spent in quarter 1", 12), shortened("spent in quarter 2", 12)
    ('spent i…er 1', 'spent i…er 2')
    """
    whole = str(text)
    if len(whole) > 16 * longest:  # a name may be a megabyte long
        whole = whole[: 8 * longest] + whole[-8 * longest :]
    line = printable(whole)
    if len(line) <= longest:
        return line
    last = (longest - 1) * 2 // 5
    return line[: longest - 1 - last] + "…" + line[len(line) - last :]


def told_apart(names: Sequence[object], longest: int = _LONGEST_NAME) -> list[str]:
    """Return names of at most ``longest`` characters, different where the names are.

    Names that are cut alike begin where they differ, or are numbered where that does not help.

    Examples
    --------
    >>> told_apart(["mean of the first year, in dollars", "mean of the third year, in dollars"], 16)
    ['…of the first y…', '…of the third y…']
    """
    whole = {str(name): shortened(name, longest) for name in names}
    for alike in _alike(whole):
        begins = _differences(alike)
        whole |= {name: _from(begins[name] - longest // 2, name, longest) for name in alike}
    for alike in _alike(whole):
        for number, name in enumerate(alike, start=1):
            mark = f" {number}"
            whole[name] = whole[name][: longest - len(mark)] + mark
    return [whole[str(name)] for name in names]


def _alike(short: Mapping[str, str]) -> list[list[str]]:
    """Return groups of names that are cut to one text, each in order."""
    groups: dict[str, list[str]] = {}
    for name, cut in short.items():
        groups.setdefault(cut, []).append(name)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _differences(ordered: Sequence[str]) -> dict[str, int]:
    """Return for each name where it first differs from the one that begins most like it."""
    shared = [_shared(one, other) for one, other in pairwise(ordered)]
    most = map(max, [0, *shared], [*shared, 0])
    return dict(zip(ordered, most, strict=True))


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _from(begin: int, text: str, longest: int) -> str:
    """Return a text without its beginning, and without its end where that is too long."""
    if begin <= 0:
        return shortened(text, longest)
    line = printable(text[begin : begin + 8 * longest])
    return f"…{line}" if len(line) < longest else f"…{line[: longest - 2]}…"


def few_names(names: Iterable[object], most: int = _MOST_NAMES) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> few_names("abc"), few_names(range(9), 3)
    ('a, b, c', '0, 1, 2 and 6 more')
    """
    names = list(names)
    few = ", ".join(shortened(name) for name in names[:most])
    return few if len(names) <= most else f"{few} and {len(names) - most} more"


def amount(count: int, one: str, many: str = "") -> str:
    """Return a number and what it counts.

    Examples
    --------
    >>> amount(1, "row"), amount(3, "row"), amount(1, "value is", "values are")
    ('1 row', '3 rows', '1 value is')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def counted(counts: Mapping[str, int]) -> str:
    """Return names with their counts, the largest first, for a sentence.

    Examples
    --------
    >>> counted({"age": 2, "price": 10})
    'price 10, age 2'
    """
    worst = sorted(counts, key=lambda name: -counts[name])
    few = ", ".join(f"{shortened(name)} {counts[name]}" for name in worst[:_MOST_NAMES])
    left = len(worst) - _MOST_NAMES
    return few if left <= 0 else f"{few} and {left} more columns"
