"""From the parameters of an estimator and a table to the answer: prepare, then solve.

    asked = asked_of(model)                            parameters, checked against each other
    question = prepare(asked, X, y, weights, names)    a batch of tables, checked against them
    solution = solve(question, seeds)                  what the core answers

``fit`` does this with one table, ``fit_many`` and the laboratory with a batch, cross-validation
with all folds. A path passes the prepared table to other functions of the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse
from sklearn.utils.parallel import Parallel, delayed

from .._core.arrays.backend import Array, namespace, to_numpy
from .._core.data.centred_sums import CentredSums
from .._core.data.shared_sums import are_in_range, shared_sums
from .._core.data.standard_table import StandardTable, as_table
from .._core.data.summed_table import table_of_sums
from .._core.data.wide_quadratic import MANY_COLUMNS
from .._core.data.wide_table import wide_table
from .._core.pipeline.options import Options
from .._core.pipeline.solution import Solution, joined
from .._core.pipeline.solve import solve as solve_tables
from .._core.progress import Report
from .._core.score.criterion import CRITERIA
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
)
from .gate_options import price_and_gates

__all__ = [
    "Asked",
    "Question",
    "asked_of",
    "prepare",
    "prepare_as_it_came",
    "prepare_sums",
    "solve",
    "solve_in_blocks",
]

# So many tables go through the core together: enough that Python costs little.
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Asked:
    """The parameters of an estimator, as the core takes them."""

    n_features_to_select: int | str | None
    options: Options
    selection: str | None
    """How K is chosen from the data; None where the estimator cannot."""
    always_select: Any
    never_select: Any
    fit_intercept: bool


@dataclass(frozen=True, eq=False)
class Question:
    """A batch of tables and what is asked of them."""

    table: StandardTable
    options: Options
    selection: str | None
    """How K is chosen from the data; None where it is not."""
    names: Any
    """Names of the columns, (D,), or None."""

    def problems(self, chosen: np.ndarray) -> Question:
        """Return what is asked of some of the tables."""
        every = np.arange(self.table.scale.shape[-1])
        return replace(self, table=self.table.restricted(chosen, every))

    @property
    def warning(self) -> Message | None:
        """What a caller should be told of what is asked, if anything."""
        return too_many_columns(self.table, self.options.n_selected)

    def warning_of(self, found: Solution) -> Message | None:
        """Return what a caller should be told of the answers, if anything."""
        if self.selection is None or found.search is None:
            return self.warning
        searched = np.asarray([one.n_columns for one in found.search])
        return too_few_rows(self.table, searched, len(self.options.always))


def asked_of(model: Any) -> Asked:
    """Return what the parameters of a ProjectedSTG or STG ask for.

    They are in their ranges (``check_parameters``); a combination in which one of them would not be
    used raises here, and so do the values of ``gates``.
    """
    params = model.get_params(deep=False)
    k = params["n_features_to_select"]
    k = int(k) if isinstance(k, Integral) else k  # small types of NumPy overflow
    options, search = price_and_gates(params["gates"], model.gate_family), {}
    if "refine" in params:
        _check_search(model)
        names = ("refine", "criterion", "decision", "n_starts", "probabilities")
        search = {name: params[name] for name in names}
        if params["n_starts"] is not None:
            search["n_starts"] = int(params["n_starts"])
    return Asked(
        n_features_to_select=k,
        options=replace(options, n_selected=None if k == "auto" else k, **search),
        selection=params.get("selection"),
        always_select=params.get("always_select"),
        never_select=params.get("never_select"),
        fit_intercept=bool(params["fit_intercept"]),
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
    asked: Asked, X: Array, y: Array, weights: Array | None = None, names: Any = None
) -> Question:
    """Return the tables X (B, N, D), y (B, N), weights (B, N) or None, as a question.

    ``names``, (D,) or None, are those that ``always_select`` and ``never_select`` may use. Raises
    where K and the constraints cannot be met.
    """
    always, never = _masks(asked, X.shape[-1], names)
    on_device = namespace(X).asarray(never, device=X.device)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        table = as_table(X, y, weights, centre=asked.fit_intercept, never=on_device)
    return _checked(asked, table, always, never, names)


def prepare_sums(asked: Asked, sums: CentredSums, names: Any = None) -> Question:
    """Return what :func:`prepare` returns, one table a response, where only sums are known."""
    always, never = _masks(asked, sums.b.shape[-1], names)
    with np.errstate(over="ignore", invalid="ignore"):
        table = table_of_sums(sums, centre=asked.fit_intercept, never=never)
    if not np.isfinite(table.scale).all():  # sums about zero may overflow where those about means
        raise ValueError("the squares of values in X overflow; divide columns by constants.")
    return _checked(asked, table, always, never, names)


def prepare_as_it_came(
    asked: Asked, X: Any, y: np.ndarray, weights: np.ndarray | None, names: Any
) -> Question:
    """Return what :func:`prepare` returns for one X (N, D) that is sparse, or too large to copy."""
    n_rows, n_columns = X.shape
    always, never = _masks(asked, n_columns, names)
    needs_all = always.any() or not asked.options.refine or asked.n_features_to_select is None
    if issparse(X) and n_columns <= min(MANY_COLUMNS, n_rows):
        X = X.tocsr()
        sums = shared_sums(X, y[:, None], weights)
        if are_in_range(X, y[:, None], sums):
            return prepare_sums(asked, sums, names)
    if n_columns <= MANY_COLUMNS or (needs_all and n_rows * n_columns <= MOST_COPIED):
        dense = X.toarray() if issparse(X) else X
        return prepare(asked, *batch_of_one(dense.astype(np.float64), y, weights), names)
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
    table = wide_table(X, y, weights, centre=asked.fit_intercept, never=never)
    return _checked(asked, table, always, never, names)


def _masks(asked: Asked, n_features: int, names: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that must, and must not, be selected, (D,)."""
    always = column_mask(asked.always_select, n_features, names, "always_select")
    return always, column_mask(asked.never_select, n_features, names, "never_select")


def _checked(
    asked: Asked, table: StandardTable, always: np.ndarray, never: np.ndarray, names: Any
) -> Question:
    """Return the question, or raise where the tables cannot answer it."""
    check_range(table)
    k = asked.n_features_to_select
    otherwise = (
        ", or pass None for the columns whose gate is open"
        if asked.selection is None
        else ', or pass "auto" to choose from the data'
    )
    masks = to_numpy(table.varies)
    for varies in masks[:1] if masks.all() else masks:
        check_selection(k, varies, always, never, names, otherwise)
    options = asked.options
    if always.any():
        options = replace(options, always=tuple(np.flatnonzero(always).tolist()))
    return Question(
        table=table,
        options=options,
        selection=asked.selection if k == "auto" else None,
        names=names,
    )


def solve(question: Question, seeds: Sequence[int], report: Report | None = None) -> Solution:
    """Return the answer for each table; problem i draws from seeds[i].

    Raises where a coefficient is no number in the units of the data.
    """
    table, options, selection = question.table, question.options, question.selection
    found = solve_tables(table, options, seeds, report, selection=selection)
    check_coefficients(found.coef, question.names)
    return found


def _without_joint(found: Solution) -> Solution:
    known = found.posterior
    if known is None:
        return found
    return found._replace(posterior=[one and one._replace(together=None) for one in known])


def solve_in_blocks(question: Question, seeds: Sequence[int], n_jobs: int | None) -> Solution:
    """Return what :func:`solve` returns, for NumPy on so many threads.

    A table's answer depends on no other table, so neither blocks nor threads change it. What only
    a joint posterior would need is dropped.
    """
    n_tables, n_threads = len(seeds), effective_n_jobs(n_jobs)
    size = min(_BLOCK, -(-n_tables // n_threads))
    if n_tables <= size or not isinstance(question.table.scale, np.ndarray):
        return _without_joint(solve(question, seeds))
    blocks = [np.arange(n_tables)[first : first + size] for first in range(0, n_tables, size)]

    def answer(block: np.ndarray) -> Solution:
        return _without_joint(solve(question.problems(block), [seeds[i] for i in block]))

    return joined(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(answer)(one) for one in blocks))
