"""Counted supports and draws together give what all supports give, and say how far off they are."""

import numpy as np
import pytest
from oracles_posterior import (
    JUDGE,
    ONLY_3,
    UP_TO_5,
    costs_of,
    counted,
    draw,
    field_of,
    holding,
    listed,
    sampled,
    summed,
)

from projstg._core.posterior.chain import Chains
from projstg._core.posterior.combined import Combined
from projstg._core.posterior.counted import Counted


@pytest.mark.parametrize("prior", [ONLY_3, UP_TO_5], ids=["K = 3", "up to 5"])
@pytest.mark.parametrize("n_counted", [1, 10, 50])
def test_however_much_was_counted_the_answer_is_that_of_all_supports(prior, n_counted):
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, prior)
    some = counted(Z, known, prior, range(n_counted))
    begin = some.masks[np.random.default_rng(0).choice(n_counted, 100, p=some.weights)]
    combined = Combined(some, sampled(Z, prior, begin, 80), 0.002)
    inclusion, sizes = summed(known, 8, prior.size)
    share = sum(sorted(known.values())[-n_counted:])
    assert combined.covered == pytest.approx(share, abs=0.02)
    assert combined.probabilities(some.masks[:1])[0] == pytest.approx(max(known.values()), rel=0.15)
    for found, expected in (
        (combined.inclusion(), inclusion),
        (combined.sizes(prior.size), sizes),
        (combined.holding(np.asarray([0, 1])), np.asarray([holding(known, [0, 1])])),
        (combined.holding(np.asarray([0, 1, 2])), np.asarray([holding(known, [0, 1, 2])])),
        (combined.holding(np.empty(0, int)), np.ones(1)),
    ):
        np.testing.assert_allclose(found.mean, expected, atol=0.02)
        assert np.all(np.abs(found.mean - expected) < 4.0 * found.error)
    assert combined.inclusion().mean.sum() == pytest.approx(
        combined.sizes(prior.size).mean @ np.arange(prior.size), rel=1e-6
    )


def test_all_supports_need_no_draws():
    Z = draw(1, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    every = Combined(counted(Z, known, UP_TO_5, range(len(known))))
    inclusion, sizes = summed(known, 8, 6)
    np.testing.assert_allclose(every.inclusion().mean, inclusion, rtol=1e-9)
    np.testing.assert_allclose(every.sizes(6).mean, sizes, rtol=1e-9)
    np.testing.assert_allclose(every.holding(np.asarray([0, 2])).mean, holding(known, [0, 2]))
    assert every.covered == 1.0
    assert np.all(every.inclusion().error == 0.0)


def test_draws_of_sizes_apart_are_taken_as_they_are():
    """Chains at 0 and at 5 columns, one step each: no ratio links the two."""
    Z = draw(2, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    begin = np.zeros((20, 8), dtype=bool)
    begin[::2, :5] = True
    of = (field_of(Z), JUDGE.judge(Z), costs_of(Z, UP_TO_5), begin, np.ones(8))
    chains = Chains(*of, np.random.default_rng(0))
    order = sorted(known, key=known.get, reverse=True)
    nothing = counted(Z, known, UP_TO_5, [order.index(())])
    sizes = Combined(nothing, chains.run(1)).sizes(6).mean
    assert sizes.sum() == pytest.approx(1.0)
    assert sizes[:2].sum() == pytest.approx(0.5, abs=1e-6)


def test_the_stated_error_covers_the_true_one():
    Z = draw(3, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    some = counted(Z, known, UP_TO_5, range(20))
    inclusion, _ = summed(known, 8, 6)
    off = []
    for seed in range(25):
        begin = some.masks[np.random.default_rng(seed).choice(20, 16, p=some.weights)]
        found = Combined(some, sampled(Z, UP_TO_5, begin, 40, seed)).inclusion()
        off.append(np.abs(found.mean - inclusion) / found.error)
    assert 0.85 < np.mean(np.asarray(off) < 2.0) < 0.995


def test_probabilities_lose_no_digits_where_all_costs_are_large():
    costs = np.full(3, 1e9)
    combined = Combined(Counted(np.eye(3, dtype=bool), costs))
    np.testing.assert_allclose(combined.probabilities(np.eye(3, dtype=bool)), 1.0 / 3.0, rtol=1e-14)
