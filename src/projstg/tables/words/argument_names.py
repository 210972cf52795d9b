"""What ``select`` calls an argument of a fit, and how its own are typed on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..._messages import Argument, Columns, Message
from ..._printable import few_names, printable
from .notes import TableError

__all__ = ["as_options", "fitting", "in_words_of_select"]

_OF_SELECT = {
    "n_features_to_select": "k",
    "always_select": "always",
    "sample_weight": "weights",
    "gates": "ProjectedSTG's gates",
    "X": "the table",
    "y": "the target",
}
_SAME = ("always", "folds", "levels", "missing", "never", "sheet", "sizes", "target", "weights")
_OPTIONS = {"k": "-k", "random_state": "--seed"} | {name: f"--{name}" for name in _SAME}
# What stands for the name of any column, or of several.
_ANY_NAME = {'"…"', "[…]"}


def in_words_of_select(said: Exception | str, columns: Sequence[str]) -> str:
    """Return what a fit to columns with these names says, an error or a warning, on one line.

    Examples
    --------
    >>> said = Message(Columns([1]), " is in ", Argument("always_select"), ".")
    >>> in_words_of_select(ValueError(said), ["age", "bmi"])
    'bmi is in always.'
    """
    message = said.args[0] if isinstance(said, Exception) and said.args else said
    if not isinstance(message, Message):
        return printable(said)

    def named(one: Any) -> str | Argument:
        if isinstance(one, Columns):
            return few_names(columns[place] for place in one)
        return one._replace(name=_OF_SELECT.get(one.name, one.name))

    return message.renamed(named)


@contextmanager
def fitting(columns: Sequence[str]) -> Iterator[None]:
    """What a fit in the block refuses is refused in the words of ``select``."""
    try:
        yield
    except ValueError as error:
        raise TableError(in_words_of_select(error, columns)) from None


def as_options(text: str) -> str:
    """Return what ``select`` says with arguments as they are typed on the command line.

    Examples
    --------
    >>> as_options(Message(Argument("k", '"auto"'), "; ", Argument("missing", '"drop"')))
    '--auto; --missing drop'
    >>> as_options(Message(Argument("never"), " has 'x'; leave it out of ", Argument("k", 3)))
    "--never has 'x'; leave it out of -k 3"
    """
    return text.renamed(_option) if isinstance(text, Message) else text


def _option(one: Any) -> str:
    if one == Argument("k", '"auto"'):
        return "--auto"
    value = "NAME" if one.value in _ANY_NAME else str(one.value).strip("\"'")
    return f"{_OPTIONS.get(one.name, one.name)} {value}".rstrip()
