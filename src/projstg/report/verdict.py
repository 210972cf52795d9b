"""A verdict and its words: what several comparisons amount to, and how numbers are said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = ["AGAINST", "HELD", "OPEN", "PART", "Verdict", "caution", "listed", "signed", "sum_up"]

HELD, PART, AGAINST, OPEN = "held", "held in part", "contradicted", "not settled"
_FEW_TRIALS = 50


class Verdict(NamedTuple):
    """What the paper says, whether this run agrees, and by which numbers."""

    finding: str
    outcome: str
    words: str


def listed(words: Iterable[str]) -> str:
    """Return words as a sentence lists them.

    Examples
    --------
    >>> listed(["OMP", "SCAD", "STG"])
    'OMP, SCAD and STG'
    """
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def signed(value: float) -> str:
    """Return a difference with its sign and three decimals.

    Examples
    --------
    >>> signed(-0.0421), signed(0.0), signed(0.5)
    ('−0.042', '0.000', '+0.500')
    """
    text = f"{value:+.3f}"
    return "0.000" if text[1:] == "0.000" else text.replace("-", "−")


def caution(rows: Any) -> str:
    """Return a word of caution where there are few trials a point."""
    n = int(rows["n"].min())
    few = f" With {n} trial{'s' * (n > 1)} a point this is an indication only."
    return few if n < _FEW_TRIALS else ""


def sum_up(relations: list[int]) -> str:
    """Sum up several comparisons, each 1 (as the paper says), −1 (against it) or 0 (open)."""
    if all(sign > 0 for sign in relations):
        return HELD
    if not any(sign > 0 for sign in relations):
        return AGAINST if any(sign < 0 for sign in relations) else OPEN
    return PART
