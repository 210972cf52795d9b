"""What the paper says of its two real tables, compared with one run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..render.number_text import signed
from ..render.sentence import listed
from .claim_stats import ONE_SIDED, Difference, curve
from .panels import setting_words
from .verdict import Verdict, caution, sum_up

__all__ = ["no_worse_on_tables"]

# The paper's algorithm, or its limit for many gate samples where that alone was run.
_PAPER = ("projected-stg", "projected-stg-exact")
_RIVALS = ("lasso", "omp", "randomized-omp", "scad", "scad-top")


def no_worse_on_tables(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Proj-STG equals or outperforms the baselines in TPR and FDR; with K given these are one."""
    table = curve(summary, experiment="real_fdr")
    own = next((name for name in _PAPER if (table["method"] == name).any()), None)
    if own is None:
        return None
    signs, words = [], []
    for design, rows in table.groupby("design", sort=True):
        ours = curve(rows, method=own)
        found = {name: _mean_difference(ours, curve(rows, method=name)) for name in _RIVALS}
        leads = {name: lead for name, lead in found.items() if lead is not None}
        if leads:
            signs += [-1 if lead.sign < 0 else 1 for lead in leads.values()]
            words.append(
                f"{setting_words({'design': design})} {_mean(ours):.2f}, less that of "
                + listed(
                    f"{labels.get(name, name)} {signed(lead.value)} ± {ONE_SIDED * lead.error:.3f}"
                    for name, lead in leads.items()
                )
            )
    if not signs:
        return None
    return Verdict(
        "Proj-STG equals or outperforms the baselines in TPR and FDR on both real tables "
        "(Figures 6 and 7).",
        sum_up(signs),
        f"With planted coefficients and K told (so that FDR = 1 − TPR), mean TPR of "
        f"{labels.get(own, own)} over all K: {'; '.join(words)}."
        + _refined(table, labels)
        + caution(table),
    )


def _mean(rows: Any) -> float:
    return float(rows["true_positive_rate"].mean())


def _mean_difference(rows: Any, others: Any) -> Difference | None:
    """Return the difference of mean TPR over the shared K; its spread comes from the bands."""
    both = rows.merge(others, on="n_informative", suffixes=("", "_other"))
    if not len(both):
        return None
    name = "true_positive_rate"
    value = float((both[name] - both[f"{name}_other"]).mean())
    widths = [both[f"{name}_high{end}"] - both[f"{name}_low{end}"] for end in ("", "_other")]
    variance = sum(np.sum((width / (2.0 * ONE_SIDED)) ** 2) for width in widths)
    return Difference(value, float(np.sqrt(variance)) / len(both))


def _refined(table: Any, labels: dict[str, str]) -> str:
    """Add what the paper does not compare: our search and abess."""
    pieces = []
    for name in ("projected-stg-refined", "abess"):
        rows = curve(table, method=name)
        means = [
            f"{setting_words({'design': design})} {_mean(own):.2f}"
            for design, own in rows.groupby("design", sort=True)
        ]
        if means:
            pieces.append(f"{labels.get(name, name)} {listed(means)}")
    return f" Not in the paper: {'; '.join(pieces)}." if pieces else ""
