"""One look per method, the same in every figure.

A method is known by its colour *and* its marker, so that a reader who does not see colours, or
prints in grey, can still follow a curve. Relatives share a hue: the gates are warm and blue and
drawn thick, the rivals thin. The colours are those of Okabe and Ito and of Tol, which stay apart
under the common kinds of colour blindness.

A method that is not in the table (one's own, from a module) takes the next spare look; which one
depends on its name and on the other unknown names of the run, never on the figure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = [
    "INK",
    "LIMITS",
    "LOOKS",
    "OURS",
    "RELATIVES",
    "Look",
    "looks",
    "plain_label",
    "sequence_looks",
]

INK = "#222222"
"""Axes, limits, text: one dark colour."""

# How much of a column is which failure: told apart in grey as well.
OUTCOME_COLOURS = {"success": "#e3eef7", "optimisation": "#b5473c", "statistical": "#c2c2c2"}

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


class Look(NamedTuple):
    """How a curve is drawn."""

    colour: str
    marker: Any
    """As Matplotlib takes it: a letter, or (points, 1, angle) for a star; empty: none."""
    line: Any = "-"
    """As Matplotlib takes it: a name, or a pattern of dashes."""
    width: float = 1.0
    size: float = 4.2
    order: float = 2.0


def _ours(colour: str, marker: Any, line: Any = "-", size: float = 5.0) -> Look:
    return Look(colour, marker, line, width=2.2, size=size, order=4.0)


LOOKS = {
    "projected-stg-refined": _ours("#D55E00", "o"),
    "projected-stg-refined-evidence": _ours("#EE6677", (4, 1, 0), (0, (3, 1)), size=9.0),
    "projected-stg-refined-ls": _ours("#E69F00", "D", (0, (5, 1.5))),
    "projected-stg": _ours("#0072B2", "s"),
    "projected-stg-exact": _ours("#56B4E9", "^", (0, (5, 1.5))),
    "stg": Look("#332288", "v"),
    "abess": Look("#000000", "P", order=3.0),
    "lasso": Look("#009E73", "<"),
    "lasso-path-first": Look("#117733", ">", "--"),
    "lasso-path-refit": Look("#44AA99", "h", "-."),
    "omp": Look("#CC79A7", "X"),
    "randomized-omp": Look("#882255", "p", "--"),
    "scad": Look("#999933", "d"),
    "scad-top": Look("#B8A100", "*", "--", size=5.0),
    "mcp": Look("#661100", "H", "-."),
    "mcp-top": Look("#A05A2C", "8", "--"),
    "limit-common-size": Look(INK, "", (0, (6, 3)), width=1.6, order=5.0),
    "limit-evidence": Look("#444444", "", (0, (3, 2)), width=1.3, order=1.5),
    "limit-least-squares": Look("#777777", "", (0, (1.5, 2)), width=1.6, order=1.0),
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
        ("#6699CC", "o"),
        ("#AA4499", "s"),
        ("#888888", "^"),
        ("#DDAA33", "v"),
        ("#004488", "D"),
        ("#BB5566", "P"),
    ]
]


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
    """Return looks for the ordered values of one parameter, from light to dark.

    Examples
    --------
    >>> [look.colour for look in sequence_looks([8, 4]).values()]
    ['#7fb3d9', '#0b2e4f']
    """
    ramp = ("#7fb3d9", "#E69F00", "#009E73", "#D55E00", "#882255", "#56B4E9", "#0b2e4f")
    markers = "osD^vPX"
    ordered = sorted(set(values))
    last = max(len(ordered) - 1, 1)
    picks = [round(i * (len(ramp) - 1) / last) for i in range(len(ordered))]
    return {
        value: Look(ramp[pick], markers[i % len(markers)], width=1.5, size=4.2)
        for i, (value, pick) in enumerate(zip(ordered, picks, strict=True))
    }


def plain_label(text: str, length: int = 34) -> str:
    r"""Return a name as a legend can show it: printable, on one line, not too long, not hidden.

    Matplotlib leaves out labels that begin with an underscore, hence the space.

    Examples
    --------
    >>> plain_label("_mine:make\n")
    ' _mine:make·'
    """
    text = "".join(letter if letter.isprintable() else "·" for letter in str(text))
    text = text if len(text) <= length else text[: length - 1] + "…"
    return f" {text}" if text.startswith("_") else text
