"""What users are told of arguments, which have other names at every door to the package.

An estimator has ``n_features_to_select=5``, ``projstg.select`` has ``k=5``, and on the command line
that is ``-k 5``. So an error, a warning or a note has a :class:`Message`: text that remembers which
of its parts are arguments, or columns, and can be written again with other names for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from ._printable import few_names

__all__ = ["Argument", "Columns", "Message"]


class Argument(NamedTuple):
    """An argument, by its name or with a value as Python writes it."""

    name: str
    value: object = ""

    def __str__(self) -> str:
        return self.name if self.value == "" else f"{self.name}={self.value}"


class Columns(tuple):
    """Places of columns that have no names where the message is made."""

    def __str__(self) -> str:
        return few_names(self)


class Message(str):
    """Text made of parts, each of them text, another message, an :class:`Argument` or columns.

    Examples
    --------
    >>> said = Message(Argument("k", 5), " is more than the 4 columns of ", Argument("X"), ".")
    >>> said
    'k=5 is more than the 4 columns of X.'
    >>> said.renamed(lambda one: Argument(f"--{one.name}", one.value))
    '--k=5 is more than the 4 columns of --X.'
    """

    parts: tuple[Any, ...]

    def __new__(cls, *parts: str | Argument | Columns) -> Self:
        each = (part.parts if isinstance(part, Message) else (part,) for part in parts)
        flat = tuple(one for own in each for one in own)
        self = super().__new__(cls, "".join(map(str, flat)))
        self.parts = flat
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:  # for pickle and copy
        return self.parts

    def renamed(self, name: Callable[[Any], str | Argument | Columns]) -> Message:
        """Return the message with other names for its arguments and columns."""
        return Message(*(one if isinstance(one, str) else name(one) for one in self.parts))
