"""A background of small effects: fewer columns in a dense table, and prediction that has it."""

import numpy as np
import pytest

from projstg import ProjectedSTG


@pytest.fixture(scope="module")
def dense():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1150, 30))
    signal = X[:, 4] - X[:, 9] + X @ rng.standard_normal(30) / 6
    y = signal + 0.5 * rng.standard_normal(1150)
    return X[:150], y[:150], X[150:], signal[150:]


def test_small_effects_are_not_taken_for_large_ones(dense):
    X, y, new, signal = dense
    plain, beside = (ProjectedSTG(background=on).fit(X, y) for on in (False, True))
    assert {4, 9} <= set(beside.get_support(indices=True))
    assert beside.support_.sum() < plain.support_.sum()
    assert plain.background_share() == 0.0
    assert 0.0 < beside.background_share() < 0.9
    errors = [
        np.mean((model.predict(new, averaged=True) - signal) ** 2) for model in (plain, beside)
    ]
    assert errors[1] < errors[0]


def test_where_effects_are_few_nothing_changes(dense):
    X = dense[0]
    y = 3.0 * X[:, 4] - 2.0 * X[:, 9] + np.random.default_rng(0).standard_normal(len(X))
    plain, beside = (ProjectedSTG(background=on).fit(X, y) for on in (False, True))
    np.testing.assert_array_equal(beside.support_, plain.support_)
    assert beside.background_share() < 0.02
    np.testing.assert_allclose(beside.predict(X, averaged=True), plain.predict(X, averaged=True),
                               atol=0.2)  # fmt: skip
    assert beside.objective_ == pytest.approx(plain.objective_)


@pytest.mark.parametrize("shape", [(25, 40), (40, 11)], ids=["wide", "few columns"])
def test_constraints_constant_columns_and_wide_tables(shape):
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape)
    X[:, 1] = 2.0
    y = X[:, 0] + 0.5 * rng.standard_normal(shape[0])
    model = ProjectedSTG(background=True, always_select=[5], never_select=[2]).fit(X, y)
    assert model.support_[5]
    assert not model.support_[[1, 2]].any()
    mean, std = model.predict(X, averaged=True, return_std=True)
    assert np.all(np.isfinite(mean))
    assert np.all(std > 0.0)


def test_questions_in_which_it_would_not_be_used(dense):
    X, y, *_ = dense
    for params in ({"n_features_to_select": 2}, {"selection": "bic"}):
        with pytest.raises(ValueError, match="background=True says how probabilities choose"):
            ProjectedSTG(**params, background=True).fit(X, y)
    wide = np.random.default_rng(0).standard_normal((10, 2001))
    with pytest.raises(ValueError, match="up to 2000 columns, and here are 2001"):
        ProjectedSTG(background=True).fit(wide, wide[:, 0])
