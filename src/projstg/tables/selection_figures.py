"""Six pictures of an answer: effects, stability, sizes, other sizes, gates, residuals.

Each takes a selection and matplotlib's Axes. Names are shown as they are, never as formulas, and
cut where they are long.
"""

from __future__ import annotations

from typing import Any

from ..render.figure_text import figure_label, names_down_the_side
from ..render.palette import CHOSEN, INK, OTHER
from .result import Selection

__all__ = [
    "draw_certainty",
    "draw_effects",
    "draw_gates",
    "draw_path",
    "draw_residuals",
    "draw_sizes",
]

_MOST_BARS, _LONGEST_NAME = 20, 32


def _named(ax: Any, names: list[str]) -> None:
    labels = [figure_label(name, _LONGEST_NAME) for name in names]
    names_down_the_side(ax, labels, parse_math=False)
    ax.grid(visible=False, axis="y")


def _nearest_columns(selection: Selection) -> list[Any]:
    """Return the chosen columns and those that came near, as many as there is room for."""
    return [*selection.chosen, *selection.others][:_MOST_BARS]


def _share_bars(selection: Selection, ax: Any, shares: list[float | None]) -> None:
    """Draw a share of each of the nearest columns as a bar, the chosen ones in their colour."""
    columns, n_chosen = _nearest_columns(selection), len(selection.chosen)
    _named(ax, [one.column for one in columns])
    colours = [CHOSEN if place < n_chosen else OTHER for place in range(len(columns))]
    ax.barh(range(len(columns)), [share or 0.0 for share in shares], color=colours)
    ax.set_xlim(0.0, 1.0)


def _nothing(ax: Any, words: str) -> None:
    ax.text(0.5, 0.5, words, ha="center", va="center", transform=ax.transAxes)
    ax.set_axis_off()


def draw_effects(selection: Selection, ax: Any) -> None:
    """Draw what one standard deviation of each chosen column does to the target."""
    if not selection.chosen:
        return _nothing(ax, "no column was chosen")
    chosen = selection.chosen[:_MOST_BARS]
    _named(ax, [one.column for one in chosen])
    for place, one in enumerate(chosen):
        if one.standard_error is not None and one.coefficient:
            twice = 2.0 * abs(one.standard_error * one.effect / one.coefficient)
            ax.plot([one.effect - twice, one.effect + twice], [place, place], color=CHOSEN, lw=2)
    ax.plot([one.effect for one in chosen], range(len(chosen)), "o", color=CHOSEN)
    ax.axvline(0.0, color=INK, lw=0.8)
    target = figure_label(selection.target, _LONGEST_NAME)
    ax.set_xlabel(f"change of {target} for one standard deviation", parse_math=False)
    return None


def draw_gates(selection: Selection, ax: Any) -> None:
    """Draw how far open the gates of the chosen columns and of the next ones are."""
    columns = _nearest_columns(selection)
    _share_bars(selection, ax, [one.gate for one in columns])
    ax.set_xlabel("how far open the gate is, E[z]; chosen columns in blue")


def draw_certainty(selection: Selection, ax: Any) -> None:
    """Draw in how many folds columns were chosen again, and their probabilities if known."""
    columns = _nearest_columns(selection)
    if all(one.stability is None and one.probability is None for one in columns):
        return _nothing(ax, "not checked on rows left out")
    _share_bars(selection, ax, [one.stability for one in columns])
    known = [
        (one.probability, place) for place, one in enumerate(columns) if one.probability is not None
    ]
    if known:
        x, y = zip(*known, strict=True)
        ax.plot(x, y, "D", color=INK, ms=4.5, clip_on=False, zorder=3)
    said = "share of folds that choose the column"
    ax.set_xlabel(f"{said}; diamonds: probability given all rows" if known else said)
    return None


def draw_path(selection: Selection, ax: Any) -> None:
    """Draw R² against the number of columns, on all rows and on rows left out."""
    if not selection.path:
        return _nothing(ax, "other sizes were not tried")
    sizes = [one["k"] for one in selection.path]
    ax.plot(
        sizes, [one["r2_in_sample"] for one in selection.path], "o-", color=OTHER, label="all rows"
    )
    outside = [one["r2_out_of_sample"] for one in selection.path]
    if any(value is not None for value in outside):
        values = [float("nan") if value is None else value for value in outside]
        ax.plot(sizes, values, "o-", color=CHOSEN, label="rows left out")
    ax.axvline(len(selection.chosen), color=INK, lw=0.8, ls=":", label="chosen size")
    ax.set_xlabel("number of columns")
    ax.set_ylabel("R²")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False, loc="best")
    return None


def draw_sizes(selection: Selection, ax: Any) -> None:
    """Draw how likely each number of columns is."""
    sizes = [one["k"] for one in selection.sizes]
    colours = [CHOSEN if size == len(selection.chosen) else OTHER for size in sizes]
    ax.bar(sizes, [one["probability"] for one in selection.sizes], color=colours)
    ax.set_xlabel("number of columns; the chosen one in blue")
    ax.set_ylabel("probability")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(visible=False, axis="x")


def draw_residuals(selection: Selection, ax: Any) -> None:
    """Draw the residuals against the fitted values."""
    actual, fitted = selection.rows.get("actual", []), selection.rows.get("fitted", [])
    residuals = [a - f for a, f in zip(actual, fitted, strict=True)]
    size = 12.0 if len(actual) < 300 else 5.0
    ax.scatter(fitted, residuals, s=size, color=CHOSEN, alpha=0.6, linewidths=0)
    ax.axhline(0.0, color=INK, lw=0.8)
    target = figure_label(selection.target, _LONGEST_NAME)
    ax.set_xlabel(f"fitted {target}", parse_math=False)
    ax.set_ylabel("actual − fitted")
