"""Pictures of a path show its numbers, and the choice."""

import numpy as np
import pytest
from pictures import NAMES, TRUE, D, legend

from projstg import plots, projected_stg_path


def test_lines_along_alpha_are_the_path(found, data, ax):
    path = found["alpha path"]
    expected = path.gated_coef_path_ * data[0].std(axis=0)
    plots.plot_alpha_path(path, ax=ax, feature_names=range(D), top_n=3)
    lines = {line.get_label(): line for line in ax.lines}
    assert {name for name in lines if name.isdigit()} == {str(d) for d in TRUE}
    for d in TRUE:
        drawn = lines[str(d)].get_ydata()
        is_drawn = np.isfinite(drawn)
        np.testing.assert_allclose(drawn[is_drawn], expected[is_drawn, d], rtol=1e-12)
        assert not path.gated_coef_path_[~is_drawn, d].any()
    assert ax.get_xlim()[0] > ax.get_xlim()[1]
    assert [text.get_text() for text in ax.texts] == [str(size) for size in path.sizes]


def test_lines_along_alpha_do_not_depend_on_units(X, y):
    units = np.geomspace(1e-6, 1e6, D)
    drawn = [
        plots.plot_alpha_path(projected_stg_path(X * scale, y, n_alphas=6), top_n=D)
        for scale in (1.0, units)
    ]
    plain, scaled = ({line.get_label(): line.get_ydata() for line in ax.lines} for ax in drawn)
    assert plain.keys() == scaled.keys()
    for name, line in plain.items():
        np.testing.assert_allclose(scaled[name], line, rtol=1e-6)
    assert "standard deviation" in drawn[0].get_ylabel()


def test_a_path_takes_its_names_from_the_table(X, y, ax):
    frames = pytest.importorskip("pandas")
    path = projected_stg_path(frames.DataFrame(X, columns=NAMES), y, n_alphas=6)
    plots.plot_alpha_path(path, ax=ax, top_n=3)
    assert set(legend(ax)) >= {NAMES[d] for d in TRUE}


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
