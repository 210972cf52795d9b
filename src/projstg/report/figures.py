"""From a summary to a figure: panels of curves, failures split below them, a legend beside.

pyplot's global state is not touched. A figure is drawn in one of two shapes:
wide, panels side by side as in the paper; or narrow, panels below each other, for a phone. Neither
is wider than the page shows it, so that its text is read at the size that is given here.
"""

from __future__ import annotations

import math
from textwrap import fill
from typing import Any

from .._extras import extra
from ..render.figure_svg import figure_style
from ..render.figure_text import figure_label
from ..render.line_look import Look
from .curves import (
    OUTCOMES,
    SMALL,
    draw_curves,
    draw_split,
    ranked,
    series_label,
    series_looks,
    size_rules,
    split_methods,
)
from .figure_specs import METRICS, FigureSpec
from .method_looks import OURS
from .panels import Panel, panels

__all__ = ["draw"]

# Inches: of a panel, of the split below it, between blocks, around them, and of a legend's line.
_PANEL, _SPLIT, _GAP, _TOP, _BOTTOM, _KEY = 2.9, 1.55, 0.85, 0.32, 0.52, 0.195
# Inches: of the whole figure, which is what page.css leaves for it in 1280 and in 390 pixels.
_WIDE, _NARROW = 10.6, 3.6
_LONGEST_TITLE = 120
# Inches: of a letter of a title and of a legend, of a line of a title, and of a legend's key.
_TITLE_LETTER, _LETTER, _TITLE_LINE, _HANDLE = 0.085, 0.078, 0.17, 0.62


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
        Panels below each other, for a phone.

    Returns
    -------
    figure : matplotlib.figure.Figure
        It is not one of pyplot's figures and has no window.
    """
    with figure_style():
        return _Sheet(entry, table, labels, is_narrow).drawn()


class _Sheet:
    """The page of one figure: where panels, splits and legend go, in inches."""

    def __init__(
        self, entry: FigureSpec, table: Any, labels: dict[str, str], is_narrow: bool
    ) -> None:
        self.entry, self.labels, self.is_narrow = entry, labels, is_narrow
        self.panels = panels(table, entry)
        self.order = ranked(table, entry)
        self.rules = size_rules(table) if entry.series == "method" else {}
        self.looks = series_looks(table, entry)
        self.split = split_methods(table) if entry.shows_split else []
        n_panels = len(self.panels)
        self.columns = 1 if is_narrow else min(n_panels, 3 if n_panels in (3, 5, 6) else 2)
        self.rows = math.ceil(n_panels / self.columns)
        self.panel_width = 0.0

    def drawn(self) -> Any:
        """Lay the figure out and fill it."""
        width = _NARROW if self.is_narrow else _WIDE
        beside = self._key_width() + 0.15 if self._has_legend_beside() else 0.15
        left = 0.85 if METRICS[self.entry.metric].is_logarithmic else 0.62  # 0.0005 is wide
        self.panel_width = (width - left - beside) / (1.14 * self.columns)
        titles = 1 + max(self._title(panel).count("\n") for panel in self.panels)
        top, gap = (size + (titles - 1) * _TITLE_LINE for size in (_TOP, _GAP))
        below = 0.3 if self.split else _BOTTOM
        n_keys, across = self._n_keys(), self._keys_across(width)
        below += 0.0 if self._has_legend_beside() else _KEY * math.ceil(n_keys / across) + 0.3
        block = _PANEL + (_SPLIT if self.split else 0.0)
        height = top + self.rows * block + (self.rows - 1) * gap + below
        height = max(height, n_keys * _KEY + 0.5) if self._has_legend_beside() else height
        figure = extra("matplotlib.figure", "plots").Figure(figsize=(width, height))
        grid = figure.add_gridspec(
            self.rows,
            self.columns,
            left=left / width,
            right=1 - beside / width,
            top=1 - top / height,
            bottom=below / height,
            wspace=0.14,
            hspace=gap / block,
        )
        first = None
        for i, panel in enumerate(self.panels):
            place = grid[divmod(i, self.columns)]
            ax = self._block(figure, place, panel, first, is_left=not i % self.columns)
            first = first or ax
        if self._has_legend_beside():
            corner = (1 - (beside - 0.05) / width, 1 - (top - 0.1) / height)
            self._legend(figure, loc="upper left", bbox_to_anchor=corner)
        else:
            self._legend(figure, loc="lower left", bbox_to_anchor=(0.01, 0.0), ncols=across)
        return figure

    def _has_legend_beside(self) -> bool:
        """Return whether the legend is beside the panels: three of them leave no room for it."""
        return not self.is_narrow and self.columns < 3

    def _n_keys(self) -> int:
        """Return the number of lines of the legend, headings and the blank one included."""
        return len(self.order) + (4 if self.split else 0) + len(set(self.rules.values()))

    def _key_width(self) -> float:
        """Return the width, in inches, that the longest name takes beside its line."""
        names = [series_label(value, self.entry, self.labels) for value in self.order]
        names += list(OUTCOMES) if self.split else []
        return _HANDLE + _LETTER * max(map(len, names), default=0)

    def _keys_across(self, width: float) -> int:
        """Return how many columns of a legend have room below the panels."""
        return max(1, min(int((width - 0.1) / self._key_width()), self._n_keys()))

    def _title(self, panel: Panel) -> str:
        """Return a panel's title, on as many lines as it needs."""
        title = figure_label(panel.title, _LONGEST_TITLE)
        whole = title.replace(" ", "\u00a0").replace(",\u00a0", ", ")  # "N = 200" is not broken
        return fill(whole, max(int(self.panel_width / _TITLE_LETTER), 16)).replace("\u00a0", " ")

    def _block(self, figure: Any, place: Any, panel: Panel, first: Any, *, is_left: bool) -> Any:
        """Draw one panel on the scale of the ``first``, and under it the split of its failures."""
        if self.split:
            shape = {"height_ratios": [_PANEL - 0.4, _SPLIT - 0.35], "hspace": 0.5, "wspace": 0.16}
            inner = place.subgridspec(2, len(self.split), **shape)
            self._splits(figure, inner, panel, is_left=is_left)
            place = inner[0, :]
        ax = figure.add_subplot(place, sharey=first)
        draw_curves(ax, panel, self.entry, self.looks)
        ax.set_title(self._title(panel))
        ax.set_ylabel(METRICS[self.entry.metric].label if is_left else "")
        ax.tick_params(labelleft=is_left)
        return ax

    def _splits(self, figure: Any, inner: Any, panel: Panel, *, is_left: bool) -> None:
        for j, method in enumerate(self.split):
            ax = figure.add_subplot(inner[1, j])
            rows = panel.table[panel.table["method"] == method]
            name = figure_label(self.labels.get(method, method), 24)
            letters = max(int(self.panel_width / len(self.split) / _LETTER), 8)
            draw_split(ax, rows, panel.x, fill(name, letters))
            ax.set_ylabel("Share" if is_left and not j else "", fontsize=SMALL)
            ax.tick_params(labelleft=is_left and not j)

    def _legend(self, figure: Any, **place: Any) -> None:
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
            keys += zip(_patches(), ["", *OUTCOMES], [False] * 4, strict=True)
        handles, names, are_bold = zip(*keys, strict=True) if keys else ((), (), ())
        look = {"frameon": False, "handlelength": 2.6, "columnspacing": 1.0, "fontsize": SMALL}
        legend = figure.legend(handles, names, **look, **place)
        for text, is_bold in zip(legend.get_texts(), are_bold, strict=True):
            text.set_fontweight("bold" if is_bold else "normal")


def _line(look: Look) -> Any:
    line = extra("matplotlib.lines", "plots").Line2D
    return line([], [], **look._replace(size=look.size + 0.8).keywords(), markeredgewidth=0.0)


def _patches() -> list[Any]:
    patch = extra("matplotlib.patches", "plots").Patch
    return [_blank(), *(patch(facecolor=colour) for colour in OUTCOMES.values())]


def _blank() -> Any:
    return extra("matplotlib.patches", "plots").Patch(facecolor="none")
