"""Closed forms of the gate = quadrature = Monte Carlo, near and far."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import exact_gate, few_examples, finite_differences
from rounding import assert_same_numbers

from projstg._core.gates import moments as gates
from projstg._core.gates.moments import GateMoments, gate_moments

TAUS = [0.05, 0.25, 0.5, 1.0, 2.0]
SPECIAL = [0.0, 0.5, 1.0, 1e-9, -1e-9, 0.5 - 1e-7, 0.5 + 1e-7, 0.45, 0.49, 0.51, 0.7]


def near(tau):
    """μ with both clipping points within 25 standard deviations, joints of the formulas too."""
    joints = [sign * 4.0 * tau * (1.0 + e) for sign in (-1, 1) for e in (-1e-9, 1e-9)]
    spread = np.linspace(max(-25 * tau, 1 - 25 * tau), min(25 * tau, 1 + 25 * tau), 21)
    mu = np.unique([*spread, *SPECIAL, *joints, *(1.0 - np.asarray(joints))])
    return mu[(mu >= spread[0]) & (mu <= spread[-1])]


def far(tau):
    """μ beyond that, on both sides, as far as a thousand standard deviations."""
    distance = tau * np.asarray([25.0, 26.5, 30.0, 33.0, 36.0, 37.5, 60.0, 250.0, 1000.0])
    return np.concatenate([-distance, 1.0 + distance])


def exact(field, mu, tau):
    return np.asarray([getattr(exact_gate(m, tau), field) for m in mu])


def relative_error(computed, reference, scale):
    with mpmath.workdps(60):
        pairs = zip(computed, reference, scale, strict=True)
        return np.asarray([float(abs(mpmath.mpf(float(c)) - r) / s) for c, r, s in pairs])


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("field", GateMoments._fields)
def test_moments_equal_quadrature(field, tau):
    mu = near(tau)
    reference = exact(field, mu, tau)
    scale = np.abs(reference)
    if field == "variance_slope":  # crosses zero at 1/2, where its two terms meet
        scale = np.where(np.abs(mu - 0.5) < 0.03, exact("variance_slope_terms", mu, tau), scale)
    if field == "log_noise_ratio":  # crosses zero where v = q²
        scale = np.where(scale < 1, mpmath.mpf(1), scale)
    error = relative_error(getattr(gate_moments(mu, tau), field), reference, scale)
    assert np.max(error) <= 1e-12, (mu[np.argmax(error)], np.max(error))


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("field", ["log_noise_ratio", "log_noise_ratio_slope"])
def test_the_ratio_is_right_far_out_through_logarithms(field, tau):
    mu = far(tau)
    reference = exact(field, mu, tau)
    error = relative_error(getattr(gate_moments(mu, tau), field), reference, np.abs(reference))
    assert np.max(error) <= 1e-12


@pytest.mark.parametrize("tau", TAUS)
def test_the_ratio_itself_is_right_while_it_is_representable(tau):
    mu = far(tau)
    reference = exact("log_noise_ratio", mu, tau)
    mu = mu[np.abs(reference) < 700]
    assert len(mu) >= 10
    with mpmath.workdps(60):
        ratios = [mpmath.exp(exact_gate(m, tau).log_noise_ratio) for m in mu]
    # one part in 1e16 of a logarithm of 700
    assert np.max(relative_error(gate_moments(mu, tau).noise_ratio, ratios, ratios)) <= 5e-13


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_is_finite_and_ordered_everywhere(dtype, tau):
    tails = np.geomspace(1.0, 1e30, 200)
    mu = np.concatenate([-tails[::-1], np.linspace(-1.0, 2.0, 3001)[1:-1], 1.0 + tails])
    moments = gate_moments(mu.astype(dtype), tau)
    for name, field in moments._asdict().items():
        assert field.dtype == dtype, name
        assert np.all(np.isfinite(field)), name
    assert np.all(moments.variance >= 0)
    assert np.all(moments.mean_slope >= 0)
    assert np.all((moments.mean >= 0) & (moments.mean <= 1))
    slack = 0.0 if dtype is np.float64 else 1e-6
    assert np.all(np.diff(moments.mean) >= -slack)
    assert np.all(np.diff(moments.open_probability) >= -slack)
    assert np.all(moments.noise_ratio >= 0)


@pytest.mark.parametrize("tau", TAUS)
def test_infinite_mu_is_a_gate_closed_or_open_for_good(tau):
    moments = gate_moments(np.asarray([-np.inf, np.inf]), tau)
    assert np.array_equal(moments.mean, [0, 1])
    assert np.array_equal(moments.open_probability, [0, 1])
    for slope in ("variance", "mean_slope", "variance_slope", "open_slope"):
        assert np.array_equal(getattr(moments, slope), [0, 0])
    assert moments.noise_ratio[0] > 1e300
    assert moments.noise_ratio[1] == 0


@pytest.mark.parametrize("tau", TAUS)
def test_one_minus_the_gate_is_the_gate_at_one_minus_mu(tau):
    # μ and 1 − μ without rounding
    mu = np.round(np.linspace(-10, 11, 253) * 4096) / 4096
    here, there = gate_moments(mu, tau), gate_moments(1.0 - mu, tau)
    np.testing.assert_allclose(here.mean, 1.0 - there.mean, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(here.variance, there.variance, rtol=1e-14)
    np.testing.assert_allclose(here.mean_slope, there.mean_slope, rtol=1e-14)
    np.testing.assert_allclose(here.variance_slope, -there.variance_slope, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("mu", [-0.4, 0.0, 0.3, 0.5, 0.9, 1.6])
def test_moments_equal_monte_carlo(mu, tau, rng):
    draws = gates.sampled_gate(np.float64(mu), tau, rng.normal(size=40_000))
    moments = gate_moments(np.asarray(mu), tau)
    root = np.sqrt(draws.size)
    mean_error = 5 * np.sqrt(moments.variance) / root
    assert abs(draws.mean() - moments.mean) <= mean_error + 1e-12
    square = (draws - moments.mean) ** 2
    assert abs(square.mean() - moments.variance) <= 5 * square.std() / root + 1e-12
    share = moments.open_probability
    assert abs(np.mean(draws > 0) - share) <= 5 * np.sqrt(share * (1 - share) / draws.size) + 1e-12


@pytest.mark.parametrize(
    ("value", "slope"),
    [
        ("mean", "mean_slope"),
        ("variance", "variance_slope"),
        ("open_probability", "open_slope"),
        ("log_noise_ratio", "log_noise_ratio_slope"),
    ],
)
@pytest.mark.parametrize("tau", TAUS)
def test_slopes_equal_finite_differences(value, slope, tau):
    mu = np.linspace(-3 * tau, 1 + 3 * tau, 57)
    numeric = [
        finite_differences(
            lambda m: getattr(gate_moments(m, tau), value).sum(), mu[i : i + 1], tau / 300
        )
        for i in range(mu.size)
    ]
    computed = getattr(gate_moments(mu, tau), slope)
    np.testing.assert_allclose(computed, np.ravel(numeric), rtol=1e-7, atol=1e-9 / tau)


@few_examples
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6),
    st.floats(0.01, 10.0),
    st.sampled_from([(), (1,), (2, 1)]),
)
def test_any_shape_is_its_members_and_short_names_agree(values, tau, extra):
    mu = np.broadcast_to(np.asarray(values), (*extra, len(values)))
    moments = gate_moments(mu, tau)
    for i in np.ndindex(mu.shape):
        alone = gate_moments(np.asarray(mu[i]), tau)
        for name, field in moments._asdict().items():
            assert_same_numbers(field[i], getattr(alone, name), name=name)
    assert np.array_equal(gates.gate_mean(mu, tau), moments.mean)
    assert np.array_equal(gates.open_probability(mu, tau), moments.open_probability)
    # Of a gate that is all but open 1 − mean is rounding.
    largest = moments.mean * (1 - moments.mean)
    assert np.all(moments.variance <= largest * (1 + 1e-12) + 1e-15)


def test_the_gate_without_noise_is_the_paper_s():
    mu = np.asarray([-np.inf, -1.0, 0.0, 0.25, 1.0, 3.0, np.inf])
    expected = [0.0, 0.0, 0.0, 0.25, 1.0, 1.0, 1.0]
    assert np.array_equal(gates.deterministic_gate(mu), expected)
    assert np.array_equal(gates.sampled_gate(mu, 0.5, np.zeros((3, 7))), [expected] * 3)
