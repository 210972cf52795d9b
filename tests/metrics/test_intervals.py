"""Rates and their intervals = slow oracles."""

import numpy as np
import pytest
from scipy import stats

from projstg.metrics import (
    bootstrap_interval,
    intervals,
    success_rate,
    wilson_interval,
)


def test_success_rate_is_the_mean_along_the_last_axis():
    assert success_rate([True, False, False, False]) == 0.25
    assert success_rate([[1, 0], [1, 1], [0, 0]]).tolist() == [0.5, 1.0, 0.0]
    with pytest.raises(ValueError, match="true or false"):
        success_rate([0.5, 1.0])


def resampled_means(values, n_resamples, rng):
    """The bootstrap as one says it: draw with replacement, average, again."""
    return [rng.choice(values, size=len(values)).mean() for _ in range(n_resamples)]


@pytest.mark.parametrize("n_success", [1, 7, 15, 29])
def test_binomial_counts_are_the_bootstrap_of_outcomes(n_success, rng):
    values = (np.arange(30) < n_success).astype(float)
    fast = intervals._binomial_means(values, 4000, 0)
    slow = intervals._resampled_means(values, 4000, 1)
    slowest = resampled_means(values, 1500, rng)
    assert stats.ks_2samp(fast, slow).pvalue > 1e-3
    assert stats.ks_2samp(slow, slowest).pvalue > 1e-3
    exact = stats.binom.ppf([0.05, 0.95], 30, n_success / 30) / 30
    assert np.max(np.abs(np.asarray(bootstrap_interval(values)) - exact)) <= 1 / 30 + 1e-12


def test_other_values_are_resampled_too(rng):
    values = rng.exponential(size=40)
    low, high = bootstrap_interval(values, level=0.8, n_resamples=4000)
    slow = np.quantile(resampled_means(values, 4000, rng), [0.1, 0.9])
    np.testing.assert_allclose([low, high], slow, atol=0.1 * (high - low))
    wider = bootstrap_interval(values, level=0.95, n_resamples=4000)
    assert wider.low < low < values.mean() < high < wider.high


@pytest.mark.parametrize("kind", ["outcomes", "numbers"])
def test_a_band_depends_on_the_values_alone(kind, rng):
    values = rng.random((2, 3, 25))
    values = (values < 0.6).astype(float) if kind == "outcomes" else values
    band = bootstrap_interval(values)
    assert band.low.shape == band.high.shape == (2, 3)
    for i in np.ndindex(2, 3):
        alone = bootstrap_interval(rng.permutation(values[i]))
        assert alone == pytest.approx((band.low[i], band.high[i]), rel=1e-12)
        assert type(alone.low) is float
    if kind == "numbers":
        assert bootstrap_interval(values, random_state=1).low[0, 0] != band.low[0, 0]


def test_many_values_are_resampled_in_chunks(rng, monkeypatch):
    values = rng.normal(size=(2, 50))
    whole = bootstrap_interval(values, n_resamples=101)
    monkeypatch.setattr(intervals, "_CHUNK", 50 * 7)
    np.testing.assert_allclose(bootstrap_interval(values, n_resamples=101), whole, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
def test_equal_values_have_a_band_without_width(value):
    assert bootstrap_interval([value] * 12) == pytest.approx((value, value))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_wilson_is_scipy_s(level):
    n, s = np.meshgrid([1, 2, 10, 100, 1000], np.arange(0, 1001, 1))
    is_possible = s <= n
    n, s = n[is_possible][::7], s[is_possible][::7]
    low, high = wilson_interval(s, n, level=level)
    for i in range(len(n)):
        reference = stats.binomtest(int(s[i]), int(n[i])).proportion_ci(level, method="wilson")
        assert (low[i], high[i]) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_wilson_ends_solve_the_test_it_inverts():
    low, high = wilson_interval(17, 40, level=0.9)
    for p in (low, high):
        assert abs(17 / 40 - p) / np.sqrt(p * (1 - p) / 40) == pytest.approx(stats.norm.ppf(0.95))


@pytest.mark.parametrize("n", [1, 3, 100, 10_000])
def test_wilson_does_not_collapse(n):
    none, every = wilson_interval(0, n), wilson_interval(n, n)
    for level in np.linspace(0.05, 0.99, 30):
        assert wilson_interval(0, n, level=level).low == 0.0
        assert wilson_interval(n, n, level=level).high == 1.0
    assert none.high > 1 / (n + 2)
    assert 1 - every.low == pytest.approx(none.high)


def test_without_trials_nothing_is_known():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    low, high = wilson_interval([0, 5], [0, 10])
    assert low.tolist() == [0.0, pytest.approx(1 - high[1])]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: success_rate([]), r"outcomes of shape \(0,\); give at least one"),
        (lambda: bootstrap_interval(0.5), r"outcomes of shape \(\)"),
        (lambda: bootstrap_interval([1.0, np.nan]), "1 of 2 outcomes are not finite"),
        (lambda: bootstrap_interval([1, 0], level=90), r"level=90 will not do.*0.9 for 90 %"),
        (lambda: bootstrap_interval([1, 0], n_resamples=0), "n_resamples=0 will not do"),
        (lambda: wilson_interval(3, 2), "n_success=3 of n=.*successes first"),
        (lambda: wilson_interval(-1, 2), "n_success=-1"),
        (lambda: wilson_interval(1, 2, level=1.0), "level=1.0 will not do"),
    ],
)
def test_bands_of_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
