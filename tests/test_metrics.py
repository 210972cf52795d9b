"""Metrics = their definitions on sets, batch = members, bands = slow oracles."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples
from scipy import stats

import projstg
from projstg import metrics
from projstg._core.search.record import slack
from projstg.metrics import (
    bootstrap_interval,
    estimation_error,
    exact_recovery,
    excess_residual,
    failure_kind,
    sign_recovery,
    success_rate,
    wilson_interval,
)

# Each by its definition on two sets.
DEFINITIONS = {
    "exact_recovery": lambda T, S: T == S,
    "true_positive_rate": lambda T, S: len(T & S) / len(T) if T else 1.0,
    "false_discovery_rate": lambda T, S: len(S - T) / len(S) if S else 0.0,
    "f1": lambda T, S: 2 * len(T & S) / (len(T) + len(S)) if T or S else 1.0,
    "hamming": lambda T, S: len(T ^ S),
}
SETS = st.sets(st.integers(0, 6))


def mask(members, n_features=7):
    return np.isin(np.arange(n_features), list(members))


@pytest.mark.parametrize("name", DEFINITIONS)
@few_examples
@given(SETS, SETS)
def test_metrics_are_their_definitions_however_supports_are_given(name, T, S):
    metric, expected = getattr(metrics, name), DEFINITIONS[name](T, S)
    spellings = [lambda s: s, sorted, lambda s: sorted(s)[::-1], mask, lambda s: mask(s).tolist()]
    for left in spellings:
        for right in spellings:
            value = metric(left(T), right(S))
            assert value == pytest.approx(expected, abs=1e-15)
            assert type(value) is type(expected)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_batch_is_its_members(name, rng):
    metric = getattr(metrics, name)
    truth, found = rng.random((4, 1, 6)) < 0.4, rng.random((3, 6)) < 0.4
    truth[0] = found[0] = False
    batch = metric(truth, found)
    assert batch.shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        assert batch[i, j] == metric(truth[i, 0], found[j])
    assert np.array_equal(metric([1, 4], found), [metric([1, 4], one) for one in found])


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ([], [], {"exact_recovery": True, "true_positive_rate": 1, "false_discovery_rate": 0}),
        ([], [], {"f1": 1, "hamming": 0}),
        ([], [2], {"exact_recovery": False, "true_positive_rate": 1, "false_discovery_rate": 1}),
        ([], [2], {"f1": 0, "hamming": 1}),
        ([2], [], {"exact_recovery": False, "true_positive_rate": 0, "false_discovery_rate": 0}),
        ([2], [], {"f1": 0, "hamming": 1}),
    ],
)
def test_empty_sets_are_defined(truth, found, expected):
    for name, value in expected.items():
        metric = getattr(metrics, name)
        assert metric(truth, found) == value
        assert np.array_equal(metric(mask(truth), np.stack([mask(found)] * 2)), [value] * 2)


@pytest.mark.parametrize(
    ("truth", "found", "message"),
    [
        ([True, False], [True], "masks of 2 and 1 columns"),
        ([0.5, 0.0], [0], "dtype float64 and shape.*coef != 0"),
        ([[0, 1], [1, 2]], [0], r"shape \(2, 2\)"),
        ([0, 1, 0, 1], [0], "negative or repeated.*a mask as booleans"),
        ([-1], [0], "negative or repeated"),
        ([5], [True, False], "column index 5 beside a mask of 2 columns"),
        (3, [3], r"shape \(\)"),
        (True, [3], r"shape \(\)"),
        (["a"], [3], "dtype <U1"),
    ],
)
def test_what_is_no_support_is_refused(truth, found, message):
    for name in DEFINITIONS:
        for pair in [(truth, found), (found, truth)]:
            if "masks of" in message and pair[0] is found:
                continue
            with pytest.raises(ValueError, match=message):
                getattr(metrics, name)(*pair)


# --- coefficients ---------------------------------------------------------------------------------


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


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "true_score", "is_exact", "kind"),
    [
        (5.0, 5.0, True, "none"),
        (4.0, 5.0, False, "statistical"),
        (6.0, 5.0, False, "optimisation"),
        (5.0, 5.0, False, "statistical"),
        (5.0 + 1e-8, 5.0, False, "statistical"),
        (5.0 + 1e-6, 5.0, False, "optimisation"),
        (-1e6 + 5e-5, -1e6, False, "statistical"),
        (np.nan, 5.0, False, "optimisation"),
        (np.inf, 5.0, False, "optimisation"),
        (-np.inf, -np.inf, False, "statistical"),
        (5.0, -np.inf, False, "optimisation"),
        (np.nan, np.nan, True, "none"),
    ],
)
def test_failures_are_told_apart(score, true_score, is_exact, kind):
    assert failure_kind(score, true_score, is_exact) == kind
    assert type(failure_kind(score, true_score, is_exact)) is str
    batch = failure_kind([score, 0.0], [[true_score], [1.0]], is_exact)
    assert batch[0, 0] == kind
    assert batch.shape == (2, 2)


def test_ties_are_those_of_the_search():
    for score in (0.0, -3.0, 1e4, -1e7):
        inside, outside = score + 0.99 * slack(score), score + 1.01 * slack(score)
        assert failure_kind([inside, outside], score, False).tolist() == [
            "statistical",
            "optimisation",
        ]


def test_a_truth_without_a_score_is_refused():
    with pytest.raises(ValueError, match="true_score is NaN"):
        failure_kind([1.0, 2.0], [1.0, np.nan], False)


# --- rates ----------------------------------------------------------------------------------------


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
    fast = metrics._binomial_means(values, 4000, 0)
    slow = metrics._resampled_means(values, 4000, 1)
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
    monkeypatch.setattr(metrics, "_CHUNK", 50 * 7)
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


def test_every_metric_shows_an_example():
    for name in metrics.__all__:
        if name != "Interval":
            assert ">>> " in getattr(metrics, name).__doc__, name


def test_the_module_is_public():
    assert projstg.metrics.exact_recovery is exact_recovery
