"""Text that is safe to print: one line, no control characters, not too long.

Names of columns, methods and files, and messages of other programs, may hold anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["counted", "few_names", "printable", "shortened", "told_apart"]

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
    """Return names of at most ``longest`` characters; those cut alike begin where they differ.

    Examples
    --------
    >>> told_apart(["mean of the first year, in dollars", "mean of the third year, in dollars"], 16)
    ['…of the first y…', '…of the third y…']
    """
    short = [shortened(name, longest) for name in names]
    alike = defaultdict(set)
    for name, cut in zip(names, short, strict=True):
        alike[cut].add(str(name))
    begins = {cut: max(_difference(own) - longest // 2, 0) for cut, own in alike.items()}
    return [
        _from(begins[cut], str(name), longest) if begins[cut] else cut
        for name, cut in zip(names, short, strict=True)
    ]


def _difference(texts: set[str]) -> int:
    """Return the place of the first character that is not the same in all texts; 0 for one text."""
    pairs = zip(min(texts), max(texts), strict=False)  # in order, so all others are between them
    return next((place for place, (one, other) in enumerate(pairs) if one != other), 0)


def _from(begin: int, text: str, longest: int) -> str:
    """Return a text without its beginning, and without its end where that is too long."""
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
