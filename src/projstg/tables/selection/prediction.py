"""Predictions of an answer for other tables."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ..files.read_table import Read
from ..prepare.prepared import SquaredErrors
from ..prepare.recipe import Averages, known_recipe
from ..prepare.recipe_columns import made_rows
from ..words.notes import TableError
from .averages import MOST_WITH_INTERVALS, response_of
from .result import Selection

__all__ = ["Predicted", "predicted", "r_squared"]


class Predicted(NamedTuple):
    """What is predicted of each row of a table."""

    frame: Any
    """``prediction`` and, where asked for, ``lower`` and ``upper``."""
    lines: list[str]
    """On rows without a prediction, on what was filled in, and on numbers written otherwise."""


def predicted(
    selection: Selection, read: Read, *, averaged: bool = False, interval: float | None = None
) -> Predicted:
    """Predict the target of each row; see :meth:`.Selection.predict`."""
    recipe = known_recipe(selection.recipe)
    if interval is not None:
        _check_level(interval)
    if not averaged and interval is None:
        made = made_rows(read, recipe, selection.columns)
        coef = np.array([one.coefficient for one in selection.chosen])
        with np.errstate(over="ignore", invalid="ignore"):
            columns = {"prediction": made.X @ coef + selection.intercept}
    else:
        averages = _averages(selection)
        made = made_rows(read, recipe, averages["columns"])
        response = response_of(averages)
        columns = {"prediction": response.predict(made.X)}
        if interval is not None:
            _check_spread(averages)
            columns["lower"], columns["upper"] = response.interval(made.X, float(interval)).T
    lines = [line for line in (made.trouble(), *made.remarks()) if line]
    return Predicted(extra("pandas", "cli").DataFrame(columns), lines)


def _check_level(interval: Any) -> None:
    is_number = isinstance(interval, Real) and not isinstance(interval, bool)
    if not (is_number and 0.0 < float(interval) < 1.0):
        raise TableError(f"interval={interval!r}; give a number between 0 and 1, such as 0.9.")


def _averages(selection: Selection) -> Averages:
    if selection.averages is None:
        raise TableError(
            "there is no averaged prediction and no interval, for choices have no probabilities "
            'here; run select with k="auto" or a number, on enough rows.'
        )
    return selection.averages


def _check_spread(averages: Averages) -> None:
    if averages["covariance"] is None:
        raise TableError(
            f"there are no intervals for {len(averages['columns'])} columns: a selection keeps "
            f"what they need of {MOST_WITH_INTERVALS} at the most; leave columns out of select by "
            "never=[…]."
        )


def r_squared(selection: Selection, read: Read, prediction: np.ndarray) -> tuple[float, int] | None:
    """Return R² on the rows whose target is known, and their number; None where it is not.

    Rows count by their weights, where the table has those that ``select`` was given.
    """
    y = _known(read, selection.target)
    if y is None:
        return None
    w = _known(read, selection.question.get("weights"))
    w = np.ones_like(y) if w is None else w
    rows = np.isfinite(y) & np.isfinite(prediction) & np.isfinite(w) & (w > 0.0)
    y, w, off = y[rows], w[rows], (y - prediction)[rows]
    if not y.size or np.ptp(y) == 0.0:
        return None
    total = float(np.sum(w * (y - np.average(y, weights=w)) ** 2))
    return SquaredErrors(float(np.sum(w * off**2)), total).r_squared, int(rows.sum())


def _known(read: Read, name: str | None) -> np.ndarray | None:
    """Return the numbers of a column; None where there is none."""
    if name is None or name not in read.frame:
        return None
    column = read.column(name)
    return np.asarray(column.values) if column.kind == "number" else None
