"""The prior of sizes, and how many supports there are."""

from itertools import combinations

import numpy as np
import pytest
from made_problems import problem_of
from scipy.special import comb
from scipy.stats import betabinom

from projstg._core.score.prior import (
    costs_of_sizes,
    log_mean_determinants,
    log_supports,
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


def spectrum_of(R, n_values=None):
    """That of a table with these correlations; so many eigenvalues, and the number of columns."""
    return np.maximum(np.linalg.eigvalsh(R)[::-1][:n_values], 0.0), len(R)


@pytest.mark.parametrize("apart", [1.0, 1e-2])
@pytest.mark.parametrize("kappa", [1e-3, 0.1, 3.0, 1e5])
@pytest.mark.parametrize(("n", "d"), [(40, 7), (5, 7), (12, 1)])
def test_mean_determinants_are_those_of_all_supports(n, d, kappa, apart, rng):
    R = correlations(rng, n, d, apart) if d > 1 else np.ones((1, 1))
    C, rank = (n * R + kappa * np.eye(d)) / (n + kappa), min(n - 1, d)
    of = spectrum_of(R, n_values=rank)
    found = log_mean_determinants(*of, float(n), np.asarray([kappa]), d)[0]
    for k in range(d + 1):
        every = [np.linalg.det(C[np.ix_(own, own)]) for own in combinations(range(d), k)]
        assert found[k] == pytest.approx(np.log(np.mean(every)), rel=1e-6, abs=1e-9)


def test_many_and_nearly_dependent_columns_do_not_underflow():
    values = np.exp(-0.2 * np.arange(200.0))
    values *= 200.0 / values.sum()
    found = log_mean_determinants(values, 200, 300.0, np.asarray([1e-6, 1.0]), 200)
    assert np.all(np.diff(found, axis=-1) < 1e-9)
    assert found[0, 200] == pytest.approx(np.log((300.0 * values + 1e-6) / 300.000001).sum())
    assert found[0, 200] < -1000.0


def test_sizes_beyond_the_columns_have_the_mean_of_the_last(rng):
    of = spectrum_of(correlations(rng, 30, 5))
    found = log_mean_determinants(*of, 30.0, np.asarray([0.5, 40.0]), 7)
    np.testing.assert_allclose(found[:, 5:], np.repeat(found[:, 5:6], 3, axis=1))


def test_eigenvalues_beyond_the_columns_are_of_none(rng):
    R, kappa = correlations(rng, 8, 5), np.asarray([0.1, 3.0])
    found, expected = (
        log_mean_determinants(spectrum_of(R, count)[0], 4, 8.0, kappa, 4) for count in (5, 4)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kappa", [1e-3, 3.0, 30.0, 1e4])
@pytest.mark.parametrize("n", [8, 40])
def test_a_size_has_about_the_prior_it_was_given_however_correlated_the_columns(n, kappa, rng):
    """The volume of the coefficients' prior is left: what the columns' takes is 1 on average."""
    X, k = rng.standard_normal((n, 10)) + rng.standard_normal((n, 1)), 4
    R = np.corrcoef(X, rowvar=False)
    C = (n * R + kappa * np.eye(10)) / (n + kappa)
    Z = problem_of((X - X.mean(axis=0)) / X.std(axis=0), X[:, 0])
    found = volumes([Z], np.asarray([kappa]), k, np.zeros(10, dtype=bool))[0][0, k]
    relative = np.exp(0.5 * (k * np.log1p(n / kappa) - found))
    roots = [np.sqrt(np.linalg.det(C[np.ix_(own, own)])) for own in combinations(range(10), k)]
    assert np.mean(roots) * relative == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("kappa", [1e-6, 1e5])
def test_beside_forced_columns_means_are_over_the_supports_that_contain_them(kappa, rng):
    """At the ends of the grid; between them it is an approximation."""
    X = rng.standard_normal((30, 7)) + rng.standard_normal((30, 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Z = problem_of(X, X[:, 0])
    always = np.isin(np.arange(7), [1, 4])
    C = (X.T @ X + kappa * np.eye(7)) / (30.0 + kappa)
    for problem in (Z, Z.by_sums):
        found = volumes([problem], np.asarray([kappa]), 5, always)[0][0]
        for k in range(2, 6):
            own = [[1, 4, *others] for others in combinations([0, 2, 3, 5, 6], k - 2)]
            mean = np.log(np.mean([np.linalg.det(C[np.ix_(s, s)]) for s in own]))
            assert found[k] - k * np.log1p(30.0 / kappa) == pytest.approx(mean, rel=1e-3, abs=1e-3)


def test_eigenvalues_below_a_tenth_are_repetition():
    found = spectral_dilution(np.asarray([[8.0, 8.0], [16.0, 0.0], [15.99, 0.01]]), 8.0)
    assert found[0] == pytest.approx(0.0)
    assert found[1] == pytest.approx(np.log(2.1 / 2.2))  # a zero is left out
    assert found[2] == pytest.approx(np.log(0.1 / 0.00125), abs=0.2)


def test_one_column_and_none_are_not_diluted(rng):
    of = spectrum_of(correlations(rng, 30, 5))
    found = log_mean_determinants(*of, 30.0, np.asarray([2.0]), 1)
    np.testing.assert_allclose(found, 0.0, atol=1e-12)
