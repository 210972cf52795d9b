"""A verdict: the result of several comparisons."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["AGAINST", "HELD", "OPEN", "PART", "Verdict", "caution", "sum_up"]

HELD, PART, AGAINST, OPEN = "held", "held in part", "contradicted", "not settled"
_FEW_TRIALS = 50


class Verdict(NamedTuple):
    """What the paper says, whether this run agrees, and by which numbers."""

    finding: str
    outcome: str
    words: str


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
