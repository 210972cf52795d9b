"""What methods say, in a form that a row can hold and a terminal can show."""

from __future__ import annotations

__all__ = ["error_message", "one_line"]

_LONGEST = 500


def one_line(text: object) -> str:
    r"""Return a text on one line, without control characters and at most 500 characters long.

    Examples
    --------
    >>> one_line("not\n  \x1b[31mthere")
    'not [31mthere'
    """
    letters = (letter if letter.isprintable() else " " for letter in str(text))
    return " ".join("".join(letters).split())[:_LONGEST]


def error_message(error: BaseException) -> str:
    """Return the kind of an error and what it says.

    Examples
    --------
    >>> error_message(ValueError("no K"))
    'ValueError: no K'
    """
    return one_line(f"{type(error).__name__}: {error}")
