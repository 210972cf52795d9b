"""A failure is of the score or of the search, and a tie is of the score."""

import numpy as np
import pytest

from projstg._core.search.record import slack
from projstg.metrics import (
    failure_kind,
)


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
