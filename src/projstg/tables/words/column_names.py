"""Names of columns: made distinct, compared, and looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from ..._did_you_mean import did_you_mean
from ..._printable import few_names, shortened
from .notes import Note

__all__ = ["difference", "distinct", "free_name", "no_such_column"]


def distinct(names: Iterable[str]) -> tuple[list[str], list[Note]]:
    """Return the names, those that are empty or occur twice told apart by a number.

    Examples
    --------
    >>> distinct(["a", "b", "a", " "])[0]
    ['a (1)', 'b', 'a (2)', 'unnamed 4']
    """
    names = [name.strip() or f"unnamed {place}" for place, name in enumerate(names, start=1)]
    counts, unique = Counter(names), []
    seen: Counter[str] = Counter()
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
    example = shortened(f"{twice[0]} (1), {twice[0]} (2)")
    text = f"Names that occur more than once are numbered, as {example}: {few_names(twice)}."
    return unique, [Note("duplicate", text, twice)]


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, with strokes after it where another column has it.

    Examples
    --------
    >>> free_name("y", ["x", "y", "y'"]), free_name("z", ["x", "y"])
    ("y''", 'z')
    """
    while name in taken:
        name += "'"
    return name


def difference(chosen: Iterable[str], other: Iterable[str]) -> str:
    """Return what another choice has and lacks.

    Examples
    --------
    >>> difference(["a", "b"], ["a", "c"]), difference(["a"], ["a", "b", "c"])
    ('c instead of b', 'also b, c')
    """
    chosen, other = list(chosen), list(other)
    more = [name for name in other if name not in chosen]
    fewer = [name for name in chosen if name not in other]
    if more and fewer:
        return f"{few_names(more, 3)} instead of {few_names(fewer, 3)}"
    if not more and not fewer:
        return "the same columns"
    return f"also {few_names(more, 3)}" if more else f"without {few_names(fewer, 3)}"


def no_such_column(name: str, names: Iterable[str]) -> str:
    """Return what to say of a name that no column has.

    Examples
    --------
    >>> no_such_column("bim", ["age", "bmi"])
    "did you mean 'bmi'?"
    >>> no_such_column("a", ["a (1)", "b", "a (2)"])
    'several columns have that name and are read as a (1), a (2).'
    """
    names = list(names)
    numbered = [other for other in names if other.startswith(f"{name} (")]
    if numbered:
        return f"several columns have that name and are read as {few_names(numbered)}."
    return did_you_mean(name, names)
