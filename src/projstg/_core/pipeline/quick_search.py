"""A quick search at one size after another: from a greedy path, and a few random starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem, WideQuadratic
from ..greedy.matching_pursuit import forward_selection
from ..score.criterion import Judge
from ..search.best_support import Refined, SharedColumns, refine
from ..search.search_settings import SEARCH
from .candidate_columns import candidate_columns, with_candidates
from .pipeline_settings import PIPELINE

__all__ = ["QuickSearch"]

# The last exchanges, of a table for each ridge, would take longer than all walks, and so would
# walks among all of a thousand columns.
_QUICK = replace(SEARCH, most_exchanges=0, most_columns=400, working_set=150, n_single_walks=2)


class QuickSearch:
    """Searches of one problem.

    ``judge`` is that of supports of up to ``k_max`` columns; ``always`` and ``never`` are masks
    (D,). The draws depend on (seed, K) alone. Of a very wide problem some columns are searched
    (:mod:`.candidate_columns`).
    """

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        k_max: int,
        always: np.ndarray,
        never: np.ndarray,
        seed: int,
    ) -> None:
        self._judge, self._k_max, self._seed = judge, k_max, seed
        self._whole, self._masks, self._n_looks = problem, (always, never), 0
        self.is_among_some = isinstance(problem, WideQuadratic)
        """Whether only some columns are searched."""
        if isinstance(problem, WideQuadratic):
            self._search_among(candidate_columns(problem, k_max))
        else:
            self._search_among(None)

    def look_further(self, supports: Sequence[np.ndarray]) -> bool:
        """Search also the columns that promise most beside supports, and return whether there are.

        These are the most correlated with what the supports leave of y. There are none where all
        columns are searched, and after a few such looks.
        """
        whole, candidates = self._whole, self._candidates
        if not isinstance(whole, WideQuadratic) or candidates is None:
            return False
        if self._n_looks == PIPELINE.times_again:
            return False
        self._n_looks += 1
        self._search_among(with_candidates(whole, candidates, supports))
        return True

    def _search_among(self, candidates: np.ndarray | None) -> None:
        """Search some columns, (W,), or all."""
        problem, (always, never) = self._whole, self._masks
        if candidates is not None:
            problem = problem.columns(candidates[None])
            always, never = (mask[candidates] for mask in self._masks)
        self._candidates = candidates
        self._problem, self._columns = problem, SharedColumns(problem, always, never)
        is_free = not (always.any() or never.any())
        self._greedy = to_numpy(forward_selection(problem, self._k_max).order) if is_free else None

    def __call__(self, k: int, n_starts: int) -> Refined:
        """Return the best supports of K columns that at most so many starts find."""
        found = refine(
            self._problem,
            k,
            starts=self._start(k),
            generator=np.random.default_rng([self._seed, k]),
            criterion=self._judge,
            n_starts=n_starts,
            settings=_QUICK,
            columns=self._columns,
        )
        if self._candidates is None:
            return found
        return found.among(self._candidates)._replace(is_complete=False)

    def _start(self, k: int) -> np.ndarray | None:
        """Return the first k columns of the greedy path, (1, k); None where it is shorter."""
        if self._greedy is None:
            return None
        is_whole = k > 0 and np.unique(self._greedy[0, :k]).size == k
        return self._greedy[:, :k] if is_whole else None
