"""The answer to an unknown name: the nearest known name, or a list of the known ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from ._printable import shortened

__all__ = ["did_you_mean", "nearest_name"]

# The longest list of names, in characters, so that a message stays short.
_LONGEST_LIST = 120


def nearest_name(name: object, known: Iterable[object]) -> str | None:
    """Return the known name that was probably meant, or None.

    Examples
    --------
    >>> nearest_name("BMI ", ["bp", "bmi"]), nearest_name("zzz", ["bp", "bmi"])
    ('bmi', None)
    """
    names = [str(other) for other in known]
    folded = str(name).strip().casefold()
    same = [other for other in names if other.casefold() == folded]
    return next(iter(same or get_close_matches(str(name), names, n=1)), None)


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return the end of a message about an unknown name.

    Examples
    --------
    >>> did_you_mean("gausian", ["bernoulli", "gaussian"])
    "did you mean 'gaussian'?"
    >>> did_you_mean("xyz", ["bernoulli", "gaussian"])
    "use one of 'bernoulli', 'gaussian'."
    >>> did_you_mean("xyz", [])
    'there is none.'
    """
    known = list(known)
    near = nearest_name(name, known)
    if near is not None:
        return f"did you mean '{shortened(near)}'?"
    return f"use one of {_quoted(known)}." if known else "there is none."


def _quoted(names: list[object]) -> str:
    """Return names in quotes, as many as there is room for."""
    few: list[str] = []
    for name in names:
        few.append(f"'{shortened(name)}'")
        if sum(map(len, few)) > _LONGEST_LIST:
            break
    n_more = len(names) - len(few)
    return ", ".join(few) + (f" and {n_more} more" if n_more else "")
