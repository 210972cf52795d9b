"""Pictures of a model show its gates and its probabilities."""

import numpy as np
import pytest
from pictures import TRUE, D, labels_below, labels_down_the_side, members, widths

from projstg import (
    STG,
    Gates,
    plots,
)
from projstg.render.palette import CHOSEN


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


def test_gates_of_other_selectors_and_of_fewer_columns(X, y, ax):
    model = STG(3, gates=Gates(max_iter=200)).fit(X, y)
    plots.plot_gates(model, ax=ax, top_n=2)
    labels = labels_down_the_side(ax)
    most = np.sort(np.delete(model.gate_mean_, [int(name.split()[1]) for name in labels[:2]]))[-1]
    assert labels[2].startswith("10 others, at most")
    assert float(labels[2].split()[-1]) >= most


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
    is_chosen = [line.get_color() == CHOSEN for line in drawn]
    assert is_chosen == [columns == TRUE for columns, _ in model.alternatives_[:4]]


def test_members_that_are_not_shown_are_counted(found, ax):
    plots.plot_inclusion(found["model"], ax=ax, top_n=2, n_alternatives=1)
    assert any(label.endswith("1 not shown") for label in labels_below(ax))
    bars_alone = plots.plot_inclusion(found["model"], n_alternatives=0)
    assert bars_alone.get_xlim() == (0.0, 1.0)
    assert "dots" not in bars_alone.get_xlabel()


def test_groups_show_shares_and_probabilities(found, ax):
    model = found["model"]
    plots.plot_groups(model, ax=ax, feature_names=range(D), level=0.6)
    groups = model.credible_groups(0.6)
    assert groups
    members = [name for group in groups for name in group.features]
    *labels, rest = labels_down_the_side(ax)
    assert [int(label) for label in labels] == members
    assert rest == f"{D - len(members)} others, in no group"
    shares = [share for group in groups for share in group.shares]
    lengths = widths(ax)
    np.testing.assert_allclose([lengths[place] for place in range(len(members))], shares)
    said = [text.get_text() for text in ax.texts]
    assert said == [f"{g.probability:.2f}" if g.probability < 0.995 else "> 0.99" for g in groups]


def test_groups_that_are_too_many_are_counted(found, ax):
    plots.plot_groups(found["model"], ax=ax, top_n=1)
    n_groups = len(found["model"].credible_groups())
    assert len(ax.texts) == 1
    assert f"{n_groups - 1} more group" in ax.get_xlabel()


def test_without_a_group_it_says_so(found, ax):
    plots.plot_groups(found["noise"], ax=ax)
    assert labels_down_the_side(ax) == [f"{D} others, in no group"]
