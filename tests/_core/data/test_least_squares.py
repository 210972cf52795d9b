"""Exactly K columns from scores, and least squares on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_problems import problem_of
from oracles import few_examples

from projstg._core.data.least_squares import largest, least_squares
from projstg._core.gates.moments import gated_coefficients

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


def test_a_gate_that_is_shut_leaves_nothing_of_a_coefficient():
    mu = np.asarray([-np.inf, -1.0, 0.0, 0.25, 1.0, 7.0, np.inf])
    theta = np.asarray([1e300, 3.0, -1e300, 4.0, -2.0, -2.0, 5.0])
    expected = [0.0, 0.0, 0.0, 1.0, -2.0, -2.0, 5.0]
    np.testing.assert_array_equal(gated_coefficients(mu, theta), expected)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_least_squares_is_the_minimum_norm_solution(problem, door, share, rng):
    d = problem.b.size
    support = np.sort(rng.permutation(d)[: max(1, int(share * d))])
    expected = np.linalg.lstsq(problem.X[:, support], problem.y, rcond=1e-9)[0]
    beta = least_squares(door(problem), support)
    np.testing.assert_allclose(beta, expected, rtol=1e-8, atol=1e-9)


def test_no_columns_have_no_coefficients(problem, door):
    assert least_squares(door(problem), np.zeros(0, dtype=int)).shape == (0,)


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_nearly_equal_columns_still_give_the_best_fit(gap, door, rng):
    # sums of products know no more than the square of the gap
    X = rng.normal(size=(40, 3))
    X[:, 1] = X[:, 0] + gap * X[:, 1]
    y = X @ [1.0, 1.0, 0.5] + rng.normal(size=40)
    problem = problem_of(X, y, centre=False)
    beta = least_squares(door(problem), np.arange(3))
    best = X @ np.linalg.lstsq(X, y)[0]
    tolerance = 1e-15 / gap**2 * np.linalg.norm(y)
    np.testing.assert_allclose(problem.X @ beta, best, atol=tolerance)
