"""Calls and their answers, the same for every pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..messages import error_message

__all__ = ["Call", "Lost", "Pool", "answer_of"]

Call = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""A name, a function and its arguments."""

Pool = Callable[[Iterable[Call], bool], Iterator[tuple[str, Any]]]
"""Does calls, on request one at a time, and yields their names with their answers."""


class Lost(NamedTuple):
    """The answer of a call that returned nothing, because it raised or its process died."""

    reason: str

    @property
    def is_late(self) -> bool:
        """Whether it took longer than its time limit."""
        return self.reason.startswith("TimeLimit")


def answer_of(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a call returns, or :class:`Lost` with what it raised.

    Examples
    --------
    >>> answer_of(int, "7"), answer_of(int, "x")
    (7, Lost(reason="ValueError: invalid literal for int() with base 10: 'x'"))
    """
    try:
        return function(*args)
    except Exception as error:
        return Lost(error_message(error))
