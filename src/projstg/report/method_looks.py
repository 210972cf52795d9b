"""One look per method, the same in every figure.

A method is known by its colour *and* its marker, so that a reader who does not see colours, or
prints in grey, can still follow a curve. The methods of this package are drawn thick, all
others thin.

A method that is not in the table (a user's own) takes the next spare look. Which one depends on its
name and on the other unknown names of the run, not on the figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..render import palette
from ..render.line_look import Look

__all__ = ["LIMITS", "LOOKS", "OURS", "RELATIVES", "looks", "sequence_looks"]

OURS = (
    "projected-stg-refined",
    "projected-stg-refined-evidence",
    "projected-stg-refined-ls",
    "projected-stg",
    "projected-stg-exact",
    "projected-stg-auto",
    "projected-stg-open",
)
LIMITS = ("limit-common-size", "limit-evidence", "limit-least-squares")


def _ours(colour: str, marker: Any, line: Any = "-", size: float = 5.0) -> Look:
    return Look(colour, marker, line, width=2.2, size=size, order=4.0)


LOOKS = {
    "projected-stg-refined": _ours(palette.VERMILION, "o"),
    "projected-stg-refined-evidence": _ours(palette.RED, (4, 1, 0), (0, (3, 1)), size=9.0),
    "projected-stg-refined-ls": _ours(palette.ORANGE, "D", (0, (5, 1.5))),
    "projected-stg": _ours(palette.BLUE, "s"),
    "projected-stg-exact": _ours(palette.SKY, "^", (0, (5, 1.5))),
    "stg": Look(palette.INDIGO, "v"),
    "abess": Look(palette.BLACK, "P", order=3.0),
    "lasso": Look(palette.GREEN, "<"),
    "lasso-path-first": Look(palette.FOREST, ">", "--"),
    "lasso-path-refit": Look(palette.TEAL, "h", "-."),
    "omp": Look(palette.ROSE, "X"),
    "randomized-omp": Look(palette.WINE, "p", "--"),
    "scad": Look(palette.OLIVE, "d"),
    "scad-top": Look(palette.MUSTARD, "*", "--", size=5.0),
    "mcp": Look(palette.BROWN, "H", "-."),
    "mcp-top": Look(palette.COPPER, "8", "--"),
    "limit-common-size": Look(palette.INK, "", (0, (6, 3)), width=1.6, order=5.0),
    "limit-evidence": Look(palette.GREY_4, "", (0, (3, 2)), width=1.3, order=1.5),
    "limit-least-squares": Look(palette.GREY_7, "", (0, (1.5, 2)), width=1.6, order=1.0),
}

RELATIVES = {
    "projected-stg-auto": "projected-stg-refined",
    "projected-stg-open": "projected-stg-exact",
    "abess-ebic": "abess",
    "lasso-cv": "lasso",
    "lasso-bic": "lasso-path-refit",
    "omp-cv": "omp",
}
"""Methods that choose their own size look like the one they come from: panels keep them apart."""

_SPARE = [
    Look(colour, marker, line)
    for line in (":", "-.", "--")
    for colour, marker in [
        (palette.STEEL, "o"),
        (palette.PURPLE, "s"),
        (palette.GREY_8, "^"),
        (palette.SAND, "v"),
        (palette.NAVY, "D"),
        (palette.BRICK, "P"),
    ]
]


_RAMP = (
    palette.PALE_BLUE,
    palette.ORANGE,
    palette.GREEN,
    palette.VERMILION,
    palette.WINE,
    palette.SKY,
    palette.MIDNIGHT,
)


def looks(methods: Iterable[str]) -> dict[str, Look]:
    """Return the look of every method; unknown ones take the spare looks in order of name.

    Examples
    --------
    >>> found = looks(["mine", "omp", "also_mine"])
    >>> found["omp"] == LOOKS["omp"], found["also_mine"].colour, found["mine"].colour
    (True, '#6699CC', '#AA4499')
    """
    methods = set(methods)
    unknown = sorted(methods - set(LOOKS) - set(RELATIVES))
    spare = {name: _SPARE[i % len(_SPARE)] for i, name in enumerate(unknown)}
    return {name: LOOKS.get(RELATIVES.get(name, name)) or spare[name] for name in methods}


def sequence_looks(values: Iterable[float]) -> dict[float, Look]:
    """Return looks for the ordered values of one parameter: the first light, the last dark.

    Examples
    --------
    >>> [look.colour for look in sequence_looks([8, 4]).values()]
    ['#7fb3d9', '#0b2e4f']
    """
    markers = "osD^vPX"
    ordered = sorted(set(values))
    last = max(len(ordered) - 1, 1)
    picks = [round(i * (len(_RAMP) - 1) / last) for i in range(len(ordered))]
    return {
        value: Look(_RAMP[pick], markers[i % len(markers)], width=1.5, size=4.2)
        for i, (value, pick) in enumerate(zip(ordered, picks, strict=True))
    }
