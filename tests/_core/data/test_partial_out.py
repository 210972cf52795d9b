"""Forced columns taken out: what is left is what least squares leaves, from rows or from sums."""

import numpy as np
import pytest
from rounding import assert_same_numbers

from projstg._core.data import partial_out as partial
from projstg._core.data.partial_out import forced_coefficients, partialled
from projstg._core.data.standard_table import as_table


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
    X, y = draw(rng, shape, kind)
    problem = as_table(X[None], y[None]).problem
    forced = np.asarray([0, 1])
    left, scale = partialled(problem, forced)
    Z, target = problem.rows_at(0, np.arange(shape[1]))
    expected = left_by(Z[:, :2], Z) / np.where(scale[0] > 0, scale[0], 1.0)
    assert np.all(scale[0, :2] == 0.0)
    rest = left_by(Z[:, :2], target[:, None])[:, 0]
    np.testing.assert_allclose(left.b[0, 2:], (expected.T @ rest)[2:], rtol=1e-6, atol=1e-7)
    G = left.gram.G[0, 2:, 2:]
    np.testing.assert_allclose(G, (expected.T @ expected)[2:, 2:], rtol=1e-6, atol=1e-6)
    assert left.yy[0] == pytest.approx(rest @ rest, rel=1e-8)


def test_each_problem_of_a_batch_is_what_it_is_alone(rng):
    tables = [draw(rng, (30, 6), kind) for kind in KINDS]
    X, y = (np.stack(side) for side in zip(*tables, strict=True))
    batch, forced = as_table(X, y).problem, np.asarray([0, 1])
    # The plain one is taken from its sums, the others from their rows.
    assert partial._without_digits(batch, forced) == [1, 2, 3]
    together, scales = partialled(batch, forced)
    for i in range(len(KINDS)):
        alone, scale = partialled(as_table(X[i : i + 1], y[i : i + 1]).problem, forced)
        assert_same_numbers(together.gram.G[i], alone.gram.G[0])
        assert_same_numbers(scales[i], scale[0])


@pytest.mark.parametrize("kind", KINDS)
def test_forced_coefficients_are_least_squares_beside_the_others(kind, rng):
    X, y = draw(rng, (30, 6), kind)
    problem = as_table(X[None], y[None]).problem
    beta = np.asarray([[0.0, 0.0, 1.0, 0.0, 0.5, 0.0]])
    Z, target = problem.rows_at(0, np.arange(6))
    found = forced_coefficients(problem, np.asarray([0, 1])).beside(beta)[0]
    expected = np.linalg.lstsq(Z[:, :2], target - Z @ beta[0], rcond=1e-6)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
