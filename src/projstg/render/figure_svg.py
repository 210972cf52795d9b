"""From a figure to SVG for a page, and to SVG and PNG files; and the style that figures share.

Matplotlib numbers the parts of every figure from one (``axes_1``, ``text_1``), and two figures in
one page would share these ids. :func:`scoped` puts the figure's name before each, and before each
reference to one. The metadata block is removed: it holds the date and links to other sites.
:func:`themed` gives a drawing the colours of the page around it, light or dark.
"""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import Any

from .._extras import extra
from .._files import replacing
from .palette import CHOSEN, GREY_7, GRID, INK, WHITE

__all__ = [
    "figure_style",
    "inline_svg",
    "save_png",
    "save_svg",
    "scoped",
    "slimmed",
    "svg_text",
    "themed",
]

_STYLE = {
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",  # text stays text: searchable, small, in the reader's fonts
}
_THEME = {WHITE: "paper", INK: "ink", GRID: "line", GREY_7: "quiet", CHOSEN: "chosen"}
"""Colours of a drawing, and what page.css calls them."""
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_NUMBERS = re.compile(r'(?<=\s)(d|x|y|points)="[^"]*"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")


def figure_style(**settings: Any) -> Any:
    """Return a context in which Matplotlib draws in the style of the pages."""
    return extra("matplotlib", "plots").rc_context(_STYLE | settings)


def scoped(svg: str, scope: str) -> str:
    """Return the drawing with ``scope`` before every id and every reference to one.

    Examples
    --------
    >>> scoped('<g id="a"/><use xlink:href="#a" style="clip-path: url(#a)"/>', "fig1")
    '<g id="fig1-a"/><use xlink:href="#fig1-a" style="clip-path: url(#fig1-a)"/>'
    """
    svg = re.sub(r'(\sid=")', rf"\g<1>{scope}-", svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{scope}-", svg)


def themed(svg: str) -> str:
    """Return the drawing with its colours as variables of the page's style.

    Examples
    --------
    >>> themed('<path style="fill: #ffffff; stroke: #0072b2"/>')
    '<path style="fill: var(--paper); stroke: var(--chosen)"/>'
    """
    for colour, name in _THEME.items():
        svg = svg.replace(colour.lower(), f"var(--{name})")
    return svg


def _written(figure: Any, name: str, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    with figure_style(**{"svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # names in any alphabet
        figure.savefig(buffer, format=form, **options)
    return buffer.getvalue()


def slimmed(svg: str) -> str:
    """Return the drawing without metadata and with coordinates to a hundredth of a point.

    Examples
    --------
    >>> slimmed('<svg><metadata>x</metadata><path d="M 1.23456 2" /></svg>')
    '<svg><path d="M 1.23 2" /></svg>'
    """
    svg = _METADATA.sub("", svg)
    return _NUMBERS.sub(lambda found: _DECIMALS.sub(r"\1", found.group(0)), svg)


def save_svg(figure: Any, path: Path) -> str:
    """Write the figure as SVG, the same bytes for the same figure, and return its text."""
    text = svg_text(figure, path.stem)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return text


def svg_text(figure: Any, name: str) -> str:
    """Return the figure as SVG; ``name`` goes into the ids of its parts."""
    return slimmed(_written(figure, name, "svg", metadata={"Date": None}).decode("utf-8"))


def save_png(figure: Any, path: Path, dpi: int = 144) -> None:
    """Write the figure as PNG on white."""
    with replacing(path) as temporary:
        temporary.write_bytes(_written(figure, path.stem, "png", dpi=dpi, facecolor="white"))


def inline_svg(text: str, scope: str, description: str) -> Any:
    """Return the drawing as markup for the page: fluid, with ids of its own and a name to read."""
    markup = extra("markupsafe", "cli")
    text = scoped(text, scope)
    body = text[text.index("<svg") :]  # without the prolog
    for attribute in ("width", "height"):
        body = re.sub(rf'(<svg\b[^>]*?)\s{attribute}="[^"]*"', r"\1", body, count=1)
    width = float(body.split('viewBox="', 1)[1].split()[2]) * 96 / 72  # points to CSS pixels
    named = (
        f'<svg role="img" aria-label="{markup.escape(description)}" '
        f'style="max-width: {width:.0f}px"'
    )
    return markup.Markup(body.replace("<svg", named, 1))
