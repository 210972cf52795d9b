"""Three pictures of an answer: effects, other sizes, residuals.

Each takes a selection and matplotlib's Axes. Names are shown as they are, never as formulas, and
cut where they are long.
"""

from __future__ import annotations

from typing import Any

from ...render.figure_text import figure_label, figure_labels, names_down_the_side
from ...render.palette import CHOSEN, GREY_7, INK
from .result import Selection

__all__ = ["MOST_BARS", "draw_effects", "draw_path", "draw_residuals"]

# More bars, or longer names beside them, cannot be read in a picture that fits a page.
MOST_BARS, _LONGEST_NAME = 20, 32
# Numbers of seven signs below an axis need so much, with what stands beside the axis.
_INCHES_A_NUMBER = 0.9


def _named(ax: Any, names: list[str], longest: int) -> None:
    names_down_the_side(ax, figure_labels(names, longest), parse_math=False)
    ax.grid(visible=False, axis="y")


def _below(ax: Any, words: str) -> None:
    """Write below the axis what it shows, with the power of ten that its numbers leave out.

    Matplotlib would write that power where long words are.
    """
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.locator_params(axis="x", nbins=max(int(ax.figure.get_figwidth() / _INCHES_A_NUMBER), 2))
    numbers = ax.xaxis.get_major_formatter()
    numbers.set_locs(ax.get_xticks())
    power = numbers.get_offset()
    ax.xaxis.get_offset_text().set_visible(False)
    ax.set_xlabel(f"{words} (×{power})" if power else words, parse_math=False)


def _nothing(ax: Any, words: str) -> None:
    ax.text(0.5, 0.5, words, ha="center", va="center", transform=ax.transAxes)
    ax.set_axis_off()


def draw_effects(selection: Selection, ax: Any, *, longest: int = _LONGEST_NAME) -> None:
    """Draw what one standard deviation of each chosen column does to the target."""
    if not selection.chosen:
        return _nothing(ax, "no column was chosen")
    chosen = selection.chosen[:MOST_BARS]
    _named(ax, [one.column for one in chosen], longest)
    for place, one in enumerate(chosen):
        if one.standard_error is not None and one.coefficient:
            twice = 2.0 * abs(one.standard_error * one.effect / one.coefficient)
            ax.plot([one.effect - twice, one.effect + twice], [place, place], color=CHOSEN, lw=2)
    ax.plot([one.effect for one in chosen], range(len(chosen)), "o", color=CHOSEN)
    ax.axvline(0.0, color=INK, lw=0.8)
    target = figure_label(selection.target, longest)
    _below(ax, f"change of {target}\nfor one standard deviation")
    return None


def draw_path(selection: Selection, ax: Any, *, longest: int = _LONGEST_NAME) -> None:
    """Draw R² against the number of columns, on all rows and on rows left out."""
    if not selection.path:
        return _nothing(ax, "other sizes were not tried")
    sizes = [one["k"] for one in selection.path]
    ax.plot(
        sizes, [one["r2_in_sample"] for one in selection.path], "o-", color=GREY_7, label="all rows"
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


def draw_residuals(selection: Selection, ax: Any, *, longest: int = _LONGEST_NAME) -> None:
    """Draw the residuals against the fitted values."""
    actual, fitted = selection.rows["actual"], selection.rows["fitted"]
    residuals = [a - f for a, f in zip(actual, fitted, strict=True)]
    size = 12.0 if len(actual) < 300 else 7.0
    ax.scatter(fitted, residuals, s=size, color=CHOSEN, alpha=0.6, linewidths=0)
    ax.axhline(0.0, color=INK, lw=0.8)
    target = figure_label(selection.target, longest)
    _below(ax, f"fitted {target}")
    ax.set_ylabel("actual − fitted")
