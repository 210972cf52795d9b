"""Values of a TOML table with the type they must have; any other value is refused.

Every function takes the value and ``where``, the place in the file that an error message names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..._did_you_mean import did_you_mean

__all__ = [
    "as_list",
    "boolean",
    "integer",
    "positive_number",
    "refuse_unknown",
    "string",
    "table_at",
    "tables",
]


def refuse_unknown(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise for the first key of ``table`` that is not one of ``known``."""
    for key in table:
        if key not in known:
            raise ValueError(f"{where}: there is no key {key!r}; {did_you_mean(key, known)}")


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as a list of one."""
    return value if isinstance(value, list) else [value]


def table_at(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    """Return the table under ``key``; an empty one where the key is missing."""
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: {key} = {value!r}; give a table.")
    return value


def tables(value: Any, where: str) -> list[Mapping[str, Any]]:
    """Return a list of tables."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise ValueError(f"{where} = {value!r}; give a list of tables.")
    return value


def string(value: Any, where: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{where} = {value!r}; give a text in quotes.")
    return value


def integer(value: Any, least: int, most: int, where: str) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{where} is {value!r}; give a whole number from {least} to {most}.")
    return value


def positive_number(value: Any, where: str) -> float:
    """Return a positive number as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e300:
        raise ValueError(f"{where} is {value!r}; give a positive number.")
    return float(value)


def boolean(value: Any, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}; give true or false.")
    return value
