"""From a large file to a prepared table: what its columns are, then sums over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ..._messages import Argument, Message
from ..._printable import few_names, printable
from ...render.progress_bar import Show
from ...sources import Statistics
from ...sources.folds import random_of_rows
from ...sources.statistics import MOST_COLUMNS
from ..cells.columns import Column
from ..cells.memory_guard import TooLarge, free_memory
from ..files.pieces import LargeFile
from ..prepare.column_roles import (
    check_finite,
    check_is_number,
    check_not_negative,
    check_shape,
    check_varies,
    check_weights,
    nothing_left,
    roles,
    usable,
    weightless_notes,
)
from ..prepare.level_columns import LevelColumn, reference_level
from ..prepare.missing import check_left, gap_notes, words_among_numbers
from ..prepare.prepared import MOST_SHOWN, SomeRows
from ..prepare.recipe import Recipe, made_column, recipe_of
from ..prepare.target_facts import TargetValues, value_counts
from ..words.column_names import free_name
from ..words.notes import Note, TableError
from ..words.question import TableQuestion
from .coded_pieces import CodedPieces, NumberPiece
from .learn_columns import Learned, learned
from .prepared_sums import PreparedSums

__all__ = ["prepared_file"]

# Beyond it squares, summed over many rows, may overflow, and below its inverse vanish.
_LARGEST = 1e140


def prepared_file(
    file: LargeFile, question: TableQuestion, show: Show | None
) -> tuple[PreparedSums, dict, list[Note]]:
    """Return the problem in a file that does not fit into memory, facts on the file, and notes."""
    question.check_names(file.names)
    known = learned(file, [str(name) for name in question.never], show)
    n_rows, told, facts = known.n_rows, known.notes(), {**file.facts, **known.held.facts}
    check_shape(file.names, n_rows)
    fixed = _fixed(known, question)
    columns, notes = usable(file.names, known.column, fixed, question)
    if not columns:
        raise TableError(nothing_left(notes, question.target))
    coded = CodedPieces(known, columns | fixed, question)
    gaps = {name: coded.gaps.get(name) for name in coded.n_missing if name in columns}
    words = words_among_numbers(coded.n_missing, columns)
    del known, columns, fixed  # texts, of which only codes are needed now
    _check_sums(file.name, len(coded.columns), question.folds)
    coded.learn_means(show)
    sums = _Sums(coded, question)
    for piece in coded.pieces("adding up the rows", show):
        sums.add(piece)
    sums.check(coded.n_negative)
    n_kept = sums.n_rows + coded.n_weightless
    if coded.n_missing:
        check_left(n_kept, n_rows, coded.n_missing, question.missing)
    notes += gap_notes(coded.n_missing, gaps, n_rows - n_kept, n_rows, question.missing, words)
    notes += weightless_notes(coded.n_weightless, sums.n_rows, str(question.weights))
    facts |= {"n_rows": n_rows, "n_columns": len(file.names)}
    return _prepared(coded, sums, notes, question, show), facts, told


def _check_sums(name: str, n_columns: int, folds: int) -> None:
    """Raise where the sums of products do not fit into memory: those of each fold, and new ones."""
    less = Message("leave columns out by ", Argument("never", "[…]"))
    if n_columns > MOST_COLUMNS:
        said = (
            f"{name} has {n_columns} columns of numbers, and does not fit into memory: sums are "
            f"kept of {MOST_COLUMNS} at the most; "
        )
        raise TableError(Message(said, less, "."))
    needed, free = 8 * n_columns**2 * (2 * max(folds, 1) + 3), free_memory()
    if free is not None and needed > free:
        raise TooLarge(
            f"{name} has {n_columns} columns of numbers, whose sums of products take "
            f"{needed / 2**30:.1f} GB of memory, and {free / 2**30:.1f} GB are free",
            Message(less, ", or do without folds"),
        )


def _fixed(known: Learned, question: TableQuestion) -> dict[str, Column]:
    """Return the target and the weights, or raise where they are no numbers."""
    target, weights = question.target, question.weights
    fixed = {target: known.column(target, True, must_be_number=True)}
    check_is_number(fixed[target], target, known.first_cell(target))
    if weights is not None:
        fixed[weights] = known.column(weights, True, must_be_number=True)
        check_weights(fixed[weights], weights)
    return fixed


class _Sums:
    """Sums over the rows, ranges of the columns, and a few rows."""

    def __init__(self, coded: CodedPieces, question: TableQuestion) -> None:
        self._question, self._names = question, [column for column, _ in coded.columns]
        folds, seed = question.folds, question.random_state
        self.statistics = Statistics(folds=folds if folds >= 2 else 0, random_state=seed)
        self.n_rows = 0
        shape = len(coded.columns) + 1  # the columns, then the target
        self.least, self.most = np.full(shape, np.inf), np.full(shape, -np.inf)
        self._counts: dict[float, int] | None = {}
        self._totals = np.zeros(len(coded.columns))
        self._n_infinite: dict[str, int] = {}
        self._few: tuple[np.ndarray, ...] | None = None

    def add(self, piece: NumberPiece) -> None:
        """Add rows."""
        if not len(piece.y):
            return
        for place, column in enumerate([*piece.X.T, piece.y]):
            self.least[place] = min(self.least[place], column.min())
            self.most[place] = max(self.most[place], column.max())
        self._counts = value_counts(piece.y, self._counts)
        self._count_infinite(piece)
        if self._n_infinite:
            return  # what is wrong is counted to the end, and then said
        self._keep_few(piece)
        self.n_rows += len(piece.y)
        self._totals += piece.X.sum(axis=0)
        try:
            self.statistics.update(piece.X, piece.y, piece.weights)
        except ValueError as error:
            raise TableError(self._out_of_range() or printable(error)) from None

    def _out_of_range(self) -> str:
        """Return what to say of columns whose squares are no numbers; nothing where none is."""
        sizes = np.maximum(np.abs(self.least), np.abs(self.most))
        is_far = (sizes > _LARGEST) | ((sizes < 1.0 / _LARGEST) & (sizes > 0.0))
        names = [*self._names, self._question.target]
        far = [name for name, one in zip(names, is_far, strict=True) if one]
        if not far:
            return ""
        return (
            f"in a file that does not fit into memory {few_names(far)} have numbers too large or "
            "too small for sums of squares; divide these columns by constants."
        )

    def _count_infinite(self, piece: NumberPiece) -> None:
        sides = dict(zip([*self._names, self._question.target], [*piece.X.T, piece.y], strict=True))
        if self._question.weights is not None and piece.weights is not None:
            sides[self._question.weights] = piece.weights
        for name, column in sides.items():
            if not np.isfinite(column).all():
                before = self._n_infinite.get(name, 0)
                self._n_infinite[name] = before + int(np.isinf(column).sum())

    def check(self, n_negative: int) -> None:
        """Raise where numbers were infinite, or weights negative."""
        weights = self._question.weights
        if weights is not None:
            check_not_negative(n_negative, weights)
        check_finite(self._n_infinite)

    def _keep_few(self, piece: NumberPiece) -> None:
        """Keep the rows with the least random numbers, in the order of the rows."""
        keys = random_of_rows(self.n_rows, len(piece.y), self._question.random_state)
        parts: tuple[np.ndarray, ...] = (keys, piece.X, piece.y)
        if self._few is not None:
            is_full = len(self._few[0]) >= MOST_SHOWN
            new = keys < self._few[0].max() if is_full else slice(None)
            pairs = zip(self._few, parts, strict=True)
            parts = tuple(np.concatenate([old, one[new]]) for old, one in pairs)
        least = np.sort(np.argsort(parts[0])[:MOST_SHOWN])
        self._few = tuple(one[least] for one in parts)

    def fill(self, place: int) -> float:
        """Return what a missing value of a column was filled in with: the mean."""
        return float(self._totals[place] / max(self.n_rows, 1))

    def target_values(self) -> TargetValues:
        """Return which values the target has."""
        return TargetValues(float(self.least[-1]), float(self.most[-1]), self._counts)

    def few(self, places: np.ndarray) -> SomeRows:
        """Return the rows that were kept, of some columns."""
        if self._few is None:
            raise RuntimeError("no row was added.")
        return SomeRows(self._few[1][:, places], self._few[2])


def _prepared(
    coded: CodedPieces,
    sums: _Sums,
    notes: list[Note],
    question: TableQuestion,
    show: Show | None,
) -> PreparedSums:
    """Return the problem of the columns that vary and may be chosen."""
    target = question.target
    check_varies(target, sums.n_rows, float(sums.least[-1]), float(sums.most[-1]))
    designed, references = _designed(coded, sums, question)
    places = np.array(list(designed.values()), dtype=np.intp)
    origins = {name: coded.columns[place] for name, place in designed.items()}
    found = roles(origins, references, (sums.most > sums.least)[places], notes, question)
    places = places[found.kept]
    kept = [name for name, keep in zip(designed, found.kept, strict=True) if keep]
    return PreparedSums(
        statistics=sums.statistics.columns(places),
        names=kept,
        target=target,
        always=found.always[found.kept],
        notes=found.notes,
        recipe=_recipe(coded, sums, kept, places, question),
        n_rows=sums.n_rows,
        values=sums.target_values(),
        few=sums.few(places),
        places=places,
        pieces=partial(coded.pieces, "reading the rows again", show),
        factors=found.factors,
    )


def _designed(
    coded: CodedPieces, sums: _Sums, question: TableQuestion
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the columns by name, with their places, and the reference levels."""
    counts = sums.statistics.x_mean * sums.statistics.weight_sum
    by_column: dict[str, dict[str, float]] = {}
    for place, (column, level) in enumerate(coded.columns):
        if level is not None and sums.most[place] > 0.0:  # it occurs in rows that are used
            by_column.setdefault(column, {})[level] = float(counts[place])
    found: dict[str, int] = {}
    references: dict[str, str] = {}
    order = {origin: place for place, origin in enumerate(coded.columns)}
    for column in dict.fromkeys(origin.column for origin in coded.columns):
        made = [LevelColumn(column)]
        if column in by_column:
            levels = by_column[column]
            reference = reference_level(column, levels, question)
            references |= {} if reference is None else {column: reference}
            made = [LevelColumn(column, one) for one in sorted(levels) if one != reference]
        for origin in made:
            found[free_name(origin.key, found)] = order[origin]
    return found, references


def _recipe(
    coded: CodedPieces,
    sums: _Sums,
    names: Sequence[str],
    places: np.ndarray,
    question: TableQuestion,
) -> Recipe:
    """Return how the columns of numbers at these places are made of the file."""
    pairs = zip(names, places, strict=True)
    made = [made_column(name, *coded.columns[place]) for name, place in pairs]
    levels: dict[str, list[str]] = {}
    for (name, level), most in zip(coded.columns, sums.most, strict=False):
        if level is not None and most > 0.0:
            levels.setdefault(name, []).append(level)
    levels = {name: sorted(own) for name, own in levels.items()}
    fills = {
        coded.columns[place].column: sums.fill(place)
        for place in places
        if coded.columns[place].level is None
    }
    gaps = {name: own for name, own in coded.gaps.items() if own in levels.get(name, [])}
    kept = fills if question.missing == "mean" else None
    return recipe_of(made, levels, kept, shares=coded.shares, gaps=gaps)
