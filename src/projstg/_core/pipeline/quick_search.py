"""A quick search at one size after another: from a greedy path, and a few random starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.batch import Batch
from ..data.problem import Problem
from ..data.relevance import relevant_columns_of
from ..greedy.matching_pursuit import forward_selection
from ..score.criterion import Judge
from ..score.tableau import Field
from ..search.best_support import Refined, refine
from .candidate_columns import candidate_columns, with_candidates
from .pipeline_settings import PIPELINE, QUICK

__all__ = ["QuickSearch"]


class QuickSearch:
    """Searches of one problem.

    ``judge`` is that of supports of up to ``k_max`` columns, ``always`` a mask (D,). The draws
    depend on (seed, K) alone. Of a very wide problem some columns are searched
    (:mod:`.candidate_columns`).
    """

    def __init__(
        self, problem: Problem, judge: Judge, k_max: int, always: np.ndarray, seed: int
    ) -> None:
        self._judge, self._k_max, self._seed = judge, k_max, seed
        self._whole, self._must, self._n_looks = problem, always, 0
        self.is_among_some = problem.is_wide
        """Whether only some columns are searched."""
        self._candidates = candidate_columns(problem, k_max) if problem.is_wide else None  # type: ignore[arg-type]
        self._begin()

    def look_further(self, supports: Sequence[np.ndarray]) -> bool:
        """Search also the columns that promise most beside supports, and return whether there are.

        These are the most correlated with what the supports leave of y. There are none where all
        columns are searched, and after a few such looks.
        """
        if self._candidates is None or self._n_looks == PIPELINE.times_again:
            return False
        self._n_looks += 1
        self._candidates = with_candidates(self._whole, self._candidates, supports)  # type: ignore[arg-type]
        self._begin()
        return True

    def _begin(self) -> None:
        """Search the candidates, or all columns."""
        problem, self._always = self._whole, self._must
        if self._candidates is not None:
            problem, self._always = problem.subset(self._candidates), self._must[self._candidates]
        self._problem, is_small = problem, problem.b.size <= QUICK.most_columns
        self._field = Field.of(problem, self._always) if is_small else None
        is_free = not self._always.any() and bool(np.all(problem.diagonal > 0.0))
        self._orders: list[np.ndarray] = []
        if is_free:
            self._orders = [forward_selection(Batch.of([problem]), self._k_max).order[0]]
            self._orders.append(relevant_columns_of(problem))

    def __call__(self, k: int, n_starts: int, start: np.ndarray | None = None) -> Refined:
        """Return the best supports of K columns that at most so many starts find.

        ``start`` (K,) is one of them.
        """
        starts = [own[:k] for own in self._orders if 0 < k == np.unique(own[:k]).size]
        if start is not None:
            starts.append(
                start if self._candidates is None else np.searchsorted(self._candidates, start)
            )
        found = refine(
            self._problem,
            k,
            starts=np.sort(np.stack(starts), axis=1) if starts else None,
            generator=np.random.default_rng([self._seed, k]),
            criterion=self._judge,
            n_starts=n_starts,
            always=self._always,
            settings=QUICK,
            field=self._field,
        )
        if self._candidates is None:
            return found
        return found.among(self._candidates)._replace(is_complete=False)
