"""Standard errors against the textbook, intervals over supports against draws from the mixture."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from projstg import ProjectedSTG, ProjectedSTGCV
from projstg._core.data.standard_table import as_tables
from projstg._core.posterior.coefficient_intervals import averaged, estimates

SHAPES = {"long": (40, 8), "wide": (20, 30)}
ARRAYS = ("coef", "low", "high", "std")


@pytest.fixture(params=SHAPES)
def data(request, rng):
    """X and y with three true columns in very different units; neither is centred."""
    X = rng.normal(size=SHAPES[request.param]) + 0.5
    X[:, 4] *= 1e4
    return X, 2.0 * X[:, 1] - 1e-4 * X[:, 4] + X[:, 6] + 0.5 * rng.normal(size=len(X)) + 40.0


def textbook(X, y, members, weights=None, *, intercept=True):
    """β̂ and standard errors of least squares on [1, X_S] by the explicit formula; and ν."""
    ones = [np.ones((len(y), 1))] if intercept else []
    Z = np.hstack([*ones, X[:, members]])
    W = np.diag(np.ones(len(y)) if weights is None else weights)
    inverse = np.linalg.inv(Z.T @ W @ Z)
    beta = inverse @ Z.T @ W @ y
    left = y - Z @ beta
    nu = np.trace(W) - Z.shape[1]
    errors = np.sqrt(left @ W @ left / nu * np.diag(inverse))
    return beta[intercept:], errors[intercept:], nu


def fitted(X, y, supports):
    tables = as_tables(X[None], y[None])
    return estimates(tables.problem(0), tables.frame(0), supports)


# On one support


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [1, 3])
def test_standard_errors_are_those_of_the_textbook(data, intercept, k, rng):
    X, y = data
    for weights in (None, rng.uniform(0.5, 3.0, size=len(y))):
        model = ProjectedSTG(k, fit_intercept=intercept).fit(X, y, sample_weight=weights)
        _, errors, _ = textbook(X, y, model.support_, weights, intercept=intercept)
        np.testing.assert_allclose(model.coef_std_error_[model.support_], errors, rtol=1e-8)
        assert not model.coef_std_error_[~model.support_].any()


def test_supports_of_all_sizes_go_through_in_one_call(data):
    X, y = data
    supports = [np.asarray(s, dtype=int) for s in ([], [4], [6, 1, 4], [0, 2, 3, 5, 7])]
    found = fitted(X, y, supports)
    assert found.columns.tolist() == list(range(8))
    for m, members in enumerate(supports):
        outside = np.setdiff1d(np.arange(8), members)
        assert not found.coef[m, outside].any()
        assert not found.std_error[m, outside].any()
        order = np.sort(members)
        beta, errors, nu = textbook(X, y, order)
        np.testing.assert_allclose(found.coef[m, order], beta, rtol=1e-8)
        np.testing.assert_allclose(found.std_error[m, order], errors, rtol=1e-8)
        assert found.dof[m] == pytest.approx(nu)


def test_near_copies_are_what_they_are_beside_a_larger_support(rng):
    X = rng.normal(size=(30, 4))
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    y = X[:, 0] + 0.5 * X[:, 2] + rng.normal(size=30)
    pair = np.arange(2)
    beside, alone = fitted(X, y, [pair, np.arange(3)]), fitted(X, y, [pair])
    assert beside.coef[0, 2] == beside.std_error[0, 2] == 0.0
    np.testing.assert_allclose(beside.coef[0, :2], alone.coef[0], rtol=1e-9)
    np.testing.assert_allclose(beside.std_error[0, :2], alone.std_error[0], rtol=1e-9)


def test_weights_are_repeated_rows(data, rng):
    X, y = data
    weights = rng.integers(1, 4, size=len(y))
    weighted = ProjectedSTG(3).fit(X, y, sample_weight=weights)
    repeated = ProjectedSTG(3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_std_error_, repeated.coef_std_error_, rtol=1e-8)
    for name in ARRAYS:
        left, right = (getattr(model.averaged_coef(), name) for model in (weighted, repeated))
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-12)


def test_without_a_search_the_gates_have_errors_too(data):
    X, y = data
    model = ProjectedSTG(3, refine=False).fit(X, y)
    _, errors, _ = textbook(X, y, model.support_)
    np.testing.assert_allclose(model.coef_std_error_[model.support_], errors, rtol=1e-8)


def test_no_rows_left_over_is_no_error_known(rng):
    X = rng.normal(size=(6, 8))
    y = rng.normal(size=6)
    found = fitted(X, y, [np.arange(5), np.arange(4)])
    assert np.isnan(found.std_error[0, :5]).all()
    _, errors, _ = textbook(X, y, np.arange(4))
    np.testing.assert_allclose(found.std_error[1, :4], errors, rtol=1e-8)
    assert found.std_error[1, 4] == 0.0


def test_dependent_columns_have_no_error_of_their_own(rng):
    X = rng.normal(size=(30, 4))
    X[:, 2] = -3.0 * X[:, 0]
    y = X[:, 0] + X[:, 1] + rng.normal(size=30)
    found = fitted(X, y, [np.arange(3)])
    assert np.isnan(found.std_error[0, [0, 2]]).all()
    _, errors, nu = textbook(X, y, [0, 1])  # column 2 adds nothing, not even a parameter
    assert found.std_error[0, 1] == pytest.approx(errors[1])
    assert found.dof[0] == pytest.approx(nu)


# Over supports


def test_one_certain_support_is_the_naive_interval(data):
    X, y = data
    members = np.asarray([1, 4, 6])
    beta, errors, nu = textbook(X, y, members)
    known = fitted(X, y, [members])
    result = averaged(known, np.asarray([1.0]), X.shape[1], 0.8)
    half = stats.t.ppf(0.9, nu) * errors
    np.testing.assert_allclose(result.coef[members], beta, rtol=1e-8)
    np.testing.assert_allclose(result.low[members], beta - half, rtol=1e-8)
    np.testing.assert_allclose(result.high[members], beta + half, rtol=1e-8)
    np.testing.assert_allclose(result.std[members], errors, rtol=1e-8)
    outside = np.setdiff1d(np.arange(X.shape[1]), members)
    assert not any(getattr(result, name)[outside].any() for name in ARRAYS)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_intervals_are_quantiles_of_the_mixture(data, level, rng):
    X, y = data
    supports = [np.asarray(s) for s in ([1, 4, 6], [1, 4], [1, 4, 5, 6], [3])]
    p = np.asarray([0.3, 0.2, 0.2, 0.1])  # as if the rest had been left out
    result = averaged(fitted(X, y, supports), p, X.shape[1], level)
    assert result.probability == pytest.approx(0.8)
    n_draws = 200_000
    which = rng.choice(4, size=n_draws, p=p / p.sum())
    draws = np.zeros((n_draws, X.shape[1]))
    for m, members in enumerate(supports):
        beta, errors, nu = textbook(X, y, members)
        noise = rng.standard_t(nu, size=(int((which == m).sum()), members.size))
        draws[np.ix_(which == m, members)] = beta + errors * noise
    within = np.mean(draws < result.low, axis=0), np.mean(draws > result.high, axis=0)
    at_or_beyond = np.mean(draws <= result.low, axis=0), np.mean(draws >= result.high, axis=0)
    tail = 0.5 * (1.0 - level)
    for below, reached in zip(within, at_or_beyond, strict=True):
        assert np.all(below < tail + 0.004)
        assert np.all(reached > tail - 0.004)
    # A t distribution has a little more variance than its squared scale.
    np.testing.assert_allclose(result.coef, draws.mean(axis=0), atol=0.01 * result.std.max())
    assert np.all(result.std <= draws.std(axis=0) * 1.01)


def test_where_the_mass_is_the_end_is_exactly_zero(data):
    X, y = data
    known = fitted(X, y, [np.asarray([1]), np.asarray([1, 4])])
    sign = np.sign(known.coef[1, 1])
    result = averaged(known, np.asarray([0.6, 0.4]), X.shape[1], 0.9)
    near, far = (result.low, result.high) if sign > 0 else (result.high, result.low)
    assert near[4] == 0.0
    assert far[4] * sign > 0.0
    assert result.low[1] < known.coef[0, 0] < result.high[1]


def test_an_interval_over_alternatives_is_the_longer_one(rng):
    """Two columns that are nearly the same: the table cannot say which of them it is."""
    X = rng.normal(size=(40, 6))
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=40)
    y = X[:, 0] + X[:, 3] + 0.3 * rng.normal(size=40)
    model = ProjectedSTG(2).fit(X, y)
    result = model.averaged_coef(0.9)
    naive = 2.0 * stats.t.ppf(0.95, 37) * model.coef_std_error_
    twin = int(model.support_[1])
    assert min(p for _, p in model.alternatives_[:2]) > 0.2
    assert (result.high - result.low)[twin] > 2.0 * naive[twin]
    assert result.low[twin] == 0.0
    assert (result.high - result.low)[3] == pytest.approx(naive[3], rel=0.2)


def test_intervals_cover_what_the_naive_ones_miss(rng):
    """Over problems in which the choice is in doubt the naive interval is right too seldom."""
    hits = np.zeros((2, 2))
    for _ in range(20):
        X = rng.normal(size=(30, 20))
        beta = np.where(np.arange(20) < 4, rng.normal(size=20), 0.0)
        y = X @ beta + rng.normal(size=30)
        model = ProjectedSTG(4, n_starts=10).fit(X, y)
        result, half = model.averaged_coef(), stats.t.ppf(0.95, 25) * model.coef_std_error_
        inside = (result.low <= beta) & (beta <= result.high)
        naive = np.abs(model.coef_ - beta) <= half
        hits += [[own[model.support_].sum(), 4] for own in (naive, inside)]
    naive, inside = hits[:, 0] / hits[:, 1]
    assert naive < 0.75
    assert inside > naive + 0.1


def test_a_table_of_noise_has_coefficients_near_nothing(rng):
    X, y = rng.normal(size=(50, 10)), rng.normal(size=50)
    model = ProjectedSTG().fit(X, y)
    assert not model.support_.any()
    result = model.averaged_coef()
    assert np.all((result.low <= 0.0) & (result.high >= 0.0))
    known = fitted(X, y, [np.asarray([], dtype=int)])
    assert averaged(known, np.ones(1), 10, 0.9).high.tolist() == [0.0] * 10


def test_a_perfect_fit_is_certain(rng):
    X = rng.normal(size=(12, 20))
    y = 3.0 * X[:, 2]
    model = ProjectedSTG(1).fit(X, y)
    result = model.averaged_coef()
    for name in ("coef", "low", "high"):
        assert getattr(result, name)[2] == pytest.approx(3.0)
    assert result.std[2] < 1e-6


# The estimator


def test_errors_follow_clone_and_pickle(data):
    X, y = data
    model = ProjectedSTG(3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    anew = clone(model).fit(X, y)
    for other in (again, anew):
        np.testing.assert_array_equal(other.coef_std_error_, model.coef_std_error_)
        np.testing.assert_array_equal(other.averaged_coef().low, model.averaged_coef().low)


def test_cross_validation_passes_the_errors_on(data):
    X, y = data
    model = ProjectedSTGCV(sizes=[2, 3], cv=3).fit(X, y)
    _, errors, _ = textbook(X, y, model.support_)
    np.testing.assert_allclose(model.coef_std_error_[model.support_], errors, rtol=1e-8)
    assert model.best_estimator_.averaged_coef().coef.shape == (X.shape[1],)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 90, "0.9", None])
def test_other_levels_are_refused(data, level):
    X, y = data
    with pytest.raises(ValueError, match=r"level=.*between 0 and 1, such as 0\.9"):
        ProjectedSTG(3).fit(X, y).averaged_coef(level)


def test_without_alternatives_there_is_nothing_to_average(data):
    X, y = data
    with pytest.raises(ValueError, match="fit with refine=True"):
        ProjectedSTG(None).fit(X, y).averaged_coef()
