"""Text in a Dask data frame: its levels are found in a first pass, over these columns alone.

After it every partition is coded by itself, into the same columns, so that sums are merged as those
of numbers are. Coding by the levels that a partition happens to have would take one pass, but then
a column of too many levels would be noticed only at the end, when rows were already left out for
its gaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .._extras import extra
from .._printable import shortened
from .arrow import MOST_LEVELS, CodedColumns, column_kind, levels_of
from .batches import BATCH_ROWS, Batches, unreadable
from .dask_blocks import frame_sides, in_pairs

__all__ = ["FrameColumns", "frame_columns"]

# Kinds of NumPy's types, and of pandas' own, that are numbers.
_NUMBERS = "biuf"


class FrameColumns(NamedTuple):
    """How the partitions of a data frame are coded."""

    target: str
    weights: str | None
    levels: dict[str, list[str]]
    """Of each column of text, in all partitions: sorted, and not all where they are too many."""
    unused: frozenset[str] = frozenset()
    """Columns that are neither numbers nor text in some partition."""

    def coded(self) -> CodedColumns:
        """Return what codes a partition."""
        return CodedColumns(self.target, None, self.weights, self.levels)

    def batches(self, frame: Any, y: Any, weights: Any, place: str) -> Batches:
        """Yield a partition, with y and weights as columns, in batches."""
        roles = {self.target: y.array}
        if self.weights is not None:
            roles[self.weights] = weights.array
        batch = _as_arrow(frame.assign(**roles), place)
        text = extra("pyarrow", "cli").large_string()
        # A column without values in this partition is what it is in others.
        nothing = [one.name for one in batch.schema if column_kind(one.type).word == "nothing"]
        for name in nothing:
            if name in self.levels:
                i = batch.schema.get_field_index(name)
                batch = batch.set_column(i, name, batch.column(i).cast(text))
        batch = batch.drop_columns([name for name in nothing if name in self.unused])
        for first in range(0, max(batch.num_rows, 1), BATCH_ROWS):
            yield place, batch.slice(first, BATCH_ROWS)


def frame_columns(X: Any, y: Any, weights: Any) -> FrameColumns | None:
    """Return how a data frame is coded; None for numbers alone, and for an array."""
    if not hasattr(X, "columns") or y is None:
        return None
    left, y, weights = frame_sides(X, y, weights)
    strange = [
        name for name, kind in left.dtypes.items() if getattr(kind, "kind", "O") not in _NUMBERS
    ]
    if not strange:
        return None
    if y.ndim > 1:
        raise TypeError(
            f"y has the columns {', '.join(map(str, y.columns))[:100]}; beside text, such as "
            f"'{shortened(strange[0])}', give one target: a name, or a series."
        )
    target = _free_name(y, "y", left.columns)
    own = None if weights is None else _free_name(weights, "weights", [*left.columns, target])
    found = _found(left[strange])
    levels = {name: levels for name, (word, levels) in found.items() if word == "text"}
    known = ("text", "numbers", "nothing")
    unused = frozenset(name for name, (word, _) in found.items() if word not in known)
    return FrameColumns(target, own, levels, unused)


def _free_name(series: Any, otherwise: str, taken: Iterable[Any]) -> str:
    """Return the name of a series, or one that no column has."""
    name = series.name if isinstance(series.name, str) else otherwise
    while name in list(taken):
        name += "'"
    return name


def _found(frame: Any) -> Found:
    """Return what columns are, and the levels of text, read from every partition."""
    dask = extra("dask", "dask")
    find, merge = dask.delayed(_kinds_and_levels, pure=True), dask.delayed(_both, pure=True)
    parts = [find(part, f"block {i}") for i, part in enumerate(frame.to_delayed(), start=1)]
    return in_pairs(parts, merge).compute()


Found = dict[str, tuple[str, list[str]]]
"""What each column is read as, and its levels."""


def _kinds_and_levels(frame: Any, place: str) -> Found:
    batch = _as_arrow(frame, place)
    found: Found = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        word = column_kind(column.type).word
        found[name] = (word, _few(levels_of(column)) if word == "text" else [])
    return found


def _both(one: Found, other: Found) -> Found:
    found = {}
    for name, (word, levels) in one.items():
        other_word, more = other[name]
        if "nothing" not in (word, other_word) and word != other_word:
            raise ValueError(
                f"'{shortened(name)}' has {word} in some partitions and {other_word} in others; "
                "give the column one type."
            )
        found[name] = (other_word if word == "nothing" else word, _few([*levels, *more]))
    return found


def _few(levels: list[str]) -> list[str]:
    """Return levels, sorted; one more than is allowed says that there are too many."""
    return sorted(set(levels))[: MOST_LEVELS + 1]


def _as_arrow(frame: Any, place: str) -> Any:
    """Return a pandas data frame as a batch, or raise one line."""
    try:
        pyarrow = extra("pyarrow", "cli")
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        # Text of partitions that were put together is in several pieces.
        columns = [column.combine_chunks() for column in table.columns]
        return pyarrow.RecordBatch.from_arrays(columns, schema=table.schema)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise ValueError(unreadable(place, error)) from None
