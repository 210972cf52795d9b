"""The numbers of one method on one setting, before their bands."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from ...metrics import wilson_interval

__all__ = ["BANDED", "SETTING", "error_columns", "method_columns", "rate_columns"]

SETTING = (
    "experiment",
    "size",
    "setting",
    "design",
    "options",
    "signal",
    "n_samples",
    "n_features",
    "n_informative",
    "noise_std",
    "snr",
)
"""The columns that say which problems a line is about."""

BANDED = ("estimation_error", "true_positive_rate", "false_discovery_rate")
"""Columns whose mean comes with a bootstrap band, besides the rate."""


def method_columns(group: Any, level: float) -> dict[str, Any]:
    """Return the numbers of one method on one setting from its rows ``group``.

    The rate and the columns of ``BANDED`` are still arrays of one value per trial, (n_trials,).
    """
    answered = group[group["status"] != "error"]
    shown = answered if len(answered) else group
    line: dict[str, Any] = {"parameters": _common_parameters(shown["parameters"])}
    line |= rate_columns(answered["exact"].dropna().to_numpy(dtype=bool), level)
    line["n"] = len(answered)  # also where there is nothing to recover
    has_failures = answered["failure"].notna().any()  # no failures where β* is not known
    for kind in ("statistical", "optimisation"):
        line[kind] = float((answered["failure"] == kind).mean()) if has_failures else math.nan
    line |= error_columns(group)
    line["unconverged"] = int((group["status"] == "unconverged").sum())
    for name in BANDED:
        line[name] = group[name].dropna().to_numpy(dtype=float)  # mean and band come later
    line |= _held_out_r2(group, level)
    names = ("seconds_median", "seconds_low", "seconds_high")
    line |= _quantile_columns(names, group["seconds"], (0.5, 0.05, 0.95))
    line["batch_size"] = int(group["batch_size"].max())
    line["device"] = ", ".join(sorted(group["device"].unique()))
    line["sigma"] = float(group["sigma"].mean())
    return line


def error_columns(group: Any) -> dict[str, Any]:
    """Return how many fits failed, and what the first of them said."""
    messages = group.loc[group["status"] == "error", "message"]
    return {"errors": len(messages), "first_error": next(iter(messages), "")}


def rate_columns(successes: np.ndarray, level: float) -> dict[str, Any]:
    """Return the number of successes (n_trials,), the outcomes, and Wilson's interval."""
    n, count = len(successes), int(np.count_nonzero(successes))
    wilson = wilson_interval(count, n, level)
    return {
        "n": n,
        "successes": count,
        "rate": successes.astype(float),
        "wilson_low": wilson.low,
        "wilson_high": wilson.high,
    }


def _held_out_r2(group: Any, level: float) -> dict[str, float]:
    """Return the median R² on the rows held out and its interval; NaN where none were held out.

    The median, because a single fit on two almost equal columns can move the mean anywhere. Of n
    values, the number below the true median is binomial(n, 1/2), in the normal approximation
    n/2 ± z√n/2; the ends of the interval are the quantiles at 1/2 ± z/(2√n).
    """
    names = ("held_out_r2", "held_out_r2_low", "held_out_r2_high")
    if json.loads(group["options"].iloc[0]).get("truth") != "held-out":
        return dict.fromkeys(names, math.nan)
    r2 = 1.0 - group["residual"].dropna()
    half = 0.5 * float(ndtri(0.5 + 0.5 * level)) / math.sqrt(max(len(r2), 1))
    return _quantile_columns(names, r2, np.clip([0.5, 0.5 - half, 0.5 + half], 0.0, 1.0))


def _quantile_columns(names: Sequence[str], values: Any, places: Any) -> dict[str, float]:
    """Return quantiles of a pandas column under their names; NaN where it has no values."""
    numbers = values.dropna().to_numpy(dtype=float)
    quantiles = np.quantile(numbers, places) if numbers.size else [math.nan] * len(names)
    return dict(zip(names, map(float, quantiles), strict=True))


def _common_parameters(texts: Any) -> str:
    """Return the parameters that all trials of a line share."""
    first, *others = [json.loads(text) for text in texts.unique()]
    shared = {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }
    return json.dumps(shared, sort_keys=True)
