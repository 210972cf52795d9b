"""Pictures are drawn on the axes they are given, with readable names, and change nothing else."""

import sys

import pytest
from matplotlib import pyplot
from pictures import NAMES, TRUE, D, labels_down_the_side, legend, members

from projstg import (
    ProjectedSTG,
    _extras,
    plots,
)


def test_axes_given_are_drawn_on_and_no_figure_is_opened(picture, ax, capsys):
    assert picture(ax=ax) is ax
    assert ax.has_data()
    assert ax.get_xlabel()
    ax.figure.canvas.draw()  # whatever cannot be drawn warns, and warnings are errors
    assert pyplot.get_fignums() == []
    assert capsys.readouterr() == ("", "")


def test_without_axes_a_figure_is_made(picture):
    ax = picture()
    assert pyplot.get_fignums() == [ax.figure.number]


def test_settings_of_matplotlib_stay_as_they_were(picture):
    before = dict(pyplot.rcParams)
    picture()
    assert dict(pyplot.rcParams) == before


def test_the_legend_is_not_over_the_data(picture):
    ax = picture()
    if ax.get_legend() is None:
        return
    ax.figure.canvas.draw()
    box, data = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.y0 >= data.y1 - 1.0 or box.x0 >= data.x1 - 1.0
    whole = ax.figure.bbox
    assert box.x0 >= 0.0
    assert box.x1 <= whole.x1 + 1.0
    assert box.y1 <= whole.y1 + 1.0


def test_without_matplotlib_the_extra_is_named(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(_extras.MissingExtra, match=r'pip install "projstg\[plots\]"'):
        plots.plot_gates(found["model"])


def test_names_are_shown(named_picture, ax):
    named_picture(ax=ax, feature_names=NAMES, top_n=D)
    shown = labels_down_the_side(ax) + (legend(ax) if ax.get_legend() else [])
    assert any(text.startswith("name ") for text in shown) or "12 others" in shown[0]
    assert not any(text.startswith("column ") for text in shown)


def test_names_of_the_table_are_taken(X, y, ax):
    frames = pytest.importorskip("pandas")
    model = ProjectedSTG().fit(frames.DataFrame(X, columns=NAMES), y)
    plots.plot_inclusion(model, ax=ax)
    assert set(labels_down_the_side(ax)[:3]) == {NAMES[d] for d in TRUE}
    assert dots(ax, 3)[0] == {0, 1, 2}


def test_the_wrong_number_of_names_is_refused(named_picture):
    with pytest.raises(ValueError, match="2 feature_names for 12 columns; give one for each"):
        named_picture(feature_names=["a", "b"])


def test_names_are_never_formulas_nor_hidden_nor_endless(found, ax):
    names = ["$x^", "_hidden", "a" * 80, "two\nlines", *NAMES[4:]]
    names[1], names[4], names[6] = "_hidden", r"$\frac{", "b" * 80
    plots.plot_stability_path(found["selector"], ax=ax, feature_names=names, top_n=D)
    ax.figure.canvas.draw()
    shown = legend(ax)
    assert " _hidden" in shown
    assert r"\$\frac{" in shown
    assert max(map(len, shown)) <= 28


@pytest.mark.parametrize("top_n", [0, -1, 2.5, "all"])
def test_other_numbers_of_columns_are_refused(named_picture, top_n):
    with pytest.raises(ValueError, match=r"top_n=.*whole number of columns from 1 on"):
        named_picture(top_n=top_n)


def dots(ax, size):
    """The places of those with ``size`` dots."""
    return [
        set(ys) for ys in (line.get_ydata().tolist() for line in members(ax)) if len(ys) == size
    ]


def test_no_two_lines_look_the_same():
    looks = [plots._axes.line_look(i) for i in range(24)]
    assert len(set(looks)) == 24
    assert len({look.colour for look in looks[:8]}) == len({look.marker for look in looks[:8]}) == 8


@pytest.mark.parametrize(
    ("draw", "thing", "words"),
    [
        (plots.plot_gates, object(), "gate_mean_, which object does not have; fit"),
        (plots.plot_inclusion, ProjectedSTG(), "inclusion_probability_.*refine=True"),
        (plots.plot_groups, ProjectedSTG(), "inclusion_probability_.*refine=True"),
        (plots.plot_size_path, ProjectedSTG(), "size_probability_.*selection="),
        (plots.plot_stability_path, object(), "stability_path_.*fit with sizes="),
        (plots.plot_alpha_path, object(), "path over λ"),
    ],
)
def test_what_is_missing_is_named(draw, thing, words, ax):
    with pytest.raises(ValueError, match=words):
        draw(thing, ax=ax)


def test_a_path_over_the_other_thing_is_refused(found, ax):
    with pytest.raises(ValueError, match="call plot_size_path"):
        plots.plot_alpha_path(found["size path"], ax=ax)
    with pytest.raises(ValueError, match="call plot_alpha_path"):
        plots.plot_size_path(found["alpha path"], ax=ax)
    with pytest.raises(ValueError, match="two axes"):
        plots.plot_penalty(ax=ax)
