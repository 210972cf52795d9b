"""Half of a character, a lone surrogate: no file can hold it, so it is written out.

Python's texts may have one, from JSON or from bytes that were decoded wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._extras import extra
from ..._printable import few_names, whole_characters
from ..words.notes import Note
from .columns import as_categories

__all__ = ["half_notes", "whole_cells", "whole_column"]


def whole_cells(cells: Iterable[Any]) -> list[Any] | None:
    r"""Return cells in whose text half of a character is written out; None where none has one.

    Examples
    --------
    >>> whole_cells(["café", 1]) is None, whole_cells(["a\ud800", 1])
    (True, ['a\\ud800', 1])
    """
    cells = [*cells]  # an index of pandas makes its numbers anew each time
    whole = [whole_characters(cell) if isinstance(cell, str) else cell for cell in cells]
    is_changed = any(one is not other for one, other in zip(whole, cells, strict=True))
    return whole if is_changed else None


def whole_column(series: Any) -> Any | None:
    """Return a column of a frame as :func:`whole_cells` does; None where nothing changes."""
    dtype, pandas = series.dtype, extra("pandas", "cli")
    if dtype == "category":
        if whole_cells(dtype.categories) is None:
            return None
        cells = whole_cells(series.astype(object).to_numpy())
        return as_categories(pandas.Series(cells, index=series.index, dtype=object))
    if getattr(dtype, "kind", "") != "O" or getattr(dtype, "storage", "") == "pyarrow":
        return None  # numbers, or text that has whole characters only
    found = whole_cells(series.to_numpy(dtype=object, na_value=np.nan))
    return None if found is None else pandas.Series(found, index=series.index, dtype=object)


def half_notes(names: Sequence[str]) -> list[Note]:
    """Return a note on columns in which half of a character is written out, if there are any."""
    if not names:
        return []
    text = f"Half of a character is written out, such as \\ud800: {few_names(names)}."
    return [Note("half", text, tuple(names))]
