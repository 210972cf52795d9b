"""The columns of numbers of another table, made as those of the table that was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._messages import Argument, Message
from ..._printable import amount, counted, few_names, shortened
from ..cells.columns import Column, cell_texts
from ..files.given_table import frame_of_array, table_of
from ..files.pieces import LargeFile
from ..files.read_table import Read
from ..words.column_names import no_such_column
from ..words.notes import TableError
from .design_matrix import first_cell
from .missing import words_among_numbers
from .recipe import MadeColumn, Recipe, made_columns

__all__ = ["MadeRows", "in_memory", "known_cells", "made_rows", "whole_table"]


_MEAN = "the mean of the first table"


class MadeRows(NamedTuple):
    """Rows of another table, as numbers."""

    X: np.ndarray
    """(N, M), NaN where a cell is missing or its level is unknown."""
    columns: dict[str, Column]
    """The columns of the table that are numbers."""
    has_fills: bool
    n_missing: Counter[str]
    """Cells that are missing, by column of the table."""
    n_infinite: Counter[str]
    """Those that are infinite."""
    n_filled: dict[str, Counter[str]]
    """Those that were missing and are filled in, by what they are filled in with."""
    unknown: dict[str, Counter[str]]
    """The levels that are not in the recipe, with their counts, by column of the table."""
    shares: dict[str, str]
    """The sign of each column of numbers that select saw with another one; % or ‰ or none."""

    def trouble(self) -> str:
        """Return one line on the rows that cannot be predicted; nothing where all can."""
        is_lost = np.isnan(self.X).any(axis=1)
        if not is_lost.any():
            return ""
        parts: list[str] = []
        if self.n_missing:
            mean = (", or run select again with ", Argument("missing", '"mean"'))
            begin = f"missing values, {self._counted(self.n_missing)} (fill these in"
            parts.append(Message(begin, *(() if self.has_fills else mean), ")"))
        if self.n_infinite:
            parts.append(f"infinite values, {counted(self.n_infinite)}")
        for name, levels in self.unknown.items():
            cells = [f"'{shortened(level)}' {count}" for level, count in levels.most_common()]
            parts.append(f"text in {shortened(name)} that select has not seen, {few_names(cells)}")
        have = "has" if is_lost.sum() == 1 else "have"
        n_rows = amount(len(self.X), "row")
        begin = f"{is_lost.sum()} of {n_rows} {have} no prediction: "
        return Message(begin, parts[0], *(Message("; ", part) for part in parts[1:]), ".")

    def remarks(self) -> list[str]:
        """Return lines on what may not be as it is meant to be."""
        return [line for line in (self.filled_in(), self._written_otherwise()) if line]

    def _written_otherwise(self) -> str:
        """Return one line on columns of numbers with another sign; "" where none has."""
        parts = []
        for name, then in self.shares.items():
            now, values = self.columns[name].share, self.columns[name].values
            example = next((f"{one:.6g}" for one in values if np.isfinite(one)), "")
            seen, taken = (f"{example} {sign}".strip() for sign in (now, then))
            here, before = (sign or "no sign" for sign in (now, then))
            said = f"{shortened(name)} has {here} and had {before} for select"
            parts.append(f"{said}, so {seen} is taken for {taken}")
        return f"Written in another way: {'; '.join(parts)}." if parts else ""

    def filled_in(self) -> str:
        """Return one line on the cells that were missing and are filled in; "" where none is."""
        if not self.n_filled:
            return ""
        parts = [f"with {what}, {self._counted(own)}" for what, own in self.n_filled.items()]
        return f"Filled in, of {amount(len(self.X), 'row')}: {'; '.join(parts)}."

    def _counted(self, counts: Counter[str]) -> str:
        return counted(counts) + words_among_numbers(counts, self.columns)


def whole_table(table: Any, recipe: Recipe, sheet: str | None = None) -> Read:
    """Return a table as if read: a data frame, the table at paths, or an array of numbers.

    What is text in the recipe stays as it is written.
    """
    table = frame_of_array(table) if isinstance(table, np.ndarray) else table
    wanted = "a data frame, a path, a list of paths or an array"
    return in_memory(table_of(table, sheet=sheet, wanted=wanted, **known_cells(recipe)))


def known_cells(recipe: Recipe) -> dict[str, Any]:
    """Return what a recipe knows of cells: fields of :class:`.how_to_read.HowToRead`."""
    return {"texts": recipe["levels"], "decimals": recipe["decimals"]}


def in_memory(read: Read | LargeFile) -> Read:
    """Return a table that fits into memory, or raise."""
    if not isinstance(read, Read):
        raise TableError(f"{read.name} does not fit into memory; give its rows in several files.")
    return read


def made_rows(read: Read, recipe: Recipe, names: Sequence[str]) -> MadeRows:
    """Return these columns of numbers of a table, or raise where it lacks one that they need."""
    wanted = made_columns(recipe, names)
    _check_columns([one["column"] for one in wanted], read.frame.columns)
    X, has_fills = np.empty((len(read.frame), len(names))), recipe["fills"] is not None
    found = MadeRows(X, {}, has_fills, Counter(), Counter(), {}, {}, {})
    places: dict[str, list[int]] = {}
    for place, one in enumerate(wanted):
        places.setdefault(one["column"], []).append(place)
    for own in places.values():
        if wanted[own[0]]["level"] is None:
            _add_number(found, read, recipe, wanted[own[0]], own)
        else:
            _add_text(found, read, recipe, [wanted[place] for place in own], own)
    return found


def _check_columns(needed: Collection[str], names: Collection[str]) -> None:
    lacking = [name for name in dict.fromkeys(needed) if name not in names]
    if lacking:
        more = f" ({len(lacking)} columns are missing)" if len(lacking) > 1 else ""
        hint = no_such_column(lacking[0], names)
        raise TableError(
            f"the prediction needs a column '{shortened(lacking[0])}', which the table does not "
            f"have{more}; {hint}"
        )


def _add_number(
    found: MadeRows, read: Read, recipe: Recipe, one: MadeColumn, places: Sequence[int]
) -> None:
    """Put in a column of numbers."""
    name = one["column"]
    column = found.columns[name] = _number_column(read, name)
    then = recipe["shares"].get(name, "")
    if then != column.share and not np.isnan(column.values).all():
        found.shares[name] = then
    gap, infinite = np.isnan(column.values), np.isinf(column.values)
    fill = (recipe["fills"] or {}).get(name, np.nan)
    found.X[:, places] = np.where(gap, fill, np.where(infinite, np.nan, column.values))[:, None]
    if infinite.any():
        found.n_infinite[name] = int(infinite.sum())
    if gap.any() and np.isnan(fill):
        found.n_missing[name] = int(gap.sum())
    elif gap.any():
        found.n_filled.setdefault(_MEAN, Counter())[name] = int(gap.sum())


def _number_column(read: Read, name: str) -> Column:
    """Return a column of numbers, or raise where it is something else."""
    column = read.column(name)
    if column.kind == "empty":
        return Column("number", np.full(len(read.frame), np.nan))
    if column.kind == "number":
        return column
    known = read.frame[name].dropna()
    if len(known) == 1 and isinstance(known.iloc[0], str):
        # One word is no column of text: beside numbers it is missing.
        return Column("number", np.full(len(read.frame), np.nan), 1, shortened(known.iloc[0], 20))
    if column.kind == "mixed":
        seen = f"not all numbers are written in one way here, such as '{column.example}'"
    else:
        seen = f"here it begins '{shortened(first_cell(read.frame[name]), 20)}'"
    raise TableError(f"'{shortened(name)}' was a column of numbers for select; {seen}. Repair it.")


def _add_text(
    found: MadeRows, read: Read, recipe: Recipe, made: Sequence[MadeColumn], places: Sequence[int]
) -> None:
    """Put in the columns of zeros and ones of a text column."""
    name, levels = made[0]["column"], set(recipe["levels"].get(made[0]["column"], []))
    gap, cells = recipe["gaps"].get(name), cell_texts(read.frame[name])
    labels = np.array([gap if cell is None else cell for cell in cells], dtype=object)
    is_known = np.array([label in levels for label in labels], dtype=bool)
    for place, one in zip(places, made, strict=True):
        found.X[:, place] = np.where(is_known, labels == one["level"], np.nan)
    strange = Counter(label for label in labels[~is_known] if label is not None)
    n_missing = sum(cell is None for cell in cells)
    if n_missing and gap is None:
        found.n_missing[name] = n_missing
    elif n_missing:
        found.n_filled.setdefault(f"the level '{gap}'", Counter())[name] = n_missing
    if strange:
        found.unknown[name] = strange
