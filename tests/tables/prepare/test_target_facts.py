"""What is said of the target holds for all rows, in blocks as in one."""

import numpy as np
import pytest

from projstg.tables.prepare.target_facts import MOST_VALUES, correlations, value_counts


@pytest.mark.parametrize("shape", [(50, 3), (40_000, 2), (30, 200)])
@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200, 1e305])
def test_correlations_are_those_of_numpy_in_any_unit(rng, shape, unit):
    X = rng.normal(size=shape) + 5.0
    y = X[:, 0] + rng.normal(size=shape[0])
    expected = np.corrcoef(X.T, y)[-1, :-1]
    np.testing.assert_allclose(correlations(X * unit, y, None), expected, atol=1e-12)
    np.testing.assert_allclose(correlations(X, y * unit, None), expected, atol=1e-12)


def test_weights_are_numbers_of_rows(rng):
    X, y, counts = rng.normal(size=(60, 4)), rng.normal(size=60), rng.integers(1, 5, 60)
    repeated = np.repeat(np.arange(60), counts)
    expected = correlations(X[repeated], y[repeated], None)
    np.testing.assert_allclose(correlations(X, y, counts * 1.0), expected, atol=1e-12)


@pytest.mark.parametrize("n_values", [2, MOST_VALUES, MOST_VALUES + 1])
def test_values_are_kept_while_they_are_few(rng, n_values):
    y = rng.integers(0, n_values - 1, 100_000) * 0.5
    y[-1] = -3.0
    whole, known = value_counts(y, {}), {}
    for piece in np.array_split(y, 7):
        known = value_counts(piece, known)
    if n_values > MOST_VALUES:
        assert whole is known is None
    else:
        values, counts = np.unique(y, return_counts=True)
        assert whole == known == dict(zip(values, counts, strict=True))
