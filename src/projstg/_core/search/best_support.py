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

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem, WideQuadratic
from ..kernel.twin import answered_by
from ..progress import Report, counted
from ..score.criterion import CRITERIA, Criterion, Judge
from ..score.evidence import support_scores
from ..score.score_settings import SCORE
from ..score.tableau import Field
from .compiled_search import Done, search_compiled
from .multistart import run_rounds
from .polish import polish
from .record import RankedSupports, SearchRecord, members_of, slack
from .scored_search import Search, score_all
from .search_settings import SEARCH, SearchSettings
from .working_set import (
    around_support,
    exchange_scores_with,
    first_columns,
    least_changes,
    outside_swaps,
    restricted,
    swap_changes,
)

__all__ = ["RankedSupports", "Refined", "SharedColumns", "equivalent_features", "refine"]


class Refined(NamedTuple):
    """The answer for one problem."""

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


class _Limits(NamedTuple):
    """What may be selected."""

    excluded: np.ndarray
    """(1, D): whether a column may not enter."""
    locked: np.ndarray
    """(1, D): whether a column may not leave."""


class SharedColumns:
    """The columns of a problem, and which may be selected: what searches of several sizes share.

    ``always`` and ``never`` are masks (D,).
    """

    def __init__(
        self, problem: Problem, always: np.ndarray | None = None, never: np.ndarray | None = None
    ) -> None:
        self.always = always
        shape = tuple(problem.b.shape)
        nobody = np.zeros(shape, dtype=bool)
        locked = nobody if always is None else np.broadcast_to(always, shape)
        excluded = nobody if never is None else np.broadcast_to(never, shape)
        self._empty = (to_numpy(problem.diagonal) <= 0.0) & ~locked
        self._useful = ~(excluded | self._empty)
        self._n_useful = np.sum(self._useful, axis=1, keepdims=True)
        self._excluded, self._usual = excluded, _Limits(excluded | self._empty, locked)
        self._problem = problem
        self._field: Field | None = None

    def limits(self, n_selected: int) -> _Limits:
        """Return the masks; a column of zeros is selected only where nothing else is left."""
        enough = self._n_useful >= n_selected
        if enough.all():
            return self._usual
        excluded = self._excluded | (self._empty & enough)
        return _Limits(excluded, self._usual.locked | (self._useful & ~enough))

    def field(self, limits: _Limits) -> Field:
        """Return the problem over all columns."""
        if limits is self._usual and self._field is not None:
            return self._field
        n_problems, n_columns = self._empty.shape
        every = np.broadcast_to(np.arange(n_columns), (n_problems, n_columns))
        field = restricted(self._problem, every, *limits)
        if limits is self._usual:
            self._field = field
        return field


def refine(
    problem: Problem,
    n_selected: int,
    *,
    starts: np.ndarray | None = None,
    generator: np.random.Generator,
    criterion: str | Judge = "evidence",
    n_starts: int | None = None,
    always: np.ndarray | None = None,
    never: np.ndarray | None = None,
    settings: SearchSettings = SEARCH,
    columns: SharedColumns | None = None,
    report: Report | None = None,
) -> Refined:
    """Return the best support of ``n_selected`` columns that a search finds.

    Parameters
    ----------
    problem : one standardised problem, a batch of one
    starts : supports to begin from, (S0, K), members distinct and within the constraints
    generator : what random starts are drawn from
    criterion : its name, or a judge of the problem, for supports of this size and larger ones
    n_starts : the most starts; by default those of ``settings``
    always : a mask (D,) of columns that must be selected
    never : a mask (D,) of columns that must not be
    columns : those of the problem with such masks, instead of the masks
    report : is told of each working set that was searched

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.quadratic import RowQuadratic
    >>> from projstg._core.data.standardize import standardized
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 60))
    >>> y = X[..., 1] - X[..., 3] + X[..., 8]
    >>> problem, _ = standardized(RowQuadratic.from_rows(X, y))
    >>> refined = refine(problem, 3, generator=np.random.default_rng(1))
    >>> refined.support.tolist(), refined.n_agreeing_starts
    ([1, 3, 8], 6)
    """
    if columns is not None and not (always is None and never is None):
        raise TypeError("columns have masks of their own: give them, or always and never")
    judge = criterion
    if not isinstance(judge, Judge):
        if columns is not None:
            always = columns.always
        judge = CRITERIA[judge].judge(problem, n_selected, always)
    if n_selected == 0:
        return _nothing(problem, judge)
    if starts is None:
        starts = np.empty((0, n_selected), dtype=np.int64)
    n_starts = settings.n_starts(n_selected, problem.b.shape[1]) if n_starts is None else n_starts
    if columns is None:
        columns = SharedColumns(problem, always, never)
    limits = columns.limits(n_selected)
    field = columns.field(limits) if problem.b.shape[1] <= settings.most_columns else None
    asked = _SearchQuestion(starts[None], n_starts, limits, field, settings, report)
    found = _searched(problem, asked, judge, generator)
    if np.isfinite(found.objective):
        return found
    return _searched(problem, asked, replace(judge, is_diluted=False), generator)


class _SearchQuestion(NamedTuple):
    """What a search is asked for."""

    starts: np.ndarray
    """(1, S0, K)."""
    n_starts: int
    limits: _Limits
    field: Field | None
    """The problem over all columns; None where these are many."""
    settings: SearchSettings
    report: Report | None


def _searched(
    problem: Problem, asked: _SearchQuestion, judge: Judge, generator: np.random.Generator
) -> Refined:
    """Return the best support; its objective is infinite where only dependent ones were found."""
    starts, n_starts, limits, field, settings, report = asked
    if field is None:
        columns = _first_set(problem, starts, limits, settings)
        field = restricted(problem, columns, *limits)
        search = _search(problem, field, columns, judge, generator, settings)
        return _result(_search_widely(search, starts, n_starts, limits, report), False)
    columns = np.arange(problem.b.shape[1])[None]
    search = _search(problem, field, columns, judge, generator, settings)
    _search_fully(search, starts, n_starts)
    return _result(search, _is_enumerable(search, starts.shape[2]))


def _search(
    problem: Problem,
    field: Field,
    columns: np.ndarray,
    criterion: Judge,
    generator: np.random.Generator,
    settings: SearchSettings,
) -> Search:
    """Return a search that has found nothing yet."""
    n_iter, records = np.zeros(1, dtype=np.int64), [SearchRecord(settings)]
    return Search(problem, field, columns, criterion, records, [generator], n_iter, settings)


def _search_fully(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search all columns, or score all supports, where these are few."""
    K = starts.shape[2]
    if _is_enumerable(search, K):
        score_all(search, K)
    else:
        _search_on(search, starts, n_starts)


def _search_by_kernel(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Do what :func:`_search_on` does, in NumPy where the kernel has too few digits."""
    done = search_compiled(search, 0, starts[0], n_starts)
    if done is Done.NOTHING:
        run_rounds(search, starts, n_starts)
    if done is not Done.ALL:
        polish(search, np.zeros(1, dtype=np.int64))


@answered_by(_search_by_kernel)
def _search_on(search: Search, starts: np.ndarray, n_starts: int) -> None:
    """Search from ``starts`` (1, S0, K) and random supports; then come the last exchanges."""
    run_rounds(search, starts, n_starts)
    polish(search, np.zeros(1, dtype=np.int64))


def _is_enumerable(search: Search, K: int) -> bool:
    return comb(search.columns.shape[1], K) <= search.settings.n_enumerable


def _first_set(
    problem: Problem, starts: np.ndarray, limits: _Limits, settings: SearchSettings
) -> np.ndarray:
    """Return the first working set of one problem, (1, W): it contains the starts (1, S0, K)."""
    wanted = limits.locked.copy()
    np.put_along_axis(wanted, starts.reshape(1, -1), True, axis=1)
    size = max(settings.working_set, 4 * starts.shape[2], int(wanted.sum()))
    return first_columns(problem, min(size, wanted.shape[1]), wanted, limits.excluded)


def _search_widely(
    search: Search, starts: np.ndarray, n_starts: int, limits: _Limits, report: Report | None
) -> Search:
    """Search one problem in a working set that grows until the likeliest others do not improve."""
    # First single walks, which are cheap, so that the set holds what a good support lacks.
    n_single, lacks_nothing = search.settings.n_single_walks, b""
    step = counted(report, "search", None)
    while True:
        budget = 1 if n_single > 0 else n_starts
        _search_on(search, np.searchsorted(search.columns[0], starts), budget)
        best = search.records[0].best
        support = members_of(best)[None]
        missing = search.columns[:, :0]
        if best != lacks_nothing:
            missing = _missing(search, support, limits)
        step()
        if missing.size:
            columns = np.sort(np.concatenate([search.columns, missing], axis=1), axis=1)
            search, n_single = _among(search, columns, limits), n_single - 1
        elif budget == n_starts:
            return search
        else:
            n_single, lacks_nothing = 0, best
        starts = support[:, None]


def _among(search: Search, columns: np.ndarray, limits: _Limits) -> Search:
    """Return the search in another working set; what it has found is kept."""
    return search._replace(field=restricted(search.problem, columns, *limits), columns=columns)


def _nothing(problem: Problem, judge: Judge) -> Refined:
    none = np.empty((1, 0), dtype=np.int64)
    ((score,),) = support_scores(problem, none[None], judge).tolist()
    return Refined(
        support=none[0],
        objective=score,
        n_starts=0,
        n_agreeing_starts=0,
        n_iter=0,
        is_complete=True,
        n_redundant=0,
        n_columns=problem.b.shape[1],
        judge=judge,
        ranked=RankedSupports(none, np.full(1, score)),
    )


def _missing(search: Search, support: np.ndarray, limits: _Limits) -> np.ndarray:
    """Return the most promising columns outside a working set, (1, M); M = 0 if none improves."""
    best = least_changes(search.problem, support, *limits, search.criterion)
    best[search.columns[0]] = np.inf
    size = min(search.settings.working_set // 4 + 1, int(np.sum(np.isfinite(best))))
    if size == 0:
        return search.columns[:, :0]
    likeliest = np.argpartition(best, size - 1)[:size]
    few = _changes_for(search, support, likeliest, limits)
    n_exact = min(max(SCORE.n_exact_exchanges, 2 * len(few)), int(np.sum(np.isfinite(few))))
    leaving, entering = np.divmod(np.argpartition(few.ravel(), n_exact - 1)[:n_exact], size)
    n_redundant = int(search.field.redundant[0].sum())
    scores = exchange_scores_with(
        search.problem, support[0], leaving, likeliest[entering], search.criterion, n_redundant
    )
    lowest = search.records[0].lowest
    most = lowest - slack(lowest) if np.isfinite(lowest) else np.inf
    return likeliest[None] if np.min(scores) < most else search.columns[:, :0]


def _changes_for(
    search: Search, support: np.ndarray, entering: np.ndarray, limits: _Limits
) -> np.ndarray:
    """Return what exchanges of members (1, K) for some columns (M,) add to the score, (K, M)."""
    used = np.sort(np.concatenate([support[0], entering]))
    few = search.problem.columns(used[None])
    members = np.searchsorted(used, support)
    masks = _Limits(*(mask[:, used] for mask in limits))
    (change,) = outside_swaps(few, members, *masks, search.criterion)
    return change[:, np.searchsorted(used, entering)]


def _result(search: Search, is_complete: bool) -> Refined:
    (record,), judge = search.records, search.criterion
    return Refined(
        support=members_of(record.best),
        objective=record.score,
        n_starts=len(record.starts),
        n_agreeing_starts=record.agreeing(),
        n_iter=int(search.n_iter[0]),
        is_complete=is_complete,
        n_redundant=int(search.field.redundant.sum()),
        n_columns=search.columns.shape[1],
        judge=judge,
        ranked=record.ranked(),
    )


def equivalent_features(
    problem: Problem,
    support: np.ndarray,
    criterion: Criterion = CRITERIA["evidence"],
    n_redundant: int = 0,
) -> dict[int, list[int]]:
    """Return for each member of a support, (K,), the columns it could be exchanged for at no loss.

    No loss is a score not worse by more than rounding, or a correlation with the member above
    0.9999 in size. The problem is a batch of one; a judge must be that of it.
    """
    if not support.size:
        return {}
    judge = criterion
    if not isinstance(judge, Judge):
        judge = criterion.judge(problem, support.size)
    if isinstance(problem, WideQuadratic):
        return _equivalent_of_many(problem, support, judge, n_redundant)
    (change,), (correlation,) = swap_changes(problem, support[None], judge)
    rounding = 1e-9 * (100.0 + float(to_numpy(problem.degrees_of_freedom)[0]))
    varies = to_numpy(problem.diagonal)[0] > 0.0
    is_copy = (np.abs(correlation) > SEARCH.near_duplicate) & varies
    maybe = (change <= rounding) & varies & ~is_copy
    is_copy[:, support] = maybe[:, support] = False
    free = is_copy | _scores_as_well(problem, support, maybe, judge, rounding, n_redundant)
    lists = [np.flatnonzero(row).tolist() for row in free]
    return dict(zip(support.tolist(), lists, strict=True))


def _equivalent_of_many(
    problem: WideQuadratic, support: np.ndarray, judge: Judge, n_redundant: int
) -> dict[int, list[int]]:
    """Return the same for a problem with very many columns: the few that come into question."""
    rounding = 1e-9 * (100.0 + float(problem.degrees_of_freedom[0]))
    around = around_support(problem, support[None], judge)
    near = (around.least <= 2.0 * rounding) | (around.correlation > SEARCH.near_duplicate)
    near &= problem.diagonal[0] > 0.0
    near[support] = True
    used = np.flatnonzero(near)
    few, members = problem.columns(used[None]), np.searchsorted(used, support)
    found = equivalent_features(few, members, judge, n_redundant)
    return {int(used[one]): used[others].tolist() for one, others in found.items()}


def _scores_as_well(
    problem: Problem,
    members: np.ndarray,
    maybe: np.ndarray,
    judge: Judge,
    rounding: float,
    n_redundant: int,
) -> np.ndarray:
    """Return which of the exchanges ``maybe``, (K, D), are no worse by their exact scores."""
    leaving, entering = np.nonzero(maybe)
    as_well = np.zeros_like(maybe)
    if leaving.size:
        known = support_scores(problem, members[None, None], judge, n_redundant)[0, 0]
        scores = exchange_scores_with(problem, members, leaving, entering, judge, n_redundant)
        as_well[leaving, entering] = scores <= known + rounding
    return as_well
