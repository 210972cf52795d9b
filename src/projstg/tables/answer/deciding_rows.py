"""Rows that decide an answer: found by what they weigh in the fit, proved by a fit without them.

Suspect are rows that move the coefficients (Cook's distance), make most of the error, or hold a
cell that stands apart; all rows whose cell has one such value, say -999, are one suspect. At most
five are looked at, in two fits: one without the worst, one without all. A caution is due only where
the answer changes; where it takes more than the worst, suspects are put back one at a time, so that
no row is named that has no part in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..._printable import few_names, shortened
from ...estimators.projected_stg import ProjectedSTG
from ...render.number_text import short_number
from ..prepare.prepared import Prepared
from ..prepare.prepared_rows import PreparedRows
from ..words.notes import Note
from .far_cells import FarCells, far_cells

__all__ = ["deciding_rows"]


class _RowRules(NamedTuple):
    """Numbers that decide which rows are suspect, and what a change is."""

    most_numbers: int = 200_000
    """Two fits are a third of what the answer and its five folds take; to so many numbers each is
    made in seconds at the most."""
    fewest_rows: int = 10
    """With fewer rows every one of them decides."""
    most_suspects: int = 5
    """One may be hidden behind another; beyond a few it is the distribution, no odd row."""
    cook: float = 0.5
    """Usual for a look at a row, and 1 for worry; the fit without it decides in any case."""
    error_share: float = 0.5
    """A row that makes most of the error hides what the others say."""
    probability: float = 0.3
    """A column that is chosen or left out for a row has a probability that moves by more. Less is
    two choices nearly as likely, of which any row can tip the balance."""
    coefficient: float = 0.5
    """A coefficient that changes by more than half its size, and by more than its standard error,
    is another answer."""
    digits: int = 6
    """Of a cell that is shown: a code such as 99999 is to be recognised."""


_RULES = _RowRules()


class _Suspect(NamedTuple):
    """What may decide the answer: one row, or all rows with cells of one value."""

    rows: tuple[int, ...]
    cells: FarCells | None = None
    """Of several rows."""

    @classmethod
    def of(cls, cells: FarCells) -> _Suspect:
        return cls(cells.rows, cells if len(cells.rows) > 1 else None)

    def within(self, places: Collection[int]) -> _Suspect:
        """Return the rows with cells in some columns; a single row is what it is."""
        return self if self.cells is None else self.of(self.cells.within(places))


class _Change(NamedTuple):
    """What is another answer without some rows."""

    suspects: list[_Suspect]
    told: str
    columns: tuple[str, ...]
    """The columns that change."""
    involved: np.ndarray
    """Mask of the columns that are chosen with these rows or without them."""


class _Fits(NamedTuple):
    """A table, its answer, and how to find the answer without some rows."""

    data: PreparedRows
    model: ProjectedSTG
    params: dict

    def change(self, suspects: list[_Suspect]) -> _Change | None:
        """Return what is another answer without these; None where nothing is."""
        if not suspects:
            return None
        data, model = self.data, self.model
        rows = [row for one in suspects for row in one.rows]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                left = np.setdiff1d(np.arange(data.n_rows), rows)
                other = data.some(left).fitted(self.params)
            except ValueError:  # too few rows or columns are left
                return None
        told = _told_flipped(data, model, other) or _told_moved(data, model, other)
        if told is None:
            return None
        return self.own(_Change(suspects, *told, model.support_ | other.support_))

    def own(self, change: _Change) -> _Change | None:
        """Return the change by cells in the target and in columns that change.

        Without the rows of other cells, too, a column may come or go, for there are fewer rows.
        """
        names = {self.data.target, *change.columns}
        places = {place for place, name in enumerate(_names_of(self.data)) if name in names}
        parts = [one.within(places) for one in change.suspects]
        suspects = [one for one in parts if one.rows]
        return change if suspects == change.suspects else self.change(suspects)


def deciding_rows(data: Prepared, model: ProjectedSTG, params: dict) -> list[Note]:
    """Return a caution where the answer is another one without a few rows, or those of a code.

    Silent on sums over a file that does not fit into memory: the rows are not at hand.
    """
    if not isinstance(data, PreparedRows) or data.n_numbers > _RULES.most_numbers:
        return []
    suspects = _suspects(data, model) if data.n_rows >= _RULES.fewest_rows else []
    change = _first_change(_Fits(data, model, params), suspects)
    if change is None:
        return []
    return [Note("one_row", f"{_named(data, change)} {change.told}.", change.columns)]


def _suspects(data: PreparedRows, model: ProjectedSTG) -> list[_Suspect]:
    """Return what may decide the answer, the worst first."""
    cook, share = _influence(data, model)
    merit = np.maximum(cook * (cook > _RULES.cook), share * (share > _RULES.error_share))
    worst = [row for row in np.argsort(-merit, kind="stable").tolist() if merit[row] > 0.0]
    far = [_Suspect.of(one) for one in far_cells(np.column_stack([data.y, data.X]))]
    codes = [one for one in far if one.cells is not None]
    found: dict[tuple[int, ...], _Suspect] = {}
    for row in worst:  # where it has a code, the code comes first: it says more than the row
        own = [one for one in codes if row in one.rows]
        found |= {one.rows: one for one in (*own, _Suspect((row,)))}
    found |= {one.rows: one for one in far}
    return list(found.values())[: _RULES.most_suspects]


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


def _first_change(fits: _Fits, suspects: list[_Suspect]) -> _Change | None:
    """Return the change that the worst makes, or else as few of them together as it takes."""
    change = fits.change(suspects[:1])
    if change is not None or len(suspects) < 2:
        return change
    change = fits.change(suspects)
    for one in reversed(suspects if change is None else change.suspects):
        if change is not None:
            fewer = [other for other in change.suspects if other != one]
            change = fits.change(fewer) or change
    return change


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


def _names_of(data: PreparedRows) -> list[str]:
    """Return the names of the target and of the columns, as places of far cells count them."""
    return [data.target, *data.names]


def _named(data: PreparedRows, change: _Change) -> str:
    """Return the rows by their numbers in the file, or the value of their cells."""
    rows = [one.rows[0] for one in change.suspects if one.cells is None]
    cells = [_counted(data, one.cells) for one in change.suspects if one.cells is not None]
    if not rows:
        return f"{' and '.join(cells)}, far from all others: without these rows"
    if cells:
        verb = "decides" if len(rows) == 1 else "decide"
        said = f"{data.in_words(rows)} {verb} with them (the first row is 1)"
        return f"{' and '.join(cells)}, far from all others. {said}: without all these rows"
    if len(rows) > 1:
        return f"{data.in_words(rows)} decide (the first row is 1): without them"
    name, value = _strangest(data, change.involved, rows[0])
    cell = f"{shortened(name)} is {value} there; the first row is 1"
    return f"{data.in_words(rows)} decides ({cell}): without it"


def _counted(data: PreparedRows, cells: FarCells) -> str:
    names = _names_of(data)
    columns = few_names([names[place] for place in sorted({place for _, place in cells.cells})], 3)
    return f"{len(cells.cells)} cells of {columns} are {short_number(cells.value, _RULES.digits)}"


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
    return name, short_number(float(values[name][row]), _RULES.digits)
