"""The spectrum of a table's columns is the same however it is computed."""

import numpy as np
import pytest

from projstg._core.data import column_spectrum as module
from projstg._core.data.column_spectrum import column_products
from projstg._core.data.standard_table import as_tables
from projstg._core.score.prior import log_mean_determinants


def problem_of(X):
    return as_tables(X[None], X[None, :, 0]).problem(0)


def drawn(rng, n_rows, n_columns):
    common = rng.standard_normal((n_rows, 1))
    return rng.standard_normal((n_rows, n_columns)) + common


def by_definition(X, always):
    """Eigenvalues of the columns left when the forced ones are taken out."""
    X = X - X.mean(axis=0)
    X = X / np.where(X.std(axis=0) > 0.0, X.std(axis=0), 1.0)
    must, free = X[:, always], X[:, ~always]
    left = free - must @ (np.linalg.pinv(must) @ free)
    return np.linalg.svd(left, compute_uv=False) ** 2 / len(X)


@pytest.mark.parametrize("forced", [[], [2], [0, 3]])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(30, 6), (6, 12)])
def test_rows_and_sums_have_the_spectrum_of_the_definition(n_rows, n_columns, forced, rng):
    X = drawn(rng, n_rows, n_columns)
    Z, always = problem_of(X), np.isin(np.arange(n_columns), forced)
    for problem in (Z, Z.by_sums):
        found = column_products(problem, always)
        values = found.spectrum(problem.n)
        assert found.n_columns == n_columns - len(forced)
        assert found.forced.size == len(forced)
        expected = by_definition(X, always)
        own = np.zeros(max(len(expected), len(values)))
        own[: len(values)] = values
        np.testing.assert_allclose(own[: len(expected)], expected, atol=1e-9)
        np.testing.assert_allclose(own[len(expected) :], 0.0, atol=1e-9)


def test_columns_that_do_not_vary_are_no_columns(rng):
    X = drawn(rng, 20, 5)
    X[:, 3] = 7.0
    found = column_products(problem_of(X), np.zeros(5, dtype=bool))
    assert found.n_columns == 4
    alone = column_products(problem_of(X[:, [0, 1, 2, 4]]), np.zeros(4, dtype=bool))
    np.testing.assert_allclose(found.spectrum(20.0)[:4], alone.spectrum(20.0), atol=1e-12)


def test_forced_copies_count_once(rng):
    X = drawn(rng, 20, 5)
    X[:, 4] = -2.0 * X[:, 1]
    Z, both = problem_of(X), np.isin(np.arange(5), [1, 4])
    for problem in (Z, Z.by_sums):
        np.testing.assert_allclose(column_products(problem, both).forced, [2.0], atol=1e-9)


@pytest.mark.parametrize("n_rows", [25, 80])
def test_of_many_columns_some_are_looked_at_unless_there_are_few_rows(n_rows, rng, monkeypatch):
    monkeypatch.setattr(module, "_MOST", 30)
    X = drawn(rng, n_rows, 70)
    X[:, ::7] = 1.0
    Z, nobody = problem_of(X), np.zeros(70, dtype=bool)
    found = column_products(Z, nobody)
    assert found.n_columns == (60 if n_rows == 25 else 30)
    assert found.spectrum(Z.n).sum() == pytest.approx(found.n_columns)
    assert column_products(Z.by_sums, nobody).n_columns == 30


def test_from_some_columns_the_mean_over_sets_of_them_is_about_the_same(rng, monkeypatch):
    Z, nobody, kappa = problem_of(drawn(rng, 200, 150)), np.zeros(150, bool), np.array([1e-3, 9.0])
    means = []
    for most in (150, 75):
        monkeypatch.setattr(module, "_MOST", most)
        of = column_products(Z, nobody)
        means.append(log_mean_determinants(of.spectrum(200.0), of.n_columns, 200.0, kappa, 20))
    whole, some = means
    np.testing.assert_allclose(some, whole, atol=0.15)
    assert whole.min() < -5.0
