"""Messages of methods, in a form that a result can hold and a terminal can show."""

from __future__ import annotations

from .._printable import shortened

__all__ = ["error_message", "one_line"]

_LONGEST = 500


def one_line(text: object) -> str:
    r"""Return a text on one line, control characters escaped, cut where it is very long.

    Examples
    --------
    >>> print(one_line("not\n  \x1b[31mthere"))
    not \x1b[31mthere
    """
    return shortened(text, _LONGEST)


def error_message(error: BaseException) -> str:
    """Return the kind of an error and what it says.

    Examples
    --------
    >>> error_message(ValueError("no K"))
    'ValueError: no K'
    """
    return one_line(f"{type(error).__name__}: {error}")
