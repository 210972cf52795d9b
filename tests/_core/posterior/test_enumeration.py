"""Every support that the constraints permit, once, with its score."""

import numpy as np
import pytest
from oracles_posterior import JUDGES, LIMITS, PRIORS, draw, judge_of, listed, masks

from projstg._core.data.standard_table import as_table
from projstg._core.posterior.counted import support_keys
from projstg._core.posterior.enumeration import enumerated, n_supports
from projstg._core.posterior.exploration import every_support
from projstg._core.posterior.target import Target, target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import costs_of_sizes, size_prior


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


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_what_is_left_out_weighs_nothing(name, limits, noise, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((1, 40, 8))
    X[..., 6] = X[..., 0] + 0.1 * X[..., 6]
    y = X[..., :2].sum(axis=-1) + noise * rng.standard_normal((1, 40))
    problem, (always, never) = as_table(X, y).problem, masks(*LIMITS[limits])
    prior = size_prior(int(always.sum()), 8, int(np.sum(~never)))
    own = target(problem, CRITERIA[name], prior, always=always, never=never)
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
