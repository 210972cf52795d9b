"""Names in figures: shown as they are, on one line, and never as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._printable import shortened

__all__ = ["figure_label", "names_down_the_side"]


def figure_label(name: object, longest: int = 34) -> str:
    r"""Return a name as Matplotlib shows it in a legend: on one line, cut where it is long.

    Matplotlib hides labels that are empty or begin with an underscore, hence the space.

    Examples
    --------
    >>> figure_label("_mine:make\n"), figure_label("two\nlines")
    (' _mine:make', 'two lines')
    """
    text = shortened(name, longest)
    return f" {text}" if not text or text.startswith("_") else text


def names_down_the_side(ax: Any, names: Sequence[str], **text: Any) -> None:
    """Write names down the left side, the first on top; ``text`` is for Matplotlib's texts."""
    ax.set_yticks(range(len(names)), labels=list(names), **text)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
