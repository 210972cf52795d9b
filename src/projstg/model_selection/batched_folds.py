"""Many candidates on many folds: arrays of one shape, fitted in one batch, judged on the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._core.arrays.backend import to_numpy
from .._core.data.least_squares import least_squares
from .._core.data.standard_table import StandardTables
from .._core.gates.alternate import Status
from .._core.gates.gate_fit import GateFit
from .._core.pipeline.solution import Solution
from .._core.pipeline.solve import solve
from .._printable import shortened
from ..estimators._validation import check_smallest
from ..estimators.questions import Question, Request, TableGroup, prepare

FoldJudge = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From coefficients (C, D) and intercepts (C,) to mean squared errors on rows left out, (C,)."""


Rows = tuple[np.ndarray, np.ndarray, np.ndarray | None]
"""X, y and weights, without rows that weigh nothing."""
Fold = tuple[np.ndarray, np.ndarray]
"""The numbers of the rows to fit and of those to judge."""


def renumbered(splits: Iterable[Any], n_rows: int, sample_weight: Any) -> list[Fold]:
    """Return the folds of so many rows, renumbered for the rows that weigh something."""
    folds = [_fold(i, split, n_rows) for i, split in enumerate(splits)]
    if sample_weight is not None:
        weighs = np.asarray(sample_weight) > 0.0
        place = np.cumsum(weighs) - 1
        folds = [(place[train[weighs[train]]], place[test[weighs[test]]]) for train, test in folds]
    for i, (train, test) in enumerate(folds):
        check_fold(i, train.size, test.size)
    return folds


def _fold(place: int, split: Any, n_rows: int) -> Fold:
    """Return a pair of row numbers, or of masks, as row numbers; raise where it is none."""
    try:
        train, test = split
    except (TypeError, ValueError):
        raise ValueError(
            f"fold {place} of cv is {shortened(repr(split))}; give pairs (rows to fit, rows to "
            "judge) of row numbers or masks, or a number of folds, such as cv=5."
        ) from None
    return _row_numbers(place, train, n_rows), _row_numbers(place, test, n_rows)


def _row_numbers(place: int, rows: Any, n_rows: int) -> np.ndarray:
    """Return one side of a split as row numbers; raise where it names no rows of the table."""
    try:
        given = np.asarray(rows)
    except ValueError:  # of lists that are not of one length
        given = np.asarray(None)
    if given.ndim == 1 and given.dtype.kind == "b":
        if given.size != n_rows:
            raise ValueError(
                f"fold {place} of cv has a mask of {given.size} values for {n_rows} rows; give one "
                "for each row, or row numbers."
            )
        return np.flatnonzero(given)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(
            f"fold {place} of cv has {shortened(repr(rows))}, which are no row numbers; give a "
            f"list of whole numbers from 0 to {n_rows - 1}, or a mask."
        )
    strange = given[(given < -n_rows) | (given >= n_rows)]
    if strange.size:
        raise ValueError(
            f"fold {place} of cv has the row number {strange[0]}, and there are {n_rows} rows; "
            f"give numbers from 0 to {n_rows - 1}."
        )
    return given.astype(np.int64)


def check_fold(place: int, n_train: int, n_test: int) -> None:
    """Raise where a fold has too few rows that weigh something."""
    if n_train < 2 or n_test < 1:
        raise ValueError(
            f"fold {place} of cv has {n_train} rows to fit and {n_test} to judge with a positive "
            "weight; it needs two and one: ask for fewer folds."
        )


class FoldCandidates(NamedTuple):
    """What is compared: every size with every C in the rule for λ; all else is the same."""

    request: Request
    """With the largest size."""
    names: Any
    """Names of the columns, (D,), or None."""
    sizes: Sequence[int | None]
    """Increasing; [None] where the columns with an open gate are selected."""
    scales: Sequence[float]
    """Decreasing."""
    seed: int
    """Of every fit."""


def batch_errors(
    candidates: FoldCandidates, rows: Rows, folds: list[Fold], longest: int
) -> tuple[np.ndarray, int]:
    """Return errors (n_candidates, n_folds) of some folds, and how many fits were unfinished."""
    training = _training(rows, folds, longest)
    question = prepare(candidates.request, *training, candidates.names)
    return judged(candidates, question, [partial(_row_errors, rows, test) for _, test in folds])


def judged(
    candidates: FoldCandidates, question: Question, judges: Sequence[FoldJudge]
) -> tuple[np.ndarray, int]:
    """Return what :func:`batch_errors` returns: a judge has the rest of each training set."""
    smallest = candidates.sizes[0]
    if smallest is not None:
        check_smallest(smallest, len(question.groups[0].options.always))
    errors = np.empty((len(candidates.sizes) * len(candidates.scales), len(judges)))
    n_unfinished = 0
    for group in question.groups:
        found: list[Solution] = []
        for size in candidates.sizes:
            found += _along_scales(group, size, candidates)
        for i, number in enumerate(group.numbers.tolist()):
            supports = [solution.answers[i].support for solution in found]
            errors[:, number] = _errors(judges[number], group.tables, i, supports)
        ended = [each.gates.status for each in found if isinstance(each.gates, GateFit)]
        n_unfinished += sum(int(np.sum(to_numpy(s) != int(Status.CONVERGED))) for s in ended)
    return errors, n_unfinished


def _along_scales(
    group: TableGroup, size: int | None, candidates: FoldCandidates
) -> Iterator[Solution]:
    """Yield the answers for each C > 0 in the rule for λ, where λ is proportional to C."""
    seeds, scales = [candidates.seed] * group.numbers.size, candidates.scales
    options = replace(group.options, n_selected=size, alpha_scale=scales[0])
    first = solve(group.tables, options, seeds)
    yield first
    for scale in scales[1:]:
        alpha = first.alpha * (scale / scales[0])
        yield solve(group.tables, replace(options, alpha=alpha), seeds)


def _training(rows: Rows, folds: list[Fold], longest: int) -> Rows:
    """Return the training rows of all folds as arrays of one shape, filled up at weight zero."""
    X, y, weights = rows
    chosen = np.zeros((len(folds), longest), dtype=np.int64)
    filled = np.zeros(chosen.shape)
    for i, (train, _) in enumerate(folds):
        chosen[i, : train.size] = train
        filled[i, : train.size] = 1.0 if weights is None else weights[train]
    is_plain = weights is None and np.all(filled)
    return X[chosen], y[chosen], None if is_plain else filled


def _errors(
    judge: FoldJudge, tables: StandardTables, i: int, supports: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the mean squared error on a fold of least squares on each of the supports.

    Each support is fitted once and by itself: equal supports have equal errors to the last bit,
    whatever else is there, so that ties between candidates are ties.
    """
    problem, frame = tables.problem(i), tables.frame(i)
    distinct = {support.tobytes(): support for support in supports}
    coef = np.stack([frame.coef(one, least_squares(problem, one)) for one in distinct.values()])
    errors = judge(coef, frame.intercept(coef))
    place = {key: number for number, key in enumerate(distinct)}
    return errors[[place[support.tobytes()] for support in supports]]


def _row_errors(
    rows: Rows, test: np.ndarray, coef: np.ndarray, intercept: np.ndarray
) -> np.ndarray:
    """Return the mean squared errors of predictions by coef (C, D), intercept (C,) on some rows."""
    X, y, weights = rows
    left = y[test] - coef @ X[test].T - intercept[:, None]
    return np.average(left**2, axis=1, weights=None if weights is None else weights[test])
