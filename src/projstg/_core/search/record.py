r"""What the search of one problem has found so far, and whether that is enough.

A support is entered once, under the bytes of its members in increasing order; every start leaves
the best score it came to. Two things say that the best of them is the best of all: its *lead* over
the next one found, and how many independent starts have come to it. Where the truth can be told
from its rivals at all it leads clearly, and a wrong support hardly ever does; so with a clear lead
one round straight downhill settles an easy problem, and two long walks a harder one. Without it a
wrong support may draw many starts: then a large share of them must agree, and the best must stand
when some of its members are withheld (a *challenge*). Among many columns a wrong support seldom
draws several starts, and a few are enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Ledger", "Optima", "members_of", "optima", "slack"]

_FIRST_AGREEMENT, _CLEAR_AGREEMENT, _AGREEMENT = 5, 2, 8
_COMMON = 0.4
# −2 log of odds of twenty to one.
_CLEAR_LEAD = 6.0
_WIDE, _WIDE_AGREEMENT = 256, 4


class Optima(NamedTuple):
    """The distinct supports one problem's search came to rest at (or all of few), best first."""

    supports: np.ndarray
    """(M, K), each in increasing order."""
    scores: np.ndarray
    """(M,)."""


class Ledger:
    """What the search of one problem has found: scores by support, and the best of each start."""

    def __init__(self) -> None:
        self.scores: dict[bytes, float] = {}
        self.starts: list[float] = []
        self.lowest = np.inf
        self.n_challenges = 0

    def enter(self, key: bytes, score: float) -> None:
        """Enter a support; a better one than all before has met no challenge yet."""
        self.scores[key] = score
        if score < self.lowest - slack(score):
            self.n_challenges = 0
        self.lowest = min(self.lowest, score)

    def starts_move(self, old: float, new: float) -> None:
        """Note that the starts that had come to a score ``old`` have moved on to ``new``."""
        most = old + slack(old)
        self.starts = [new if score <= most else score for score in self.starts]

    def is_settled(self, after_first_round: bool, K: int, n_columns: int) -> bool:
        """Whether enough starts agree; fewer are enough where the lead is clear."""
        agreeing, is_clear = self.agreeing(), self.lead() >= _CLEAR_LEAD
        if after_first_round:
            return is_clear and agreeing >= _FIRST_AGREEMENT
        if n_columns > _WIDE:
            return agreeing >= _WIDE_AGREEMENT
        if is_clear:
            return agreeing >= _CLEAR_AGREEMENT
        is_common = agreeing >= max(_AGREEMENT, _COMMON * len(self.starts))
        return is_common and self.n_challenges >= K // 2

    def lead(self) -> float:
        """Return how much worse than the best the next support is that differs in its score."""
        most = self.lowest + slack(self.lowest)
        return min((score for score in self.scores.values() if score > most), default=np.inf) - most

    @property
    def best(self) -> bytes:
        """The best support; among equals the lexicographically smallest."""
        most = self.lowest + slack(self.lowest)
        equal = (key for key, score in self.scores.items() if score <= most)
        return min(equal, key=lambda key: tuple(members_of(key)))

    def agreeing(self) -> int:
        """How many starts arrived at the best score."""
        return sum(score <= self.lowest + slack(self.lowest) for score in self.starts)


def slack(score: Any) -> Any:
    """Return the difference below which two scores are equal."""
    return 1e-7 + 1e-10 * abs(score)


def members_of(key: bytes) -> np.ndarray:
    """Return the members, in increasing order, of the support that a ledger knows as ``key``."""
    return np.frombuffer(key, dtype=np.int64)


def optima(ledger: Ledger) -> Optima:
    """Return all that a ledger holds."""
    order = sorted(ledger.scores.items(), key=lambda item: item[1])
    supports = np.stack([members_of(key) for key, _ in order])
    return Optima(supports, np.asarray([score for _, score in order]))
