"""Samples needed: the number of rows from which a method recovers the support 9 times in 10.

It is read from the grid, without a model: the smallest N such that the success rate is at least
90 % there and at every larger N of the run. The ends of the 90 % band, read in the same way, give a
range.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..experiments.summary import first_reaching
from .captions import entry_for, in_order
from .figure_specs import METRICS
from .method_looks import LIMITS
from .panels import SETTINGS, Panel, panels, setting_words

__all__ = ["SHARE", "Needed", "headline", "samples_needed"]

SHARE = 0.9


class Needed(NamedTuple):
    """The N at which a curve, and each end of its band, reaches the share; None: nowhere."""

    at: int | None
    earliest: int | None
    latest: int | None
    first: int
    """The grid begins here."""
    last: int
    """The grid ends here."""

    def __str__(self) -> str:
        if self.at is None:
            return f"> {self.last}"
        return f"≤ {self.first}" if self.at == self.first else str(self.at)

    @property
    def band(self) -> str:
        """The range that the 90 % band allows, in words; empty where it is a single number."""
        if self.at is None and self.earliest is None:
            return ""
        low = str(self.earliest if self.earliest is not None else self.last)
        high = str(self.latest) if self.latest is not None else f"> {self.last}"
        return "" if low == high else f"{low} to {high}"


def samples_needed(rows: Any, x: str = "n_samples", share: float = SHARE) -> Needed:
    """Return where one curve, given as rows of the summary, reaches the share and stays."""
    metric = METRICS["recovery"]
    rows = rows.sort_values(x)
    grid = [int(value) for value in rows[x]]

    def reached(column: str) -> int | None:
        first = first_reaching(rows[column].to_numpy(float), share)
        return None if first is None else grid[first]

    return Needed(
        at=reached(metric.column),
        earliest=reached(metric.high),
        latest=reached(metric.low),
        first=grid[0],
        last=grid[-1],
    )


def _is_against_samples(experiment: str, table: Any) -> bool:
    entry = entry_for(experiment, table)
    is_recovery = entry.metric == "recovery" and entry.series == "method"
    return is_recovery and entry.views == ("n_samples",)


def headline(summary: Any) -> tuple[list[str], dict[str, list[Needed | None]]]:
    """Return the settings, in words, and for every method the samples it needs in each.

    The limits come first. Then the methods are ordered by the samples they need, divided by the
    fewest of all methods and averaged over the settings they ran in. A method that never reaches
    the rate counts as one and a half times the end of the grid.
    """
    cells: list[tuple[str, Panel]] = [
        (_named(panel), panel)
        for experiment, table in in_order(summary)
        if _is_against_samples(experiment, table)
        for panel in panels(table, entry_for(experiment, table))
    ]
    methods = dict.fromkeys(m for _, panel in cells for m in panel.table["method"])
    found = {method: [_needed(panel, method) for _, panel in cells] for method in methods}
    least = [
        min((_cost(c) for c in column if c), default=1.0)
        for column in zip(*found.values(), strict=True)
    ]
    order = sorted(found, key=lambda name: (name not in LIMITS, _excess(found[name], least)))
    return [name for name, _ in cells], {method: found[method] for method in order}


def _named(panel: Panel) -> str:
    """Say a panel's setting with its design and noise, and with D where it is not the paper's."""
    row = panel.table.iloc[0]
    named = ["design", "options", "noise_std", "snr"]
    named += ["n_features"] if row["n_features"] != 64 else []
    shown = {name: row[name] for name in SETTINGS if name in named or name in panel.setting}
    return setting_words(shown)


def _needed(panel: Panel, method: str) -> Needed | None:
    rows = panel.table[panel.table["method"] == method]
    return samples_needed(rows, panel.x) if len(rows) else None


def _cost(cell: Needed) -> float:
    return float(1.5 * cell.last if cell.at is None else cell.at)


def _excess(cells: list[Needed | None], least: list[float]) -> float:
    """Return the samples needed, divided by the fewest, on average over the settings."""
    ratios = [_cost(c) / fewest for c, fewest in zip(cells, least, strict=True) if c is not None]
    return sum(ratios) / len(ratios)
