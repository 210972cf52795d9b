"""A figure as SVG for a page."""

from made_up_runs import (
    LABELS,
    summary_of,
    timed,
)

from projstg.render.figure_svg import inline_svg, svg_text
from projstg.report.captions import ENTRIES
from projstg.report.figures import draw


def test_a_drawing_says_what_it_is():
    text = svg_text(draw(ENTRIES["speed"], summary_of(timed()), LABELS), "speed")
    assert inline_svg(text, "f0", 'a "title"').startswith(
        '<svg role="img" aria-label="a &#34;title&#34;"'
    )
