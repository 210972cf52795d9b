"""Every support that the constraints permit, once, with its score."""

import numpy as np
import pytest
from oracles_posterior import JUDGES, LIMITS, PRIORS, draw, judge_of, listed, masks

from projstg._core.posterior.enumeration import enumerated, n_supports
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import costs_of_sizes


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
def test_it_is_the_list_of_all_supports(name, limits, prior):
    Z, criterion, prior = draw(0), CRITERIA[name], PRIORS[prior]
    always, never = masks(*LIMITS[limits])
    costs = costs_of_sizes(prior, int(np.sum(~never)), int(always.sum()))
    exact = judge_of(Z, criterion, LIMITS[limits][0])
    found = enumerated(lambda own, _: support_scores(Z, own[None], exact)[0], costs, always, never)
    expected = listed(Z, criterion, prior, *LIMITS[limits])
    assert n_supports(costs, always, never) == len(found.costs) == len(expected)
    assert np.all(np.diff(found.costs) >= 0.0)
    for mask, weight in zip(found.masks, found.weights, strict=True):
        true = expected[tuple(np.flatnonzero(mask).tolist())]
        np.testing.assert_allclose(weight, true, rtol=1e-9)


def test_of_a_support_and_its_copies_one_counts():
    Z, criterion = draw(1), CRITERIA["evidence"]
    X = Z.X.copy()
    X[..., 7] = X[..., 0]
    Z, nobody = type(Z)(X, Z.y, Z.n, Z.degrees_of_freedom), np.zeros(8, dtype=bool)
    costs = costs_of_sizes(PRIORS["K = 3"], 8, 0)
    found = enumerated(
        lambda own, _: support_scores(Z, own[None], criterion)[0], costs, nobody, nobody
    )
    assert len(found.costs) == 56 - 6  # without those that hold both
    assert not np.any(found.masks[:, 0] & found.masks[:, 7])
