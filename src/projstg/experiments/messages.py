"""What methods say, as a row can hold it and a terminal can show it."""

from __future__ import annotations

__all__ = ["of_error", "one_line"]

_LONGEST = 500


def one_line(text: object) -> str:
    r"""Return a text on one line, without control characters and of bearable length.

    Examples
    --------
    >>> one_line("not\n  \x1b[31mthere")
    'not [31mthere'
    """
    letters = (letter if letter.isprintable() else " " for letter in str(text))
    return " ".join("".join(letters).split())[:_LONGEST]


def of_error(error: BaseException) -> str:
    """Return the kind of an error and what it says.

    Examples
    --------
    >>> of_error(ValueError("no K"))
    'ValueError: no K'
    """
    return one_line(f"{type(error).__name__}: {error}")
