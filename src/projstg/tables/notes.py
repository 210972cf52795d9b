"""What is said of a table: errors of one line, notes, and names that fit into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

__all__ = [
    "Note",
    "TableError",
    "difference",
    "distinct",
    "figure",
    "listed",
    "nearest",
    "percent",
    "printable",
    "shortened",
]

_LONGEST_NAME, _MOST_NAMES = 40, 6


class TableError(ValueError):
    """A table, or what is asked of it, that has no answer; the message says what to change."""


class Note(NamedTuple):
    """Something that was decided about a table."""

    kind: str
    """One word for programs, such as ``constant``."""
    text: str
    """A sentence for people."""
    columns: tuple[str, ...] = ()


def printable(text: object) -> str:
    r"""Return a text on one line in which nothing acts on a terminal: what is no print is escaped.

    Examples
    --------
    >>> print(printable("red \x1b[31m\nand\tblank"))
    red \x1b[31m and blank
    """
    return " ".join("".join(map(_printable, str(text))).split())


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    if character.isspace():
        return " "
    return character.encode("unicode_escape").decode()


def shortened(name: object, longest: int = _LONGEST_NAME) -> str:
    r"""Return a name that can be printed, of bearable length.

    Examples
    --------
    >>> shortened("line\nbreak")
    'line break'
    >>> shortened("x" * 50, 10)
    'xxxxxxxxx…'
    """
    # To look at all of a name of a megabyte would only take time.
    text = printable(str(name)[: 8 * longest])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def figure(value: float, digits: int = 4) -> str:
    """Return a number to so many digits, with an exponent only where it is very large or small.

    Examples
    --------
    >>> figure(51548.2), figure(-0.00042861), figure(3.0), figure(1.5e-7)
    ('51550', '-0.0004286', '3', '1.5e-07')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:.12g}" if 1e-4 <= abs(rounded) < 1e9 else f"{rounded:g}"


def percent(share: float | None) -> str:
    """Return a share in percent; nothing where it is not known.

    Examples
    --------
    >>> percent(0.734), percent(1e-9), percent(0.9999), percent(None)
    ('73 %', '<1 %', '>99 %', '')
    """
    if share is None:
        return ""
    if share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f} %"


def difference(chosen: Iterable[str], other: Iterable[str]) -> str:
    """Return what another choice has and lacks.

    Examples
    --------
    >>> difference(["a", "b"], ["a", "c"])
    'with c, without b'
    """
    chosen, other = list(chosen), list(other)
    more = [name for name in other if name not in chosen]
    fewer = [name for name in chosen if name not in other]
    words = [f"with {listed(more, 3)}"] if more else []
    words += [f"without {listed(fewer, 3)}"] if fewer else []
    return ", ".join(words) or "the same columns"


def listed(names: Iterable[object], most: int = _MOST_NAMES) -> str:
    """Return a few names for a sentence.

    Examples
    --------
    >>> listed("abc"), listed(range(9), 3)
    ('a, b, c', '0, 1, 2 and 6 more')
    """
    names = list(names)
    few = ", ".join(shortened(name) for name in names[:most])
    return few if len(names) <= most else f"{few} and {len(names) - most} more"


def nearest(name: object, names: Iterable[object]) -> str:
    """Return what to say of a name that is not there.

    Examples
    --------
    >>> nearest("bim", ["age", "bmi"])
    "did you mean 'bmi'?"
    >>> nearest("zzz", ["age", "bmi"])
    'the columns are age, bmi.'
    """
    names = [str(other) for other in names]
    close = get_close_matches(str(name), names, n=1)
    folded = [other for other in names if other.casefold() == str(name).strip().casefold()]
    if folded or close:
        return f"did you mean '{shortened((folded or close)[0])}'?"
    return f"the columns are {listed(names)}."


def distinct(names: Iterable[str]) -> tuple[list[str], list[Note]]:
    """Return the names, those that are empty or occur twice told apart by a number.

    Examples
    --------
    >>> distinct(["a", "b", "a", " "])[0]
    ['a (1)', 'b', 'a (2)', 'unnamed 4']
    """
    names = [name.strip() or f"unnamed {place}" for place, name in enumerate(names, start=1)]
    counts, seen, unique = Counter(names), Counter(), []
    taken = set(names)
    for name in names:
        if counts[name] > 1:
            seen[name] += 1
            while (numbered := f"{name} ({seen[name]})") in taken:
                seen[name] += 1
            taken.add(numbered)
            name = numbered
        unique.append(name)
    twice = tuple(name for name, count in counts.items() if count > 1)
    if not twice:
        return unique, []
    example = f"{twice[0]} (1), {twice[0]} (2)"
    text = f"Names that occur more than once are numbered, as {listed([example])}: {listed(twice)}."
    return unique, [Note("duplicate", text, twice)]
