"""Metrics of supports = their definitions on sets; batch = members."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples

import projstg
from projstg import metrics
from projstg.metrics import (
    exact_recovery,
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


def test_every_metric_shows_an_example():
    for name in metrics.__all__:
        if name != "Interval":
            assert ">>> " in getattr(metrics, name).__doc__, name


def test_the_module_is_public():
    assert projstg.metrics.exact_recovery is exact_recovery
