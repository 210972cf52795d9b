"""What the pictures share: axes, colours, names, legends beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._extras import extra

__all__ = [
    "CHOSEN",
    "INK",
    "MARK",
    "OTHER",
    "LineLook",
    "learned",
    "legend_above",
    "legend_beside",
    "line_look",
    "names_down_the_side",
    "new_axes",
    "plain_names",
    "tidy",
    "whole",
]

CHOSEN, OTHER, INK, MARK = "#0072B2", "#b8b8b8", "#222222", "#D55E00"
# Okabe and Ito's colours, and two of Tol's: they stay apart under the common colour blindnesses.
_COLOURS = (CHOSEN, MARK, "#009E73", "#CC79A7", "#E69F00", "#332288", "#56B4E9", "#882255")
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", ":", "-.")
_LONGEST = 28


class LineLook(NamedTuple):
    """How a line is drawn: known by its marker too, where colours are not seen."""

    color: str
    marker: str
    linestyle: str


def line_look(i: int) -> LineLook:
    """Return the look of the i-th of several lines."""
    place, turn = i % len(_COLOURS), i // len(_COLOURS)
    return LineLook(_COLOURS[place], _MARKERS[place], _DASHES[turn % len(_DASHES)])


def learned(found: Any, attribute: str, remedy: str) -> Any:
    """Return what ``found`` has learned, or raise with what to do."""
    value = getattr(found, attribute, None)
    if value is None:
        raise ValueError(
            f"this picture is of {attribute}, which {type(found).__name__} does not have; {remedy}."
        )
    return value


def whole(top_n: int) -> int:
    """Return a number of columns to show, or raise."""
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
    return [_plain(str(name)) for name in feature_names]


def _plain(name: str) -> str:
    """Return a name on one line, cut where long, that is neither a formula nor hidden."""
    name = "".join(letter if letter.isprintable() else "·" for letter in name)
    name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    name = name.replace("$", r"\$")
    return f" {name}" if name.startswith("_") else name


def new_axes(width: float, height: float, n_columns: int = 1) -> Any:
    """Return the axes of a new figure, one or several."""
    pyplot = extra("matplotlib.pyplot", "plots")
    return pyplot.subplots(1, n_columns, figsize=(width, height), layout="constrained")[1]


def tidy(ax: Any) -> None:
    """Take away the frame where nothing is read off it."""
    ax.spines[["top", "right"]].set_visible(False)


def names_down_the_side(ax: Any, names: Sequence[str]) -> None:
    """Write names down the left side, the first on top."""
    ax.set_yticks(np.arange(len(names)), labels=list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


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
