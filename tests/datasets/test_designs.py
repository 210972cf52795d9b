"""Designs have the law that they name."""

import numpy as np
import pytest
from scipy import stats

from projstg.datasets import (
    DESIGNS,
    make_sparse_regression,
)
from projstg.datasets.settings import option_defaults

RANDOM_DESIGNS = [name for name, design in DESIGNS.items() if "mean" in option_defaults(design)]


# Light enough tails for second moments to be compared on few rows.
LIGHT = {"student": {"df": 12.0}, "heavy": {"moments": 12.0}}


def draw(design, n_samples, n_features, rng, **options):
    return DESIGNS[design](rng, n_samples, n_features, **options)


def assert_covariance(X, expected):
    """Sample moments within five standard errors of zero mean and the expected covariance."""
    products = X[:, :, None] * X[:, None, :]
    error = products.std(axis=0) / np.sqrt(len(X))
    assert np.all(np.abs(products.mean(axis=0) - expected) <= 5 * error + 1e-12)
    assert np.all(np.abs(X.mean(axis=0)) <= 5 / np.sqrt(len(X)))


def test_every_design_but_the_fixed_one_is_random():
    assert set(DESIGNS) - set(RANDOM_DESIGNS) == {"orthogonal"}


@pytest.mark.parametrize("design", ["gaussian", "bernoulli", "student", "heavy"])
def test_independent_designs_have_the_identity_as_covariance(design, rng):
    assert_covariance(draw(design, 20_000, 5, rng, **LIGHT.get(design, {})), np.eye(5))


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.3, 0.9])
def test_toeplitz_covariance(rho, rng):
    lag = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert_covariance(draw("toeplitz", 20_000, 6, rng, rho=rho), float(rho) ** lag)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_equicorrelated_covariance(rho, rng):
    expected = np.full((5, 5), rho) + (1 - rho) * np.eye(5)
    assert_covariance(draw("equicorrelated", 20_000, 5, rng, rho=rho), expected)


@pytest.mark.parametrize(("block_size", "n_features"), [(2, 6), (4, 6), (1, 3), (9, 4)])
def test_block_covariance_also_with_a_short_last_block(block_size, n_features, rng):
    label = np.arange(n_features) // block_size
    expected = 0.6 * np.equal.outer(label, label) + 0.4 * np.eye(n_features)
    X = draw("block", 20_000, n_features, rng, block_size=block_size, rho=0.6)
    assert_covariance(X, expected)


def test_bernoulli_entries_are_plus_or_minus_one(rng):
    assert set(np.unique(draw("bernoulli", 50, 4, rng))) == {-1.0, 1.0}


@pytest.mark.parametrize("df", [2.5, 5.0])
def test_student_entries_have_the_law_of_t_at_variance_one(df, rng):
    X = draw("student", 4000, 5, rng, df=df)
    law = stats.t(df, scale=np.sqrt((df - 2) / df))
    assert law.var() == pytest.approx(1.0)
    assert stats.kstest(X.ravel(), law.cdf).pvalue > 1e-3


def heavy_size(tail, index):
    """The law of |x| written out: its tail and its second moment."""
    if tail == "student":
        law = stats.t(index, scale=np.sqrt((index - 2) / index))
        return lambda t: 2 * law.sf(t), law.var()
    law = stats.lomax(index, scale=np.sqrt((index - 1) * (index - 2) / 2))
    return law.sf, law.moment(2)


@pytest.mark.parametrize("moments", [2, 4, 4.5])
@pytest.mark.parametrize("tail", ["student", "pareto"])
def test_heavy_entries_have_the_moments_asked_for_and_variance_one(tail, moments, rng):
    X = draw("heavy", 4000, 5, rng, moments=moments, tail=tail)
    exceeds, variance = heavy_size(tail, moments + 0.1)
    assert variance == pytest.approx(1.0)
    assert stats.kstest(np.abs(X).ravel(), lambda t: 1 - exceeds(t)).pvalue > 1e-3
    assert stats.binomtest(int(np.sum(X > 0)), X.size).pvalue > 1e-3
    # far out the tail falls by 10^-(moments + 0.1) from t to 10t: no moment of a higher order
    fall = np.log10(exceeds(1e3) / exceeds(1e4))
    assert fall == pytest.approx(moments + 0.1, rel=0.01)


@pytest.mark.parametrize("design", ["student", "heavy"])
@pytest.mark.parametrize("mean", [0.0, 0.7])
def test_truncation_shortens_long_rows_and_leaves_the_others(design, mean):
    alpha, options = 1.2, {"mean": mean}
    whole = draw(design, 2000, 6, np.random.default_rng(3), **options)
    X = draw(design, 2000, 6, np.random.default_rng(3), truncate=alpha, **options)
    radius, length = alpha * np.sqrt(6), np.linalg.norm(whole, axis=1)
    is_long = length > radius
    assert 0 < is_long.sum() < 1500
    assert np.array_equal(X[~is_long], whole[~is_long])
    np.testing.assert_allclose(np.linalg.norm(X[is_long], axis=1), radius, rtol=1e-12)
    direction = whole[is_long] / length[is_long, None]
    np.testing.assert_allclose(X[is_long] / radius, direction, rtol=1e-12)


@pytest.mark.parametrize("design", RANDOM_DESIGNS)
@pytest.mark.parametrize("mean", [1.5, [0.0, -1.0, 2.0]])
def test_the_mean_moves_every_random_design(design, mean):
    centred = draw(design, 30, 3, np.random.default_rng(5))
    moved = draw(design, 30, 3, np.random.default_rng(5), mean=mean)
    np.testing.assert_allclose(moved - centred, np.broadcast_to(mean, (30, 3)), atol=1e-12)


@pytest.mark.parametrize("basis", ["cosine", "hadamard"])
@pytest.mark.parametrize("shape", [(16, 16), (16, 5), (64, 63), (1, 1), (512, 200)])
def test_long_orthogonal_designs_have_gram_n(basis, shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D, basis=basis)
    assert X.shape == shape
    np.testing.assert_allclose(X.T @ X / N, np.eye(D), rtol=0, atol=1e-12)
    if N > D:
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-13)


@pytest.mark.parametrize("shape", [(37, 11), (101, 101), (900, 7)])
def test_the_cosine_basis_needs_no_power_of_two(shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D)
    np.testing.assert_allclose(X.T @ X / N, np.eye(D), rtol=0, atol=1e-12)
    angle = np.pi * (2 * np.arange(N)[:, None] + 1) * np.arange(1, min(D, N - 1) + 1) / (2 * N)
    np.testing.assert_allclose(X[:, : N - 1], np.sqrt(2) * np.cos(angle), atol=1e-12)


@pytest.mark.parametrize("basis", ["cosine", "hadamard"])
@pytest.mark.parametrize("shape", [(40, 64), (20, 64), (5, 32), (1, 4)])
def test_wide_orthogonal_designs_have_orthogonal_rows_and_unlike_columns(basis, shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D, basis=basis)
    assert X.shape == shape
    np.testing.assert_allclose(X @ X.T / D, np.eye(N), rtol=0, atol=1e-12)
    columns = X / np.linalg.norm(X, axis=0)
    cosines = np.abs(columns.T @ columns)[np.triu_indices(D, 1)]
    if N >= 20:  # the first rows of the basis would give 0.93 and more, Gaussian rows 0.72
        assert np.max(cosines) < 0.65


def test_hadamard_entries_are_signs_and_other_sizes_are_refused():
    assert set(np.unique(DESIGNS["orthogonal"](None, 16, 7, basis="hadamard"))) == {-1.0, 1.0}
    with pytest.raises(ValueError, match=r"12 as the larger .* power of two.*basis='cosine'"):
        DESIGNS["orthogonal"](None, 12, 7, basis="hadamard")


def test_large_d_needs_no_covariance_matrix():
    problem = make_sparse_regression(3, 50_000, 5, design="block", noise_std=1)
    assert problem.X.shape == (3, 50_000)
