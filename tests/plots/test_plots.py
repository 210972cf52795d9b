"""Pictures show what they say they show, on the axes they are given, and leave the rest alone."""

import sys

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from scipy.optimize import minimize_scalar

from projstg import (
    STG,
    Gates,
    ProjectedSTG,
    ProjectedSTGCV,
    StabilitySelector,
    _extras,
    plots,
    projected_stg_path,
)
from projstg.plots import penalty_curves as penalty

D, TRUE = 12, [1, 4, 6]
NAMES = [f"name {d}" for d in range(D)]


@pytest.fixture(autouse=True)
def closed():
    """No figure is left open, whatever a test made."""
    yield
    pyplot.close("all")


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, D))
    return X, 2.0 * X[:, 1] - X[:, 4] + X[:, 6] + 0.5 * rng.normal(size=40)


@pytest.fixture(scope="module")
def found(data):
    """One of everything that can be drawn."""
    X, y = data
    return {
        "model": ProjectedSTG().fit(X, y),
        "alpha path": projected_stg_path(X, y, n_alphas=12),
        "size path": projected_stg_path(X, y, sizes=6),
        "selector": StabilitySelector(ProjectedSTG(3), n_pairs=4, sizes=range(1, 5)).fit(X, y),
        "cv": ProjectedSTGCV(sizes=5, alpha_scales=[0.1, 1.0], cv=3).fit(X, y),
        "noise": ProjectedSTG().fit(X, np.random.default_rng(1).normal(size=40)),
    }


PICTURES = {
    "gates": (plots.plot_gates, "model"),
    "gates, cross-validated": (plots.plot_gates, "cv"),
    "gates, nothing selected": (plots.plot_gates, "noise"),
    "inclusion": (plots.plot_inclusion, "model"),
    "inclusion, nothing selected": (plots.plot_inclusion, "noise"),
    "along λ": (plots.plot_alpha_path, "alpha path"),
    "along sizes": (plots.plot_size_path, "size path"),
    "sizes": (plots.plot_size_path, "model"),
    "sizes, nothing selected": (plots.plot_size_path, "noise"),
    "sizes, cross-validated": (plots.plot_size_path, "cv"),
    "stability": (plots.plot_stability_path, "selector"),
}
NAMED = [name for name in PICTURES if "sizes" not in name]


@pytest.fixture(params=PICTURES)
def picture(request, found):
    draw, of = PICTURES[request.param]
    return lambda **options: draw(found[of], **options)


@pytest.fixture(params=NAMED)
def named_picture(request, found):
    draw, of = PICTURES[request.param]
    return lambda **options: draw(found[of], **options)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def labels_down_the_side(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def labels_below(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def widths(ax):
    """Length of each bar by its place from the top."""
    return {round(bar.get_y() + bar.get_height() / 2): bar.get_width() for bar in ax.patches}


# Axes


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


# Names


def test_names_are_shown(named_picture, ax):
    named_picture(ax=ax, feature_names=NAMES, top_n=D)
    shown = labels_down_the_side(ax) + (legend(ax) if ax.get_legend() else [])
    assert any(text.startswith("name ") for text in shown) or "12 others" in shown[0]
    assert not any(text.startswith("column ") for text in shown)


def test_names_of_the_table_are_taken(data, ax):
    frames = pytest.importorskip("pandas")
    X, y = data
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


# What is drawn


def test_bars_are_the_gates_selected_first(found, ax):
    model = found["model"]
    plots.plot_gates(model, ax=ax, feature_names=range(D))
    labels, lengths = labels_down_the_side(ax), widths(ax)
    shown = [int(label) for label in labels if label.isdigit()]
    assert set(shown[:3]) == set(TRUE)
    for place, d in enumerate(shown):
        assert lengths[place] == pytest.approx(model.gate_mean_[d])
    rest = np.delete(model.gate_mean_, shown)
    assert rest.size == 0 or labels[-1].startswith(f"{rest.size} other")


def test_gates_of_other_selectors_and_of_fewer_columns(data, ax):
    X, y = data
    model = STG(3, gates=Gates(max_iter=200)).fit(X, y)
    plots.plot_gates(model, ax=ax, top_n=2)
    labels = labels_down_the_side(ax)
    most = np.sort(np.delete(model.gate_mean_, [int(name.split()[1]) for name in labels[:2]]))[-1]
    assert labels[2].startswith("10 others, at most")
    assert float(labels[2].split()[-1]) >= most


def members(ax):
    """The large dots of each alternative."""
    return [line for line in ax.lines if (line.get_marker(), line.get_markersize()) == ("o", 6.0)]


def dots(ax, size):
    """The places of those with ``size`` dots."""
    return [
        set(ys) for ys in (line.get_ydata().tolist() for line in members(ax)) if len(ys) == size
    ]


def test_inclusion_shows_probabilities_and_alternatives(found, ax):
    model = found["model"]
    plots.plot_inclusion(model, ax=ax, feature_names=range(D), n_alternatives=4)
    shown = [int(label) for label in labels_down_the_side(ax) if label.isdigit()]
    for place, length in widths(ax).items():
        assert length == pytest.approx(model.inclusion_probability_[shown[place]])
    drawn = members(ax)
    assert len(drawn) == 4
    for line, (columns, _) in zip(drawn, model.alternatives_[:4], strict=True):
        assert {shown[int(place)] for place in line.get_ydata()} == set(columns)
    assert f"{model.alternatives_[0][1]:.2f}" in labels_below(ax)
    is_chosen = [line.get_color() == plots._axes.CHOSEN for line in drawn]
    assert is_chosen == [columns == TRUE for columns, _ in model.alternatives_[:4]]


def test_members_that_are_not_shown_are_counted(found, ax):
    plots.plot_inclusion(found["model"], ax=ax, top_n=2, n_alternatives=1)
    assert any(label.endswith("1 not shown") for label in labels_below(ax))
    bars_alone = plots.plot_inclusion(found["model"], n_alternatives=0)
    assert bars_alone.get_xlim() == (0.0, 1.0)
    assert "dots" not in bars_alone.get_xlabel()


def test_lines_along_alpha_are_the_path(found, ax):
    path = found["alpha path"]
    plots.plot_alpha_path(path, ax=ax, feature_names=range(D), top_n=3)
    lines = {line.get_label(): line for line in ax.lines}
    assert {name for name in lines if name.isdigit()} == {str(d) for d in TRUE}
    for d in TRUE:
        drawn = lines[str(d)].get_ydata()
        is_drawn = np.isfinite(drawn)
        np.testing.assert_array_equal(drawn[is_drawn], path.gated_coef_path_[is_drawn, d])
        assert not path.gated_coef_path_[~is_drawn, d].any()
    assert ax.get_xlim()[0] > ax.get_xlim()[1]
    assert [text.get_text() for text in ax.texts] == [str(size) for size in path.sizes]


def marked(ax):
    (line,) = [line for line in ax.lines if line.get_label() == "choice"]
    return line.get_xdata()[0]


def test_the_choice_along_sizes_is_that_of_the_evidence(found, ax):
    path = found["size path"]
    plots.plot_size_path(path, ax=ax)
    assert marked(ax) == 3
    score, total = (line.get_ydata() for line in ax.lines[:2])
    np.testing.assert_allclose(score, path.objective_path_ - path.objective_path_.min())
    choices = [12, 66, 220, 495, 792, 924]
    expected = path.objective_path_ + 2.0 * np.log(choices)
    np.testing.assert_allclose(total, expected - expected.min(), atol=1e-9)


def test_scores_that_do_not_compare_mark_nothing(found, ax):
    plots.plot_size_path(found["size path"], ax=ax, count_supports=False)
    assert legend(ax) == ["score of the best support"]


def test_a_model_beside_its_path_adds_its_probabilities(found):
    ax = plots.plot_size_path(found["size path"], model=found["model"])
    assert marked(ax) == 3
    (beside,) = [one for one in ax.figure.axes if one is not ax]
    heights = [bar.get_height() for bar in beside.patches]
    np.testing.assert_allclose(heights, found["model"].size_probability_)


def test_sizes_of_a_model_are_its_probabilities(found, ax):
    model = found["model"]
    plots.plot_size_path(model, ax=ax)
    heights = {round(b.get_x() + b.get_width() / 2): b.get_height() for b in ax.patches}
    assert set(heights) >= set(np.flatnonzero(model.size_probability_ > 0.01))
    for size, height in heights.items():
        assert height == pytest.approx(model.size_probability_[size])


def test_cross_validation_shows_the_best_of_each_size(found, ax):
    model = found["cv"]
    plots.plot_size_path(model, ax=ax)
    drawn = ax.containers[0].lines[0].get_ydata()
    np.testing.assert_allclose(drawn, model.cv_error_mean_.reshape(5, 2).min(axis=1))
    assert marked(ax) == model.n_features_to_select_


def test_lines_of_stability_are_shares(found, ax):
    selector = found["selector"]
    plots.plot_stability_path(selector, ax=ax, feature_names=range(D), top_n=3)
    lines = {line.get_label(): line for line in ax.lines}
    for d in TRUE:
        np.testing.assert_array_equal(lines[str(d)].get_ydata(), selector.stability_path_[:, d])
    assert lines["threshold 0.88"].get_ydata()[0] == selector.threshold_


def test_no_two_lines_look_the_same():
    looks = [plots._axes.line_look(i) for i in range(24)]
    assert len(set(looks)) == 24
    assert len({look.color for look in looks[:8]}) == len({look.marker for look in looks[:8]}) == 8


# What cannot be drawn


@pytest.mark.parametrize(
    ("draw", "thing", "words"),
    [
        (plots.plot_gates, object(), "gate_mean_, which object does not have; fit"),
        (plots.plot_inclusion, ProjectedSTG(), "inclusion_probability_.*refine=True"),
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


# The penalty


def minimiser(cost, u):
    """The β that minimises ½(u − β)² + cost(β): the best of a grid, polished, and of zero."""
    grid = np.linspace(0.0, 5.0, 2001)
    value = 0.5 * (u - grid) ** 2 + cost(grid)
    near = grid[np.argmin(value)]
    if near == 0.0:
        return 0.0
    found = minimize_scalar(
        lambda b: 0.5 * (u - b) ** 2 + float(cost(np.asarray(b))),
        bounds=(max(near - 0.01, 0.0), near + 0.01),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return found.x


@pytest.mark.parametrize("name", penalty.CURVES)
def test_each_rule_minimises_its_penalty(name):
    curve = penalty.CURVES[name]
    for u in (0.3, 0.95, 1.05, 1.7, 2.3, 3.2, 3.9):
        best = minimiser(curve.penalty, u)
        assert float(curve.threshold(np.asarray(u))) == pytest.approx(best, abs=1e-5)
        assert float(curve.threshold(np.asarray(-u))) == pytest.approx(-best, abs=1e-5)


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0, 20.0])
def test_the_rule_of_the_gates_is_hard_thresholding(tau):
    for u in (0.3, 0.6, 0.97, 1.03, 1.3, 2.0, 3.9):
        best = minimiser(lambda beta: penalty.gate_cost(beta, tau), u)
        assert float(penalty.hard_threshold(np.asarray(u))) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0])
def test_where_the_other_answer_is_a_local_minimum(tau):
    """Shut gates up to |u| = √2, open ones from √t* on: what the pale lines show."""

    def cost(u, beta):
        return 0.5 * (u - beta) ** 2 + penalty.gate_cost(np.asarray(beta), tau)

    # A small β costs what it takes off where u is the slope to it, which grows to √2 at zero.
    slopes = [float(penalty.gate_cost(np.asarray(b), tau)) / b for b in 10.0 ** -np.arange(1, 10)]
    assert np.all(np.diff(slopes) > 0.0)
    assert 1.3 < slopes[-1] < np.sqrt(2.0)
    step = 1e-4
    lasts = np.sqrt(penalty.gate_penalty(tau).threshold)
    for side in (-step, step):
        assert cost(lasts + 0.01, lasts + 0.01 + side) > cost(lasts + 0.01, lasts + 0.01)
    below = lasts - 0.01
    assert min(cost(below, below + side) for side in (-step, step)) < cost(below, below)


def test_the_penalty_is_drawn_with_its_rule(ax):
    left, right = plots.plot_penalty(0.5, ax=[ax, Figure().add_subplot()])
    assert left is ax
    lines = {line.get_label(): line for line in left.lines}
    gates = lines["gates, τ = 0.5"]
    np.testing.assert_allclose(gates.get_ydata(), penalty.gate_cost(gates.get_xdata(), 0.5))
    drawn = {line.get_label(): line for line in right.lines}["gates and best subsets"]
    u, beta = drawn.get_xdata(), drawn.get_ydata()
    np.testing.assert_array_equal(
        np.unique(np.abs(beta[np.isfinite(u)] - u[np.isfinite(u)])), [0, 1]
    )
    axes = plots.plot_penalty()
    assert pyplot.get_fignums() == [axes[0].figure.number]
