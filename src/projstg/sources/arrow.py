"""Batches of Arrow columns (:mod:`.batches`, :mod:`.parquet_folder`) as chunks of numbers.

Numbers stay numbers. Text becomes one column of 0 and 1 for each level, ``column=level``, as in
``projstg select --levels all``; a level that turns up late gets a column of its own then, which was
zero before. Of two levels one column is left, because the other one repeats it. Dates, lists and
text of too many levels are left out, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._extras import extra
from .._printable import few_names, shortened
from .as_doubles import has_rounded
from .batches import Batches, check_columns
from .chunks import Chunk, checked_weights
from .gap_sets import GapSets

__all__ = ["MOST_LEVELS", "CodedColumns", "column_kind", "levels_of"]

MOST_LEVELS = 20
"""Text with more levels is no category."""


def _index_of_frame(schema: Any) -> list[str]:
    """Return the columns that were the index of a pandas frame: they are no part of its table."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [one for one in index if isinstance(one, str)]


class ColumnKind(NamedTuple):
    """What a column is read as."""

    word: str
    """numbers, text, or why it is left out."""
    is_used: bool


def column_kind(kind: Any) -> ColumnKind:
    """Return what a column of an Arrow type is read as."""
    types = extra("pyarrow", "cli").types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return ColumnKind("numbers", True)
    if types.is_decimal(kind):
        return ColumnKind("numbers", True)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return ColumnKind("text", True)
    if types.is_null(kind):
        return ColumnKind("nothing", True)
    return ColumnKind("dates" if types.is_temporal(kind) else f"cells of type {kind}", False)


def levels_of(column: Any) -> list[str]:
    """Return the levels of a column of text, in the order in which they occur."""
    return [one for one in _trimmed(column).unique().to_pylist() if one is not None]


def _trimmed(column: Any) -> Any:
    pyarrow = extra("pyarrow", "cli")
    kind = pyarrow.large_string()
    if pyarrow.types.is_dictionary(column.type):  # of any kind of text
        texts = column.dictionary.cast(kind)
        column = pyarrow.DictionaryArray.from_arrays(column.indices, texts)
    return extra("pyarrow.compute", "cli").utf8_trim_whitespace(column.cast(kind))


class CodedColumns:
    """How the columns of a source become columns of numbers; it grows with the levels of text."""

    def __init__(
        self,
        target: str,
        columns: Sequence[str] | None,
        weights: str | None,
        levels: Mapping[str, Sequence[str]] | None = None,
        again: Callable[[list[str]], Batches] | None = None,
    ) -> None:
        """Take names, None for all columns; ``levels`` are those of text known beforehand.

        ``again`` reads these columns of the source once more; None: it can be read once.
        """
        self._known, self._again = {**(levels or {})}, again
        self.is_shared = levels is not None
        """Whether other blocks are coded into the same columns."""
        self._target, self._weights = target, weights
        self._columns = None if columns is None else list(columns)
        self._pyarrow = extra("pyarrow", "cli")
        if isinstance(columns, str) or (columns is not None and not len(columns)):
            raise ValueError(f"columns={columns!r}; give a list of names, or None for all.")
        if target == weights:
            raise ValueError(f"'{shortened(target)}' is both the target and the weights.")
        self._kinds: dict[str, str] = {}
        self._levels: dict[str, list[str]] = {}
        self._names: list[tuple[str, str | None]] = []
        self.left_out: dict[str, str] = {}
        """Columns that are not used, and why."""
        self.gap_sets = GapSets()
        """Sets of columns of text that may still be left out, in which rows have gaps."""

    def wanted(self) -> list[str] | None:
        """Return the names to read; None for all."""
        if self._columns is None:
            return None
        roles = [self._target, *([] if self._weights is None else [self._weights])]
        return list(dict.fromkeys([*self._columns, *roles]))

    def chunk(self, batch: Any, place: str) -> Chunk:
        """Return a batch as numbers; levels of text that were not there before have new columns."""
        names = batch.schema.names
        roles = [self._target] + ([] if self._weights is None else [self._weights])
        check_columns([*roles, *(self._columns or names)], names, place)
        weights = None
        if self._weights is not None:
            weights = checked_weights(
                self._numbers(batch, self._weights, place), batch.num_rows, place
            )
        self._learn(self._weighing(batch), place)
        self._settle(batch)
        y = self._numbers(batch, self._target, place).astype(np.float64)
        codes = {name: self._codes(batch.column(name), name) for name in self._texts(names)}
        gaps = {name: code < 0 for name, code in codes.items() if name not in self._known}
        X = np.empty((batch.num_rows, len(self._names)), dtype=self._type(batch), order="F")
        for column, (name, level) in enumerate(self._names):
            if level is None:
                X[:, column] = self._numbers(batch, name, place)
            else:
                code = codes.get(name, np.zeros(batch.num_rows))  # of one left out nothing matters
                X[:, column] = code == self._levels[name].index(level)
                if name in self._known:
                    X[code < 0, column] = np.nan
        names = (self._labels(), np.asarray([self._target], dtype=object))
        part = self.gap_sets.numbers(gaps, batch.num_rows)
        return Chunk(X, y[:, None], weights, *names, part, self._rounded(batch))

    def _weighing(self, batch: Any) -> Any:
        """Return the rows of a batch whose weight is not zero: levels of others are none."""
        if self._weights is None:
            return batch
        compute = extra("pyarrow.compute", "cli")
        weighs = compute.fill_null(compute.not_equal(batch.column(self._weights), 0), True)
        return batch.filter(weighs)

    def _rounded(self, batch: Any) -> frozenset[str]:
        """Return what a message calls the columns with whole numbers that doubles do not hold."""
        used = [name for name, level in self._names if level is None]
        found = [f"column '{shortened(n)}'" for n in used if has_rounded(batch.column(n))]
        return frozenset([*found, *["y"] * has_rounded(batch.column(self._target))])

    def _labels(self) -> np.ndarray:
        """Return the names of the columns, distinct."""
        labels: list[str] = []
        for name, level in self._names:
            label = name if level is None else f"{name}={level}"
            while label in labels:
                label += "'"
            labels.append(label)
        return np.asarray(labels, dtype=object)

    def order(self, is_met: np.ndarray | None = None) -> list[int]:
        """Return the places of the columns to keep, in the order of the table, levels sorted.

        ``is_met``, (D,), says which levels have a row that counts; None is all.
        """
        made: dict[str, list[tuple[str | None, int]]] = {name: [] for name in self._kinds}
        for place, (name, level) in enumerate(self._names):
            if level is None or is_met is None or is_met[place]:
                made[name].append((level, place))
        places = []
        for name, own in made.items():
            kept = sorted(own) if len(own) > 1 else own
            if self._kinds[name] == "text":
                if name in self.left_out:
                    continue
                kept = kept[1:] if len(kept) == 2 else kept
            places += [place for _, place in kept]
        return places

    def used_texts(self) -> set[str]:
        """Return the columns of text that are not left out and have a value."""
        return {name for name in self._texts([*self._levels]) if self._levels[name]}

    def _texts(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self._levels and name not in self.left_out]

    def _learn(self, batch: Any, place: str) -> None:
        """Check the types of a batch against those before it, and learn new levels."""
        index = _index_of_frame(batch.schema)
        is_first = not self._kinds
        for field in batch.schema:
            if field.name == self._weights or not self._is_asked(field.name):
                continue
            if field.name in index and self._columns is None and field.name != self._target:
                self.left_out[field.name] = "the index of a data frame"
                continue
            kind = column_kind(field.type)
            if not is_first and field.name not in self._kinds:
                raise ValueError(
                    f"{place} has the column '{shortened(field.name)}', and what came before it "
                    "has not; give the same columns throughout."
                )
            known = self._kinds.setdefault(field.name, kind.word)
            if "nothing" in (known, kind.word) and known != kind.word:
                known = self._kinds[field.name] = known if kind.word == "nothing" else kind.word
                kind = kind._replace(word=known)
                if known == "text" and (field.name, None) in self._names:
                    raise ValueError(
                        f"'{shortened(field.name)}' has text in {place} and nothing before it; "
                        "give it the type of text throughout, or leave it out of columns."
                    )
            if kind.word != known:
                raise ValueError(
                    f"{place} has {kind.word} in '{shortened(field.name)}', and what came before "
                    f"it {known}; give the column one type."
                )
            if field.name != self._target:
                self._learn_column(batch.column(field.name), field.name, kind)
        strange = [name for name in self._kinds if name not in batch.schema.names]
        if strange:
            raise ValueError(
                f"{place} has no column {few_names(strange)}; give the same columns throughout."
            )

    def _is_asked(self, name: str) -> bool:
        return self._columns is None or name in self._columns or name == self._target

    def _learn_column(self, column: Any, name: str, kind: ColumnKind) -> None:
        if not kind.is_used:
            if self._columns is not None:
                raise ValueError(
                    f"'{shortened(name)}' has {kind.word}, which are neither numbers nor text; "
                    "leave it out of columns."
                )
            self.left_out[name] = kind.word
        elif kind.word in ("numbers", "nothing"):
            if (name, None) not in self._names:
                self._names.append((name, None))
        elif name not in self.left_out:
            self._learn_levels(column, name)

    def _learn_levels(self, column: Any, name: str) -> None:
        known = self._levels.setdefault(name, list(self._known.get(name, ())))
        new = sorted(set(levels_of(column)) - set(known))
        # One more than is allowed says that there are too many.
        known += new[: MOST_LEVELS + 1 - len(known)]
        self._names += [(name, level) for level in known if (name, level) not in self._names]
        if len(known) > MOST_LEVELS:
            self.left_out[name] = f"text of more than {MOST_LEVELS} levels"

    def _settle(self, batch: Any) -> None:
        """Where text has gaps, learn all levels of text at once, if the source can be read again.

        Then nothing is in doubt, and what is wrong is said where it is.
        """
        texts = [name for name in self._texts(batch.schema.names) if name not in self._known]
        if self._again is None or not any(batch.column(name).null_count for name in texts):
            return
        weights = [] if self._weights is None else [self._weights]
        for _, other in self._again([*texts, *weights]):
            weighing = self._weighing(other)
            for name in self._texts(texts):
                self._learn_levels(weighing.column(name), name)
        self._known |= {name: self._levels[name] for name in texts}

    def _codes(self, column: Any, name: str) -> np.ndarray:
        """Return the place of each cell's level, (N,); −1 where it is missing."""
        compute, trimmed = extra("pyarrow.compute", "cli"), _trimmed(column)
        levels = self._pyarrow.array(self._levels[name], type=trimmed.type)
        codes = compute.index_in(trimmed, value_set=levels).to_numpy(zero_copy_only=False)
        many = np.float64(len(self._levels[name]))  # a level beyond those that are kept
        is_null = trimmed.is_null().to_numpy(zero_copy_only=False)
        return np.where(is_null, -1.0, np.where(np.isnan(codes), many, codes))

    def _numbers(self, batch: Any, name: str, place: str) -> np.ndarray:
        column, types = batch.column(name), self._pyarrow.types
        kind = column_kind(column.type)
        if kind.word == "nothing":
            return np.full(len(column), np.nan)
        if kind.word != "numbers":
            instead = ", for this is regression; write one class as 1 and the others as 0"
            raise ValueError(
                f"'{shortened(name)}' of {place} has {kind.word}; the target and weights must be "
                f"numbers{instead if kind.word == 'text' and name == self._target else ''}."
            )
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if types.is_decimal(column.type) or types.is_boolean(column.type):
            column = column.cast(self._pyarrow.float64())
        return column.to_numpy(zero_copy_only=False)

    def _type(self, batch: Any) -> type:
        """Return float32 where all numbers are that; double otherwise."""
        types = self._pyarrow.types
        small = all(
            types.is_float32(batch.schema.field(name).type)
            for name, level in self._names
            if level is None
        )
        return np.float32 if small else np.float64
