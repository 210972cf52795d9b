r"""What the search of one problem has found so far, and whether that is enough.

A support is scored once, and its score is kept under the bytes of its members in increasing order;
of every start the best score is kept. Two things indicate that the best support found is the best
of all: its *lead* over the next one, and how many independent starts arrived at it. Where the truth
can be told from other supports at all it leads clearly, and a wrong support hardly ever does. So
with a clear lead one round of descents is enough for an easy problem, and two starts that agree for
a harder one. Without a clear lead many starts may end at a wrong support: then a large share of
them must agree, and the best must remain the best when some of its members are excluded in turn (a
*challenge*). Among many columns several starts seldom end at the same wrong support, and a few that
agree are enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .search_settings import SEARCH, SearchSettings

__all__ = ["RankedSupports", "SearchRecord", "members_of", "slack"]


class RankedSupports(NamedTuple):
    """The distinct supports whose scores the search of one problem has kept, best first."""

    supports: np.ndarray
    """(M, K), each in increasing order."""
    scores: np.ndarray
    """(M,)."""

    @classmethod
    def none(cls, K: int) -> RankedSupports:
        """Return no supports of K columns."""
        return cls(np.empty((0, K), dtype=np.int64), np.empty(0))


class _Taken(NamedTuple):
    """What a compiled search has found."""

    ranked: RankedSupports
    best: bytes
    score: float


class SearchRecord:
    """What the search of one problem has found: scores of supports, best score of each start."""

    def __init__(self, settings: SearchSettings = SEARCH) -> None:
        self.settings = settings
        self._scores: dict[bytes, float] = {}
        self._taken: _Taken | None = None
        self.starts: list[float] = []
        self.lowest = np.inf
        self.n_challenges = 0
        self.n_iter = 0
        """Exchanges made so far."""

    def take(
        self,
        ranked: RankedSupports,
        best: np.ndarray,
        score: float,
        starts: list[float],
        n_challenges: int,
    ) -> None:
        """Take all that a compiled search knows: its supports, the best first, and its starts."""
        self._scores, self._taken = {}, _Taken(ranked, best.tobytes(), score)
        self.lowest, self.starts = float(ranked.scores[0]), starts
        self.n_challenges = n_challenges

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been found yet."""
        return self._taken is None and not self._scores

    @property
    def scores(self) -> dict[bytes, float]:
        """The scores of supports, by the bytes of their members."""
        taken = self._taken
        if taken is not None:
            keys = [row.tobytes() for row in taken.ranked.supports]
            self._scores = dict(zip(keys, taken.ranked.scores.tolist(), strict=True))
            self._taken = None
        return self._scores

    def add(self, key: bytes, score: float) -> None:
        """Keep the score of a support; challenges are counted from zero again if it is the best."""
        self.scores[key] = score
        if score < self.lowest - slack(score):
            self.n_challenges = 0
        self.lowest = min(self.lowest, score)

    def move_starts(self, old: float, new: float) -> None:
        """Give the starts with the score ``old``, or a better one, the score ``new``."""
        most = old + slack(old)
        self.starts = [new if score <= most else score for score in self.starts]

    def is_settled(self, after_first_round: bool, K: int, n_columns: int) -> bool:
        """Return whether enough starts agree; fewer are enough where the lead is clear."""
        settings = self.settings
        if not np.isfinite(self.lowest):
            return False
        agreeing, is_clear = self.agreeing(), self.lead() >= settings.clear_lead
        if after_first_round:
            return is_clear and agreeing >= settings.first_agreement
        if n_columns > settings.wide:
            return agreeing >= settings.wide_agreement
        if is_clear:
            return agreeing >= settings.clear_agreement
        least = max(settings.agreement, settings.common_share * len(self.starts))
        return agreeing >= least and self.n_challenges >= K // 2

    def lead(self) -> float:
        """Return how much worse the next score is than the best; equal scores are not counted."""
        most = self.lowest + slack(self.lowest)
        return min((score for score in self.scores.values() if score > most), default=np.inf) - most

    @property
    def best(self) -> bytes:
        """The key of the best support; of equal ones the lexicographically smallest."""
        if self._taken is not None:
            return self._taken.best
        most = self.lowest + slack(self.lowest)
        equal = (key for key, score in self.scores.items() if score <= most)
        return min(equal, key=lambda key: tuple(members_of(key)))

    @property
    def score(self) -> float:
        """The score of the best support."""
        return self.scores[self.best] if self._taken is None else self._taken.score

    def ranked(self) -> RankedSupports:
        """Return all supports with their scores, best first; infinite ones only if alone."""
        if self._taken is not None:
            return self._taken.ranked
        finite = [item for item in self.scores.items() if np.isfinite(item[1])]
        order = sorted(finite or self.scores.items(), key=lambda item: item[1])
        supports = np.stack([members_of(key) for key, _ in order])
        return RankedSupports(supports, np.asarray([score for _, score in order]))

    def agreeing(self) -> int:
        """Return how many starts arrived at the best score."""
        return sum(score <= self.lowest + slack(self.lowest) for score in self.starts)


def slack(score: Any) -> Any:
    """Return the difference up to which two scores are equal: more than rounding of ν log(rss)."""
    return 1e-7 + 1e-10 * abs(score)


def members_of(key: bytes) -> np.ndarray:
    """Return the members (K,), in increasing order, of the support with this key."""
    return np.frombuffer(key, dtype=np.int64)
