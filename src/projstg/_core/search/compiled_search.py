"""Rounds of starts and the last exchanges of one problem, by the compiled kernel.

It does what :func:`~.multistart.run_rounds` and :func:`~.polish.polish` do, which are its
definition, with the same draws.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

import numpy as np

from ..data.source_rows import MOST_FACTORED
from ..kernel import library
from ..kernel.library import Record
from ..score.compiled import field_record, judge_record, row_record
from ..score.score_settings import SCORE
from .record import RankedSupports, members_of
from .scored_search import Search
from .search_settings import SearchSettings

__all__ = ["Done", "Searches", "plan_record", "search_compiled"]

_NOBODY, _NOTHING = np.empty(0, dtype=np.int64), np.empty(0)


class Done(Enum):
    """What the kernel has done."""

    NOTHING = 0
    """Sums have too few digits, and rows of all columns would take too long to fetch."""
    ROUNDS = 1
    """The last exchanges are left: closed forms have too few digits for them."""
    ALL = 2


def search_compiled(search: Search, starts: np.ndarray, n_starts: int) -> Done:
    """Search from ``starts`` (S0, K), at most n_starts; the record takes what is found.

    If nothing was done, the generator is as it was.
    """
    columns, generator = search.columns, search.generator.bit_generator
    rows = row_record(search.problem, columns, fetch=False)
    may_fetch = rows is None and search.problem.has_rows
    state = dict(generator.state) if may_fetch else {}
    found = _Searched(search, starts, n_starts, rows)
    if not found.has_digits and may_fetch:
        generator.state = state
        if columns.size > MOST_FACTORED:
            return Done.NOTHING
        rows = row_record(search.problem, columns, fetch=True)
        found = _Searched(search, starts, n_starts, rows)
    ranked = RankedSupports(columns[found.ranked.supports], found.ranked.scores)
    best, starts_scores = columns[found.best], found.starts.tolist()
    search.record.take(ranked, best, found.score, starts_scores, found.n_challenges)
    search.record.n_iter += found.n_iter
    return Done.ALL if found.is_polished else Done.ROUNDS


class _Searched:
    """What one call of the kernel finds."""

    def __init__(
        self, search: Search, starts: np.ndarray, n_starts: int, rows: Record | None
    ) -> None:
        record, columns, K = search.record, search.columns, starts.shape[1]
        field, judge = field_record(search.field), judge_record(search.judge)
        plan = plan_record(search.settings, K, n_starts)
        known, scores, before = _NOBODY, _NOTHING, _NOTHING
        if not record.is_empty:
            known = np.asarray([members_of(key) for key in record.scores], dtype=np.int64)
            known = np.searchsorted(columns, known.reshape(-1, K)).astype(np.int64)
            scores = np.asarray(list(record.scores.values()), dtype=float)
            before = np.asarray(record.starts, dtype=float)
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        numbers, score = np.zeros(7, dtype=np.int64), np.empty(1)
        self.best = np.empty(K, dtype=np.int64)
        task = library.SearchTaskRecord.of(
            generator=library.generator_address(search.generator),
            K=K,
            n_redundant=search.field.n_redundant,
            n_given=len(starts),
            n_known=len(known),
            n_before=before.size,
            n_challenges=record.n_challenges,
            starts=starts,
            known=known,
            known_scores=scores,
            before=before,
            best=self.best,
            score=score,
            numbers=numbers,
        )
        handle = library.KERNEL.projstg_search(field, judge, rows, plan, task)
        if not handle:
            raise MemoryError(f"no memory for a search of {columns.size} columns")
        n_supports, n_walks, self.n_iter, has_digits, is_left, self.n_challenges, _ = (
            numbers.tolist()
        )
        self.has_digits, self.is_polished = bool(has_digits), not is_left
        self.score, self.starts = float(score[0]), np.empty(n_walks)
        self.ranked = Searches(np.asarray([handle], dtype=np.uintp)).ranked(
            0, n_supports, K, self.starts
        )


class Searches:
    """Searches of the kernel, each ended when what it found is taken, or with this object."""

    def __init__(self, handles: np.ndarray) -> None:
        self._handles = handles

    def ranked(self, i: int, n: int, K: int, starts: np.ndarray | None = None) -> RankedSupports:
        """Return what search i found, n supports of K columns; ``starts`` gets its starts' scores.

        A search that was not made has found n = 0.
        """
        found = RankedSupports(np.empty((n, K), dtype=np.int64), np.empty(n))
        handle, self._handles[i] = int(self._handles[i]), 0
        ranking = library.RankingRecord.of(**found._asdict(), starts=starts)
        if handle and library.KERNEL.projstg_search_finish(handle, ranking):
            raise MemoryError(f"no memory for {n} supports")
        return found

    def __del__(self) -> None:
        for handle in self._handles[self._handles != 0].tolist():
            library.KERNEL.projstg_search_finish(handle, None)


@lru_cache(maxsize=64)
def plan_record(settings: SearchSettings, K: int, n_starts: int) -> Record:
    """Return the settings as the kernel takes them."""
    fractions = np.asarray([settings.fractions, settings.tight_fractions], dtype=float)
    return library.PlanRecord.of(
        n_starts=n_starts,
        first_round=settings.first_round,
        second_round=settings.second_round,
        later_rounds=settings.later_rounds,
        n_local_optima=settings.n_local_optima,
        n_steps=settings.n_steps(K),
        excluded_for=settings.excluded_for,
        locked_for=settings.locked_for,
        refresh=settings.refresh,
        most_steps=settings.most_steps * (K + 10),
        most_exchanges=settings.most_exchanges,
        first_agreement=settings.first_agreement,
        clear_agreement=settings.clear_agreement,
        agreement=settings.agreement,
        wide=settings.wide,
        wide_agreement=settings.wide_agreement,
        n_exact=max(SCORE.n_exact_exchanges, 2 * K),
        n_fractions=fractions.shape[1],
        fractions=fractions[0],
        tight_fractions=fractions[1],
        tight=settings.tight,
        clear_lead=settings.clear_lead,
        common_share=settings.common_share,
        rounding=settings.rounding,
        delicate=settings.delicate,
        relative_ridge=SCORE.relative_ridge,
        digits=SCORE.rounding,
    )
