"""The prior of sizes, and how many supports there are."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import comb
from scipy.stats import betabinom

from projstg._core.data.correlations import Correlations, eigenvalues
from projstg._core.score.prior import (
    costs_of_sizes,
    log_mean_determinants,
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
    known = betabinom(n, 1, 3)
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


def correlations(rng, n, d, apart=1.0):
    """Correlations of columns with a common part; the last is a near copy of the first."""
    X = rng.standard_normal((n, d)) + rng.standard_normal((n, 1))
    X[:, -1] = X[:, 0] + apart * X[:, -1]
    return np.corrcoef(X, rowvar=False)


@pytest.mark.parametrize("apart", [1.0, 1e-4, 0.0])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 1.0 - 1e-9])
@pytest.mark.parametrize(("n", "d"), [(40, 7), (5, 7), (12, 1)])
def test_mean_determinants_are_those_of_all_supports(n, d, kept, apart, rng):
    R = correlations(rng, n, d, apart) if d > 1 else np.ones((1, 1))
    C = kept * R + (1.0 - kept) * np.eye(d)
    found = log_mean_determinants(eigenvalues(n * R[None], np.full(1, n)), np.full((1, 1), kept), d)
    for k in range(d + 1):
        every = [np.linalg.det(C[np.ix_(own, own)]) for own in combinations(range(d), k)]
        assert np.exp(found[0, 0, k]) == pytest.approx(np.mean(every), rel=1e-6, abs=1e-15)


def test_a_column_of_zeros_is_not_there(rng):
    R = correlations(rng, 30, 5)
    with_zero = np.pad(R, (0, 1))
    of, other = (eigenvalues(30.0 * one[None], np.full(1, 30.0)) for one in (R, with_zero))
    kept = np.asarray([[0.4, 0.99]])
    means = log_mean_determinants(of, kept, 5)
    np.testing.assert_allclose(log_mean_determinants(other, kept, 5), means)
    assert other.n_columns.tolist() == [5]
    larger = log_mean_determinants(other, kept, 7)
    np.testing.assert_allclose(larger[..., 5:], np.repeat(means[..., 5:], 3, axis=-1))


def test_each_problem_has_the_means_of_its_own_columns(rng):
    R = np.stack([correlations(rng, n, 5) for n in (8, 30)])
    together = eigenvalues(20.0 * R, np.full(2, 20.0))
    kept = np.asarray([[0.4, 0.9], [0.5, 0.99]])
    found = log_mean_determinants(together, kept, 4)
    for i in range(2):
        alone = Correlations(*(field[i : i + 1] for field in together))
        np.testing.assert_allclose(log_mean_determinants(alone, kept[i : i + 1], 4)[0], found[i])


@pytest.mark.parametrize("kappa", [1e-3, 3.0, 30.0, 1e4])
@pytest.mark.parametrize("n", [8, 40])
def test_a_size_has_about_the_prior_it_was_given_however_correlated_the_columns(n, kappa, rng):
    """The volume of the coefficients' prior is left: what the columns' takes is 1 on average."""
    R, k = correlations(rng, n, 10), 4
    C = (n * R + kappa * np.eye(10)) / (n + kappa)
    of = eigenvalues(n * R[None], np.full(1, float(n)))
    found = volumes(of, np.full(1, float(n)), np.asarray([kappa]), k)[0, 0, k]
    relative = np.exp(0.5 * (k * np.log1p(n / kappa) - found))
    roots = [np.sqrt(np.linalg.det(C[np.ix_(own, own)])) for own in combinations(range(10), k)]
    assert np.mean(roots) * relative == pytest.approx(1.0, abs=0.2)


def test_eigenvalues_below_a_tenth_are_repetition():
    found = spectral_dilution(np.asarray([[8.0, 8.0], [16.0, 0.0], [15.99, 0.01]]), np.full(3, 8.0))
    assert found[0] == pytest.approx(0.0)
    assert found[1] == pytest.approx(np.log(2.1 / 2.2))  # a zero is left out
    assert found[2] == pytest.approx(np.log(0.1 / 0.00125), abs=0.2)


def test_one_column_and_none_are_not_diluted(rng):
    of = eigenvalues(30.0 * correlations(rng, 30, 5)[None], np.full(1, 30.0))
    found = log_mean_determinants(of, np.full((1, 1), 0.9), 1)
    np.testing.assert_allclose(found, 0.0, atol=1e-12)
