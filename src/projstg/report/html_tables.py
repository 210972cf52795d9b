"""Numbers as a page shows them: columns with names, cells with words and with a key to sort by."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .figure_specs import METRICS, SYMBOLS, FigureSpec
from .method_looks import LIMITS
from .panels import panels
from .samples_needed import Needed, headline

__all__ = ["Cell", "HtmlTable", "headline_table", "numbers_table", "theory_table"]


class Cell(NamedTuple):
    """What is shown, and the number to sort by where that differs."""

    text: str
    key: float | None = None
    note: str = ""
    """Shown smaller, behind the text."""
    is_best: bool = False


class HtmlTable(NamedTuple):
    """A table of cells; the first ``n_words`` columns are words, the others numbers."""

    columns: list[str]
    rows: list[list[Cell]]
    n_words: int = 1


def shown(value: Any, form: str = ".2f") -> Cell:
    """Return a number as a cell, or a dash where there is none."""
    if value is None or value != value:
        return Cell("–")
    return Cell(format(value, form))


def _milliseconds(name: str) -> Any:
    return lambda row: shown(1e3 * row.get(name, math.nan), ".3g")


_TIME = ("Median time (ms)", _milliseconds("seconds_median"))
_TIMES = [
    _TIME,
    ("5 % faster than", _milliseconds("seconds_low")),
    ("95 % faster than", _milliseconds("seconds_high")),
]


def _columns(entry: FigureSpec, table: Any) -> list[tuple[str, Any]]:
    """Return the numbers shown for an entry: a heading, and a function of a row."""
    metric = METRICS[entry.metric]
    form = ".2f" if metric.limits else ".4g"
    found: list[tuple[str, Any]] = [("Trials", lambda row: shown(row["n"], "d"))]
    if entry.metric != "seconds":
        found += [
            (heading, lambda row, name=name: shown(row.get(name), form))
            for heading, name in [
                (metric.label, metric.column),
                ("90 % band from", metric.low),
                ("to", metric.high),
            ]
        ]
    if entry.shows_split:
        found += [
            ("Statistical failures", lambda row: shown(row.get("statistical"))),
            ("Optimisation failures", lambda row: shown(row.get("optimisation"))),
        ]
    if "errors" in table and table["errors"].sum() > 0:
        found.append(("Errors", lambda row: shown(row["errors"], ".0f")))
    if entry.metric == "error":
        found.append(("Probability of success", lambda row: shown(row["rate"])))
    return [*found, *(_TIMES if entry.metric == "seconds" else [_TIME])]


def numbers_table(entry: FigureSpec, table: Any, labels: dict[str, str]) -> HtmlTable:
    """Return the numbers behind a figure, one table row per point."""
    numbers = _columns(entry, table)
    series = "Method" if entry.series == "method" else SYMBOLS.get(entry.series, entry.series)
    parts = panels(table, entry)
    axes = list(dict.fromkeys(panel.x for panel in parts))
    has_titles = any(panel.title for panel in parts)
    rows = []
    for panel in parts:
        ordered = panel.table.sort_values([entry.series, panel.x])
        for row in ordered.to_dict("records"):
            words = [Cell(panel.title)] if has_titles else []
            name = row[entry.series]
            words.append(Cell(labels.get(name, str(name)) if series == "Method" else f"{name:g}"))
            words += [shown(row[axis], "g") for axis in axes]
            rows.append(words + [make(row) for _, make in numbers])
    headings = [*(["Setting"] if has_titles else []), series, *(SYMBOLS.get(a, a) for a in axes)]
    return HtmlTable([*headings, *(name for name, _ in numbers)], rows, 1 + has_titles)


_THEORY = {
    "n_samples": ("N", "d"),
    "n_features": ("D", "d"),
    "n_informative": ("K", "d"),
    "features_per_sample": ("D/N", ".3g"),
    "k_lambda": ("Kλ", ".3g"),
    "corollary3_rate": ("Corollary 3", ".3g"),
}


def theory_table(entry: FigureSpec, table: Any) -> HtmlTable | None:
    """Return D/N, Kλ and the rate of Corollary 3 at each N; None if not asked for.

    If all designs have equal values, there is one table row per N; else one per design and N.
    """
    if not entry.shows_rates or not set(_THEORY) <= set(table):
        return None
    headings = [heading for heading, _ in _THEORY.values()]
    columns = list(_THEORY)[1:]
    if (table.groupby("n_samples")[columns].nunique() <= 1).all(axis=None):
        return HtmlTable(headings, _theory_rows(table), 0)
    rows = [
        [Cell(panel.title), *row]
        for panel in panels(table, entry)
        for row in _theory_rows(panel.table)
    ]
    return HtmlTable(["Design", *headings], rows)


def _theory_rows(table: Any) -> list[list[Cell]]:
    """Return a row for each N, with the first value found in each column."""
    lines = table.groupby("n_samples", as_index=False).first().to_dict("records")
    return [[shown(row[name], form) for name, (_, form) in _THEORY.items()] for row in lines]


def _needed_cell(needed: Needed | None, is_best: bool) -> Cell:
    if needed is None:
        return Cell("–")
    key = float(1.5 * needed.last if needed.at is None else needed.at)
    return Cell(str(needed), key, needed.band, is_best)


def headline_table(summary: Any, labels: dict[str, str]) -> HtmlTable | None:
    """Return the samples needed for 90 % recovery: a row per method, a column per setting."""
    settings, found = headline(summary)
    if not settings:
        return None
    best = [_fewest(found, i) for i in range(len(settings))]
    rows = [
        [Cell(labels.get(method, method))]
        + [
            _needed_cell(cell, best[i] is not None and _reached(method, cell) == best[i])
            for i, cell in enumerate(cells)
        ]
        for method, cells in found.items()
    ]
    return HtmlTable(["Method", *settings], rows)


def _reached(method: str, cell: Needed | None) -> int | None:
    """Return the samples a method needs; None for a limit and for what is not reached."""
    return None if method in LIMITS or cell is None else cell.at


def _fewest(found: dict[str, list[Needed | None]], i: int) -> int | None:
    reached = [_reached(method, cells[i]) for method, cells in found.items()]
    return min((at for at in reached if at is not None), default=None)
