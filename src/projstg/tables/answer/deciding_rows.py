"""Rows that decide an answer: found by what they weigh in the fit, proved by a fit without them.

Suspect are rows that move the coefficients (Cook's distance), make most of the error, or hold a
cell far away from all others of its column. At most three are looked at, in two fits: one without
the worst, one without all. A caution is due only where the answer changes; where it takes more than
the worst, the others are left out one at a time, so that no row is named that has no part in it.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ..._printable import few_names, shortened
from ...estimators.projected_stg import ProjectedSTG
from ...render.number_text import short_number
from ..prepare.prepared import Prepared
from ..prepare.prepared_rows import PreparedRows
from ..words.notes import Note

__all__ = ["deciding_rows"]


class _RowRules(NamedTuple):
    """Numbers that decide which rows are suspect, and what a change is."""

    most_numbers: int = 200_000
    """Two fits are a third of what the answer and its five folds take; to so many numbers each is
    made in seconds at the most."""
    fewest_rows: int = 10
    """With fewer rows every one of them decides."""
    most_rows: int = 3
    """One may be hidden behind another; beyond a few it is the distribution, no odd row."""
    cook: float = 0.5
    """Usual for a look at a row, and 1 for worry; the fit without it decides in any case."""
    error_share: float = 0.5
    """A row that makes most of the error hides what the others say."""
    far: float = 2.0
    """A cell is far out if it is twice the range of all others away from the nearest."""
    probability: float = 0.3
    """A column that is chosen or left out for a row has a probability that moves by more. Less is
    two choices nearly as likely, of which any row can tip the balance."""
    coefficient: float = 0.5
    """A coefficient that changes by more than half its size, and by more than its standard error,
    is another answer."""


_RULES = _RowRules()


class _Change(NamedTuple):
    """What is another answer without some rows."""

    rows: list[int]
    told: str
    columns: tuple[str, ...]
    """The columns that change."""
    involved: np.ndarray
    """Mask of the columns that are chosen with these rows or without them."""


def deciding_rows(data: Prepared, model: ProjectedSTG, params: dict) -> list[Note]:
    """Return a caution where the answer is another one without one to three rows.

    Silent on sums over a file that does not fit into memory: the rows are not at hand.
    """
    if not isinstance(data, PreparedRows) or data.n_numbers > _RULES.most_numbers:
        return []
    rows = _suspects(data, model) if data.n_rows >= _RULES.fewest_rows else []
    change = _first_change(data, model, params, rows)
    if change is None:
        return []
    one = "it" if len(change.rows) == 1 else "them"
    text = f"{_named(data, change)}: without {one} {change.told}."
    return [Note("one_row", text, change.columns)]


def _suspects(data: PreparedRows, model: ProjectedSTG) -> list[int]:
    """Return at most three rows that may decide the answer, the worst first."""
    cook, share = _influence(data, model)
    merit = np.where(cook > _RULES.cook, 1.0 + cook, 0.0)
    merit = np.maximum(merit, np.where(share > _RULES.error_share, 1.0 + share, 0.0))
    for row in _far_out(data):
        merit[row] = max(merit[row], 1.0)
    worst = np.argsort(-merit, kind="stable")[: _RULES.most_rows]
    return [int(row) for row in worst if merit[row] > 0.0]


def _influence(data: PreparedRows, model: ProjectedSTG) -> tuple[np.ndarray, np.ndarray]:
    """Return Cook's distance of each row, and its share of the squared error.

    D = e² h / (p s² (1 − h)²), with the leverages h and p coefficients.
    """
    root = np.ones(data.n_rows) if data.weights is None else np.sqrt(data.weights)
    columns = data.X[:, model.support_]
    size = np.max(np.abs(columns), axis=0)
    design = root[:, None] * np.column_stack([np.ones(data.n_rows), columns / size])
    left, values, _ = np.linalg.svd(design, full_matrices=False)
    basis = left[:, values > 1e-10 * values[0]]
    leverage, p = np.sum(basis**2, axis=1), basis.shape[1]
    off = root * (data.y - data.X @ model.coef_ - model.intercept_)
    off = off / (np.max(np.abs(off)) or 1.0)
    error = float(np.sum(off**2))
    if data.n_rows <= p or error == 0.0:
        return np.zeros(data.n_rows), np.zeros(data.n_rows)
    others = 1.0 - leverage
    alone = others < 1e-9  # the fit goes through this row, for no other has such a column
    cook = off**2 * leverage / (p * error / (data.n_rows - p)) / np.where(alone, 1.0, others) ** 2
    return np.where(alone, np.inf, cook), off**2 / error


def _far_out(data: PreparedRows) -> list[int]:
    """Return the rows with a cell far away from all others of its column, the farthest first."""
    values = np.column_stack([data.y, data.X])
    values /= np.max(np.abs(values), axis=0)  # differences of very large numbers may overflow
    order = np.argsort(values, axis=0)
    found: dict[int, float] = {}
    for side in (order, order[::-1]):
        first, second, last = (np.take_along_axis(values, side[[i]], 0)[0] for i in (0, 1, -1))
        gap, spread = np.abs(first - second), np.abs(second - last)
        far = np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0.0)
        for place in np.flatnonzero(far > _RULES.far):
            row = int(side[0, place])
            found[row] = max(found.get(row, 0.0), float(far[place]))
    return sorted(found, key=lambda row: -found[row])


def _first_change(
    data: PreparedRows, model: ProjectedSTG, params: dict, rows: list[int]
) -> _Change | None:
    """Return the change that the worst row makes, or another one alone, or all together."""
    worst, others = rows[:1], rows[1:]
    change = _change(data, model, params, worst) if worst else None
    if change is not None or not others:
        return change
    together = _change(data, model, params, rows)
    if together is None:
        return None
    alone = (_change(data, model, params, [row]) for row in others)
    return next((one for one in alone if one is not None), together)


def _change(
    data: PreparedRows, model: ProjectedSTG, params: dict, rows: list[int]
) -> _Change | None:
    """Return what is another answer without these rows; None where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            other = data.some(np.setdiff1d(np.arange(data.n_rows), rows)).fitted(params)
        except ValueError:  # too few rows or columns are left
            return None
    told = _told_flipped(data, model, other) or _told_moved(data, model, other)
    return None if told is None else _Change(rows, *told, model.support_ | other.support_)


def _told_flipped(
    data: PreparedRows, model: ProjectedSTG, other: ProjectedSTG
) -> tuple[str, tuple[str, ...]] | None:
    """Return which columns are chosen by one model and not by the other."""
    lost, gained = _flipped(model, other), _flipped(other, model)
    said = [f"{_names(data, lost)} not chosen"] if lost.size else []
    said += [f"{_names(data, gained)} chosen"] if gained.size else []
    columns = tuple(data.names[place] for place in (*lost, *gained))
    return (" and ".join(said), columns) if said else None


def _flipped(one: ProjectedSTG, other: ProjectedSTG) -> np.ndarray:
    """Return the columns that one model chose and the other, decidedly, did not."""
    flipped = one.support_ & ~other.support_
    before, after = one.inclusion_probability_, other.inclusion_probability_
    if before is not None and after is not None:
        flipped = flipped & (before - after > _RULES.probability)
    return np.flatnonzero(flipped)


def _names(data: PreparedRows, places: np.ndarray) -> str:
    names = [data.names[place] for place in places]
    return f"{few_names(names, 3)} {'is' if len(names) == 1 else 'are'}"


def _told_moved(
    data: PreparedRows, model: ProjectedSTG, other: ProjectedSTG
) -> tuple[str, tuple[str, ...]] | None:
    """Return which coefficient changes most, where one changes by half its size or more."""
    both = np.flatnonzero(model.support_ & other.support_)
    if not both.size:
        return None
    change, size = np.abs(other.coef_[both] - model.coef_[both]), np.abs(model.coef_[both])
    moved = (change > _RULES.coefficient * size) & (change > model.coef_std_error_[both])
    if not moved.any():
        return None
    shares = np.divide(change, size, out=np.full_like(size, np.inf), where=size > 0.0)
    place = int(both[np.argmax(np.where(moved, shares, -1.0))])
    name = data.names[place]
    told = (
        f"the coefficient of {shortened(name)} is {short_number(other.coef_[place])} instead of "
        f"{short_number(model.coef_[place])}"
    )
    return told, (name,)


def _named(data: PreparedRows, change: _Change) -> str:
    """Return the rows by their numbers in the file; of one also its strangest cell."""
    rows = change.rows
    if len(rows) > 1:
        return f"{data.in_words(rows)} decide (the first row is 1)"
    name, value = _strangest(data, change.involved, rows[0])
    return f"{data.in_words(rows)} decides ({shortened(name)} is {value} there; the first row is 1)"


def _strangest(data: PreparedRows, involved: np.ndarray, row: int) -> tuple[str, str]:
    """Return the name and the cell that is farthest from the others, in their deviations.

    It is the target's or that of a column involved: others have no part in the change.
    """
    others = np.arange(data.n_rows) != row
    values = {data.target: data.y}
    values |= {data.names[place]: data.X[:, place] for place in np.flatnonzero(involved)}
    far = {}
    for name, column in values.items():
        rest = column[others] / (np.max(np.abs(column)) or 1.0)
        own = column[row] / (np.max(np.abs(column)) or 1.0)
        far[name] = abs(own - rest.mean()) / max(float(rest.std()), 1e-12)
    name = max(far, key=lambda one: far[one])
    return name, short_number(float(values[name][row]))
