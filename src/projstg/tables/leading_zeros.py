"""Codes that look like numbers: ZIP codes such as ``00123``, whose leading zeros say so.

pandas reads such cells as whole numbers. Only columns whose numbers could have been written with
leading zeros are looked at again, as text, and only in their first rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._extras import extra

__all__ = ["are_codes", "code_widths", "with_codes"]

# A column is looked at in its first rows only; 20 000 of them are parsed in some milliseconds.
# Where not one of these has a leading zero, at most a trivial share of all has.
_FEW_ROWS, _MANY_ROWS = 200, 20_000
# Phone numbers and bar codes have up to 15 digits, and floats hold these exactly.
_WIDEST = 15


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
    if not len(texts):
        return False
    width = len(texts.iloc[0])
    is_code = width > 1 and bool(texts.str.fullmatch(f"[0-9]{{{width}}}").all())
    return is_code and bool(texts.str.startswith("0").any()) and texts.nunique() > 1


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
    widths = {place: _digits(most) for place, (least, most) in ranges.items() if least >= 0.0}
    # With one length for all, a number of fewer digits than the largest has a leading zero.
    places = [
        place
        for place, width in widths.items()
        if 1 < width <= _WIDEST and _digits(ranges[place][0]) < width
    ]
    found: dict[int, int] = {}
    for n_rows in (_FEW_ROWS, _MANY_ROWS):
        texts = as_text(places, n_rows) if places else {}
        cells = {place: texts[place].dropna().astype("str").str.strip() for place in places}
        found |= {
            p: widths[p] for p, own in cells.items() if are_codes(own) and _fits(own, widths[p])
        }
        places = [p for p, own in cells.items() if p not in found and _fits(own, widths[p])]
    return found


def _digits(number: float) -> int:
    return len(str(int(number)))


def _fits(cells: Any, width: int) -> bool:
    """Return whether all cells have so many digits."""
    return bool((cells.str.len() == width).all())


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
