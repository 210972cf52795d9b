"""What the columns of text tables are, settled over the rows of all of them.

pandas reads each table on its own: ``2.728`` is a number, and ``TRUE`` a boolean. Beside
``1.624,60`` or ``unknown`` in another table they are something else. So the columns are stacked, as
text where pandas took them for different things, and then looked at as those of one table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..._extras import extra
from ..words.notes import Note
from .convert_numbers import with_numbers
from .leading_zeros import with_codes
from .parse_cells import TextTable, text_facts

__all__ = ["SettledText", "settled"]


class SettledText(NamedTuple):
    """A text table whose columns are known."""

    frame: Any
    facts: dict
    """How it is written, as plain values."""
    notes: list[Note]


def settled(
    tables: Sequence[TextTable],
    decimal: str | None,
    texts: Collection[str] = (),
    decimals: Mapping[str, str] | None = None,
) -> list[SettledText]:
    """Return tables with the same columns and the same delimiter, their columns settled together.

    Parameters
    ----------
    tables : sequence of TextTable
        The columns of each may be in another order; they come back in that of the first.
    decimal : str or None
        The decimal mark, where it is known.
    texts : collection of str
        Columns that are known to be text; their cells stay as they are written.
    decimals : mapping or None
        Decimal marks of columns, where their cells leave two possible.
    """
    stack = _Stack(tables)
    names, delimiter = tables[0].names, tables[0].cells.dialect.delimiter
    kept = [place for place, name in enumerate(names) if name in texts]
    frame = stack.frame(kept)
    others = frame.drop(columns=kept)
    others, marks, on_marks = with_numbers(
        others, names, stack.as_text, delimiter, decimal, known=decimals
    )
    frame = _replaced(frame, with_codes(others, stack.as_text)).set_axis(names, axis=1)
    found, start = [], 0
    for table in tables:
        dialect, stop = table.cells.dialect, start + len(table.frame)
        own = frame.iloc[start:stop].reset_index(drop=True) if len(tables) > 1 else frame
        notes = dialect.notes() + on_marks + table.notes
        found.append(SettledText(own, text_facts(dialect, marks), notes))
        start = stop
    return found


class _Stack:
    """The rows of tables one after the other; columns have the numbers of the first table."""

    def __init__(self, tables: Sequence[TextTable]) -> None:
        self._tables = tables
        places = [{name: place for place, name in enumerate(one.names)} for one in tables]
        self._places = [[own[name] for name in tables[0].names] for own in places]

    def frame(self, texts: list[int]) -> Any:
        """Return all columns; as text these, and those that are not the same in all tables."""
        frame = self._tables[0].frame
        if len(self._tables) > 1:
            parts = [
                one.frame[own].set_axis(frame.columns, axis=1)
                for one, own in zip(self._tables, self._places, strict=True)
                if len(one.frame)
            ]
            frame = _concatenated(parts) if parts else frame
            texts = sorted({*texts, *_different(parts)})
        return _replaced(frame, self.as_text(texts, None)) if texts else frame

    def as_text(self, columns: list[int], n_rows: int | None) -> Any:
        """Return columns without reading numbers, of the first rows of each table; None: all."""
        return _concatenated(
            [
                one.as_text([own[place] for place in columns], n_rows).set_axis(columns, axis=1)
                for one, own in zip(self._tables, self._places, strict=True)
            ]
        )


def _concatenated(frames: list[Any]) -> Any:
    """Return frames one after the other, column by column.

    Of whole frames pandas makes numbers of booleans that follow a column without values.
    """
    pandas = extra("pandas", "cli")
    if len(frames) == 1:
        return frames[0]
    columns = {
        place: pandas.concat([one[place] for one in frames], ignore_index=True)
        for place in frames[0]
    }
    return pandas.DataFrame(columns, copy=False)


def _replaced(frame: Any, changed: Any) -> Any:
    """Return a frame with some columns replaced."""
    if frame.shape[1] == changed.shape[1]:
        return changed
    columns = {place: changed[place] if place in changed else frame[place] for place in frame}
    return extra("pandas", "cli").DataFrame(columns, copy=False)


def _different(parts: Sequence[Any]) -> list[int]:
    """Return the columns that pandas took for something else in one part than in another."""
    kinds = zip(*([dtype.kind for dtype in part.dtypes] for part in parts), strict=True)
    doubtful = [place for place, own in enumerate(kinds) if not {*own} <= {*"iuf"}]
    return [
        place
        for place in doubtful
        if len({_taken_for(part[place]) for part in parts} - {"nothing"}) > 1
    ]


def _taken_for(column: Any) -> str:
    """Return what pandas took a column for.

    Examples
    --------
    >>> import pandas
    >>> [_taken_for(pandas.Series(cells)) for cells in ([1, 2], [True, None], ["a"], [None])]
    ['numbers', 'booleans', 'text', 'nothing']
    """
    if column.isna().all():
        return "nothing"
    if column.dtype.kind in "iuf":
        return "numbers"
    known = column.dropna()
    is_bool = column.dtype == bool or all(isinstance(cell, bool) for cell in known)
    return "booleans" if is_bool else "text"
