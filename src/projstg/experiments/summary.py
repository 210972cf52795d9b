"""Rows to numbers one can draw: one line per setting and method.

Rates come with a bootstrap band, as in the paper, and with Wilson's interval, which keeps its width
at 0 and 1. A fit that failed with an error gave no answer: it is counted apart, and in nothing
else. Where a reference search (``limit-common-size`` and the like) was run, its lines hold the
*limit*: the share of problems in which the truth scores no worse than every support that any method
found.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from .._extras import extra
from ..metrics import bootstrap_interval, wilson_interval
from .store import read_rows

__all__ = [
    "SETTING",
    "first_reaching",
    "samples_needed",
    "summarize",
    "summarize_folder",
    "theorem_columns",
]

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

LIMITS = {
    "limit-common-size": "common_size",
    "limit-evidence": "evidence",
    "limit-least-squares": "least_squares",
}
_WHICH = list(SETTING[:3])  # enough to tell settings apart
_BANDED = ("estimation_error", "true_positive_rate", "false_discovery_rate")
_COLUMNS = (
    *(*SETTING, "method", "label", "parameters"),
    *("n", "successes", "rate", "boot_low", "boot_high", "wilson_low", "wilson_high"),
    *("statistical", "optimisation", "errors", "first_error", "unconverged"),
    *(f"{name}{end}" for name in (*_BANDED, "held_out_r2") for end in ("", "_low", "_high")),
    *("seconds_median", "seconds_low", "seconds_high", "batch_size", "device", "sigma"),
    *("features_per_sample", "k_lambda", "corollary3_rate"),
)
_RTOL, _ATOL = 1e-10, 1e-7  # within these two scores are equal, as for ``failure_kind``


def summarize_folder(folder: str | Path) -> Any:
    """Return the summary of all rows in a folder."""
    return summarize(read_rows(folder))


def summarize(rows: Any, level: float = 0.9) -> Any:
    """Return a pandas table with one line per setting and method.

    Parameters
    ----------
    rows : pandas table of trials, as ``read_rows`` gives it
    level : the confidence of all bands

    Returns
    -------
    summary : pandas table
        The columns of ``SETTING``, then method, label, parameters, n (trials that gave an answer),
        successes, rate, its bands, the shares of statistical and optimisation failures, the means
        of estimation error, true positive rate and false discovery rate with bands, the median of
        R² on rows held out, times, the number of errors and what the first said, and the
        quantities of the theorems (:func:`theorem_columns`). What nothing is known of is missing.
    """
    pd = extra("pandas", "cli")
    keys = [*SETTING, "method", "label"]
    lines = [
        dict(zip(keys, values, strict=True)) | _line(group, level)
        for values, group in rows.groupby(keys, dropna=False, sort=False)
        if values[keys.index("method")] not in LIMITS
    ]
    for name, criterion in LIMITS.items():
        lines += _limit_lines(rows, name, criterion, level)
    _put_bands(lines, level)
    table = pd.DataFrame([line | theorem_columns(line) for line in lines], columns=_COLUMNS)
    order = [
        "experiment",
        "size",
        "design",
        "options",
        "signal",
        "noise_std",
        "snr",
        "n_features",
        "n_informative",
        "n_samples",
        "method",
        "label",
    ]
    return table.sort_values(order, kind="stable", ignore_index=True)


def _line(group: Any, level: float) -> dict[str, Any]:
    """Return the numbers of one method on one setting."""
    answered = group[group["status"] != "error"]
    told = answered if len(answered) else group
    line: dict[str, Any] = {"parameters": _common_parameters(told["parameters"])}
    line |= _rate(answered["exact"].dropna().to_numpy(dtype=bool), level)
    line["n"] = len(answered)  # also where there is nothing to recover
    is_judged = answered["failure"].notna().any()  # not where there is no β* to find
    for kind in ("statistical", "optimisation"):
        line[kind] = float((answered["failure"] == kind).mean()) if is_judged else math.nan
    line |= _errors(group)
    line["unconverged"] = int((group["status"] == "unconverged").sum())
    for name in _BANDED:
        line[name] = group[name].dropna().to_numpy(dtype=float)  # its mean and band come later
    line |= _held_out_r2(group, level)
    seconds = group["seconds"].dropna().to_numpy(dtype=float)
    marks = np.quantile(seconds, [0.5, 0.05, 0.95]) if seconds.size else [math.nan] * 3
    names = ("seconds_median", "seconds_low", "seconds_high")
    line |= dict(zip(names, map(float, marks), strict=True))
    line["batch_size"] = int(group["batch_size"].max())
    line["device"] = ", ".join(sorted(group["device"].unique()))
    line["sigma"] = float(group["sigma"].mean())
    return line


def _errors(group: Any) -> dict[str, Any]:
    """Return how many fits failed, and what the first of them said."""
    messages = group.loc[group["status"] == "error", "message"]
    return {"errors": len(messages), "first_error": next(iter(messages), "")}


def _held_out_r2(group: Any, level: float) -> dict[str, float]:
    """Return the median R² on the rows held out and its interval, where some were held out.

    The median, for one half in which two columns are almost equal can put the mean anywhere. The
    ends of the interval are the quantiles between which it lies by the binomial law.
    """
    names = ("held_out_r2", "held_out_r2_low", "held_out_r2_high")
    if json.loads(group["options"].iloc[0]).get("truth") != "held-out":
        return dict.fromkeys(names, math.nan)
    values = 1.0 - group["residual"].dropna().to_numpy(dtype=float)
    reach = 0.5 * float(ndtri(0.5 + 0.5 * level)) / math.sqrt(max(len(values), 1))
    places = np.clip([0.5, 0.5 - reach, 0.5 + reach], 0.0, 1.0)
    marks = np.quantile(values, places) if values.size else [math.nan] * 3
    return dict(zip(names, map(float, marks), strict=True))


def _rate(successes: np.ndarray, level: float) -> dict[str, Any]:
    n, count = len(successes), int(np.count_nonzero(successes))
    wilson = wilson_interval(count, n, level)
    return {
        "n": n,
        "successes": count,
        "rate": successes.astype(float),
        "wilson_low": wilson.low,
        "wilson_high": wilson.high,
    }


def _put_bands(lines: list[dict[str, Any]], level: float) -> None:
    """Replace the values of all lines by their mean and its band, alike ones in one go."""
    alike: dict[tuple[int, bool], list[tuple[dict[str, Any], str]]] = {}
    for line in lines:
        for name in ("rate", *_BANDED):
            values = line.get(name, np.empty(0))
            is_binary = bool(np.all((values == 0.0) | (values == 1.0)))
            alike.setdefault((len(values), is_binary), []).append((line, name))
    for (n, _), places in alike.items():
        if n == 0:
            means = lows = highs = np.full(len(places), math.nan)
        else:
            values = np.stack([line[name] for line, name in places])
            means, (lows, highs) = np.mean(values, axis=-1), bootstrap_interval(values, level)
        for (line, name), mean, low, high in zip(places, means, lows, highs, strict=True):
            band = "boot" if name == "rate" else name
            line |= {name: float(mean), f"{band}_low": float(low), f"{band}_high": float(high)}


def _common_parameters(texts: Any) -> str:
    """Return the parameters that all trials of a line share."""
    first, *others = [json.loads(text) for text in texts.unique()]
    shared = {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }
    return json.dumps(shared, sort_keys=True)


def _limit_lines(rows: Any, name: str, criterion: str, level: float) -> list[dict[str, Any]]:
    """Return the limit under one score, for every setting in which its search was run."""
    # As many columns as rows fit without error, the truth or not: there a score says nothing.
    tells = rows["n_samples"] > rows["n_informative"]
    own = rows[(rows["method"] == name) & tells]
    within = _within(rows, own, criterion)
    return [
        dict(zip(SETTING, values, strict=True))
        | {"method": name, "label": group["label"].iloc[0], "parameters": "{}"}
        | _rate(within.get(values[: len(_WHICH)], np.empty(0, dtype=bool)), level)
        | _errors(group)
        for values, group in own.groupby(list(SETTING), dropna=False, sort=False)
    ]


def _within(rows: Any, own: Any, criterion: str) -> dict[Any, np.ndarray]:
    """Return for each setting that was searched in which problems nothing beats the truth."""
    searched = own.loc[own["status"] != "error", [*SETTING, "repetition"]].drop_duplicates()
    if searched.empty:
        return {}
    found = searched.merge(rows, on=[*SETTING, "repetition"], how="left")
    best = found.groupby([*SETTING, "repetition"], dropna=False, sort=False).agg(
        best=(f"score_{criterion}", "min"), true=(f"true_score_{criterion}", "first")
    )
    tolerance = _ATOL + _RTOL * best["true"].abs()
    best["within"] = ~(best["best"] < best["true"] - tolerance)
    return {which: group["within"].to_numpy(bool) for which, group in best.groupby(_WHICH)}


def theorem_columns(line: dict[str, Any]) -> dict[str, float]:
    """Return what Theorems 2 and 3 and Corollary 3 ask to vanish: D/N, Kλ and the rate.

    λ is the paper's with the C of the line, NaN where the method has none. The rate
    (log log D)²(D/N)^(1/2 − 2/q) is for designs with q finite moments, NaN for others.

    Examples
    --------
    >>> line = {"n_samples": 1600, "n_features": 32, "n_informative": 4, "sigma": 1.0}
    >>> found = theorem_columns({**line, "options": '{"moments": 8}', "parameters": "{}"})
    >>> found["features_per_sample"], round(found["corollary3_rate"], 3)
    (0.02, 0.581)
    """
    N, D, K = (int(line[name]) for name in ("n_samples", "n_features", "n_informative"))
    C = json.loads(line["parameters"]).get("alpha_scale")
    sigma = line.get("sigma")
    q = json.loads(line["options"]).get("moments")
    has_rate = q is not None and D >= 3
    return {
        "features_per_sample": D / N,
        "k_lambda": math.nan if C is None or sigma is None else K * _alpha(C, sigma, N, D, K),
        "corollary3_rate": (
            math.log(math.log(D)) ** 2 * (D / N) ** (0.5 - 2.0 / q) if has_rate else math.nan
        ),
    }


def _alpha(C: float, sigma: float, N: int, D: int, K: int) -> float:
    """Return λ = C·√(2σ² log(D−K) log K / N), each logarithm of at least two."""
    logs = math.log(max(D - K, 2)) * math.log(max(K, 2))
    return C * sigma * math.sqrt(2.0 * logs / N)


def samples_needed(summary: Any, rate: float = 0.9) -> Any:
    """Return for each method and kind of problem how many samples reach a rate of recovery.

    ``n_samples`` is the smallest N of the grid from which on, up to the end of the grid, every
    rate is at least ``rate``. ``interpolated`` is where the straight line between that point and
    the one before it crosses ``rate``: the point itself where it is the first of the grid. Both
    are missing where the last rate is too low.
    """
    pd = extra("pandas", "cli")
    keys = [name for name in (*SETTING, "method", "label") if name not in ("setting", "n_samples")]
    lines = []
    for values, group in summary.groupby(keys, dropna=False, sort=False):
        ordered = group.sort_values("n_samples")
        if len(ordered) > 1:
            first, crossing = _crossing(
                ordered["n_samples"].to_numpy(float), ordered["rate"].to_numpy(float), rate
            )
            line = dict(zip(keys, values, strict=True))
            lines.append(line | {"n_samples": first, "interpolated": crossing})
    return pd.DataFrame(lines, columns=[*keys, "n_samples", "interpolated"])


def _crossing(N: np.ndarray, rates: np.ndarray, rate: float) -> tuple[float, float]:
    """Return the first N from which on all rates are high enough, and where the line crosses."""
    first = first_reaching(rates, rate)
    if first is None:
        return math.nan, math.nan
    if first == 0:
        return float(N[0]), float(N[0])
    step = (rate - rates[first - 1]) / (rates[first] - rates[first - 1])
    return float(N[first]), float(N[first - 1] + step * (N[first] - N[first - 1]))


def first_reaching(values: np.ndarray, level: float) -> int | None:
    """Return the first index from which on all values are at least ``level``; None: there is none.

    Examples
    --------
    >>> first_reaching(np.array([0.9, 0.5, 0.9, 1.0]), 0.9)
    2
    """
    low = np.flatnonzero(~(values >= level))
    first = 0 if not low.size else int(low[-1]) + 1
    return first if first < len(values) else None
