"""The prior of sizes, and how many supports there are."""

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import betabinom

from projstg._core.score.prior import (
    costs_of_sizes,
    log_chance_determinant,
    log_supports,
    n_selectable,
    size_prior,
    spectral_dilution,
    volumes,
)


def test_the_logarithm_of_the_number_of_supports():
    sizes = np.arange(31)
    np.testing.assert_allclose(log_supports(30, sizes), np.log(comb(30, sizes)), atol=1e-10)


@pytest.mark.parametrize(("k_min", "k_max", "n"), [(0, 0, 5), (0, 7, 7), (3, 7, 30), (4, 4, 9)])
def test_the_prior_falls_from_the_smallest_size_on(k_min, k_max, n):
    prior = np.exp(size_prior(k_min, k_max, n))
    assert prior.shape == (k_max + 1,)
    assert prior.sum() == pytest.approx(1.0)
    assert np.all(prior[:k_min] == 0.0)
    assert np.all(np.diff(prior[k_min:]) < 0.0)


def test_more_columns_than_there_are_have_no_prior():
    prior = np.exp(size_prior(2, 9, 6))
    assert prior[7:].tolist() == [0.0] * 3
    assert prior.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n", [3, 12, 64])
def test_it_is_a_beta_binomial_distribution(n):
    known = betabinom(n, 1, 2)
    np.testing.assert_allclose(np.exp(size_prior(0, n, n)), known.pmf(np.arange(n + 1)))


def test_a_column_that_must_be_selected_may_be_even_where_it_does_not_vary():
    always, never = np.asarray([True, False, False]), np.asarray([True, True, False])
    assert n_selectable(always, never) == 2


def test_a_support_pays_for_its_size_and_for_how_many_there_are():
    prior = np.asarray([-np.inf, np.log(0.25), -np.inf, np.log(0.75), np.log(0.1)])
    costs = costs_of_sizes(prior, n_free=9, n_locked=1)
    expected = [np.inf, -2 * np.log(0.25), np.inf, -2 * np.log(0.75 / comb(8, 2))]
    np.testing.assert_allclose(costs[:4], expected)
    few = costs_of_sizes(prior, n_free=3, n_locked=1)
    assert few[4] == np.inf


def grams(n, k, rng):
    """XᵀX of independent normal columns, centred, at mean square one."""
    X = rng.standard_normal((20_000, n, k))
    X -= X.mean(axis=1, keepdims=True)
    X /= np.sqrt(np.mean(X**2, axis=1, keepdims=True))
    return X.swapaxes(1, 2) @ X


@pytest.mark.parametrize(("n", "k"), [(8, 2), (12, 5), (40, 10)])
def test_what_chance_dilutes_is_what_independent_columns_lose(n, k, rng):
    roots = np.sqrt(np.linalg.det(grams(n, k, rng) / n))
    error = roots.std() / np.sqrt(len(roots))
    expected = np.exp(log_chance_determinant(n - 1.0, np.asarray([k])))[0]
    assert roots.mean() == pytest.approx(expected, abs=4.0 * error)


@pytest.mark.parametrize("kappa", [1e-3, 3.0, 30.0, 1e4])
@pytest.mark.parametrize(("n", "k"), [(12, 3), (40, 8), (40, 15)])
def test_where_columns_are_independent_a_size_has_about_the_prior_it_was_given(n, k, kappa, rng):
    """The volume of the coefficients' prior is left: what the columns' takes is 1 on average."""
    H = grams(n, k, rng) + kappa * np.eye(k)
    of_columns = np.sqrt(np.linalg.det(H / (n + kappa)))
    volume = k * np.log1p(n / kappa) - volumes(k, kappa, float(n), n - 1.0)
    assert of_columns.mean() * np.exp(0.5 * volume) == pytest.approx(1.0, rel=0.2)


def test_eigenvalues_below_a_tenth_are_repetition():
    found = spectral_dilution(np.asarray([[8.0, 8.0], [16.0, 0.0], [15.99, 0.01]]), np.full(3, 8.0))
    assert found[0] == pytest.approx(0.0)
    assert found[1] == pytest.approx(np.log(2.1 / 2.2))  # a zero is left out
    assert found[2] == pytest.approx(np.log(0.1 / 0.00125), abs=0.2)


def test_one_column_and_none_are_not_diluted():
    assert log_chance_determinant(5.0, np.asarray([0, 1])).tolist() == [0.0, 0.0]
