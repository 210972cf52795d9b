"""How a line is drawn: by its colour and its marker, for readers who do not see colours."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Look"]


class Look(NamedTuple):
    """The look of one line."""

    colour: str
    marker: Any
    """As Matplotlib takes it: a letter, or (points, 1, angle) for a star; empty: none."""
    line: Any = "-"
    """As Matplotlib takes it: a name, or a pattern of dashes."""
    width: float = 1.0
    size: float = 4.2
    order: float = 2.0
    """Lines of higher order are drawn over others."""

    def keywords(self) -> dict[str, Any]:
        """Return the look as arguments of Matplotlib's lines.

        Examples
        --------
        >>> Look("black", "o").keywords()["markersize"]
        4.2
        """
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.line,
            "linewidth": self.width,
            "markersize": self.size,
        }
