"""Every support that the constraints permit, once, with its score."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of
from oracles_posterior import (
    JUDGES,
    LIMITS,
    PRIORS,
    draw,
    listed,
    mask_of,
    with_columns,
)

from projstg._core.posterior.counted import support_keys
from projstg._core.posterior.enumeration import enumerated
from projstg._core.posterior.exploration import every_support
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.posterior.target import target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.prior import size_prior

# Without bounds every support is scored.
NO_BOUNDS = replace(POSTERIOR, most_enumerated=0)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
def test_it_is_the_list_of_all_supports(name, limits, prior):
    must, zeros = LIMITS[limits]
    Z, criterion, prior = draw(0, zeros=zeros), CRITERIA[name], PRIORS[prior]
    own = target(Z, criterion, prior, always=mask_of(must), settings=NO_BOUNDS)
    found, expected = enumerated(own), listed(Z, criterion, prior, must)
    assert own.n_supports == len(found.costs) == len(expected)
    assert np.all(np.diff(found.costs) >= 0.0)
    for mask, weight in zip(found.masks, found.weights, strict=True):
        true = expected[tuple(np.flatnonzero(mask).tolist())]
        np.testing.assert_allclose(weight, true, rtol=1e-9)


def test_of_a_support_and_its_copies_one_counts():
    Z, criterion = draw(1), CRITERIA["evidence"]
    Z.X[:, 7] = Z.X[:, 0]
    Z = with_columns(Z, Z.X)
    own = target(Z, criterion, PRIORS["K = 3"], always=mask_of(()), settings=NO_BOUNDS)
    found = enumerated(own)
    assert len(found.costs) == 56 - 6  # without those that hold both
    assert not np.any(found.masks[:, 0] & found.masks[:, 7])


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_what_is_left_out_weighs_nothing(name, limits, noise):
    rng, (must, zeros) = np.random.default_rng(4), LIMITS[limits]
    X = rng.standard_normal((40, 8))
    X[:, 6] = X[:, 0] + 0.1 * X[:, 6]
    y = X[:, :2].sum(axis=-1) + noise * rng.standard_normal(40)
    X[:, list(zeros)] = 0.0
    prior = size_prior(len(must), 8, 8 - len(zeros))
    own = target(problem_of(X, y).by_sums, CRITERIA[name], prior, always=mask_of(must))
    few = every_support(own)
    every = every_support(replace(own, settings=NO_BOUNDS))
    assert len(few.counted.costs) <= len(every.counted.costs)
    left_out = ~np.isin(support_keys(every.counted.masks), support_keys(few.counted.masks))
    assert np.sum(every.counted.weights[left_out]) < 1e-8
    has_many = left_out.size > 32  # so many are scored in any case
    assert left_out.any() == (noise < 1.0 and has_many)
    np.testing.assert_allclose(
        few.counted.weights @ few.counted.masks,
        every.counted.weights @ every.counted.masks,
        atol=1e-8,
    )
    for known in (few, every):
        assert known.about(few.likeliest).accuracy.n_supports == len(every.counted.costs)
