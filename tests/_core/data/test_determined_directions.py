"""Directions of columns: one rule for rank, and rows where the Gram matrix does not carry a fit."""

import numpy as np
import pytest

from projstg._core.data.determined_directions import coefficients, on_rows, spectrum
from projstg._core.data.standard_table import as_tables


def near_copies(apart, rng, n=30, noise=0.1):
    """Two columns that differ by ``apart``, one more, and a response along their difference."""
    x, z, other = rng.standard_normal((3, n))
    X = np.column_stack([x, x + apart * z, other])
    return X, z + other + noise * rng.standard_normal(n)


def spectra(problem, members, rows=True):
    members = np.asarray([members])
    found = spectrum(problem.products_of(members), problem.b[members], problem.yy)
    return on_rows(problem, members, found) if rows else found


def test_all_of_a_fit_is_made_of_one_decomposition(rng):
    X, y = rng.standard_normal((20, 4)), rng.standard_normal(20)
    problem = as_tables(X[None], y[None], centre=False).problem(0)
    found = spectra(problem, [0, 1, 3])
    A, target = problem.rows_of(np.asarray([0, 1, 3]))
    beta, rss = np.linalg.lstsq(A, target)[:2]
    np.testing.assert_allclose(coefficients(found)[0], beta)
    np.testing.assert_allclose(found.rss, rss)
    np.testing.assert_allclose(found.taken.sum(), target @ target - rss[0])


@pytest.mark.parametrize("tall", [True, False])
@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-5])
def test_rows_carry_what_sums_do_not(tall, apart, rng):
    X, y = near_copies(apart, rng, noise=1e-3)
    if not tall:
        X = np.column_stack([X, rng.standard_normal((30, 40))])
    problem = as_tables(X[None], y[None]).problem(0)
    A, target = problem.rows_of(np.arange(3))
    expected = np.linalg.lstsq(A, target)[1][0]
    assert spectra(problem, [0, 1, 2]).rss[0] == pytest.approx(expected, rel=1e-6)
    if apart < 1e-3:
        lost = spectra(problem, [0, 1, 2], rows=False).rss[0]
        assert lost != pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("apart", "rank"), [(1e-5, 3), (3e-6, 3), (1e-7, 2), (0.0, 2)])
def test_columns_that_agree_to_six_digits_are_one(apart, rank, rng):
    X, y = near_copies(apart, rng)
    problem = as_tables(X[None], y[None]).problem(0)
    assert np.sum(spectra(problem, [0, 1, 2]).values > 0.0) == rank


def test_sums_alone_stay_as_they_are(rng):
    X, y = near_copies(1e-5, rng)
    alone = as_tables(X[None], y[None]).problem(0).by_sums
    found = spectra(alone, [0, 1, 2], rows=False)
    assert on_rows(alone, np.asarray([[0, 1, 2]]), found) is found


def test_fewer_rows_than_columns(rng):
    X = rng.standard_normal((4, 9))
    problem = as_tables(X[None], X[None, :, 0]).problem(0)
    found = spectra(problem, list(range(8)))
    assert np.sum(found.values > 0.0) == 3
    assert found.rss[0] < 1e-20
