"""The limit of a score: how often the truth is best under it, so that a search can find it.

It is the share of problems in which the truth scores no worse than every support that any method
found, the reference search (``limit-common-size`` and the like) included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .summary_lines import SETTING, error_columns, rate_columns

__all__ = ["LIMITS", "limit_lines"]

LIMITS = {
    "limit-common-size": "common_size",
    "limit-evidence": "evidence",
    "limit-least-squares": "least_squares",
}
"""Name of a reference search -> the columns of its score."""

_WHICH = list(SETTING[:3])  # enough to tell settings apart
_RTOL, _ATOL = 1e-10, 1e-7  # two scores closer than this are equal, as in ``failure_kind``


def limit_lines(rows: Any, name: str, criterion: str, level: float) -> list[dict[str, Any]]:
    """Return the limit under one score, for every setting in which its search was run."""
    # With K ≥ N columns any support fits without error, and a score cannot tell them apart.
    is_scored = rows["n_samples"] > rows["n_informative"]
    own = rows[(rows["method"] == name) & is_scored]
    within = _within(rows, own, criterion)
    return [
        dict(zip(SETTING, values, strict=True))
        | {"method": name, "label": group["label"].iloc[0], "parameters": "{}"}
        | rate_columns(within.get(values[: len(_WHICH)], np.empty(0, dtype=bool)), level)
        | error_columns(group)
        for values, group in own.groupby(list(SETTING), dropna=False, sort=False)
    ]


def _within(rows: Any, own: Any, criterion: str) -> dict[Any, np.ndarray]:
    """Return for each setting that was searched whether nothing beats the truth, (n_problems,)."""
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
