"""Curves with bands on given axes, and the failures of a method split below them.

A point at which no fit gave an answer is a gap in its curve. Wherever fits failed, the axis has a
cross in the colour of the curve. Every function takes axes and a table, and does not know
how the table was made.
"""

from __future__ import annotations

import math
from typing import Any

from .._extras import extra
from ..render.figure_text import figure_label
from ..render.line_look import Look
from ..render.palette import OPTIMISATION_FAILURE, STATISTICAL_FAILURE, SUCCESS
from .figure_specs import METRICS, SYMBOLS, FigureSpec, Metric, axis_label
from .method_looks import LIMITS, LOOKS, looks, sequence_looks
from .panels import Panel

__all__ = [
    "OUTCOMES",
    "SMALL",
    "draw_curves",
    "draw_split",
    "ranked",
    "series_label",
    "series_looks",
    "size_rules",
    "split_methods",
]

_SPLIT_METHODS = ("projected-stg-refined", "projected-stg", "abess")
SMALL = 8.6
"""Points, of the smallest text: more than 11 of a page's pixels."""

OUTCOMES = {
    "recovered": SUCCESS,
    "optimisation failure": OPTIMISATION_FAILURE,
    "statistical failure": STATISTICAL_FAILURE,
}
"""What the colours of a split stand for, from below."""


def series_looks(table: Any, entry: FigureSpec) -> dict[Any, Look]:
    """Return the look of every curve of a table."""
    values = table[entry.series].dropna().unique()
    return looks(values) if entry.series == "method" else sequence_looks(values)


def series_label(value: Any, entry: FigureSpec, labels: dict[str, str]) -> str:
    """Return what the legend says: a method's label, or ``M = 8``."""
    if entry.series == "method":
        return figure_label(labels.get(value, value))
    return f"{SYMBOLS.get(entry.series, entry.series)} = {value:g}"


def ranked(table: Any, entry: FigureSpec) -> list[Any]:
    """Return the curves, best first; the limits lead, values of a parameter stay in order."""
    if entry.series != "method":
        return sorted(table[entry.series].dropna().unique())
    metric = METRICS[entry.metric]
    places = {name: place for place, name in enumerate(LOOKS)}
    names = sorted(table["method"].unique(), key=lambda name: (places.get(name, 99), name))
    means = table.groupby("method")[metric.column].mean().reindex(names)
    failed = set(table.loc[table["errors"] > 0, "method"])
    means = means[means.notna() | means.index.isin(failed)]
    best_first = means.sort_values(ascending=metric.lower_is_better, kind="stable").index
    ordered = [m for m in LIMITS if m in best_first] + [m for m in best_first if m not in LIMITS]
    rules = size_rules(table)
    return sorted(ordered, key=lambda method: rules.get(method, ""))


def size_rules(table: Any) -> dict[str, str]:
    """Return for each method whether it returns exactly K columns, where some do not."""
    if "size_rule" not in table or table["size_rule"].nunique() < 2:
        return {}
    return dict(zip(table["method"], table["size_rule"], strict=True))


def draw_curves(ax: Any, panel: Panel, entry: FigureSpec, styles: dict[Any, Look]) -> None:
    """Draw one metric against one setting, a curve with its band for each series.

    Curves that coincide, as in small runs, share one band: ten bands on top of each other would
    hide everything.
    """
    metric = METRICS[entry.metric]
    found = dict(iter(panel.table.groupby(entry.series)))
    bands = set()
    for value in sorted(found, key=lambda value: -styles[value].order):
        rows = found[value].sort_values(panel.x)
        _crosses(ax, rows.loc[rows["errors"] > 0, panel.x], styles[value])
        if not rows[metric.column].notna().any():
            continue
        _curve(ax, rows, panel.x, metric, styles[value])
        band = tuple(rows.get(metric.low, ())), tuple(rows.get(metric.high, ()))
        if len(rows) and all(band) and styles[value].marker and band not in bands:
            bands.add(band)
            _band(ax, rows[panel.x], *band, styles[value])
    ax.set_xlabel(axis_label(panel.x))
    _scale(ax, panel, metric)


def _curve(ax: Any, rows: Any, x: str, metric: Metric, look: Look) -> None:
    ax.plot(
        rows[x],
        rows[metric.column],
        **look.keywords(),
        markeredgewidth=0.0,
        zorder=look.order,
        clip_on=False,
    )


def _crosses(ax: Any, x: Any, look: Look) -> None:
    """Mark on the axis where fits failed."""
    if len(x):
        on_axis = ax.get_xaxis_transform()
        drawn = {"color": look.colour, "marker": "x", "linestyle": "", "clip_on": False}
        ax.plot(x, [0.0] * len(x), transform=on_axis, zorder=6.0, **drawn)


def _band(ax: Any, x: Any, low: tuple[float, ...], high: tuple[float, ...], look: Look) -> None:
    ax.fill_between(
        x,
        low,
        high,
        color=look.colour,
        alpha=0.15 if look.width > 1.4 else 0.06,
        linewidth=0,
        zorder=look.order - 1.5,
    )


def _scale(ax: Any, panel: Panel, metric: Metric) -> None:
    """Set the axes: a fixed range for shares, decades for errors and times."""
    if metric.limits:
        ax.set_ylim(*metric.limits)
    if metric.is_logarithmic:
        ax.set(xscale="log", yscale="log")
        ticker = extra("matplotlib.ticker", "plots")
        values = sorted(panel.table[panel.x].unique())
        ax.set_xticks(values[:: math.ceil(len(values) / 6)])
        ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_locator(ticker.NullLocator())
        ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=9))
        ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(ticker.NullFormatter())


def split_methods(table: Any) -> list[str]:
    """Return the methods whose failures are split: our search, the paper's method and abess."""
    if not {"statistical", "optimisation"} <= set(table):
        return []
    judged = set(table.loc[table["statistical"].notna(), "method"])
    return [method for method in _SPLIT_METHODS if method in judged]


def draw_split(ax: Any, rows: Any, x: str, title: str) -> None:
    """Stack what happened to one method: success, optimisation failure, statistical failure."""
    rows = rows.sort_values(x)
    parts = [rows["rate"], rows["optimisation"], rows["statistical"]]
    ax.stackplot(rows[x], *parts, colors=list(OUTCOMES.values()), linewidth=0)
    ax.set_title(title, fontsize=SMALL, pad=3)
    ax.set(ylim=(0, 1), xlim=(rows[x].min(), rows[x].max()) if len(rows) > 1 else None)
    ax.set_yticks([0, 0.5, 1], labels=["0", "", "1"])
    ax.tick_params(labelsize=SMALL, length=2)
    # Not at the ends, where it would meet that of the next panel.
    ticker = extra("matplotlib.ticker", "plots")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(3, prune="both"))
    ax.grid(False)
