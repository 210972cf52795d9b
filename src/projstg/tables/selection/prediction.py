"""Predictions of an answer for other tables."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ..._messages import Argument, Message
from ..._printable import amount
from ..files.read_table import Read
from ..prepare.prepared import SquaredErrors
from ..prepare.recipe import Averages
from ..prepare.recipe_columns import made_rows
from ..words.notes import TableError
from .averages import MOST_WITH_INTERVALS, response_of
from .result import Selection

__all__ = ["Predicted", "known_r_squared", "predicted"]


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
    if interval is not None:
        _check_level(interval)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is told of
        if not averaged and interval is None:
            made = made_rows(read, selection.recipe, selection.columns)
            coef = np.array([one.coefficient for one in selection.chosen])
            columns = {"prediction": made.X @ coef + selection.intercept}
        else:
            averages = _averages(selection)
            made = made_rows(read, selection.recipe, averages["columns"])
            columns = _averaged(averages, made.X, interval)
    frame = extra("pandas", "cli").DataFrame(columns)
    is_lost = ~np.isfinite(frame.to_numpy()).all(axis=1) & ~np.isnan(made.X).any(axis=1)
    lines = [made.trouble(), _beyond_numbers(is_lost), *made.remarks()]
    return Predicted(frame.where(np.isfinite(frame)), [line for line in lines if line])


def _averaged(averages: Averages, X: np.ndarray, interval: float | None) -> dict[str, np.ndarray]:
    """Return the averaged predictions of rows and, where asked for, the ends of intervals."""
    response = response_of(averages)
    columns = {"prediction": response.predict(X)}
    if interval is not None:
        _check_spread(averages)
        columns["lower"], columns["upper"] = response.interval(X, float(interval)).T
    return columns


def _beyond_numbers(is_lost: np.ndarray) -> str:
    """Return one line on rows, (N,), that have numbers and no prediction; "" where none has."""
    if not is_lost.any():
        return ""
    verb, theirs = ("has", "its") if is_lost.sum() == 1 else ("have", "their")
    rows = amount(len(is_lost), "row")
    return f"{is_lost.sum()} of {rows} {verb} no prediction: {theirs} values are too far away."


def _check_level(interval: Any) -> None:
    is_number = isinstance(interval, Real) and not isinstance(interval, bool)
    if not (is_number and 0.0 < float(interval) < 1.0):
        raise TableError(f"interval={interval!r}; give a number between 0 and 1, such as 0.9.")


def _averages(selection: Selection) -> Averages:
    if selection.averages is None:
        raise TableError(
            Message(
                "there is no averaged prediction and no interval, for choices have no "
                "probabilities here; run select with ",
                Argument("k", '"auto"'),
                " or a number, on enough rows.",
            )
        )
    return selection.averages


def _check_spread(averages: Averages) -> None:
    if averages["covariance"] is None:
        said = (
            f"there are no intervals for {len(averages['columns'])} columns: a selection keeps "
            f"what they need of {MOST_WITH_INTERVALS} at the most; leave columns out of select by "
        )
        raise TableError(Message(said, Argument("never", "[…]"), "."))


def known_r_squared(
    selection: Selection, read: Read, prediction: np.ndarray
) -> tuple[float, int] | None:
    """Return R² on the rows whose target is known, and their number; None where it is not.

    Rows count by their weights, where the table has those that ``select`` was given.
    """
    y = _known(read, selection.target)
    if y is None:
        return None
    w = _known(read, selection.question["weights"])
    w = np.ones_like(y) if w is None else w
    rows = np.isfinite(y) & np.isfinite(prediction) & np.isfinite(w) & (w > 0.0)
    y, w, off = y[rows], w[rows], (y - prediction)[rows]
    if not y.size or np.ptp(y) == 0.0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.sum(w * (y - np.average(y, weights=w)) ** 2))
        known = SquaredErrors(float(np.sum(w * off**2)), total).r_squared
    return (known, int(rows.sum())) if np.isfinite(known) else None


def _known(read: Read, name: str | None) -> np.ndarray | None:
    """Return the numbers of a column; None where there is none."""
    if name is None or name not in read.frame:
        return None
    column = read.column(name)
    return np.asarray(column.values) if column.kind == "number" else None
