"""Forced columns taken out: what is left is what least squares leaves, from rows or from sums."""

import numpy as np
import pytest

from projstg._core.data import partial_out as partial
from projstg._core.data.partial_out import forced_columns, partialled
from projstg._core.data.standard_table import as_tables


def problem_of(X, y):
    return as_tables(X[None], y[None]).problem(0)


def left_by(A, B):
    """What least squares on the columns of A leaves of those of B."""
    return B - A @ np.linalg.lstsq(A, B, rcond=1e-6)[0]


def draw(rng, shape, kind):
    X = rng.standard_normal(shape)
    if kind == "forced nearly dependent":
        X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    elif kind == "forced dependent":
        X[:, 1] = -2.0 * X[:, 0]
    elif kind == "another nearly dependent":
        X[:, 3] = X[:, 0] + X[:, 1] + 1e-5 * X[:, 3]
    return X, X.sum(axis=1) + rng.standard_normal(len(X))


KINDS = ("plain", "forced nearly dependent", "forced dependent", "another nearly dependent")


@pytest.mark.parametrize("shape", [(30, 6), (9, 14)])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_is_what_least_squares_leaves(shape, kind, rng):
    problem = problem_of(*draw(rng, shape, kind))
    forced = np.asarray([0, 1])
    left, scale = partialled(problem, forced)
    Z, target = problem.rows_of(np.arange(shape[1]))
    expected = left_by(Z[:, :2], Z) / np.where(scale > 0, scale, 1.0)
    assert np.all(scale[:2] == 0.0)
    rest = left_by(Z[:, :2], target[:, None])[:, 0]
    np.testing.assert_allclose(left.b[2:], (expected.T @ rest)[2:], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        left.G[2:, 2:], (expected.T @ expected)[2:, 2:], rtol=1e-6, atol=1e-6
    )
    assert left.yy == pytest.approx(rest @ rest, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_used_where_they_have_the_digits(kind, rng):
    problem = problem_of(*draw(rng, (30, 6), kind))
    assert problem.X is None
    assert partial._has_digits(problem, np.asarray([0, 1])) == (kind == "plain")
    assert partial._has_digits(problem.by_sums, np.asarray([0, 1]))  # nothing else is known


@pytest.mark.parametrize("kind", KINDS)
def test_forced_coefficients_are_least_squares_beside_the_others(kind, rng):
    problem = problem_of(*draw(rng, (30, 6), kind))
    beta = np.asarray([0.0, 0.0, 1.0, 0.0, 0.5, 0.0])
    Z, target = problem.rows_of(np.arange(6))
    forced = np.asarray([0, 1])
    found = forced_columns(problem, forced, partialled(problem, forced)[1])
    expected = np.linalg.lstsq(Z[:, :2], target - Z @ beta, rcond=1e-6)[0]
    np.testing.assert_allclose(found.alone - found.shift @ beta, expected, rtol=1e-6)
