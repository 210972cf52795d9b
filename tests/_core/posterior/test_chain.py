"""The chain has the posterior as its law: its blocks, averaged, are the enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_posterior import (
    JUDGES,
    LIMITS,
    PRIORS,
    UP_TO_5,
    costs_of,
    draw,
    field_of,
    judge_of,
    listed,
    mask_of,
    summed,
    with_columns,
)

from projstg._core.posterior.chain import Chains
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores

ONE_STEP = replace(POSTERIOR, steps_at_a_ridge=1)


def chains(Z, criterion, prior, supports, always=(), seed=0, doubt=None, settings=POSTERIOR):
    begin = np.stack([mask_of(own, Z.b.size) for own in supports])
    doubt = np.ones(Z.b.size) if doubt is None else doubt
    generator, costs = np.random.default_rng(seed), costs_of(Z, prior, always)
    field, own = field_of(Z, always), judge_of(Z, criterion, always)
    return Chains(field, own, costs, begin, doubt, generator, settings)


def average(sample):
    """Inclusion and sizes over all blocks, each by its shares."""
    blocks = sample.blocks.ravel()
    base, share = sample.bases[blocks], sample.shares[blocks]
    sizes, n_sizes = base.sum(axis=1), sample.own.size - 1
    inclusion = np.mean(base + share[:, :-1], axis=0)
    grown = np.bincount(sizes + 1, share[:, :-1].sum(axis=1), n_sizes + 1)[:n_sizes]
    return inclusion, (np.bincount(sizes, share[:, -1], n_sizes) + grown) / len(base)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
def test_its_law_is_the_posterior(name, limits, prior):
    always, zeros = LIMITS[limits]
    Z, criterion, prior = draw(0, noise=2.0, zeros=zeros), CRITERIA[name], PRIORS[prior]
    begin = [[*always, *(j for j in (1, 3, 4) if j not in always)][:3]] * 80
    doubt = np.random.default_rng(1).uniform(0.2, 1.0, 8)  # any will do
    run = chains(Z, criterion, prior, begin, always, doubt=doubt)
    run.run(150)
    inclusion, sizes = average(run.run(150))
    expected = summed(listed(Z, criterion, prior, always), 8, prior.size)
    np.testing.assert_allclose(inclusion, expected[0], atol=0.03)
    np.testing.assert_allclose(sizes, expected[1], atol=0.03)


@pytest.mark.parametrize("always", [[], [3, 7]], ids=["free", "forced copies"])
def test_within_a_block_shares_are_those_of_the_scores_at_the_ridge(always):
    Z, criterion, n_redundant = draw(1, noise=2.0), CRITERIA["common-size"], len(always) // 2
    begin = [[0, 3], [], [1, 2, 5, 6, 7], [4]]
    if always:
        Z.X[:, 7] = -Z.X[:, 3]
        Z = with_columns(Z, Z.X)
        begin = [[0, 3, 7], [3, 7], [1, 2, 3, 5, 7]]
    run = chains(Z, criterion, UP_TO_5, begin, always, settings=ONE_STEP)
    run._draw_ridges()
    bases = run._bases()
    shares = run._shares(bases, run.ridge)
    costs = costs_of(Z, UP_TO_5, always)
    for base, share, r in zip(bases, shares, run.ridge, strict=True):
        at_ridge = judge_of(Z, criterion, always).at(np.asarray([r]))
        members, logs = np.flatnonzero(base), []
        for j in [*range(8), None]:
            own = members if j is None else np.append(members, j)
            if np.unique(own).size < own.size or own.size > 5:
                logs.append(-np.inf)
                continue
            score = support_scores(Z, np.sort(own)[None], at_ridge, n_redundant)[0]
            stays, leaves = run.law.own[members.size], 1.0 - run.law.own[members.size + 1]
            chosen = stays if j is None else leaves / (own.size - len(always))
            with np.errstate(divide="ignore"):
                logs.append(-0.5 * (score + costs[own.size]) + np.log(chosen))
        weight = np.exp(logs - np.max(logs))
        np.testing.assert_allclose(share, weight / weight.sum(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_what_a_column_adds_to_the_cost_is_in_its_law(prior):
    """A column that stands for others counts as often, in each support that has it."""
    Z, criterion, prior = draw(0, noise=2.0), CRITERIA["common-size"], PRIORS[prior]
    times = np.asarray([1.0, 1.0, 5.0, 1.0, 2.0, 1.0, 9.0, 1.0])
    known = {own: p * np.prod(times[list(own)]) for own, p in listed(Z, criterion, prior).items()}
    total = sum(known.values())
    expected = summed({own: p / total for own, p in known.items()}, 8, prior.size)
    begin = np.stack([mask_of([1, 3, 4], 8)] * 80)
    of = (field_of(Z), judge_of(Z, criterion), costs_of(Z, prior), begin)
    doubt = np.random.default_rng(1).uniform(0.2, 1.0, 8)
    run = Chains(*of, doubt, np.random.default_rng(0), POSTERIOR, -2.0 * np.log(times))
    run.run(150)
    inclusion, sizes = average(run.run(150))
    np.testing.assert_allclose(inclusion, expected[0], atol=0.03)
    np.testing.assert_allclose(sizes, expected[1], atol=0.03)


def test_supports_it_has_been_at_have_their_exact_costs():
    Z, criterion = draw(2, noise=2.0), CRITERIA["common-size"]
    run = chains(Z, criterion, UP_TO_5, [[0, 3], [1], [2, 4, 5, 6], []], settings=ONE_STEP)
    run.run(12)
    costs = costs_of(Z, UP_TO_5)
    for mask, cost in zip(run.visited.masks, run.visited.costs, strict=True):
        own = np.flatnonzero(mask)
        expected = support_scores(Z, own[None], criterion)[0] + costs[own.size]
        assert cost == pytest.approx(expected, rel=1e-9)


def test_it_never_enters_a_dependent_support():
    Z, criterion = draw(3, n_columns=6, noise=2.0), CRITERIA["common-size"]
    X = Z.X.copy()
    X[:, 5], X[:, 4] = X[:, 0], (X[:, 1] - X[:, 2]) / np.sqrt(2.0)
    near = X[:, 3] + 3e-7 * X[:, 2]  # nearer than the rule for rank, though no copy
    Z = with_columns(Z, np.column_stack([X, near]))
    run = chains(Z, criterion, UP_TO_5, [[0, 1, 3]] * 50)
    sample = run.run(60)
    both = sample.bases[:, None, :] | np.eye(8, 7, dtype=bool)
    is_likely = sample.shares > 0.0
    for forbidden in ([0, 5], [1, 2, 4], [3, 6]):
        assert not np.any(both[is_likely][:, forbidden].all(axis=1))
    assert np.any(both[is_likely][:, [1, 4]].all(axis=1))


def test_the_same_seed_has_the_same_draws():
    Z, criterion = draw(4, noise=2.0), CRITERIA["common-size"]
    begin = [[0, 3], [1]]
    one, same, other = (
        chains(Z, criterion, UP_TO_5, begin, seed=seed).run(10) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(one.bases[one.blocks], same.bases[same.blocks])
    np.testing.assert_array_equal(one.shares[one.blocks], same.shares[same.blocks])
    assert not np.array_equal(one.bases[one.blocks], other.bases[other.blocks])


def test_a_block_that_comes_again_is_the_same_as_one_computed_anew():
    Z, criterion = draw(6, noise=2.0), CRITERIA["common-size"]
    run = chains(Z, criterion, UP_TO_5, [[0, 3], [1], [2, 4, 5]] * 4, settings=ONE_STEP)
    met = []
    for step in range(30):
        run._step(step)
        bases = run._bases()
        blocks, shares = run._blocks(bases)
        np.testing.assert_allclose(shares, run._shares(bases, run.ridge), rtol=1e-6, atol=1e-12)
        np.testing.assert_array_equal(run._known.column(0, blocks), bases)
        met += blocks
    assert np.unique(met).size < len(met) / 2


def test_where_no_support_of_a_block_is_possible_the_chain_stays(monkeypatch):
    Z, criterion = draw(5, noise=2.0), CRITERIA["common-size"]
    run = chains(Z, criterion, UP_TO_5, [[0, 3], [1], []])
    nothing = lambda bases, members, rows: np.full((len(bases), 9), np.inf)  # noqa: E731
    monkeypatch.setattr(run, "_dilution", nothing)
    for _ in range(5):
        run.run(1)
    assert [np.flatnonzero(mask).tolist() for mask in run.masks] == [[0, 3], [1], []]
