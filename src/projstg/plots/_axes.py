"""What the pictures share: axes, names, the looks of lines, legends beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from .._extras import extra
from ..render import palette
from ..render.figure_text import figure_labels
from ..render.line_look import Look

__all__ = [
    "hide_frame",
    "learned",
    "legend_above",
    "legend_beside",
    "line_look",
    "new_axes",
    "plain_names",
    "shown_count",
]

_COLOURS = (
    palette.BLUE,
    palette.VERMILION,
    palette.GREEN,
    palette.ROSE,
    palette.ORANGE,
    palette.INDIGO,
    palette.SKY,
    palette.WINE,
)
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", ":", "-.")
_LONGEST = 28


def line_look(i: int) -> Look:
    """Return the look of the i-th of several lines."""
    place, turn = i % len(_COLOURS), i // len(_COLOURS)
    dashes = _DASHES[turn % len(_DASHES)]
    return Look(_COLOURS[place], _MARKERS[place], dashes, width=1.4, size=3.5)


def learned(found: Any, attribute: str, remedy: str) -> Any:
    """Return an attribute that ``fit`` sets, or raise and say what to do."""
    value = getattr(found, attribute, None)
    if value is None:
        raise ValueError(
            f"this picture is of {attribute}, which {type(found).__name__} does not have; {remedy}."
        )
    return value


def shown_count(top_n: Any) -> int:
    """Return the number of columns to show, or raise where it is none."""
    if not isinstance(top_n, Integral) or top_n < 1:
        raise ValueError(f"top_n={top_n!r}; give a whole number of columns from 1 on.")
    return int(top_n)


def plain_names(found: Any, feature_names: Sequence[Any] | None, n_features: int) -> list[str]:
    """Return names as they can be drawn: those given, those of the table, or numbers."""
    if feature_names is None:
        feature_names = getattr(found, "feature_names_in_", None)
    if feature_names is None:
        return [f"column {i}" for i in range(n_features)]
    if len(feature_names) != n_features:
        raise ValueError(
            f"{len(feature_names)} feature_names for {n_features} columns; give one for each."
        )
    # Between dollar signs Matplotlib would read a formula.
    return [name.replace("$", r"\$") for name in figure_labels(list(feature_names), _LONGEST)]


def new_axes(width: float, height: float, n_columns: int = 1) -> Any:
    """Return the axes of a new figure, one or several."""
    pyplot = extra("matplotlib.pyplot", "plots")
    return pyplot.subplots(1, n_columns, figsize=(width, height), layout="constrained")[1]


def hide_frame(ax: Any) -> None:
    """Hide the top and the right side of the frame."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Any, n_columns: int = 3) -> None:
    """Put the legend over the axes, where no data are."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.01),
            ncols=n_columns,
            frameon=False,
            borderaxespad=0.0,
        )


def legend_beside(ax: Any) -> None:
    """Put the legend to the right of the axes."""
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, borderaxespad=0.0)
