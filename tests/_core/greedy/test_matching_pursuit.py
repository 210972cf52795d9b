"""Forward selection is refitting every candidate; the noise it leaves is the noise there is."""

import numpy as np
import pytest
from made_problems import batch_of
from oracles import greedy_refits, residual_sum

from projstg._core.data.batch import centred_rows
from projstg._core.gates.theory_lambda import estimated_scale
from projstg._core.greedy.matching_pursuit import forward_selection


def made(X, y, centre=False):
    return batch_of(X, y, centre=centre)


def test_forward_selection_is_brute_force(full_table, door):
    X, y = full_table
    n_steps = min(X.shape[0] - 1, X.shape[1])
    batch = made(np.stack([X, X[::-1] ** 3]), np.stack([y, y]))
    path = forward_selection(door(batch), n_steps)
    for i in range(2):
        order, left = greedy_refits(batch.X[i], batch.y[i], n_steps)
        assert path.order[i].tolist() == order
        np.testing.assert_allclose(
            path.rss(batch.yy)[i], left, rtol=1e-8, atol=1e-10 * np.sum(y**2)
        )


def test_what_is_left_falls_to_least_squares_and_stays_there(table, door):
    X, y = table
    batch = made(X[None], y[None])
    left = forward_selection(door(batch), X.shape[1]).rss(batch.yy)[0]
    assert np.all(np.diff(left) <= 0)
    unit = np.sum(y**2)
    assert left[0] == pytest.approx(greedy_refits(batch.X[0], y, 1)[1][0], abs=1e-10 * unit)
    rank = np.linalg.matrix_rank(X)
    np.testing.assert_allclose(left[rank - 1 :], residual_sum(X, y), atol=1e-9 * unit)


def test_no_steps_take_nothing(door, rng):
    problem = door(made(rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5))))
    path = forward_selection(problem, 0)
    assert path.order.shape == path.rss(problem.yy).shape == path.coef.shape == (2, 0)


def test_units_of_the_columns_do_not_matter(full_table, rng):
    X, y = full_table
    factor = 10.0 ** rng.uniform(-9, 9, X.shape[1])
    plain, scaled = (centred_rows(Z[None], y[None])[0] for Z in (X, X * factor))
    k = min(X.shape) - 2  # centred rows are of rank one less
    left, right = forward_selection(plain, k), forward_selection(scaled, k)
    assert left.order.tolist() == right.order.tolist()
    np.testing.assert_allclose(right.rss(scaled.yy), left.rss(plain.yy), rtol=1e-7)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("n_columns", [1, 4])
def test_noise_is_unbiased_with_rows_enough(centre, n_columns, rng):
    n, sigma = 2 * n_columns + centre + 3, 0.7
    X = rng.normal(size=(3000, n, n_columns))
    y = X @ np.linspace(1.0, 0.1, n_columns) + sigma * rng.normal(size=(3000, n)) + 5.0 * centre
    variance = estimated_scale(made(X, y, centre), 1)[0] ** 2
    error = np.std(variance) / np.sqrt(variance.size)
    assert error < 0.03 * sigma**2
    assert abs(np.mean(variance) - sigma**2) < 4 * error


@pytest.mark.parametrize("shape", [(30, 4), (8, 20)])
def test_noise_is_never_below_a_percent(shape, rng):
    X = rng.normal(size=(3, *shape))
    y = X[:, :, 0] - 2.0 * X[:, :, 1]
    y[2] = 0.0
    noise, signal = estimated_scale(made(X, y), 2)
    rms = np.sqrt(np.mean(y**2, axis=-1))
    np.testing.assert_allclose(noise, 0.01 * rms, rtol=1e-6)
    np.testing.assert_allclose(signal, np.sqrt((1 - 1e-4) / 2) * rms, rtol=1e-6)


@pytest.mark.parametrize("shape", [(30, 4), (8, 20)])
def test_noise_is_what_the_greedy_fit_leaves(shape, rng):
    X, y = rng.normal(size=(1, *shape)), rng.normal(size=(1, shape[0]))
    n, d = shape
    n_fitted = d if n >= 2 * d else 3
    expected = greedy_refits(X[0], y[0], n_fitted)[1][-1] / (n - n_fitted)
    noise, signal = estimated_scale(made(X, y), 3)
    assert noise[0] ** 2 == pytest.approx(expected, rel=1e-8)
    power = np.mean(y**2)
    expected = max(power - expected, 1e-4 * power) / 3
    assert signal[0] ** 2 == pytest.approx(expected, rel=1e-8)
