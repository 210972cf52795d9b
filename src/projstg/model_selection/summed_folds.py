"""Folds of which only sums are kept: many candidates on the others, judged by the sums of one.

The sums of a training set are the merged sums of the other folds, and the squared error of any
prediction Xβ + β₀ on the rows of a fold follows from the sums of these rows. So the errors are
those of the rows, up to rounding, and there may be any number of rows.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from ..estimators._validation import check_sums
from ..estimators.questions import prepare_sums
from ..sources.gather import gathered
from ..sources.statistics import Statistics
from .batched_folds import FoldCandidates, check_fold, judged

__all__ = ["gathered_folds", "summed_errors"]

# As many as scikit-learn takes where nothing is said.
_N_FOLDS = 5


def gathered_folds(X: Any, y: Any, weights: Any, cv: Any) -> Statistics:
    """Return the statistics of a source of rows, by fold; ``cv`` says how many folds."""
    if not (cv is None or isinstance(cv, Integral)):
        raise TypeError(
            f"cv={cv!r} splits rows that are in memory, and X is a source of rows; give the number "
            "of folds, or pass arrays X and y."
        )
    found = gathered(X, y, weights, folds=_N_FOLDS if cv is None else int(cv))
    if not found.n_folds:
        raise ValueError(
            "the Statistics are not kept by fold; gather them with folds, as in "
            f"Statistics(folds={cv or _N_FOLDS}), or pass arrays X and y."
        )
    if cv is not None and cv != found.n_folds:
        raise ValueError(
            f"cv={cv!r}, but the Statistics are kept in {found.n_folds} folds; leave out cv."
        )
    check_sums(found.sums)
    return found


def summed_errors(
    candidates: FoldCandidates, statistics: Statistics, place: int
) -> tuple[np.ndarray, int]:
    """Return errors (n_candidates, 1) of one fold, and how many fits were unfinished."""
    train, test = statistics.fold(place)
    check_fold(place, train.n_rows, test.n_rows)
    question = prepare_sums(candidates.request, train.sums, candidates.names)
    return judged(candidates, question, [partial(_sum_errors, test)])


def _sum_errors(test: Statistics, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Return the mean squared errors of predictions by coef (C, D), intercept (C,) on a fold."""
    errors = [test.squared_errors(*one)[0] for one in zip(coef, intercept, strict=True)]
    return np.asarray(errors) / test.weight_sum
