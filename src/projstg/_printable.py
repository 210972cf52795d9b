"""Text that is safe to print: one line, no control characters, not too long.

Names of columns, methods and files, and messages of other programs, may hold anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["counted", "few_names", "printable", "shortened"]

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
    r"""Return a text on one line, cut to at most ``longest`` characters.

    Examples
    --------
    >>> shortened("line\nbreak")
    'line break'
    >>> shortened("x" * 50, 10)
    'xxxxxxxxx…'
    """
    # Only the beginning is read: a name may be a megabyte long.
    text = printable(str(text)[: 8 * longest])
    return text if len(text) <= longest else text[: longest - 1] + "…"


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
