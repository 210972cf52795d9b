"""From the parameters of an estimator and tables to the answers: prepare, then solve.

    request = request_of(model)                          parameters, checked against each other
    question = prepare(request, X, y, weights, names)    tables, standardised and checked
    solutions = solve(question, seeds)                   what the core answers
    fit_of(tables, solution, i, names)                   that, in the columns and units of the data

``fit`` does this with one table, ``fit_many`` and the laboratory with many, cross-validation with
all folds. A path passes the prepared tables to other functions of the core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse
from sklearn.utils.parallel import Parallel, delayed

from .._core.arrays.backend import Array, namespace
from .._core.data.centred_sums import CentredSums
from .._core.data.frame import Frame
from .._core.data.shared_sums import are_in_range, shared_sums
from .._core.data.standard_table import StandardTables, as_tables, of_same_columns
from .._core.data.summed_table import tables_of_sums
from .._core.data.wide_problem import MANY_COLUMNS
from .._core.data.wide_table import wide_table
from .._core.pipeline.options import Options
from .._core.pipeline.solution import Answer, Solution
from .._core.pipeline.solve import solve as solve_tables
from .._core.progress import Report
from .._core.score.criterion import CRITERIA
from .._core.search.record import RankedSupports
from .._messages import Argument, Message
from ._too_many_columns import too_few_rows, too_many_columns
from ._validation import (
    MOST_COPIED,
    batch_of_one,
    changed,
    check_coefficients,
    check_range,
    check_selection,
    column_mask,
    is_as_it_came,
)
from .gate_options import price_and_gates

__all__ = [
    "Fit",
    "Question",
    "Request",
    "TableGroup",
    "fit_of",
    "prepare",
    "prepare_sums",
    "prepare_table",
    "request_of",
    "solve",
    "solve_in_blocks",
]

# So many tables go through the core together: enough that Python costs little.
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Request:
    """The parameters of an estimator, as the core takes them."""

    options: Options
    always_select: Any
    never_select: Any
    fit_intercept: bool
    may_choose: bool
    """Whether the estimator can choose K from the data."""


class TableGroup(NamedTuple):
    """Tables that have the same columns to select from, and what is asked of them."""

    numbers: np.ndarray
    """Of the tables, (B,), among all."""
    tables: StandardTables
    options: Options

    def parts(self, size: int) -> Iterator[TableGroup]:
        """Yield the same in groups of so many tables at the most."""
        if len(self.tables) <= size:
            yield self
            return
        for first in range(0, len(self.tables), size):
            own = np.arange(len(self.tables))[first : first + size]
            yield TableGroup(self.numbers[own], self.tables.some(own), self.options.of(own))


@dataclass(frozen=True, eq=False)
class Question:
    """Tables and what is asked of them."""

    groups: list[TableGroup]
    """One table each where K is chosen from the data."""
    names: Any
    """Names of the columns, (D,), or None."""

    @property
    def n_tables(self) -> int:
        """How many tables there are."""
        return sum(len(group.tables) for group in self.groups)

    @property
    def warning(self) -> Message | None:
        """What a caller should be told of what is asked, if anything."""
        k = self.groups[0].options.n_selected
        if k is None:
            return None
        return too_many_columns([(one.numbers, one.tables) for one in self.groups], k)

    def warning_of(self, answers: Sequence[Answer]) -> Message | None:
        """Return what a caller should be told of the answers, if anything."""
        options = self.groups[0].options
        if options.selection is None:
            return self.warning
        few = [i for i, answer in enumerate(answers) if not answer.has_choice]
        tables = {int(number): group.tables for group in self.groups for number in group.numbers}
        n_rows = [tables[i].problem(0).n for i in few]
        return too_few_rows(n_rows, len(answers), len(options.always))


def request_of(model: Any) -> Request:
    """Return what the parameters of a ProjectedSTG or STG ask for.

    They are in their ranges (``check_parameters``); a combination in which one of them would not be
    used raises here, and so do the values of ``gates``.
    """
    params = model.get_params(deep=False)
    k = params["n_features_to_select"]
    k = int(k) if isinstance(k, Integral) else k  # small types of NumPy overflow
    options = price_and_gates(params["gates"], model.gate_family)
    search: dict[str, Any] = {}
    if "refine" in params:
        _check_search(model)
        names = ("refine", "criterion", "decision", "n_starts", "probabilities")
        search = {name: params[name] for name in names}
        if params["n_starts"] is not None:
            search["n_starts"] = int(params["n_starts"])
    size, selection = (None, params["selection"]) if k == "auto" else (k, None)
    return Request(
        options=replace(options, n_selected=size, selection=selection, **search),
        always_select=params.get("always_select"),
        never_select=params.get("never_select"),
        fit_intercept=bool(params["fit_intercept"]),
        may_choose="selection" in params,
    )


def _check_search(model: Any) -> None:
    """Raise where what is said of a search would not be used."""
    is_auto = model.n_features_to_select == "auto"
    if not model.refine:
        if is_auto:
            raise ValueError(
                'refine=False leaves the choice to the gates, but n_features_to_select="auto" '
                "chooses K by a search; pass a number, or None for the columns whose gate is open."
            )
        for name in changed(model, ("criterion", "n_starts")):
            raise ValueError(
                f"{name}={getattr(model, name)!r} is for the search, and refine=False makes none; "
                "leave one of them out."
            )
    by_evidence = model.selection == "evidence" and CRITERIA[model.criterion].counts_volume
    if not (is_auto and by_evidence):
        for name in changed(model, ("decision",)):
            raise ValueError(
                f"{name}={getattr(model, name)!r} says how probabilities choose the columns, with "
                'n_features_to_select="auto", selection="evidence" and a criterion other than '
                '"least-squares"; leave it out, or pass these.'
            )
    if is_auto and model.selection == "evidence" and not model.probabilities:
        raise ValueError(
            'n_features_to_select="auto" chooses K by the probabilities, so probabilities=False '
            'would save nothing; leave it out, or pass a number, or selection="ebic".'
        )


def prepare(
    request: Request, X: Array, y: Array, weights: Array | None = None, names: Any = None
) -> Question:
    """Return the tables X (B, N, D), y (B, N), weights (B, N) or None, as a question.

    ``names``, (D,) or None, are those that ``always_select`` and ``never_select`` may use. Raises
    where K and the constraints cannot be met.
    """
    xp, n_features = namespace(X), X.shape[-1]
    always, never = _masks(request, n_features, names)
    kept = np.flatnonzero(~never)
    if not kept.size:  # a table needs a column
        X, kept = 0.0 * X, np.arange(1)

    def tables(numbers: np.ndarray, columns: np.ndarray) -> StandardTables:
        own = [X, y, weights]
        if numbers.size < X.shape[0]:
            places = xp.asarray(numbers, device=X.device)
            own = [None if one is None else xp.take(one, places, axis=0) for one in own]
        some = columns if columns.size < n_features else None
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
            return as_tables(*own, centre=request.fit_intercept, columns=some)

    return _checked(request, tables(np.arange(X.shape[0]), kept), tables, always, never, names)


def prepare_sums(request: Request, sums: CentredSums, names: Any = None) -> Question:
    """Return what :func:`prepare` returns, one table a response, where only sums are known."""
    always, never = _masks(request, sums.b.shape[-1], names)
    kept = np.flatnonzero(~never)
    if not kept.size:  # a table needs a column
        nothing = {name: 0.0 * getattr(sums, name) for name in ("x_mean", "G", "b")}
        sums, kept = replace(sums, **nothing), np.arange(1)

    def tables(numbers: np.ndarray, columns: np.ndarray) -> StandardTables:
        with np.errstate(over="ignore", invalid="ignore"):
            return tables_of_sums(sums, columns, centre=request.fit_intercept).some(numbers)

    first = tables(np.arange(len(sums.b)), kept)
    # Sums about zero may overflow where those about means do not.
    if not np.isfinite(first.units.scale).all():
        raise ValueError("the squares of values in X overflow; divide columns by constants.")
    return _checked(request, first, tables, always, never, names)


def prepare_table(
    request: Request, X: Any, y: np.ndarray, weights: np.ndarray | None, names: Any
) -> Question:
    """Return what :func:`prepare` returns for one X (N, D), also sparse, or too large to copy."""
    if not is_as_it_came(X):
        return prepare(request, *batch_of_one(X, y, weights), names)
    n_rows, n_columns = X.shape
    always, never = _masks(request, n_columns, names)
    needs_all = always.any() or not request.options.has_search
    if issparse(X) and n_columns <= min(MANY_COLUMNS, n_rows):
        X = X.tocsr()
        sums = shared_sums(X, y[:, None], weights)
        if are_in_range(X, y[:, None], sums):
            return prepare_sums(request, sums, names)
    if n_columns <= MANY_COLUMNS or (needs_all and n_rows * n_columns <= MOST_COPIED):
        dense = X.toarray() if issparse(X) else X
        return prepare(request, *batch_of_one(dense.astype(np.float64), y, weights), names)
    if needs_all:
        raise ValueError(
            Message(
                Argument("always_select") if always.any() else "gates without a search",
                " needs ",
                Argument("X"),
                f" in memory as doubles, and its shape is {X.shape}; leave out columns, or do "
                "without it.",
            )
        )
    if issparse(X):
        X = X.tocsc()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    table = wide_table(X, y, weights, centre=request.fit_intercept, never=never)
    return _checked(request, table, lambda *_: table, always, never, names)


def _masks(request: Request, n_features: int, names: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that must, and must not, be selected, (D,)."""
    always = column_mask(request.always_select, n_features, names, "always_select")
    return always, column_mask(request.never_select, n_features, names, "never_select")


def _checked(
    request: Request,
    first: StandardTables,
    tables: Callable[[np.ndarray, np.ndarray], StandardTables],
    always: np.ndarray,
    never: np.ndarray,
    names: Any,
) -> Question:
    """Return the question, or raise where the tables cannot answer it.

    ``first`` are all tables; ``tables`` makes some of them, with some columns.
    """
    check_range(first.units.y_scale)
    options = request.options
    otherwise = ", or pass None for the columns whose gate is open"
    if request.may_choose:
        otherwise = ', or pass "auto" to choose from the data'
    groups: list[TableGroup] = []
    for numbers, own in of_same_columns(first, tables):
        varies = np.zeros(always.size, dtype=bool)
        varies[own.columns] = own.varies[0]
        check_selection(options.n_selected, varies, always, never, names, otherwise)
        what = options.of(numbers)
        if always.any():
            must = np.searchsorted(own.columns, np.flatnonzero(always))
            what = replace(what, always=tuple(must.tolist()))
        group = TableGroup(numbers, own, what)
        groups += group.parts(1 if options.selection is not None else len(numbers))
    return Question(groups, names)


class Fit(NamedTuple):
    """The answer for one table, and what leads to the columns and units of the data."""

    answer: Answer
    frame: Frame
    coef: np.ndarray
    """Least squares on the selected columns in the units of the data, (D,)."""
    objective: float | None
    """The score of the support in these units; None without a search."""
    alpha: float
    noise_std: float | None


def fit_of(tables: StandardTables, solution: Solution, i: int, names: Any) -> Fit:
    """Return the answer for table i; raise where a coefficient is no number in these units."""
    answer, frame, noise_std = solution.answers[i], tables.frame(i), solution.noise_std
    coef, score = frame.coef(answer.support, answer.coef), None
    check_coefficients(coef, names)
    search = answer.search
    if search is not None:  # the supports that it has scored are of no more use
        score = frame.score(search.objective, solution.problems[i].dof)
        search = search._replace(ranked=RankedSupports.none(search.support.size))
        answer = answer._replace(search=search)
    sigma = None if noise_std is None else float(noise_std[i])
    return Fit(answer, frame, coef, score, float(solution.alpha[i]), sigma)


def solve(question: Question, seeds: Sequence[int], report: Report | None = None) -> list[Solution]:
    """Return the solution of each group; table i draws from seeds[i]."""
    return [
        solve_tables(tables, options, [seeds[i] for i in numbers], report)
        for numbers, tables, options in question.groups
    ]


def solve_in_blocks(
    question: Question, seeds: Sequence[int], n_jobs: int | None
) -> list[tuple[TableGroup, Solution]]:
    """Return groups with their solutions, for NumPy on so many threads.

    A table's answer depends on no other table, so neither blocks nor threads change it. What a
    joint posterior or an average would need is dropped.
    """
    size = min(_BLOCK, -(-question.n_tables // effective_n_jobs(n_jobs)))
    groups = question.groups
    is_numpy = all(isinstance(one.tables.units.scale, np.ndarray) for one in groups)
    if is_numpy:
        groups = [part for group in groups for part in group.parts(size)]

    def solved(group: TableGroup) -> tuple[TableGroup, Solution]:
        own = [seeds[i] for i in group.numbers]
        found = solve_tables(group.tables, group.options, own)
        return group, found._replace(answers=[_slim(answer) for answer in found.answers])

    if len(groups) == 1 or not is_numpy:
        return [solved(group) for group in groups]
    return Parallel(n_jobs=n_jobs, prefer="threads")(delayed(solved)(one) for one in groups)


def _slim(answer: Answer) -> Answer:
    known = answer.probabilities
    if known is None:
        return answer
    return answer._replace(probabilities=known._replace(together=None, averaging=None))
