"""From JSON to records: every field is checked against the type that the record states.

A record is a dataclass, a named tuple or a ``TypedDict``
of numbers, text, lists, tuples and dicts.
"""

from __future__ import annotations

import json
import math
from dataclasses import is_dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from ..._printable import shortened, whole_characters
from ..words.notes import TableError

__all__ = ["Probability", "typed"]

Probability = Annotated[float, "from 0 to 1"]
"""A number from 0 to 1."""
# A sum of probabilities may be above 1 by so much.
_ROUNDING = 1e-9

_NAMED = {float: "a number", int: "a whole number", str: "text", dict: "an object", list: "a list"}


def typed(value: Any, wanted: Any, where: str = "") -> Any:
    """Return a value from JSON as the type it is meant to be, or raise and name the field.

    Examples
    --------
    >>> typed([1, 2.5], tuple[float, ...])
    (1.0, 2.5)
    >>> typed(["a", 3], list[str], "names")
    Traceback (most recent call last):
    projstg.tables.words.notes.TableError: this is no selection: names[1] is 3, and text is wanted.
    """
    if wanted is Any:
        return value
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in {Union, UnionType}:  # X | None is the only union there is
        return None if value is None else typed(value, inner[0], where)
    if origin is Annotated:  # a probability
        number = typed(value, inner[0], where)
        if not -_ROUNDING <= number <= 1.0 + _ROUNDING:
            raise TableError(
                f"this is no selection: {shortened(where)} is {shortened(value)}, and a number "
                "from 0 to 1 is wanted."
            )
        return number
    if origin in {list, tuple}:
        _check(value, list, where)
        return origin(typed(one, inner[0], f"{where}[{i}]") for i, one in enumerate(value))
    if origin is dict:
        _check(value, dict, where)
        return {
            whole_characters(key): typed(one, inner[1], f"{where}.{key}")
            for key, one in value.items()
        }
    if is_typeddict(wanted) or is_dataclass(wanted) or hasattr(wanted, "_fields"):
        return _record(value, wanted, where)
    _check(value, wanted, where)
    if wanted is str:
        return whole_characters(value)
    return _finite(value, where) if wanted is float else value


def _record(value: Any, wanted: Any, where: str) -> Any:
    """Return a dict from JSON as a record: all fields are there; unknown ones are ignored."""
    _check(value, dict, where)
    given = {}
    for name, hint in get_type_hints(wanted, include_extras=True).items():
        place = f"{where}.{name}" if where else name
        if name in value:
            given[name] = typed(value[name], hint, place)
        else:
            raise TableError(f"this is no whole selection: it has no {shortened(place)}.")
    return wanted(**given)


def _finite(value: float, where: str) -> float:
    """Return a number as a float; raise where it is none or too large."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise TableError(f"this is no selection: {shortened(where) or 'it'} is not finite.")
    return number


def _check(value: Any, wanted: type, where: str) -> None:
    """Raise unless a value has the type; a whole number is a number, and a bool is none."""
    kinds = (int, float) if wanted is float else wanted
    if not isinstance(value, kinds) or isinstance(value, bool):
        seen = shortened(json.dumps(value)[:400])
        raise TableError(
            f"this is no selection: {shortened(where) or 'it'} is {seen}, and {_NAMED[wanted]} is "
            "wanted."
        )
