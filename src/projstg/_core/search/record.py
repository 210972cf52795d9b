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

__all__ = ["RankedSupports", "SearchRecord", "slack"]


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


class SearchRecord:
    """What the search of one problem has found: scores of supports, best score of each start."""

    def __init__(self, settings: SearchSettings = SEARCH) -> None:
        self.settings = settings
        self._scores: dict[bytes, float] = {}
        self._ranked: RankedSupports | None = None
        """The same in order, made when it is asked for, like the scores of a compiled search."""
        self.starts: list[float] = []
        self.lowest = np.inf
        self.n_challenges = 0
        self.n_iter = 0
        """Exchanges made so far."""

    def take(self, ranked: RankedSupports, starts: list[float], n_challenges: int) -> None:
        """Take all that a compiled search knows: its supports and its starts."""
        self._scores, self._ranked = {}, ranked
        self.lowest, self.starts = float(ranked.scores[0]), starts
        self.n_challenges = n_challenges

    @property
    def scores(self) -> dict[bytes, float]:
        """The scores of supports, by the bytes of their members."""
        if not self._scores and self._ranked is not None:
            keys = [row.tobytes() for row in self._ranked.supports]
            self._scores = dict(zip(keys, self._ranked.scores.tolist(), strict=True))
        return self._scores

    @property
    def ranked(self) -> RankedSupports:
        """All supports with their scores, best first; infinite ones only if alone."""
        if self._ranked is None:
            supports = np.frombuffer(b"".join(self._scores), dtype=np.int64)
            supports, scores = supports.reshape(len(self._scores), -1), [*self._scores.values()]
            order = np.argsort(scores, kind="stable")
            order = order[: int(np.isfinite(scores).sum()) or None]
            self._ranked = RankedSupports(supports[order], np.asarray(scores)[order])
        return self._ranked

    def add(self, key: bytes, score: float) -> None:
        """Keep the score of a support; challenges are counted from zero again if it is the best."""
        self.scores[key] = score
        self._ranked = None
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
        scores, n_equal = self.ranked.scores, self._n_equal
        most = self.lowest + slack(self.lowest)
        return float(scores[n_equal] - most) if n_equal < scores.size else np.inf

    def best(self) -> tuple[np.ndarray, float]:
        """Return the best support, (K,), of equal ones the first in order; and its score."""
        supports, scores = self.ranked
        first = np.lexsort(supports[: self._n_equal].T[::-1])[0]
        return supports[first].copy(), float(scores[first])

    @property
    def _n_equal(self) -> int:
        """How many supports are as good as the best."""
        return int(self.ranked.scores.searchsorted(self.lowest + slack(self.lowest), "right"))

    def agreeing(self) -> int:
        """Return how many starts arrived at the best score."""
        return sum(score <= self.lowest + slack(self.lowest) for score in self.starts)


def slack(score: Any) -> Any:
    """Return the difference up to which two scores are equal: more than rounding of ν log(rss)."""
    return 1e-7 + 1e-10 * abs(score)
