"""The rows of a large file as numbers, in pieces: gaps settled, text as columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ...render.progress_bar import Show
from ..cells.columns import Column
from ..files.pieces import has_changed
from ..prepare.level_columns import LevelColumn, gap_level
from ..prepare.missing import missing_trouble
from ..words.notes import TableError
from ..words.question import TableQuestion
from .learn_columns import Learned

__all__ = ["CodedPieces", "NumberPiece"]


class NumberPiece(NamedTuple):
    """Rows that are used, as numbers."""

    X: np.ndarray
    """(N, D)."""
    y: np.ndarray
    """(N,)."""
    weights: np.ndarray | None
    """(N,), all positive."""


class _LevelCodes(NamedTuple):
    """A text column as codes."""

    levels: list[str]
    codes: np.ndarray
    """(N,) place of each cell's level; −1 where it is missing."""
    n_missing: int
    gap: str | None
    """The level of cells that are missing, where they have one."""


class CodedPieces:
    """The rows of a file as numbers, as often as they are wanted."""

    def __init__(self, known: Learned, columns: dict[str, Column], question: TableQuestion) -> None:
        """Take columns that can be used, with the target and the weights among them."""
        self._file, self._plain, self._question = known.file, known.plain, question
        self._n_rows = known.n_rows
        self.n_negative = 0
        """Weights below zero, in all rows of the last pass."""
        self.n_weightless = 0
        """Rows that are left out for their weight of zero alone, likewise."""
        self._places = {name: known.file.names.index(name) for name in columns}
        fills = question.missing == "mean"
        self._levels = {
            name: _coded(column.values, fills)
            for name, column in columns.items()
            if column.kind == "category"
        }
        self._held = {
            name: column.values
            for name, column in columns.items()
            if column.kind == "number" and column.values is not None
        }
        self._roles = {name for name in (question.target, question.weights) if name is not None}
        self.columns = [
            LevelColumn(name, level)
            for name in columns
            if name not in self._roles
            for level in (self._levels[name].levels if name in self._levels else [None])
        ]
        self.gaps = {name: own.gap for name, own in self._levels.items() if own.gap is not None}
        """The level of cells that are missing, of each text column in which they have one."""
        self.shares = {name: column.share for name, column in columns.items() if column.share}
        """The sign of each column of numbers that is written with one, % or ‰."""
        self.n_missing = self._count_gaps(columns)
        self._means: dict[str, float] = {}

    def _count_gaps(self, columns: dict[str, Column]) -> dict[str, int]:
        """Return how many values are missing in each column that has gaps; raise if it may not."""
        counts = {}
        for name, place in self._places.items():
            if name in self._levels:
                counts[name] = self._levels[name].n_missing
            elif name in self._held:
                counts[name] = int(np.isnan(self._held[name]).sum())
            else:
                counts[name] = self._plain[place].n_missing
        counts = {name: count for name, count in counts.items() if count}
        if counts and self._question.missing == "error":
            raise TableError(missing_trouble(counts, columns))
        return counts

    def learn_means(self, show: Show | None) -> None:
        """Compute the means that gaps are filled in with, where that is asked for."""
        gaps = [name for name in self.n_missing if name not in {*self._roles, *self._levels}]
        if self._question.missing != "mean" or not gaps:
            return
        sums, counts = dict.fromkeys(gaps, 0.0), dict.fromkeys(gaps, 0)
        for values, kept in self._values("means of the columns", show):
            for name in gaps:
                known = values[name][kept & ~np.isnan(values[name])]
                sums[name] += float(known.sum())
                counts[name] += known.size
        self._means = {name: sums[name] / max(counts[name], 1) for name in gaps}

    def pieces(self, what: str, show: Show | None) -> Iterator[NumberPiece]:
        """Yield the rows that are used; ``what`` is being done with them."""
        target, weights = self._question.target, self._question.weights
        for values, kept in self._values(what, show):
            X = np.empty((int(kept.sum()), len(self.columns)), order="F")
            for place, (name, level) in enumerate(self.columns):
                own = values[name][kept]
                if level is not None:
                    own = own == self._levels[name].levels.index(level)
                elif name in self._means:
                    own = np.where(np.isnan(own), self._means[name], own)
                X[:, place] = own
            w = None if weights is None else values[weights][kept]
            yield NumberPiece(X, values[target][kept], w)

    def _values(
        self, what: str, show: Show | None
    ) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
        """Yield numbers, or codes of levels, by column, and the mask of rows that are used."""
        plain = [name for name in self._places if name not in self._held | self._levels]
        weights = self._question.weights
        start, self.n_negative, self.n_weightless = 0, 0, 0
        # One column at least, to know how many rows a piece has.
        read = [self._places[name] for name in plain or [self._question.target]]
        for piece in self._file.pieces(sorted(read), what, show):
            rows = slice(start, start + len(piece))
            if rows.stop > self._n_rows:
                raise TableError(has_changed(self._file.name))
            values = {name: held[rows] for name, held in self._held.items()}
            values |= {name: coded.codes[rows] for name, coded in self._levels.items()}
            for name in plain:
                values[name] = piece[self._places[name]].to_numpy().astype(np.float64)
            if weights is not None:
                self.n_negative += int(np.sum(values[weights] < 0.0))
            yield values, self._weighing(values, self._kept(values, len(piece)))
            start += len(piece)

    def _kept(self, values: dict[str, np.ndarray], n_rows: int) -> np.ndarray:
        """Return the mask of rows without a gap that matters."""
        kept = np.ones(n_rows, dtype=bool)
        for name in values if self._question.missing == "drop" else self._roles:
            kept &= values[name] >= 0 if name in self._levels else ~np.isnan(values[name])
        return kept

    def _weighing(self, values: dict[str, np.ndarray], kept: np.ndarray) -> np.ndarray:
        """Return the mask of those among the rows kept that have a positive weight."""
        if self._question.weights is None:
            return kept
        weights = values[self._question.weights]
        self.n_weightless += int(np.sum(kept & (weights == 0.0)))
        return kept & (weights > 0.0)


def _coded(values: Any, fills: bool) -> _LevelCodes:
    """Return a text column as codes; ``fills``: a cell without a level is a level of its own."""
    codes, found = extra("pandas", "cli").factorize(values)
    levels, is_missing = [str(one) for one in found], codes < 0
    gap = gap_level(levels) if fills and is_missing.any() else None
    if gap is not None:
        codes[is_missing] = len(levels)
        levels.append(gap)
    return _LevelCodes(levels, codes.astype(np.int16), int(is_missing.sum()), gap)
