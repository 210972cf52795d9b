"""Is one curve above another? The arithmetic behind the verdicts.

Two curves are compared by the samples they need. If these are equal, they are compared by their
mean success over the points they share. The spread of that mean is binomial. Trials are paired, so
the true spread is smaller, and a difference that counts here is a real one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .samples_needed import samples_needed

__all__ = ["ONE_SIDED", "Difference", "curve", "mean_difference", "relation"]

ONE_SIDED = 1.645
"""Standard errors beyond which a difference counts: 90 % two-sided, as all bands here."""


class Difference(NamedTuple):
    """Mean success of one curve less that of another, and how sure that is."""

    value: float
    error: float

    @property
    def sign(self) -> int:
        """1 or −1 if the difference counts, else 0."""
        if abs(self.value) <= ONE_SIDED * self.error:
            return 0
        return 1 if self.value > 0 else -1


def curve(table: Any, **fields: Any) -> Any:
    """Return the rows of a summary that have the given fields."""
    for name, value in fields.items():
        if name not in table:
            return table.iloc[:0]
        table = table[table[name] == value]
    return table


def _shares(rows: Any, x: str) -> dict[Any, tuple[float, float]]:
    """Return at each x the rate and its variance, with half a trial added to either outcome."""
    found = {}
    for place, rate, n in zip(rows[x], rows["rate"], rows["n"], strict=True):
        p = (rate * n + 0.5) / (n + 1.0)
        found[place] = float(rate), p * (1.0 - p) / n
    return found


def mean_difference(rows: Any, others: Any, x: str = "n_samples") -> Difference | None:
    """Return the difference of two curves over the points they share; None if they share none."""
    ours, theirs = _shares(rows, x), _shares(others, x)
    shared = sorted(set(ours) & set(theirs))
    if not shared:
        return None
    value = sum(ours[place][0] - theirs[place][0] for place in shared) / len(shared)
    variance = sum(ours[place][1] + theirs[place][1] for place in shared)
    return Difference(value, math.sqrt(variance) / len(shared))


def relation(rows: Any, others: Any) -> int:
    """Return 1 if the first curve is better, −1 if it is worse, 0 if the run does not decide."""
    ours, theirs = samples_needed(rows), samples_needed(others)
    ends = [math.inf if found.at is None else found.at for found in (ours, theirs)]
    if ends[0] != ends[1]:
        return 1 if ends[0] < ends[1] else -1
    difference = mean_difference(rows, others)
    return difference.sign if difference is not None else 0
