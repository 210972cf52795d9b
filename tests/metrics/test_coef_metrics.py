"""Metrics of coefficients = their formulas, also where these would cancel."""

from fractions import Fraction

import numpy as np
import pytest

from projstg.metrics import (
    estimation_error,
    excess_residual,
    sign_recovery,
)


def test_signs_count_zeros_and_nan_is_never_right():
    truth = [1.0, 0.0, -2.0]
    found = [[0.1, 0.0, -9.0], [0.1, -0.0, -9.0], [0.1, 1e-9, -9.0], [-1, 0, -2], [np.nan, 0, -2]]
    assert sign_recovery(truth, found).tolist() == [True, True, False, False, False]
    assert sign_recovery(truth, truth) is True


def test_estimation_error_is_the_distance(rng):
    truth, found = rng.normal(size=(4, 1, 5)), rng.normal(size=(3, 5))
    error = estimation_error(truth, found)
    assert error.shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        assert error[i, j] == pytest.approx(sum((truth[i, 0] - found[j]) ** 2) ** 0.5)
    assert estimation_error([], []) == 0.0


def mean_square(X, y, coef):
    """Mean squared residual in exact arithmetic."""
    fits = [sum(Fraction(x) * Fraction(b) for x, b in zip(row, coef, strict=True)) for row in X]
    return sum((Fraction(t) - fit) ** 2 for t, fit in zip(y, fits, strict=True)) / len(y)


@pytest.mark.parametrize(("size", "move"), [(1.0, 1.0), (1e6, 1e-6)])
def test_excess_residual_is_the_difference_of_mean_squares_and_does_not_cancel(size, move, rng):
    X, y, truth = (
        rng.normal(size=(3, 9, 4)),
        size * rng.normal(size=(3, 9)),
        rng.normal(size=(3, 4)),
    )
    found = truth + move * rng.normal(size=(3, 4))
    excess = excess_residual(X, y, truth, found)
    for i in range(3):
        exact = mean_square(X[i], y[i], found[i]) - mean_square(X[i], y[i], truth[i])
        assert excess[i] == pytest.approx(float(exact), rel=1e-12)
        assert excess_residual(X[i], y[i], truth[i], found[i]) == pytest.approx(excess[i])


def test_fitting_the_noise_has_a_negative_excess(rng):
    X, y, truth = rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=4)
    assert excess_residual(X, y, truth, np.linalg.lstsq(X, y)[0]) < 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign_recovery([1.0, 2.0], [1.0]), r"shapes \(2,\) and \(1,\)"),
        (lambda: estimation_error(1.0, [1.0]), r"shapes \(\) and \(1,\)"),
        (lambda: excess_residual(np.eye(3), [1.0], [0] * 3, [0] * 3), r"y of shape \(1,\)"),
        (lambda: excess_residual(np.eye(3), np.ones(3), [0], [0]), "and 1 coefficients"),
        (lambda: excess_residual([1.0], [1.0], [0], [0]), r"X of shape \(1,\)"),
    ],
)
def test_vectors_that_do_not_match_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
