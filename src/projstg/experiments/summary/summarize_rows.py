"""The summary of a run: rows grouped by setting and method.

Rates come with a bootstrap band, as in the paper, and with Wilson's interval, whose width is not
zero at rates 0 and 1. A fit that failed with an error gave no answer: it counts as an error
and enters no other number.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..._extras import extra
from ...metrics import bootstrap_interval
from ..store import read_rows
from .limit_lines import LIMITS, limit_lines
from .summary_lines import BANDED, SETTING, method_columns
from .theorem_rates import theorem_columns

__all__ = ["SETTING", "summarize", "summarize_folder"]

_COLUMNS = (
    *(*SETTING, "method", "label", "parameters"),
    *("n", "successes", "rate", "boot_low", "boot_high", "wilson_low", "wilson_high"),
    *("statistical", "optimisation", "errors", "first_error", "unconverged"),
    *(f"{name}{end}" for name in (*BANDED, "held_out_r2") for end in ("", "_low", "_high")),
    *("seconds_median", "seconds_low", "seconds_high", "batch_size", "device", "sigma"),
    *("features_per_sample", "k_lambda", "corollary3_rate"),
)
_ORDER = (
    *("experiment", "size", "design", "options", "signal", "noise_std", "snr"),
    *("n_features", "n_informative", "n_samples", "method", "label"),
)


def summarize_folder(folder: str | Path) -> Any:
    """Return the summary of all rows in a folder."""
    return summarize(read_rows(folder))


def summarize(rows: Any, level: float = 0.9) -> Any:
    """Return a pandas table with one line per setting and method.

    Parameters
    ----------
    rows : pandas table
        Trials, as ``read_rows`` returns them.
    level : float
        The confidence of all bands.

    Returns
    -------
    summary : pandas table
        The columns of ``SETTING``, then method, label, parameters, n (trials that gave an answer),
        successes, rate, its bands, the shares of statistical and optimisation failures, the means
        of estimation error, true positive rate and false discovery rate with bands, the median of
        R² on rows held out, times, the number of errors and the message of the first, and the
        quantities of the theorems (:func:`theorem_columns`). What is not known is missing.
    """
    pd = extra("pandas", "cli")
    keys = [*SETTING, "method", "label"]
    lines = [
        dict(zip(keys, values, strict=True)) | method_columns(group, level)
        for values, group in rows.groupby(keys, dropna=False, sort=False)
        if values[keys.index("method")] not in LIMITS
    ]
    for name, criterion in LIMITS.items():
        lines += limit_lines(rows, name, criterion, level)
    _put_bands(lines, level)
    table = pd.DataFrame([line | theorem_columns(line) for line in lines], columns=_COLUMNS)
    return table.sort_values(list(_ORDER), kind="stable", ignore_index=True)


def _put_bands(lines: list[dict[str, Any]], level: float) -> None:
    """Replace the outcomes in all lines by their mean and its band.

    Outcomes of one length and kind are resampled in one call.
    """
    alike: dict[tuple[int, bool], list[tuple[dict[str, Any], str]]] = {}
    for line in lines:
        for name in ("rate", *BANDED):
            values = line.get(name, np.empty(0))
            is_binary = bool(np.all((values == 0.0) | (values == 1.0)))
            alike.setdefault((len(values), is_binary), []).append((line, name))
    for (n, _), cells in alike.items():
        if n == 0:
            means = lows = highs = np.full(len(cells), math.nan)
        else:
            values = np.stack([line[name] for line, name in cells])
            means, (lows, highs) = np.mean(values, axis=-1), bootstrap_interval(values, level)
        for (line, name), mean, low, high in zip(cells, means, lows, highs, strict=True):
            band = "boot" if name == "rate" else name
            line |= {name: float(mean), f"{band}_low": float(low), f"{band}_high": float(high)}
