"""Rounds of starts and the last exchanges of one problem, by the compiled kernel.

It does what :func:`~.multistart.run_rounds` and :func:`~.polish.polish` do, which are its
definition, with the same draws.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..data.source_rows import MOST_FACTORED
from ..kernel import library
from ..kernel.library import Record
from ..score.compiled import field_record, judge_record, row_record
from ..score.score_settings import SCORE
from .multistart import run_rounds
from .polish import polish
from .record import RankedSupports
from .scored_search import Search
from .search_settings import SearchSettings

__all__ = ["Searches", "plan_record", "search_compiled"]


def search_compiled(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (S0, K), at most n_starts; the record takes what is found.

    NumPy does the last exchanges where closed forms have too few digits for them, and all of it
    where sums have too few and rows of all columns would take too long to fetch.
    """
    columns, generator = search.columns, search.generator.bit_generator
    rows = row_record(search.problem, columns, fetch=False)
    may_fetch = rows is None and search.problem.has_rows
    state = dict(generator.state) if may_fetch else {}
    ranked, scores, (n_iter, has_digits, is_left, n_challenges) = _found(
        search, starts, n_starts, rows
    )
    if not has_digits and may_fetch:
        generator.state = state
        if columns.size > MOST_FACTORED:
            run_rounds(search, starts, n_starts)
            polish(search)
            return
        rows = row_record(search.problem, columns, fetch=True)
        ranked, scores, (n_iter, _, is_left, n_challenges) = _found(search, starts, n_starts, rows)
    search.record.take(ranked._replace(supports=columns[ranked.supports]), scores, n_challenges)
    search.record.n_iter += n_iter
    if is_left:
        polish(search)


def _found(
    search: Search, starts: np.ndarray, n_starts: int, rows: Record | None
) -> tuple[RankedSupports, list[float], tuple[int, bool, bool, int]]:
    """Return what one call of the kernel finds: supports, columns of the field, best first.

    Then come the scores of the starts and four numbers: how many exchanges were made, whether sums
    had digits enough, whether the last exchanges are left, and the number of challenges.
    """
    record, columns, K = search.record, search.columns, starts.shape[1]
    field, judge = field_record(search.field), judge_record(search.judge)
    plan = plan_record(search.settings, K, n_starts)
    known = record.ranked if record.starts else RankedSupports.none(K)
    starts = np.ascontiguousarray(starts, dtype=np.int64)
    before, numbers = np.asarray(record.starts, dtype=float), np.zeros(7, dtype=np.int64)
    task = library.SearchTaskRecord.of(
        generator=library.generator_address(search.generator),
        K=K,
        n_redundant=search.field.n_redundant,
        n_given=len(starts),
        n_known=len(known.supports),
        n_before=before.size,
        n_challenges=record.n_challenges,
        starts=starts,
        known=np.searchsorted(columns, known.supports).astype(np.int64),
        known_scores=known.scores,
        before=before,
        best=np.empty(K, dtype=np.int64),
        score=np.empty(1),
        numbers=numbers,
    )
    handle = library.KERNEL.projstg_search(field, judge, rows, plan, task)
    if not handle:
        raise MemoryError(f"no memory for a search of {columns.size} columns")
    n_supports, n_walks, n_iter, has_digits, is_left, n_challenges, _ = numbers.tolist()
    scores, searches = np.empty(n_walks), Searches(np.asarray([handle], dtype=np.uintp))
    ranked = searches.ranked(0, n_supports, K, scores)
    return ranked, scores.tolist(), (n_iter, bool(has_digits), bool(is_left), n_challenges)


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
        n_exact=SCORE.n_exact(K),
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
