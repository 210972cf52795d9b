"""From a summary to a figure: curves with bands, failures split below them, a legend beside.

A point at which no fit gave an answer is a gap in its curve, and wherever fits failed a cross in
the curve's colour stands on the axis.

Every function takes axes (or makes a :class:`matplotlib.figure.Figure` of its own) and a table;
none knows how the table came about, and none touches pyplot's global state. A figure is drawn in
one of two shapes: wide, panels side by side as in the paper; or narrow, panels below each other,
for a telephone.
"""

from __future__ import annotations

import math
from typing import Any

from .._extras import extra
from .figure_specs import METRICS, SYMBOLS, FigureSpec, Metric, axis_label
from .panels import Panel, panels
from .style import (
    INK,
    LIMITS,
    LOOKS,
    OURS,
    OUTCOME_COLOURS,
    Look,
    looks,
    plain_label,
    sequence_looks,
)

__all__ = ["draw", "draw_curves", "draw_split", "ranked", "series_looks"]

SPLIT_METHODS = ("projected-stg-refined", "projected-stg", "abess")

# Inches: of a panel, of the split below it, between blocks, around them, and of a legend's line.
_PANEL, _SPLIT, _GAP, _TOP, _BOTTOM, _KEY = 2.9, 1.3, 0.85, 0.32, 0.52, 0.205

_LONGEST_TITLE = 120

RC = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",  # text stays text: searchable, small, in the reader's fonts
}


def series_looks(table: Any, entry: FigureSpec) -> dict[Any, Look]:
    """Return the look of every curve of a table."""
    values = table[entry.series].dropna().unique()
    return looks(values) if entry.series == "method" else sequence_looks(values)


def series_label(value: Any, entry: FigureSpec, labels: dict[str, str]) -> str:
    """Return what the legend says: a method's label, or ``M = 8``."""
    if entry.series == "method":
        return plain_label(labels.get(value, value))
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
    rules = _size_rules(table)
    return sorted(ordered, key=lambda method: rules.get(method, ""))


def _size_rules(table: Any) -> dict[str, str]:
    """Return for each method whether it returns exactly K columns, where some do not."""
    if "size_rule" not in table or table["size_rule"].nunique() < 2:
        return {}
    return dict(zip(table["method"], table["size_rule"], strict=True))


def draw_curves(ax: Any, panel: Panel, entry: FigureSpec, styles: dict[Any, Look]) -> None:
    """Draw one metric against one setting, a curve with its band for each series.

    Curves that coincide, as in small runs, share one band: ten on top of each other hide all.
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
    ax.set(title=plain_label(panel.title, _LONGEST_TITLE), xlabel=axis_label(panel.x))
    _scale(ax, panel, metric)


def _curve(ax: Any, rows: Any, x: str, metric: Metric, look: Look) -> None:
    ax.plot(
        rows[x],
        rows[metric.column],
        color=look.colour,
        marker=look.marker,
        linestyle=look.line,
        linewidth=look.width,
        markersize=look.size,
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
    """Return the methods whose failures are shown: ours and the fastest exact rival."""
    if not {"statistical", "optimisation"} <= set(table):
        return []
    judged = set(table.loc[table["statistical"].notna(), "method"])
    return [method for method in SPLIT_METHODS if method in judged]


def draw_split(ax: Any, rows: Any, x: str, title: str) -> None:
    """Stack what happened to one method: success, optimisation failure, statistical failure."""
    rows = rows.sort_values(x)
    parts = [rows["rate"], rows["optimisation"], rows["statistical"]]
    ax.stackplot(rows[x], *parts, colors=list(OUTCOME_COLOURS.values()), linewidth=0)
    ax.set_title(title, fontsize=8, pad=3)
    ax.set(ylim=(0, 1), xlim=(rows[x].min(), rows[x].max()) if len(rows) > 1 else None)
    ax.set_yticks([0, 0.5, 1], labels=["0", "", "1"])
    ax.tick_params(labelsize=7.5, length=2)
    ax.grid(False)


def draw(entry: FigureSpec, table: Any, labels: dict[str, str], *, is_narrow: bool = False) -> Any:
    """Return the figure of an experiment.

    Parameters
    ----------
    entry : FigureSpec
        What to show.
    table : DataFrame
        The rows of the summary that belong to the experiment.
    labels : dict
        Name of a method -> what the legend calls it.
    is_narrow : bool, default=False
        Panels below each other, for a telephone.

    Returns
    -------
    figure : matplotlib.figure.Figure
        It has no canvas of a window and belongs to nobody.
    """
    with extra("matplotlib", "plots").rc_context(RC):
        return _Sheet(entry, table, labels, is_narrow).drawn()


class _Sheet:
    """The page of one figure: where panels, splits and legend go, in inches."""

    def __init__(
        self, entry: FigureSpec, table: Any, labels: dict[str, str], is_narrow: bool
    ) -> None:
        self.entry, self.labels, self.is_narrow = entry, labels, is_narrow
        self.panels = panels(table, entry)
        self.order = ranked(table, entry)
        self.rules = _size_rules(table) if entry.series == "method" else {}
        self.looks = series_looks(table, entry)
        self.split = split_methods(table) if entry.shows_split else []
        n_panels = len(self.panels)
        self.columns = 1 if is_narrow else min(n_panels, 3 if n_panels in (3, 5, 6) else 2)
        self.rows = math.ceil(n_panels / self.columns)

    def drawn(self) -> Any:
        """Lay the figure out and fill it."""
        n_keys = len(self.order) + (4 if self.split else 0) + len(set(self.rules.values()))
        beside = 0.15 if self.is_narrow else self._legend_width()
        width = 4.2 if self.is_narrow else beside + {1: 5.0, 2: 8.6, 3: 10.2}[self.columns]
        below = 0.85 * _KEY * math.ceil(n_keys / 2) + 0.3 if self.is_narrow else 0.0
        below += 0.3 if self.split else _BOTTOM
        block = _PANEL + (_SPLIT if self.split else 0.0)
        height = _TOP + self.rows * block + (self.rows - 1) * _GAP + below
        height = height if self.is_narrow else max(height, n_keys * _KEY + 0.5)
        left = 0.85 if METRICS[self.entry.metric].is_logarithmic else 0.62  # 0.0005 is wide
        figure = extra("matplotlib.figure", "plots").Figure(figsize=(width, height))
        grid = figure.add_gridspec(
            self.rows,
            self.columns,
            left=left / width,
            right=1 - beside / width,
            top=1 - _TOP / height,
            bottom=below / height,
            wspace=0.14,
            hspace=_GAP / block,
        )
        first = None
        for i, panel in enumerate(self.panels):
            place = grid[divmod(i, self.columns)]
            ax = self._block(figure, place, panel, first, is_left=not i % self.columns)
            first = first or ax
        self._legend(figure, 1 - (beside - 0.1) / width, 1 - (_TOP - 0.1) / height)
        return figure

    def _legend_width(self) -> float:
        """Return the width, in inches, that the longest name takes beside its line."""
        names = [series_label(value, self.entry, self.labels) for value in self.order]
        names += list(_OUTCOMES.values()) if self.split else []
        return 0.75 + 0.075 * max(map(len, names), default=0)

    def _block(self, figure: Any, place: Any, panel: Panel, first: Any, *, is_left: bool) -> Any:
        """Draw one panel on the scale of the ``first``, and under it the split of its failures."""
        if self.split:
            shape = {"height_ratios": [_PANEL - 0.4, _SPLIT - 0.2], "hspace": 0.4, "wspace": 0.16}
            inner = place.subgridspec(2, len(self.split), **shape)
            self._splits(figure, inner, panel, is_left=is_left)
            place = inner[0, :]
        ax = figure.add_subplot(place, sharey=first)
        draw_curves(ax, panel, self.entry, self.looks)
        ax.set_ylabel(METRICS[self.entry.metric].label if is_left else "")
        ax.tick_params(labelleft=is_left)
        return ax

    def _splits(self, figure: Any, inner: Any, panel: Panel, *, is_left: bool) -> None:
        for j, method in enumerate(self.split):
            ax = figure.add_subplot(inner[1, j])
            rows = panel.table[panel.table["method"] == method]
            draw_split(ax, rows, panel.x, plain_label(self.labels.get(method, method), 24))
            ax.set_ylabel("Share" if is_left and not j else "", fontsize=8)
            ax.tick_params(labelleft=is_left and not j)

    def _legend(self, figure: Any, left: float, top: float) -> None:
        """Name the curves outside the axes, best first, and then the colours of the split."""
        keys: list[tuple[Any, str, bool]] = []
        headed = set()
        for value in self.order:
            rule = self.rules.get(value)
            if rule is not None and rule not in headed:
                headed.add(rule)
                keys.append((_blank(), f"{rule}:", False))
            name = series_label(value, self.entry, self.labels)
            keys.append((_line(self.looks[value]), name, value in OURS))
        if self.split:
            keys += zip(_patches(), ["", *_OUTCOMES.values()], [False] * 4, strict=True)
        handles, names, are_bold = zip(*keys, strict=True) if keys else ((), (), ())
        if self.is_narrow:
            place = {"loc": "lower left", "bbox_to_anchor": (0.01, 0.0), "ncols": 2}
            place |= {"columnspacing": 1.0, "handlelength": 2.4, "fontsize": 7.8}
        else:
            place = {"loc": "upper left", "bbox_to_anchor": (left, top)}
            place |= {"handlelength": 3.0, "fontsize": 8.5}
        legend = figure.legend(handles, names, frameon=False, **place)
        for text, is_bold in zip(legend.get_texts(), are_bold, strict=True):
            text.set_fontweight("bold" if is_bold else "normal")


_OUTCOMES = {
    "success": "recovered",
    "optimisation": "optimisation failure",
    "statistical": "statistical failure",
}


def _line(look: Look) -> Any:
    return extra("matplotlib.lines", "plots").Line2D(
        [],
        [],
        color=look.colour,
        marker=look.marker,
        linestyle=look.line,
        linewidth=look.width,
        markersize=look.size + 0.8,
        markeredgewidth=0.0,
    )


def _patches() -> list[Any]:
    patch = extra("matplotlib.patches", "plots").Patch
    return [_blank()] + [patch(facecolor=OUTCOME_COLOURS[outcome]) for outcome in _OUTCOMES]


def _blank() -> Any:
    return extra("matplotlib.patches", "plots").Patch(facecolor="none")
