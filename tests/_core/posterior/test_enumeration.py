"""Every support that the constraints permit, once, with its score."""

import numpy as np
import pytest
from made_problems import problem_of
from oracles_posterior import (
    JUDGES,
    LIMITS,
    PRIORS,
    costs_of,
    draw,
    judge_of,
    listed,
    mask_of,
    with_columns,
)

from projstg._core.posterior.counted import support_keys
from projstg._core.posterior.enumeration import enumerated, n_supports
from projstg._core.posterior.exploration import every_support
from projstg._core.posterior.target import Target, target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import size_prior


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
def test_it_is_the_list_of_all_supports(name, limits, prior):
    must, zeros = LIMITS[limits]
    Z, criterion, prior = draw(0, zeros=zeros), CRITERIA[name], PRIORS[prior]
    costs, always = costs_of(Z, prior, must), mask_of(must)
    is_open, exact = ~mask_of([*must, *zeros]), judge_of(Z, criterion, must)
    found = enumerated(lambda own, _: support_scores(Z, own, exact), costs, always, is_open)
    expected = listed(Z, criterion, prior, must)
    assert n_supports(costs, always, is_open) == len(found.costs) == len(expected)
    assert np.all(np.diff(found.costs) >= 0.0)
    for mask, weight in zip(found.masks, found.weights, strict=True):
        true = expected[tuple(np.flatnonzero(mask).tolist())]
        np.testing.assert_allclose(weight, true, rtol=1e-9)


def test_of_a_support_and_its_copies_one_counts():
    Z, criterion = draw(1), CRITERIA["evidence"]
    Z.X[:, 7] = Z.X[:, 0]
    Z, none = with_columns(Z, Z.X), np.zeros(8, dtype=bool)
    costs = costs_of(Z, PRIORS["K = 3"])
    found = enumerated(lambda own, _: support_scores(Z, own, criterion), costs, none, ~none)
    assert len(found.costs) == 56 - 6  # without those that hold both
    assert not np.any(found.masks[:, 0] & found.masks[:, 7])


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_what_is_left_out_weighs_nothing(name, limits, noise, monkeypatch):
    rng, (must, zeros) = np.random.default_rng(4), LIMITS[limits]
    X = rng.standard_normal((40, 8))
    X[:, 6] = X[:, 0] + 0.1 * X[:, 6]
    y = X[:, :2].sum(axis=-1) + noise * rng.standard_normal(40)
    X[:, list(zeros)] = 0.0
    prior = size_prior(len(must), 8, 8 - len(zeros))
    own = target(problem_of(X, y).by_sums, CRITERIA[name], prior, always=mask_of(must))
    few = every_support(own)
    monkeypatch.setattr(Target, "bounds", everything)
    every = every_support(own)
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


def everything(own, locked, open_):
    """Bounds that leave nothing out."""
    n_open = open_.size
    sets = np.asarray([[number >> j & 1 for j in range(n_open)] for number in range(2**n_open)])
    return sets.astype(bool), np.full((len(sets), own.judge.ridges.kappa.size), -1e9)
