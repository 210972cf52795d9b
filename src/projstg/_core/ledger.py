r"""What the search of one problem has found so far, and whether that is enough.

A support is entered once, under the bytes of its members in increasing order; every start leaves
the best score it came to. The search is settled when enough independent starts have come to the
best of all. One round straight downhill settles an easy problem. On a hard one a wrong support may
draw many starts, so long walks must agree too, and the best support must stand when some of its
members are withheld (a *challenge*); among many columns a wrong support seldom draws several
starts, and a few are enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Ledger", "Optima", "members_of", "optima", "slack"]

_FIRST_AGREEMENT, _AGREEMENT = 5, 6
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

    def is_settled(self, after_first_round: bool, K: int, n_columns: int) -> bool:
        """Whether enough starts agree; among few columns, half the members were challenged."""
        if after_first_round:
            return self.agreeing() >= _FIRST_AGREEMENT
        if n_columns > _WIDE:
            return self.agreeing() >= _WIDE_AGREEMENT
        return self.agreeing() >= max(_AGREEMENT, K // 2 + 2) and self.n_challenges >= K // 2

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
