"""Credible groups of a fitted model: names, shares, correlations, and questions that cannot be."""

import numpy as np
import pandas as pd
import pytest

from projstg import ProjectedSTG


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 20))
    X[:, 19] = -X[:, 4] + 0.05 * rng.standard_normal(60)
    X[:, 2] = 1.0  # does not vary, and is taken out before anything is fitted
    y = 2.0 * X[:, 4] + X[:, 11] + 0.7 * rng.standard_normal(60)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(20)]), y


@pytest.mark.parametrize("n_features_to_select", ["auto", 2])
def test_a_column_and_its_near_copy_are_one_group(table, n_features_to_select):
    X, y = table
    model = ProjectedSTG(n_features_to_select).fit(X, y)
    sure, pair = model.credible_groups()
    assert sure.features == ["x11"]
    assert (sure.shares, sure.weakest_correlation) == ([1.0], pytest.approx(1.0))
    assert sorted(pair.features) == ["x19", "x4"]
    correlation = abs(np.corrcoef(X["x4"], X["x19"])[0, 1])
    assert pair.weakest_correlation == pytest.approx(correlation)
    chances = dict(zip(X, model.inclusion_probability_, strict=True))
    expected = np.asarray([chances[name] for name in pair.features])
    np.testing.assert_allclose(pair.shares, expected / expected.sum(), atol=1e-9)
    assert sure.probability == pytest.approx(chances["x11"], abs=1e-9)
    assert max(expected) - 1e-9 <= pair.probability <= min(expected.sum(), 1.0) + 1e-9


def test_at_every_level_groups_are_likely_enough_and_apart(table):
    X, y = table
    model = ProjectedSTG().fit(X, y)
    for level in (0.5, 0.9, 0.999):
        groups = model.credible_groups(level)
        assert all(group.probability >= level for group in groups)
        names = [name for group in groups for name in group.features]
        assert len(names) == len(set(names))


def test_without_names_columns_are_numbers_and_without_signal_there_is_no_group():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 15))
    signal = ProjectedSTG().fit(X, X[:, 3] + 0.1 * rng.standard_normal(40))
    assert [group.features for group in signal.credible_groups()] == [[3]]
    assert ProjectedSTG().fit(X, rng.standard_normal(40)).credible_groups() == []


@pytest.mark.parametrize("level", [0.0, 1.0, "high", None])
def test_a_level_that_is_none_is_refused(table, level):
    with pytest.raises(ValueError, match=r"level=.*give a number between 0 and 1, such as 0\.95"):
        ProjectedSTG(2).fit(*table).credible_groups(level)


def test_without_probabilities_the_message_says_what_to_fit(table):
    with pytest.raises(ValueError, match="there are no probabilities; fit with refine=True"):
        ProjectedSTG(2, probabilities=False).fit(*table).credible_groups()
