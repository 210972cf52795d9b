"""How many samples a method needs to reach a rate of recovery, read from the grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._extras import extra
from .summary_lines import SETTING

__all__ = ["first_reaching", "samples_needed"]


def samples_needed(summary: Any, rate: float = 0.9) -> Any:
    """Return for each method and kind of problem how many samples reach a rate of recovery.

    ``n_samples`` is the smallest N of the grid such that its rate and the rates of all larger N
    are at least ``rate``. ``interpolated`` is where the straight line from the point before to this
    point crosses ``rate``; where this is the first point of the grid, it is the point itself. Both
    are missing where the last rate is too low.
    """
    pd = extra("pandas", "cli")
    keys = [name for name in (*SETTING, "method", "label") if name not in ("setting", "n_samples")]
    lines = []
    for values, group in summary.groupby(keys, dropna=False, sort=False):
        ordered = group.sort_values("n_samples")
        if len(ordered) > 1:
            first, crossing = _threshold(
                ordered["n_samples"].to_numpy(float), ordered["rate"].to_numpy(float), rate
            )
            line = dict(zip(keys, values, strict=True))
            lines.append(line | {"n_samples": first, "interpolated": crossing})
    return pd.DataFrame(lines, columns=[*keys, "n_samples", "interpolated"])


def _threshold(N: np.ndarray, rates: np.ndarray, rate: float) -> tuple[float, float]:
    """Return the first N from which all rates are high enough, and where the line crosses."""
    first = first_reaching(rates, rate)
    if first is None:
        return math.nan, math.nan
    if first == 0:
        return float(N[0]), float(N[0])
    step = (rate - rates[first - 1]) / (rates[first] - rates[first - 1])
    return float(N[first]), float(N[first - 1] + step * (N[first] - N[first - 1]))


def first_reaching(values: np.ndarray, level: float) -> int | None:
    """Return the first index from which all values are at least ``level``; None: there is none.

    Examples
    --------
    >>> first_reaching(np.array([0.9, 0.5, 0.9, 1.0]), 0.9)
    2
    """
    low = np.flatnonzero(~(values >= level))
    first = 0 if not low.size else int(low[-1]) + 1
    return first if first < len(values) else None
