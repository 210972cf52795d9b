"""Averaged prediction: units, intervals, what it falls back to, and questions that cannot be."""

import pickle

import numpy as np
import pytest
from rounding import assert_same_numbers
from scipy import stats
from sklearn.exceptions import DataDimensionalityWarning

from projstg import ProjectedSTG


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((250, 18))
    X[:, 4] = 3.0  # does not vary
    y = X[:, 2] - 0.5 * X[:, 9] + 0.3 * X[:, 11] + rng.standard_normal(250) + 7.0
    return X[:50], y[:50], X[50:], y[50:]


@pytest.fixture(scope="module")
def model(data):
    return ProjectedSTG().fit(*data[:2])


def test_where_the_columns_are_sure_and_noise_is_small_it_is_least_squares():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 15))
    y = 3.0 * X[:, 1] - 2.0 * X[:, 6] + 5.0 + 1e-3 * rng.standard_normal(60)
    model = ProjectedSTG().fit(X, y)
    np.testing.assert_allclose(model.predict(X, averaged=True), model.predict(X), atol=2e-3)


def test_without_signal_it_is_the_mean_of_y_with_its_spread():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((80, 15)), 4.0 + 2.0 * rng.standard_normal(80)
    mean, std = ProjectedSTG().fit(X, y).predict(X, averaged=True, return_std=True)
    np.testing.assert_allclose(mean, y.mean(), atol=0.8)
    np.testing.assert_allclose(std, y.std(), rtol=0.15)


def test_units_do_not_matter(data, model):
    X, y, new, _ = data
    scale, shift = np.logspace(-6, 6, 18), np.linspace(-1e3, 1e3, 18)
    other = ProjectedSTG().fit(X * scale + shift, -50.0 * y)
    mean, std = model.predict(new, averaged=True, return_std=True)
    again, its_std = other.predict(new * scale + shift, averaged=True, return_std=True)
    np.testing.assert_allclose(again, -50.0 * mean, rtol=1e-4)
    np.testing.assert_allclose(its_std, 50.0 * std, rtol=1e-4)


def test_it_predicts_new_rows_and_intervals_hold_about_as_many_as_they_say(data, model):
    _, y, new, truth = data
    averaged = np.mean((model.predict(new, averaged=True) - truth) ** 2)
    assert averaged < np.mean((y.mean() - truth) ** 2)
    for level in (0.5, 0.9):
        low, high = model.predict_interval(new, level).T
        assert np.mean((low < truth) & (truth < high)) == pytest.approx(level, abs=0.1)


def test_the_same_after_pickling_and_asking_leaves_the_model_as_it_was(data, model):
    before = set(vars(model))
    expected = model.predict(data[2], averaged=True)
    assert set(vars(model)) == before
    again = pickle.loads(pickle.dumps(model)).predict(data[2], averaged=True)
    assert_same_numbers(again, expected)


@pytest.mark.parametrize("n_features_to_select", [2, "auto"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_forced_columns_and_no_intercept(data, n_features_to_select, fit_intercept):
    X, y, new, _ = data
    options = {"always_select": [0, 2], "fit_intercept": fit_intercept}
    model = ProjectedSTG(n_features_to_select, **options).fit(X, y)
    mean, std = model.predict(new, averaged=True, return_std=True)
    assert np.all(np.isfinite(mean))
    assert np.all(std > 0.0)


def test_questions_that_cannot_be_answered(X, y, model):
    with pytest.raises(ValueError, match=r"return_std=True is known with averaged=True only"):
        model.predict(X, return_std=True)
    with pytest.raises(ValueError, match=r"level=90; give a number between 0 and 1, such as 0\.9"):
        model.predict_interval(X, 90)
    alone = ProjectedSTG(2, probabilities=False).fit(X, y)
    for ask in (lambda: alone.predict(X, averaged=True), lambda: alone.predict_interval(X)):
        with pytest.raises(ValueError, match="there are no supports to average over; fit with"):
            ask()
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict_interval(X[:, :3])


@pytest.fixture(scope="module")
def dense():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((1100, 60))
    small = X @ rng.standard_normal(60) / 8
    signal = 2.0 * X[:, 3] + small
    y = signal + rng.standard_normal(1100)
    return X[:100], y[:100], X[100:], signal[100:], np.var(small) / np.var(y)


def test_small_effects_are_part_of_the_prediction_and_their_share_is_told(dense):
    X, y, new, signal, share = dense
    model = ProjectedSTG().fit(X, y)
    assert model.small_effects().share == pytest.approx(share, abs=0.1)
    assert model.small_effects().probability > 0.9
    risk = np.mean((model.predict(new, averaged=True) - signal) ** 2)
    assert risk < np.mean((model.predict(new) - signal) ** 2)
    changed = new + 0.1 * (np.arange(60) == 7)  # every column counts
    assert not model.support_[7]
    assert not np.array_equal(
        model.predict(changed, averaged=True), model.predict(new, averaged=True)
    )


def test_hardly_a_share_where_there_are_no_small_effects():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 18))
    y = X[:, 2] - X[:, 9] + 0.5 * rng.standard_normal(300)
    assert 0.0 < ProjectedSTG().fit(X, y).small_effects().share < 0.01


def test_a_number_of_columns_leaves_no_background(dense):
    X, y, *_ = dense
    assert ProjectedSTG(1).fit(X, y).small_effects() is None


def test_where_every_column_is_selected_none_is_left_for_small_effects():
    X = np.random.default_rng(0).standard_normal((60, 3))
    model = ProjectedSTG().fit(X, X @ [1.0, 2.0, 3.0] + 0.01 * X[::-1, 0])
    assert model.support_.all()
    assert model.small_effects() is None


def test_rows_far_away_and_many_rows(data, model, monkeypatch):
    X, *_ = data
    _, std = model.predict(X[:1] * [[1e9], [1e200]], averaged=True, return_std=True)
    assert std[1] / std[0] == pytest.approx(1e191)
    whole = model.predict(X, averaged=True, return_std=True)[1]
    monkeypatch.setattr("projstg.estimators._new_response._BLOCK", 3 * X.shape[1])
    blocks = model.predict(X, averaged=True, return_std=True)[1]
    np.testing.assert_allclose(blocks, whole, rtol=1e-12)


def test_columns_never_selected_do_not_predict(dense):
    X, y, new, *_ = dense
    model = ProjectedSTG(never_select=[7, 30]).fit(X, y)
    changed = new.copy()
    changed[:, [7, 30]] += 1.0
    np.testing.assert_array_equal(
        model.predict(changed, averaged=True), model.predict(new, averaged=True)
    )


def test_where_no_column_can_be_selected_it_is_the_mean_of_y():
    X, y = np.ones((30, 4)), np.random.default_rng(0).standard_normal(30)
    model = ProjectedSTG().fit(X, y)
    mean, std = model.predict(X, averaged=True, return_std=True)
    np.testing.assert_allclose(mean, y.mean())
    assert np.all(std > 0.0)
    assert model.small_effects() is None


def test_rows_too_few_to_compare_columns_have_none():
    X, y = np.random.default_rng(1).standard_normal((3, 2)), np.arange(3.0)
    with pytest.warns(DataDimensionalityWarning):
        model = ProjectedSTG().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean())
    with pytest.raises(ValueError, match=r"no supports to average over; .* on enough rows"):
        model.predict(X, averaged=True)


def test_a_constant_response_is_known_exactly():
    X = np.random.default_rng(0).standard_normal((30, 5))
    model = ProjectedSTG().fit(X, np.full(30, 2.0))
    np.testing.assert_allclose(model.predict_interval(X), 2.0)
    assert model.small_effects().share == 0.0


def test_a_response_that_copies_a_column_has_no_background():
    X = np.random.default_rng(0).standard_normal((60, 8))
    assert ProjectedSTG().fit(X, X[:, 0]).small_effects().probability < 0.6


@pytest.mark.parametrize("n_rows", [2, 3, 4])
def test_few_rows_have_the_interval_of_student_s_t(n_rows):
    X, y = np.zeros((n_rows, 1)), np.random.default_rng(4).standard_normal(n_rows)
    ends = ProjectedSTG().fit(X, y).predict_interval(X, 0.8)[0]
    reach = stats.t.ppf(0.9, n_rows - 1) * y.std(ddof=1) * np.sqrt(1.0 + 1.0 / n_rows)
    np.testing.assert_allclose(ends, [y.mean() - reach, y.mean() + reach])


def test_a_refit_without_probabilities_forgets_the_average(X, y):
    model = ProjectedSTG().fit(X, y).set_params(n_features_to_select=None).fit(X, y)
    with pytest.raises(ValueError, match="no supports to average over"):
        model.predict(X, averaged=True)
    assert "_averaged" not in vars(model)
    with pytest.raises(ValueError, match="there are no probabilities"):
        model.credible_groups()


@pytest.mark.parametrize("size", ["auto", 3])
def test_the_covariance_of_the_coefficients_gives_the_spread_at_any_row(data, size):
    X, y, new, _ = data
    fit = ProjectedSTG(size).fit(X, y)._averaged.value()[0]
    Z = new[:, : len(fit.coef)]
    expected = np.einsum("ij,jk,ik->i", Z, fit.covariance(), Z)
    np.testing.assert_allclose(expected, fit.spread(Z), rtol=1e-9)
