"""Each competitor is its library: the same supports on a hundred problems by a second way."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Lasso, OrthogonalMatchingPursuit, Ridge, lars_path

from projstg.experiments.library_adapters import (
    AbessSelector,
    LassoPath,
    StrictMCP,
    StrictSCAD,
    TopK,
    largest_columns,
)

K = 3


def problems(n_problems=100, n_rows=14, n_columns=9, noise=0.7):
    """Small problems with columns in units of their own."""
    for seed in range(n_problems):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.5, 2.0, size=n_columns)
        yield X, X[:, :K].sum(axis=1) + noise * rng.normal(size=n_rows)


def standardised(X):
    return X / np.sqrt(np.mean(X**2, axis=0))


def by_hand(coef, X, k):
    """The k largest |coef|·‖x‖, one after the other."""
    size = [abs(b) * np.sqrt(x @ x) for b, x in zip(coef, X.T, strict=True)]
    return sorted(sorted(range(len(size)), key=lambda d: (-size[d], d))[:k])


@pytest.mark.parametrize(
    "regressor",
    [Lasso(alpha=0.2, fit_intercept=False), Ridge(fit_intercept=False)],
    ids=["lasso", "ridge"],
)
def test_top_k_takes_the_largest_coefficients_of_the_library(regressor):
    for X, y in problems():
        found = TopK(regressor, K).fit(X, y).get_support(indices=True)
        assert found.tolist() == by_hand(clone(regressor).fit(X, y).coef_, X, K)


def test_top_k_of_a_pursuit_is_the_pursuit():
    for X, y in problems():
        pursuit = OrthogonalMatchingPursuit(n_nonzero_coefs=K, fit_intercept=False)
        found = TopK(pursuit, K).fit(X, y).get_support()
        assert np.array_equal(found, pursuit.fit(X, y).coef_ != 0.0)


def test_abess_is_asked_for_k_columns_without_an_intercept():
    abess = pytest.importorskip("abess")
    for X, y in problems():
        theirs = abess.LinearRegression(support_size=K, fit_intercept=False).fit(X, y)
        assert np.array_equal(AbessSelector(K).fit(X, y).get_support(), theirs.coef_ != 0.0)


def stretches(X, y):
    """Supports along the LASSO's path: scikit-learn's descent in the middle of each stretch."""
    alphas, _, _ = lars_path(X, y, method="lasso")
    for upper, lower in pairwise(alphas):
        if upper - lower > 1e-6:
            model = Lasso(0.5 * (upper + lower), fit_intercept=False, tol=1e-12, max_iter=100_000)
            yield np.abs(model.fit(X, y).coef_) > 1e-9


def residual(X, y, support):
    return np.sum((y - X[:, support] @ np.linalg.lstsq(X[:, support], y)[0]) ** 2)


def test_the_lasso_path_has_the_supports_of_coordinate_descent():
    several = 0
    for X, y in problems():
        X = standardised(X)
        expected = [own for own in stretches(X, y) if own.sum() == 4]
        first, refit = (LassoPath(4, rule=rule).fit(X, y) for rule in ("first", "refit"))
        assert first.n_supports_ == len({own.tobytes() for own in expected})
        assert np.array_equal(first.support_, expected[0])
        best = min(expected, key=lambda own: residual(X, y, own))
        assert np.array_equal(refit.support_, best)
        several += not np.array_equal(refit.support_, first.support_)
    assert several > 0  # the rules do differ


def test_the_lasso_path_does_not_see_units(rng):
    for X, y in problems(10):
        units = 10.0 ** rng.uniform(-3.0, 3.0, size=X.shape[1])
        one, other = LassoPath(K).fit(X, y), LassoPath(K).fit(X * units, y)
        assert np.array_equal(one.support_, other.support_)


def test_a_path_too_short_for_k_still_gives_k():
    X, y = np.eye(5), np.array([3.0, -2.0, 0.0, 0.0, 0.0])
    model = LassoPath(4).fit(X, y)
    assert model.n_supports_ == 0
    assert model.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_the_lasso_path_refuses_another_rule():
    with pytest.raises(ValueError, match="rule='last'; use 'first' or 'refit'"):
        LassoPath(2, rule="last").fit(np.eye(3), np.ones(3))


def test_coefficients_are_least_squares_on_the_support():
    for X, y in problems(5):
        model = LassoPath(K).fit(X, y)
        left = y - X @ model.coef_
        assert np.allclose(X[:, model.support_].T @ left, 0.0, atol=1e-9)
        assert np.array_equal(model.coef_ != 0.0, model.support_)


def test_equal_coefficients_go_by_index():
    found = largest_columns(np.array([0.0, 1.0, 0.0, -1.0]), np.eye(4), 3)
    assert found.tolist() == [True, True, False, True]


def test_scikit_learn_s_lasso_has_wainwright_s_objective():
    # ‖y − Xβ‖²/(2N) + λ‖β‖₁: every column that is in is correlated with the residual by Nλ.
    for X, y in problems(5):
        model = TopK(Lasso(alpha=0.3, fit_intercept=False, tol=1e-10), K).fit(X, y)
        coef = model.regressor_.coef_
        push = X.T @ (y - X @ coef) / len(y)
        assert np.allclose(np.abs(push[coef != 0.0]), 0.3, atol=1e-6)


@pytest.mark.parametrize("kind", [StrictSCAD, StrictMCP])
def test_no_point_with_k_is_a_failure_by_the_authors_rule(kind):
    pytest.importorskip("skglm")
    X, y = next(problems(1))
    with pytest.warns(UserWarning, match="no point of the path"):
        nothing = kind(1, n_alphas=1, fit_intercept=False).fit(X, y)
    assert not nothing.get_support().any()
    assert not nothing.coef_.any()
    with warnings.catch_warnings(action="ignore"):
        something = kind(K, fit_intercept=False).fit(X, y)
    assert something.has_exact_point_
    assert something.get_support().sum() == K
