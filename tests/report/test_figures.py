"""Every entry can be drawn, with all of its curves named and nothing cut off."""

import re
import xml.etree.ElementTree as ET
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest
from made_up_runs import (
    LABELS,
    UNTOLD,
    against_samples,
    everything,
    on_tables,
    row,
    summary_of,
    timed,
)
from matplotlib.text import Text

from projstg.render.figure_svg import svg_text
from projstg.report.captions import ENTRIES, entry_for
from projstg.report.claims import (
    verdicts,
)
from projstg.report.curves import ranked
from projstg.report.figure_specs import METRICS
from projstg.report.figures import draw
from projstg.report.html_tables import headline_table
from projstg.report.method_looks import LIMITS, OURS


def test_the_legend_tells_those_who_choose_their_size_from_the_others():
    table = summary_of(on_tables())
    (legend,) = draw(ENTRIES["real_fdr"], table, LABELS).legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names.index("exactly K:") == 0
    assert set(names[names.index("own size:") + 1 :]) == {LABELS[name] for name in UNTOLD}


@pytest.fixture(scope="module")
def figure():
    return draw(ENTRIES["recovery_vs_samples"], summary_of(against_samples()), LABELS)


def test_the_legend_is_outside_and_has_the_best_first(figure):
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    order = ranked(summary_of(against_samples()), ENTRIES["recovery_vs_samples"])
    assert names[: len(order)] == [LABELS[method] for method in order]
    assert order[:6] == [*LIMITS, *OURS[:3]]
    figure.canvas.draw()
    frame = legend.get_window_extent()
    assert all(frame.x0 >= ax.get_window_extent().x1 for ax in figure.axes)
    assert frame.x1 <= figure.bbox.x1


@pytest.mark.parametrize("is_narrow", [False, True])
@pytest.mark.parametrize("experiment", ENTRIES)
def test_every_entry_can_be_drawn(experiment, is_narrow):
    table = summary_of(everything())
    table = table[table["experiment"] == (ENTRIES[experiment].trials_of or experiment)]
    figure = draw(ENTRIES[experiment], table, LABELS, is_narrow=is_narrow)
    ET.fromstring(svg_text(figure, experiment))
    inked = figure.get_tightbbox()  # nothing is cut off
    assert min(inked.x0, inked.y0) >= 0.0
    assert inked.x1 <= figure.get_figwidth()
    assert inked.y1 <= figure.get_figheight()
    assert figure.get_figwidth() == (3.6 if is_narrow else 10.6)  # as wide as the page shows it
    texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert 96 / 72 * min(text.get_fontsize() for text in texts) >= 11.0
    assert not overlapping(figure)


def overlapping(figure):
    """Pairs of titles that share ink."""
    titles = [ax.title for ax in figure.axes if ax.get_title()]
    boxes = [(title.get_text(), title.get_window_extent()) for title in titles]
    return [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


def test_the_same_figure_gives_the_same_bytes():
    table = summary_of(timed())
    texts = {svg_text(draw(ENTRIES["speed"], table, LABELS), "speed") for _ in range(2)}
    assert len(texts) == 1


def test_names_that_matplotlib_would_read_as_something_else():
    names = ["_hidden:make", "cost $ and $ again", "<b>&amp;", "統計", "two\nlines", "x" * 90]
    lines = [row("mine", name, 0.5, n_samples=n) for name in names for n in (10, 20)]
    table = summary_of(lines)
    figure = draw(entry_for("mine", table), table, dict.fromkeys(names) | {n: n for n in names})
    text = svg_text(figure, "mine")
    ET.fromstring(text)
    for piece in ("_hidden:make", "cost $ and $ again", "&lt;b&gt;&amp;amp;", "two lines"):
        assert piece in text


def test_nothing_touches_the_global_state_of_matplotlib():
    sources = [
        path.read_text(encoding="utf-8")
        for path in files("projstg.report").iterdir()
        if path.is_file()
    ]
    assert not any("pyplot" in re.sub(r'"""[\s\S]*?"""', "", source) for source in sources)


@pytest.mark.parametrize("experiment", ["speed", "real_fdr", "consistency"])
def test_an_entry_can_be_drawn_where_all_fits_failed(experiment):
    lines = [
        line | dict.fromkeys(MEASURED, np.nan) | {"n": 0, "errors": 3, "first_error": "E: x"}
        if line["method"] in ("omp", "projected-stg")
        else line
        for line in everything()
        if line["experiment"] == (ENTRIES[experiment].trials_of or experiment)
    ]
    table = summary_of(lines)
    ET.fromstring(svg_text(draw(ENTRIES[experiment], table, LABELS), experiment))
    answered = table[table["n"] > 0]
    verdicts(answered, LABELS)
    headline_table(answered, LABELS)


MEASURED = [
    name for metric in METRICS.values() for name in (metric.column, metric.low, metric.high)
]
