"""Exactly K columns from scores, and least squares on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import few_examples

from projstg._core.data.least_squares import as_mask, largest, least_squares, spread
from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.gates.moments import gated_coefficients

DOORS = {"rows": lambda problem: problem, "gram": lambda problem: problem.gram}


@pytest.fixture(params=DOORS)
def door(request):
    return DOORS[request.param]


few_values = st.integers(-2, 2).map(float)  # so that many are equal


@few_examples
@given(data=st.data(), shape=st.tuples(st.integers(1, 3), st.integers(1, 7)))
def test_largest_are_the_first_of_the_sorted(data, shape):
    score, tie = (data.draw(arrays(float, shape, elements=few_values)) for _ in range(2))
    k = data.draw(st.integers(0, shape[1]))
    chosen = largest(score, tie, k)
    assert chosen.shape == (shape[0], k)
    for row, s, t in zip(chosen, score, tie, strict=True):
        ranked = sorted(range(shape[1]), key=lambda d: (-s[d], -t[d], d))
        assert row.tolist() == sorted(ranked[:k])


def test_ties_go_to_the_larger_second_score_then_to_the_smaller_index():
    score = np.asarray([[1.0, 0.0, 1.0, 1.0, 0.0]])
    assert largest(score, np.asarray([[0.0, 9.0, 0.0, 5.0, 0.0]]), 2).tolist() == [[0, 3]]
    assert largest(np.zeros((1, 5)), np.zeros((1, 5)), 3).tolist() == [[0, 1, 2]]


SUPPORT = np.asarray([[0, 2, 5], [1, 2, 3]])
COUNTS = np.asarray([[True, False, True], [True, True, True]])


def test_a_mask_has_the_columns_that_count():
    expected = np.zeros((2, 6), dtype=bool)
    expected[0, [0, 5]] = expected[1, [1, 2, 3]] = True
    np.testing.assert_array_equal(as_mask(SUPPORT, COUNTS, 6), expected)
    assert not as_mask(SUPPORT[:, :0], COUNTS[:, :0], 6).any()


def test_values_are_spread_to_their_columns():
    values = np.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    expected = np.zeros((2, 6))
    np.put_along_axis(expected, SUPPORT, values, axis=1)
    np.testing.assert_array_equal(spread(values, SUPPORT, 6), expected)
    np.testing.assert_array_equal(spread(values[:, :0], SUPPORT[:, :0], 6), np.zeros((2, 6)))


def test_a_gate_that_is_shut_leaves_nothing_of_a_coefficient():
    mu = np.asarray([-np.inf, -1.0, 0.0, 0.25, 1.0, 7.0, np.inf])
    theta = np.asarray([1e300, 3.0, -1e300, 4.0, -2.0, -2.0, 5.0])
    expected = [0.0, 0.0, 0.0, 1.0, -2.0, -2.0, 5.0]
    np.testing.assert_array_equal(gated_coefficients(mu, theta), expected)


@pytest.fixture
def batch(problem):
    """The problem of every design, and the same with its y reversed."""
    X, y = np.stack([problem.X] * 2), np.stack([problem.y, problem.y[::-1]])
    return standardized(RowQuadratic.from_rows(X, y, centre=False))[0]


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_least_squares_is_the_minimum_norm_solution(batch, door, share, rng):
    d = batch.X.shape[-1]
    k = max(1, int(share * d))
    support = np.sort(np.stack([rng.permutation(d)[:k] for _ in range(2)]), axis=1)
    beta = least_squares(door(batch), support, np.ones((2, k), dtype=bool))
    for i in range(2):
        expected = np.linalg.lstsq(batch.X[i][:, support[i]], batch.y[i], rcond=1e-9)[0]
        np.testing.assert_allclose(beta[i], expected, rtol=1e-8, atol=1e-9)


def test_columns_that_do_not_count_are_left_out(batch, door):
    d = batch.X.shape[-1]
    support = np.stack([np.arange(d)] * 2)
    counts = np.stack([np.arange(d) % 2 == 0, np.zeros(d, dtype=bool)])
    beta = least_squares(door(batch), support, counts)
    expected = np.linalg.lstsq(batch.X[0][:, ::2], batch.y[0], rcond=1e-9)[0]
    np.testing.assert_allclose(beta[0, ::2], expected, rtol=1e-8, atol=1e-9)
    assert not beta[0, 1::2].any()
    assert not beta[1].any()


def test_no_columns_have_no_coefficients(batch, door):
    none = np.zeros((2, 0), dtype=int)
    assert least_squares(door(batch), none, none.astype(bool)).shape == (2, 0)


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_nearly_equal_columns_still_give_the_best_fit(gap, door, rng):
    # sums of products know no more than the square of the gap
    X = rng.normal(size=(40, 3))
    X[:, 1] = X[:, 0] + gap * X[:, 1]
    y = X @ [1.0, 1.0, 0.5] + rng.normal(size=40)
    problem = standardized(RowQuadratic.from_rows(X[None], y[None], centre=False))[0]
    beta = least_squares(door(problem), np.asarray([[0, 1, 2]]), np.ones((1, 3), dtype=bool))
    best = X @ np.linalg.lstsq(X, y)[0]
    tolerance = 1e-15 / gap**2 * np.linalg.norm(y)
    np.testing.assert_allclose(problem.X[0] @ beta[0], best, atol=tolerance)
