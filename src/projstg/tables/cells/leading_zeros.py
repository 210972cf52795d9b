"""Codes that look like numbers: ZIP codes such as ``00123``, whose leading zeros say so.

pandas reads such cells as whole numbers. Columns of whole numbers are looked at again, as text, in
their first rows: most have cells of different lengths there, and are amounts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._extras import extra

__all__ = ["are_codes", "code_widths", "with_codes"]

# A column is looked at in its first rows only, so that this takes no time beside reading the file.
# Where not one of these has a leading zero, few cells have, unless the rows are sorted.
_FEW_ROWS, _MANY_ROWS = 200, 20_000
# A digit with zeros before it says the same as the digit; floats hold all numbers of 15 digits.
_LEAST, _WIDEST = 10.0, 15


def are_codes(texts: Any) -> bool:
    """Return whether cells (a Series of str) are digits of one length, some with a leading zero.

    Examples
    --------
    >>> import pandas
    >>> are_codes(pandas.Series(["00123", "94305"])), are_codes(pandas.Series(["0", "123"]))
    (True, False)
    >>> are_codes(pandas.Series(["00.5", "12.5"]))
    False
    """
    width = len(texts.iloc[0]) if len(texts) else 0
    if not 1 < width <= _WIDEST or not (texts.str.len() == width).all():
        return False
    has_zero = bool(texts.str.startswith("0").any()) and texts.nunique() > 1
    return has_zero and bool(texts.str.fullmatch("[0-9]+").all())


def code_widths(
    ranges: dict[int, tuple[float, float]], as_text: Callable[[list[int], int | None], Any]
) -> dict[int, int]:
    """Return the number of digits of those columns of whole numbers that are codes.

    Parameters
    ----------
    ranges : dict
        The least and the largest number of each column of whole numbers.
    as_text : callable
        ``as_text(columns, n_rows)`` reads the first rows of columns again, as text.
    """
    places = [
        place
        for place, (least, most) in ranges.items()
        if least >= 0.0 and _LEAST <= most < 10.0**_WIDEST
    ]
    found: dict[int, int] = {}
    for n_rows in (_FEW_ROWS, _MANY_ROWS):
        texts = as_text(places, n_rows) if places else {}
        cells = {place: texts[place].dropna().astype("str").str.strip() for place in places}
        widths = {place: _width(own) for place, own in cells.items()}
        found |= {
            place: width
            for place, width in widths.items()
            if ranges[place][1] < 10.0**width and are_codes(cells[place])
        }
        # In these, a number of fewer digits is yet to come, and may have a leading zero.
        places = [
            place
            for place, width in widths.items()
            if place not in found and ranges[place][0] < 10.0 ** (width - 1)
        ]
    return found


def _width(cells: Any) -> int:
    """Return the length of all cells; 0 where they differ in it."""
    lengths = cells.str.len().unique()
    return int(lengths[0]) if len(lengths) == 1 else 0


def with_codes(frame: Any, as_text: Callable[[list[int], int | None], Any]) -> Any:
    """Return the frame with codes as the text they were, as levels; its columns are numbered."""
    ranges = {place: (low, high) for place in frame.columns for low, high in _whole(frame[place])}
    changed = {
        place: _coded(frame[place], width) for place, width in code_widths(ranges, as_text).items()
    }
    if not changed:
        return frame
    columns = {place: changed.get(place, frame[place]) for place in frame.columns}
    return extra("pandas", "cli").DataFrame(columns, copy=False)


def _whole(column: Any) -> list[tuple[float, float]]:
    """Return the least and the largest of a column of whole numbers; nothing for another."""
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind not in "iuf":
        return []
    values = column.to_numpy()
    if values.dtype.kind == "f":  # whole numbers beside gaps
        for few in (values[:_FEW_ROWS], values):
            values = few[~np.isnan(few)]
            if not np.all(np.isfinite(values) & (values == np.rint(values))):
                return []
    return [(float(values.min()), float(values.max()))] if len(values) else []


def _coded(column: Any, width: int) -> Any:
    """Return whole numbers as text of one width, each text held once."""
    pandas = extra("pandas", "cli")
    codes, numbers = pandas.factorize(column)
    texts = [f"{int(number):0{width}d}" for number in numbers]
    return pandas.Series(pandas.Categorical.from_codes(codes, texts), index=column.index)
