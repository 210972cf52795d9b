"""The table of best gates against the infimum it stands for."""

import numpy as np
import pytest
from oracles import brute_penalty, finite_differences
from rounding import assert_same_numbers

from projstg._core.gates.concave_penalty import gate_penalty
from projstg._core.gates.moments import gate_moments, open_probability

TAUS = [0.05, 0.25, 0.5, 1.0, 2.0]


@pytest.fixture(params=TAUS)
def penalty(request):
    return gate_penalty(request.param)


def gate_cost(t, mu, tau):
    gates = gate_moments(mu, tau)
    return t * gates.noise_ratio + gates.open_probability


def brute(t, tau):
    grid = np.concatenate([np.linspace(-11, 0, 400) * tau, np.linspace(0, 1 + 6 * tau, 600)[1:]])
    return brute_penalty(lambda mu: gate_cost(t[:, None], mu, tau), np.tile(grid, (t.size, 1)))


def inside(penalty, lowest=1e-12):
    """t from almost nothing to just below t*, where the table has to bend most."""
    low = np.geomspace(lowest, 0.9 * penalty.threshold, 60)
    return np.append(low, penalty.threshold * np.linspace(0.905, 0.9999, 40))


def test_penalty_is_the_infimum_over_the_gates(penalty):
    t = np.append(inside(penalty), penalty.threshold * np.asarray([1.0, 1.001, 2.0, 1e6]))
    np.testing.assert_allclose(penalty(t), brute(t, penalty.tau), rtol=1e-6)


def test_the_best_gate_attains_the_penalty(penalty):
    t = inside(penalty)
    mu = penalty.best_gate(t)
    assert np.all(np.isfinite(mu))
    assert np.all(np.diff(mu) > 0)
    np.testing.assert_allclose(gate_cost(t, mu, penalty.tau), penalty(t), rtol=1e-6)
    exact = gate_moments(mu, penalty.tau).noise_ratio
    np.testing.assert_allclose(penalty.noise_ratio(t), exact, rtol=1e-4)


@pytest.mark.parametrize("tau", [*TAUS, 0.001, 0.01, 5.0, 20.0])
def test_threshold_is_where_the_open_gate_becomes_the_cheapest(tau):
    mu = np.concatenate([np.linspace(0, 1 + 10 * tau, 200_001), np.linspace(-4, 9, 20_001) * tau])
    # tρ + Φ ≥ 1 for every gate exactly when t is at least the largest (1 − Φ)/ρ
    largest = np.max(open_probability(-mu, tau) / gate_moments(mu, tau).noise_ratio)
    assert gate_penalty(tau).threshold == pytest.approx(largest, rel=1e-5)


def test_threshold_at_the_paper_s_noise():
    assert gate_penalty(0.5).threshold == pytest.approx(0.313, abs=5e-4)


def test_penalty_is_one_from_the_threshold_on_and_below_one_before(penalty):
    t = penalty.threshold * np.asarray([1.0, 1.0 + 1e-9, 3.0, 1e12, np.inf])
    assert np.array_equal(penalty(t), np.ones(5))
    assert np.array_equal(penalty.noise_ratio(t), np.zeros(5))
    assert np.array_equal(penalty.best_gate(t), np.full(5, np.inf))
    assert np.all(penalty(inside(penalty)) < 1)
    assert penalty(np.asarray([penalty.threshold * (1 - 1e-9)]))[0] == pytest.approx(1, abs=1e-7)


def test_penalty_is_increasing_and_concave(penalty):
    t = np.linspace(0.0, 1.2 * penalty.threshold, 401)
    slope = np.diff(penalty(t)) / np.diff(t)
    assert np.all(slope >= -1e-10)
    assert np.all(np.diff(slope) <= 1e-8)
    ratio = penalty.noise_ratio(np.geomspace(1e-30, 2 * penalty.threshold, 2001))
    assert np.all(np.diff(ratio) <= 0)


def test_penalty_begins_like_a_square_root(penalty):
    t = np.asarray([0.0, 1e-30, 1e-20])
    np.testing.assert_allclose(penalty(t), 2 * np.sqrt(2 * t), rtol=1e-12)
    assert np.array_equal(penalty.best_gate(t), np.full(3, -np.inf))
    # the corner is approached slowly, at the speed of 1/|log t|
    t = np.geomspace(1e-17, 1e-2 * penalty.threshold, 6)
    distance = np.abs(penalty(t) / (2 * np.sqrt(2 * t)) - 1)
    assert distance[0] < 0.1
    assert np.all(np.diff(distance) > 0)


def test_slope_of_the_penalty_is_the_noise_ratio(penalty):
    t = inside(penalty, 1e-10)
    numeric = [
        finite_differences(lambda s: brute(s, penalty.tau)[0], t[i : i + 1], 2e-5 * t[i])
        for i in range(0, t.size, 3)
    ]
    np.testing.assert_allclose(penalty.noise_ratio(t)[::3], np.ravel(numeric), rtol=1e-4)


def test_a_vanishing_coefficient_meets_a_large_but_finite_ridge(penalty):
    t = np.geomspace(1e-17, 1e-12, 50)
    np.testing.assert_allclose(penalty.noise_ratio(t) * np.sqrt(t / 2), np.ones(50), rtol=0.1)
    shut = penalty.noise_ratio(np.asarray([0.0, 1e-300, 1e-19]))
    assert np.all(np.isfinite(shut))
    assert np.all(shut >= 1e8)


@pytest.mark.parametrize("method", ["__call__", "noise_ratio", "best_gate"])
def test_any_shape_and_dtype(penalty, method, rng):
    function = getattr(penalty, method)
    t = rng.uniform(0, 1.5 * penalty.threshold, size=(2, 3, 4))
    whole = function(t)
    alone = [function(t[i].reshape(1))[0] for i in np.ndindex(t.shape)]
    assert_same_numbers(whole.ravel(), alone, tolerance=1e-13)  # one number, by the same formula
    single = function(t.astype(np.float32))
    assert single.dtype == np.float32
    settled = np.abs(t / penalty.threshold - 1) > 0.05  # t* itself is a jump
    np.testing.assert_allclose(single[settled], whole[settled], rtol=2e-4, atol=1e-4)


def test_a_table_is_made_once():
    assert gate_penalty(0.5) is gate_penalty(0.5)


@pytest.mark.parametrize("tau", [0.01, 0.05, 0.25, 0.5, 1.0, 2.0, 10.0, 100.0])
def test_the_table_over_mu_is_the_moments(tau):
    mu = np.linspace(-7.0 * tau, 1.0 + 7.0 * tau, 333)
    moments = gate_moments(mu, tau)
    ratio, slope = gate_penalty(tau).ridge_and_slope(mu)
    np.testing.assert_allclose(ratio, moments.noise_ratio, rtol=1e-5)
    expected = moments.noise_ratio * moments.log_noise_ratio_slope
    np.testing.assert_allclose(slope, expected, rtol=1e-3, atol=1e-12 * np.max(np.abs(expected)))
