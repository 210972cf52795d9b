"""Names in figures: shown as they are, on one line, and never as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._printable import shortened, told_apart

__all__ = ["figure_label", "figure_labels", "names_down_the_side"]


def figure_label(name: object, longest: int = 34) -> str:
    r"""Return a name as Matplotlib shows it in a legend: on one line, cut where it is long.

    Matplotlib hides labels that are empty or begin with an underscore, hence the space.

    Examples
    --------
    >>> figure_label("_mine:make\n"), figure_label("two\nlines")
    (' _mine:make', 'two lines')
    """
    return _seen(shortened(name, longest))


def figure_labels(names: Sequence[object], longest: int = 34) -> list[str]:
    """Return names as :func:`figure_label` does; those that differ stay different.

    Examples
    --------
    >>> figure_labels(["the first of two", "the other of two"], 12)
    ['the fir… two', 'the oth… two']
    """
    return [_seen(text) for text in told_apart(names, longest)]


def _seen(text: str) -> str:
    return f" {text}" if not text or text.startswith("_") else text


def names_down_the_side(ax: Any, names: Sequence[str], **text: Any) -> None:
    """Write names down the left side, the first on top; ``text`` is for Matplotlib's texts."""
    ax.set_yticks(range(len(names)), labels=list(names), **text)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
