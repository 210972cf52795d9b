"""The way from the columns of a problem back to those of the data, and their units."""

import numpy as np
import pytest

from projstg._core.data.frame import Frame

COLUMNS = np.asarray([1, 3, 4])
FRAME = Frame(6, COLUMNS, np.asarray([2.0, 0.0, 0.5]), np.asarray([1.0, 7.0, -2.0]), 3.0, 10.0)


def test_a_support_is_a_mask_of_the_data_s_columns():
    mask = FRAME.mask(np.asarray([0, 2]))
    assert mask.tolist() == [False, True, False, False, True, False]
    assert not FRAME.mask(np.zeros(0, dtype=int)).any()


def test_values_of_the_columns_are_spread_among_all():
    assert FRAME.spread(np.asarray([1.0, 2.0, 3.0])).tolist() == [0.0, 1.0, 0.0, 2.0, 3.0, 0.0]
    mask = np.asarray([True, False, True])
    np.testing.assert_array_equal(FRAME.spread(mask), FRAME.mask(np.flatnonzero(mask)))


def test_coefficients_and_the_intercept_predict_the_same_in_the_units_of_the_data(rng):
    X, support, beta = rng.normal(size=(20, 6)), np.asarray([2, 0]), np.asarray([1.5, -0.3])
    coef = FRAME.coef(support, beta)
    assert np.flatnonzero(coef).tolist() == [1, 4]
    columns = COLUMNS[support]
    Z = (X[:, columns] - FRAME.x_mean[support]) / FRAME.scale[support]
    expected = FRAME.y_mean + FRAME.y_scale * Z @ beta
    np.testing.assert_allclose(X @ coef + FRAME.intercept(coef), expected)
    both = FRAME.intercept(np.stack([coef, 0.0 * coef]))
    np.testing.assert_allclose(both, [FRAME.intercept(coef), FRAME.y_mean])


def test_a_coefficient_that_is_no_number_in_its_units_is_seen():
    far = FRAME._replace(scale=np.asarray([1e-300, 1.0, 1e300]), y_scale=1e100)
    assert far.coef(np.asarray([0]), np.ones(1))[1] == np.inf
    near = far._replace(y_scale=1e-100)
    assert np.isnan(near.coef(np.asarray([2]), np.ones(1))[4])


def test_a_score_is_that_of_the_residual_in_the_units_of_the_data():
    rss, dof = 0.7, 19.0
    expected = dof * np.log(rss * FRAME.y_scale**2)
    assert FRAME.score(dof * np.log(rss), dof) == pytest.approx(expected)
