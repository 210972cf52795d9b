r"""The best support of K columns: many starts, one criterion, and a rule for when to stop.

Where there are few supports in all, :func:`refine` scores each; otherwise rounds of starts
(:mod:`.multistart`) search until enough of them agree. With many columns the search runs in a
working set (:mod:`.working_set`) that grows until none of the likeliest columns outside it improves
the answer. Last come exchanges under the criterion itself (:mod:`.polish`), until no single
exchange improves the score; between columns with an equal score the smaller index is taken. Under a
common size only the exchanges that score best under the Gaussian prior are tried
(``n_exact_exchanges``).
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np

from ..data.problem import Problem
from ..kernel.twin import answered_by
from ..progress import Report, steps_of
from ..score.criterion import CRITERIA, Judge
from ..score.evidence import support_scores
from ..score.score_settings import SCORE
from ..score.tableau import Field
from .compiled_search import search_compiled
from .multistart import run_rounds
from .polish import polish
from .record import RankedSupports, SearchRecord, slack
from .scored_search import Search, score_all
from .search_settings import SEARCH, SearchSettings
from .working_set import (
    around_support,
    exchange_scores_with,
    exchanges_for,
    first_columns,
    joining_columns,
)

__all__ = ["RankedSupports", "Refined", "equivalent_features", "refine"]


class Refined(NamedTuple):
    """The answer of a search."""

    support: np.ndarray
    """(K,), in increasing order."""
    objective: float
    """The score of the support, lower is better (:mod:`projstg._core.score.evidence`)."""
    n_starts: int
    n_agreeing_starts: int
    """How many independent starts arrived at this support."""
    n_iter: int
    """Exchanges made, over all starts."""
    is_complete: bool
    """Whether every support of K columns was scored."""
    n_redundant: int
    """How many of the columns that must be selected depend on others that must be."""
    n_columns: int
    """How many columns the search went among. Before its answer was final, exchanges for all others
    were looked at."""
    judge: Judge
    """For supports of this size; without dilution where only dependent ones were found."""
    ranked: RankedSupports

    def among(self, columns: np.ndarray) -> Refined:
        """Return the answer of a search of some columns, (W,), with their places among all."""
        ranked = self.ranked._replace(supports=columns[self.ranked.supports])
        return self._replace(support=columns[self.support], ranked=ranked)


def refine(
    problem: Problem,
    n_selected: int,
    *,
    starts: np.ndarray | None = None,
    generator: np.random.Generator,
    criterion: str | Judge = "evidence",
    n_starts: int | None = None,
    always: np.ndarray | None = None,
    settings: SearchSettings = SEARCH,
    field: Field | None = None,
    report: Report | None = None,
) -> Refined:
    """Return the best support of ``n_selected`` columns that a search finds.

    Parameters
    ----------
    problem : standardised
    n_selected : at most as many as there are columns that vary
    starts : supports to begin from, (S0, K), members distinct and within the constraints
    generator : what random starts are drawn from
    criterion : its name, or a judge of the problem, for supports of this size and larger ones
    n_starts : the most starts; by default those of ``settings``
    always : a mask (D,) of columns that must be selected
    field : the problem over all columns where it has been made already
    report : is told of each working set that was searched

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.standard_table import as_tables
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 60))
    >>> y = X[..., 1] - X[..., 3] + X[..., 8]
    >>> problem = as_tables(X, y).problem(0)
    >>> refined = refine(problem, 3, generator=np.random.default_rng(1))
    >>> refined.support.tolist(), refined.n_agreeing_starts
    ([1, 3, 8], 6)
    """
    judge, n_columns = criterion, problem.b.size
    if not isinstance(judge, Judge):
        judge = CRITERIA[judge].judge(problem, n_selected, always)
    if n_selected == 0:
        return _nothing(problem, judge)
    if starts is None:
        starts = np.empty((0, n_selected), dtype=np.int64)
    n_starts = settings.n_starts(n_selected, n_columns) if n_starts is None else n_starts
    locked = np.zeros(n_columns, dtype=bool) if always is None else always
    columns = np.arange(n_columns)
    if n_columns > settings.most_columns:
        columns = first_columns(problem, starts, locked, settings)
        field = Field.of(problem, locked, columns)
    elif field is None:
        field = Field.of(problem, locked)

    def searched(judge: Judge) -> Refined:
        record = SearchRecord(settings)
        search = Search(problem, field, columns, judge, record, generator, settings)
        if columns.size < n_columns:
            return _result(_search_widely(search, starts, n_starts, locked, report), False)
        is_complete = comb(n_columns, n_selected) <= settings.n_enumerable
        if is_complete:
            score_all(search, n_selected)
        else:
            _search_on(search, starts, n_starts)
        return _result(search, is_complete)

    found = searched(judge)
    if np.isfinite(found.objective):
        return found
    return searched(replace(judge, is_diluted=False))  # all supports are dependent


@answered_by(search_compiled)
def _search_on(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (S0, K) and random supports; then come the last exchanges."""
    run_rounds(search, starts, n_starts)
    polish(search)


def _search_widely(
    search: Search, starts: np.ndarray, n_starts: int, locked: np.ndarray, report: Report | None
) -> Search:
    """Search in a working set that grows until the likeliest others do not improve the answer."""
    settings, step = search.settings, steps_of(report, "search", None)
    n_joins, lacks_nothing = settings.n_joins, search.columns[:0]
    while True:
        _search_on(search, np.searchsorted(search.columns, starts), n_starts)
        step()
        if search.record.is_settled(True, starts.shape[1], search.columns.size):
            n_joins = 0
        if n_joins > 0:
            leaders = search.record.ranked.supports
            new = joining_columns(search.problem, leaders, search.columns, settings)
            starts, n_joins = leaders[: settings.joining_starts], n_joins - 1
        else:
            support, _ = search.record.best()
            if np.array_equal(support, lacks_nothing):
                return search
            new = _missing(search, support, locked[support])
            starts, lacks_nothing = support[None], support
            if not new.size:
                return search
        columns = np.union1d(search.columns, new)
        search = search._replace(field=Field.of(search.problem, locked, columns), columns=columns)


def _missing(search: Search, support: np.ndarray, locked: np.ndarray) -> np.ndarray:
    """Return the most promising columns outside a working set, (M,); none if none improves it.

    Members of the support, (K,), that are ``locked``, (K,), stay.
    """
    problem, judge = search.problem, search.judge
    least = around_support(problem, support, judge, locked).exchanged.change.copy()
    least[search.columns] = np.inf
    size = min(search.settings.working_set // 4 + 1, int(np.sum(np.isfinite(least))))
    if size == 0:
        return search.columns[:0]
    likeliest = np.argpartition(least, size - 1)[:size]
    few = exchanges_for(problem, support, likeliest, judge).change
    few[locked] = np.inf
    n_exact = min(SCORE.n_exact(len(few)), int(np.sum(np.isfinite(few))))
    leaving, entering = np.divmod(np.argpartition(few.ravel(), n_exact - 1)[:n_exact], size)
    scores = exchange_scores_with(
        problem, support, leaving, likeliest[entering], judge, search.field.n_redundant
    )
    lowest = search.record.lowest
    most = lowest - slack(lowest) if np.isfinite(lowest) else np.inf
    return likeliest if np.min(scores) < most else search.columns[:0]


def _nothing(problem: Problem, judge: Judge) -> Refined:
    none = np.empty((1, 0), dtype=np.int64)
    scores = support_scores(problem, none, judge)
    return Refined(
        support=none[0],
        objective=float(scores[0]),
        n_starts=0,
        n_agreeing_starts=0,
        n_iter=0,
        is_complete=True,
        n_redundant=0,
        n_columns=problem.b.size,
        judge=judge,
        ranked=RankedSupports(none, scores),
    )


def _result(search: Search, is_complete: bool) -> Refined:
    record = search.record
    support, objective = record.best()
    return Refined(
        support=support,
        objective=objective,
        n_starts=len(record.starts),
        n_agreeing_starts=record.agreeing(),
        n_iter=record.n_iter,
        is_complete=is_complete,
        n_redundant=search.field.n_redundant,
        n_columns=search.columns.size,
        judge=search.judge,
        ranked=record.ranked,
    )


def equivalent_features(
    problem: Problem, support: np.ndarray, judge: Judge, n_redundant: int = 0
) -> dict[int, list[int]]:
    """Return for each member of a support, (K,), the columns it could be exchanged for at no loss.

    No loss is a score not worse by more than rounding, or a correlation with the member above
    0.9999 in size.
    """
    if not support.size:
        return {}
    rounding = 1e-9 * (100.0 + problem.dof)
    around = around_support(problem, support, judge).exchanged
    near = (around.change <= 2.0 * rounding) | (around.correlation > SEARCH.near_duplicate)
    near &= problem.diagonal > 0.0
    near[support] = False
    others = np.flatnonzero(near)
    if not others.size:
        return {int(member): [] for member in support}
    found = exchanges_for(problem, support, others, judge)
    is_free = np.abs(found.correlation) > SEARCH.near_duplicate
    leaving, entering = np.nonzero((found.change <= rounding) & ~is_free)
    if leaving.size:
        known = support_scores(problem, support[None], judge, n_redundant)[0]
        of = (leaving, others[entering], judge, n_redundant)
        is_free[leaving, entering] = exchange_scores_with(problem, support, *of) <= known + rounding
    lists = [others[row].tolist() for row in is_free]
    return dict(zip(support.tolist(), lists, strict=True))
