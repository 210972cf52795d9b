"""Checks of what a caller typed; every error says what was seen and what to type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from .._did_you_mean import did_you_mean

__all__ = ["check_count", "check_number", "choose"]


def choose(kind: str, name: Any, table: Mapping[str, Any]) -> Any:
    """Return ``table[name]``, or say which names there are.

    Examples
    --------
    >>> choose("tail", "paretto", {"student": 1, "pareto": 2})
    Traceback (most recent call last):
    ValueError: tail='paretto' is not known; did you mean 'pareto'?
    """
    if isinstance(name, str) and name in table:
        return table[name]
    raise ValueError(f"{kind}={name!r} is not known; {did_you_mean(name, table)}")


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def check_number(
    name: str, value: Any, low: float, high: float = math.inf, *, or_equal: bool = False
) -> float:
    """Return ``value`` if low < value < high; ``or_equal`` lets in the lower end.

    Examples
    --------
    >>> check_number("rho", 1, -1, 1)
    Traceback (most recent call last):
    ValueError: rho=1 will not do; use a number in (-1, 1)
    """
    if _is_number(value) and (low < value < high or (or_equal and value == low)):
        return float(value)
    ends = f"{'[' if or_equal else '('}{low:g}, {high:g})"
    raise ValueError(f"{name}={value!r} will not do; use a number in {ends}")


def check_count(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number of at least low and at most high.

    Examples
    --------
    >>> check_count("n_samples", 40.0, 1)
    40
    """
    is_whole = isinstance(value, Integral) or (_is_number(value) and float(value).is_integer())
    if is_whole and not isinstance(value, bool):
        count = int(value)
        if count >= low and (high is None or count <= high):
            return count
    ends = f"at least {low}" if high is None else f"from {low} to {high}"
    raise ValueError(f"{name}={value!r} will not do; use a whole number, {ends}")
