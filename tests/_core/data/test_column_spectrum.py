"""The spectrum of a table's columns is the same however it is computed."""

import numpy as np
import pytest

from projstg._core.data import column_spectrum as module
from projstg._core.data.column_spectrum import column_spectrum
from projstg._core.data.standard_table import as_table
from projstg._core.score.prior import log_mean_determinants


def problem_of(X):
    return as_table(X, X[..., 0]).problem


def drawn(rng, n_problems, n_rows, n_columns):
    common = rng.standard_normal((n_problems, n_rows, 1))
    return rng.standard_normal((n_problems, n_rows, n_columns)) + common


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
    X = drawn(rng, 3, n_rows, n_columns)
    Z, always = problem_of(X), np.isin(np.arange(n_columns), forced)
    for problem in (Z, Z.gram):
        found = column_spectrum(problem, always)
        assert found.n_columns.tolist() == [n_columns - len(forced)] * 3
        assert found.n_forced.tolist() == [len(forced)] * 3
        for i in range(3):
            expected = by_definition(X[i], always)
            own = np.zeros(max(len(expected), len(found.values[i])))
            own[: len(found.values[i])] = found.values[i]
            np.testing.assert_allclose(own[: len(expected)], expected, atol=1e-9)
            np.testing.assert_allclose(own[len(expected) :], 0.0, atol=1e-9)


def test_columns_that_do_not_vary_are_no_columns(rng):
    X = drawn(rng, 2, 20, 5)
    X[0, :, 3] = 7.0
    found = column_spectrum(problem_of(X), np.zeros(5, dtype=bool))
    assert found.n_columns.tolist() == [4, 5]
    alone = column_spectrum(problem_of(X[:1, :, [0, 1, 2, 4]]), np.zeros(4, dtype=bool))
    np.testing.assert_allclose(found.values[0, :4], alone.values[0], atol=1e-12)


def test_forced_copies_count_once(rng):
    X = drawn(rng, 1, 20, 5)
    X[..., 4] = -2.0 * X[..., 1]
    Z, both = problem_of(X), np.isin(np.arange(5), [1, 4])
    for problem in (Z, Z.gram):
        found = column_spectrum(problem, both)
        assert found.n_forced.tolist() == [1]
        np.testing.assert_allclose(np.sort(found.forced[0]), [1.0, 2.0], atol=1e-9)


@pytest.mark.parametrize("n_rows", [25, 80])
def test_of_many_columns_some_are_looked_at_unless_there_are_few_rows(n_rows, rng, monkeypatch):
    monkeypatch.setattr(module, "_MOST", 30)
    X = drawn(rng, 1, n_rows, 70)
    X[..., ::7] = 1.0
    Z, nobody = problem_of(X), np.zeros(70, dtype=bool)
    found = column_spectrum(Z, nobody)
    assert found.n_columns.tolist() == [60 if n_rows == 25 else 30]
    assert found.values.sum() == pytest.approx(found.n_columns[0])
    np.testing.assert_allclose(column_spectrum(Z.gram, nobody).n_columns, [30])


def test_from_some_columns_the_mean_over_sets_of_them_is_about_the_same(rng, monkeypatch):
    X = drawn(rng, 1, 200, 150)
    Z, nobody, n = problem_of(X), np.zeros(150, dtype=bool), np.full(1, 200.0)
    whole, some = [], []
    for most, means in ((150, whole), (75, some)):
        monkeypatch.setattr(module, "_MOST", most)
        means += [log_mean_determinants(column_spectrum(Z, nobody), n, np.asarray([1e-3, 9.0]), 20)]
    np.testing.assert_allclose(some[0], whole[0], atol=0.15)
    assert whole[0].min() < -5.0
