"""Whether one curve is above another."""

import numpy as np
import pytest
from made_up_runs import curve_of

from projstg.report.claim_stats import mean_difference, relation


def test_the_mean_difference_by_hand():
    ours, theirs = curve_of([0.2, 0.6, 0.9]), curve_of([0.1, 0.5], "omp")
    found = mean_difference(ours, theirs)
    assert found.value == pytest.approx(0.1)
    shares = [(100 * p + 0.5) / 101 for p in (0.2, 0.6, 0.1, 0.5)]
    assert found.error == pytest.approx(np.sqrt(sum(p * (1 - p) / 100 for p in shares)) / 2)


def test_curves_without_a_common_point_are_not_compared():
    other = curve_of([0.5], "omp").assign(n_samples=7)
    assert mean_difference(curve_of([0.5]), other) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "sign"),
    [
        ([0.1, 0.9, 1.0], [0.1, 0.8, 1.0], 1),
        ([0.1, 0.8, 0.8], [0.1, 0.8, 0.9], -1),
        ([0.7, 0.9, 1.0], [0.1, 0.9, 1.0], 1),  # level at 90 %, ahead before it
        ([0.0, 0.3, 0.5], [0.0, 0.6, 0.8], -1),  # neither gets there
        ([0.50, 0.9, 1.0], [0.51, 0.9, 1.0], 0),
    ],
)
def test_relation(ours, theirs, sign):
    assert relation(curve_of(ours), curve_of(theirs, "omp")) == sign
