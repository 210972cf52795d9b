"""A quick search at one size after another: from a greedy path, and a few random starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data.batch import Batch
from ..data.problem import Problem
from ..greedy.matching_pursuit import forward_selection
from ..score.criterion import Judge
from ..score.tableau import Field
from ..search.best_support import Refined, refine
from ..search.working_set import first_columns, joining_columns, joining_pairs
from .candidate_columns import candidate_columns, with_candidates
from .pipeline_settings import PIPELINE, QUICK

__all__ = ["QuickSearch"]

# Draws of their own: a size that is then searched in full knows nothing of them.
_TAG = 17


class QuickSearch:
    """Searches of one problem.

    ``judge`` is that of supports of up to ``k_max`` columns, ``always`` a mask (D,). The draws
    depend on (seed, K) and on how many searches there were before. Of a very wide problem some
    columns come into question (:mod:`.candidate_columns`). Where these are many, walks go among a
    working set, and what its best supports lack joins it: for this size, and for those that are
    searched later.
    """

    def __init__(
        self, problem: Problem, judge: Judge, k_max: int, always: np.ndarray, seed: int
    ) -> None:
        self._judge, self._k_max, self._seed = judge, k_max, seed
        self._whole, self._must, self._n_looks = problem, always, 0
        self._settings, self._n_searches = QUICK, 0
        self.is_among_some = problem.is_wide
        """Whether only some columns come into question."""
        self._candidates = np.arange(problem.b.size)
        if problem.is_wide:
            self._candidates = candidate_columns(problem, k_max)  # type: ignore[arg-type]
        self._begin()

    def look_further(self, supports: Sequence[np.ndarray]) -> bool:
        """Search also the columns that promise most beside supports, and return whether there are.

        These are the most correlated with what the supports leave of y. There are none where all
        columns come into question, and after a few such looks.
        """
        if not self.is_among_some or self._n_looks == PIPELINE.times_again:
            return False
        self._n_looks += 1
        self._candidates = with_candidates(self._whole, self._candidates, supports)  # type: ignore[arg-type]
        self._begin()
        return True

    def _begin(self) -> None:
        """Begin with the candidates, or with the most promising of them."""
        self._problem = self._whole
        if self.is_among_some:
            self._problem = self._whole.subset(self._candidates)
        problem, always = self._problem, self._must[self._candidates]
        self._orders: list[np.ndarray] = []
        if not always.any() and bool(np.all(problem.diagonal > 0.0)):
            greedy = forward_selection(Batch.of([problem]), self._k_max).order[0]
            self._orders = [greedy, problem.relevant]
        columns = np.arange(problem.b.size)
        if columns.size > PIPELINE.most_quick:
            wanted = always.copy()
            for order in self._orders:  # the set holds every start
                wanted[order[: self._k_max]] = True
            columns = first_columns(problem, np.empty((0, 0), np.int64), wanted, QUICK)
        self._search_among(columns)

    def _search_among(self, columns: np.ndarray) -> None:
        """Search some of the candidates from now on."""
        is_all, self._columns = columns.size == self._problem.b.size, columns
        self._few = self._problem if is_all else self._problem.subset(columns)
        self._always = self._must[self._candidates[columns]]
        self._field = Field.of(self._few, self._always)

    def be_thorough(self) -> None:
        """Let starts agree more often from now on before a search ends."""
        self._settings = replace(
            QUICK,
            most_columns=PIPELINE.widest,
            wide=0,
            wide_agreement=PIPELINE.thorough_agreement,
        )

    def widen(self) -> None:
        """Search among all columns from now on, or among the most promising where they are many."""
        wanted = np.zeros(self._problem.b.size, dtype=bool)
        if self._columns.size >= min(PIPELINE.widest, wanted.size):
            return
        wanted[self._columns] = True
        settings = replace(QUICK, working_set=PIPELINE.widest)
        none = np.empty((0, 0), np.int64)
        self._search_among(first_columns(self._problem, none, wanted, settings))

    @property
    def n_columns(self) -> int:
        """How many columns walks go among."""
        return self._columns.size

    def with_pairs(self, support: np.ndarray) -> Refined | None:
        """Return the best supports of two more columns, which say most together; None: no pair."""
        own = np.searchsorted(self._candidates, support)
        pairs = joining_pairs(self._problem, own, QUICK)
        if not len(pairs):
            return None
        starts = [np.append(own, pair) for pair in pairs]
        if not np.isin(pairs, self._columns).all():
            self._search_among(np.union1d(self._columns, pairs))
        return self._among_all(self._found(own.size + 2, len(pairs), starts))

    def __call__(self, k: int, n_starts: int, start: np.ndarray | None = None) -> Refined:
        """Return the best supports of K columns that at most so many starts find.

        ``start`` (K,) is one of them.
        """
        starts = [order[:k] for order in self._orders if 0 < k == np.unique(order[:k]).size]
        starts = [own for own in starts if np.isin(own, self._columns).all()]
        if start is not None:
            starts.append(np.searchsorted(self._candidates, start))
        found = self._found(k, n_starts, starts)
        may_grow = self._columns.size < min(PIPELINE.most_set, self._problem.b.size)
        if may_grow and k and n_starts > PIPELINE.size_starts:
            best = self._columns[found.ranked.supports]
            new = joining_columns(self._problem, best, self._columns, QUICK)
            self._search_among(np.union1d(self._columns, new))
            found = self._found(k, PIPELINE.size_starts, best[: QUICK.joining_starts])
        return self._among_all(found)

    def _among_all(self, found: Refined) -> Refined:
        """Return what was found with the places of its columns among all."""
        if self._columns.size == self._must.size:
            return found
        return found.among(self._candidates[self._columns])._replace(is_complete=False)

    def _found(self, k: int, n_starts: int, starts: Sequence[np.ndarray]) -> Refined:
        """Return what a search among the working set finds."""
        self._n_searches += 1
        begin = None
        if len(starts):
            begin = np.searchsorted(self._columns, np.sort(np.stack(starts), axis=1))
        return refine(
            self._few,
            k,
            starts=begin,
            generator=np.random.default_rng([self._seed, k, _TAG, self._n_searches]),
            criterion=self._judge,
            n_starts=n_starts,
            always=self._always,
            settings=self._settings,
            field=self._field,
        )
