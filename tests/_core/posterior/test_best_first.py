"""What is counted best first is, to the end, all supports; each has its exact weight."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_posterior import (
    JUDGES,
    LIMITS,
    ONLY_3,
    PRIORS,
    UP_TO_5,
    D,
    costs_of,
    draw,
    field_of,
    judge_of,
    listed,
    with_columns,
)
from oracles_search import all_supports
from rounding import assert_same_numbers

from projstg._core.posterior.best_first import BestFirst
from projstg._core.posterior.counted import support_keys
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours

# Go on while there is anything left to look at.
TO_THE_END = replace(POSTERIOR, settled=0.0, negligible=200.0)


def looking(Z, criterion, prior, always=(), settings=TO_THE_END):
    own, costs = judge_of(Z, criterion, always), costs_of(Z, prior, always)
    exact = lambda supports: support_scores(Z, supports, own)  # noqa: E731
    return BestFirst(field_of(Z, always), own, costs, exact, settings)


@pytest.mark.parametrize("prior", PRIORS)
def test_what_a_column_adds_to_the_cost_is_in_all_supports_that_have_it(prior):
    Z, criterion, prior = draw(0, noise=2.0), CRITERIA["common-size"], PRIORS[prior]
    of_column = -np.linspace(0.0, 3.0, 8)
    plain = looking(Z, criterion, prior)
    looked = BestFirst(
        plain.field, plain.judge, plain.cost_of_size, plain.score, TO_THE_END, of_column
    )
    first = a_poor_support(Z, prior)
    looked.count(np.isin(np.arange(8), first)[None], looked.cost(first))
    looked.look_around(10_000)
    found = looked.counted
    supports = [np.flatnonzero(mask) for mask in found.masks]
    known = listed(Z, criterion, prior)
    assert {tuple(own) for own in supports} == set(known)
    weights = np.asarray([known[tuple(own)] for own in supports])
    weights *= np.exp(-0.5 * (found.masks @ of_column))
    np.testing.assert_allclose(found.weights, weights / weights.sum(), rtol=1e-6)


@pytest.mark.parametrize("n_supports", [10, 400])
def test_keys_of_many_supports_are_those_of_each(n_supports):
    masks = np.random.default_rng(0).random((n_supports, 200)) < 0.02
    masks[0] = False
    keys = support_keys(masks)
    np.testing.assert_array_equal(keys, [support_keys(mask[None])[0] for mask in masks])
    assert keys[0] == 0


def begin(looked, supports):
    """Count supports of one size."""
    supports = np.asarray(supports)
    mask = np.zeros((len(supports), looked.field.b.size), dtype=bool)
    np.put_along_axis(mask, supports, True, axis=1)
    looked.count(mask, looked.score(supports) + looked.cost_of_size[supports.shape[1]])


def a_poor_support(Z, prior, always=()):
    size = int(np.flatnonzero(np.isfinite(prior))[-1])
    allowed = [j for j in np.flatnonzero(Z.diagonal)[::-1].tolist() if j not in always]
    return np.sort([*always, *allowed[: size - len(always)]])[None]


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_to_the_end_it_counts_all_supports(name, limits, prior, noise):
    always, zeros = LIMITS[limits]
    Z, criterion, prior = draw(0, noise=noise, zeros=zeros), CRITERIA[name], PRIORS[prior]
    expected = listed(Z, criterion, prior, always)
    looked = looking(Z, criterion, prior, always)
    begin(looked, a_poor_support(Z, prior, always))
    looked.look_around(10_000)
    found = looked.counted
    assert len(found.costs) == len(expected)
    assert np.all(np.diff(found.costs) >= 0.0)
    for mask, weight in zip(found.masks, found.weights, strict=True):
        true = expected[tuple(np.flatnonzero(mask).tolist())]
        np.testing.assert_allclose(weight, true, rtol=1e-6, atol=1e-12)


def test_what_comes_twice_counts_once_in_whatever_order():
    Z, criterion = draw(3, noise=0.1), CRITERIA["common-size"]
    supports = all_supports(D, 3)
    order = np.argsort(support_scores(Z, supports, criterion))
    answers = []
    for way in (order, order[::-1], np.append(order, order)):
        looked = looking(Z, criterion, ONLY_3)
        begin(looked, supports[way])
        answers.append(looked.counted)
    for found in answers[1:]:
        np.testing.assert_array_equal(found.masks, answers[0].masks)
        assert_same_numbers(found.costs, answers[0].costs)


def test_a_better_support_than_all_that_were_found_turns_up():
    Z, criterion = draw(4, noise=0.1), CRITERIA["common-size"]
    looked = looking(Z, criterion, ONLY_3, settings=POSTERIOR)
    begin(looked, [[3, 4, 5]])
    looked.look_around(POSTERIOR.most_looks)
    assert np.flatnonzero(looked.counted.masks[0]).tolist() == [0, 1, 2]
    assert looked.counted.weights[0] > 0.99


def test_however_many_are_as_likely_the_best_has_been_looked_around():
    Z, criterion = draw(12, n_rows=10, n_columns=30, noise=100.0), CRITERIA["common-size"]
    supports = all_supports(30, 3)
    order = np.argsort(support_scores(Z, supports, criterion))
    looked = looking(Z, criterion, ONLY_3, settings=POSTERIOR)
    begin(looked, supports[order[500:]])  # so many that no eight have a share of one percent
    looked.look_around(100)
    best = np.flatnonzero(looked.counted.masks[0])[None]
    around = neighbours(field_of(Z), best, criterion.judge(Z), resize=False)
    assert around.exchanged.min() >= around.present[0] - 1e-7


def test_dependent_supports_are_not_counted():
    Z, criterion = draw(5), CRITERIA["common-size"]
    X = Z.X.copy()
    X[:, 7], X[:, 6] = -X[:, 0], (X[:, 1] + X[:, 2]) / np.sqrt(2.0)
    Z = with_columns(Z, X)
    looked = looking(Z, criterion, UP_TO_5)
    begin(looked, [[3, 4, 5]])
    looked.look_around(10_000)
    found = looked.counted.masks
    assert not np.any(found[:, 0] & found[:, 7])
    assert not np.any(found[:, 1] & found[:, 2] & found[:, 6])
    assert np.any(found[:, 1] & found[:, 6])
    known = listed(Z, criterion, UP_TO_5)
    assert len(found) == sum(p > 0.0 for p in known.values())


@pytest.mark.parametrize("most", [10_000, 5])
def test_what_the_tables_have_no_digits_for_is_scored_one_by_one(most, monkeypatch):
    from projstg._core.score import neighbours as around

    none = lambda field, state, n_supports: np.zeros(n_supports, bool)  # noqa: E731
    monkeypatch.setattr(around, "has_enough_digits", none)
    monkeypatch.setattr("projstg._core.kernel.library.KERNEL", None)
    Z, criterion = draw(6, noise=2.0), CRITERIA["common-size"]
    looked = looking(Z, criterion, UP_TO_5, settings=replace(TO_THE_END, most_one_by_one=most))
    begin(looked, a_poor_support(Z, UP_TO_5))
    looked.look_around(1 if most == 5 else 10_000)
    expected = listed(Z, criterion, UP_TO_5)
    found = looked.counted
    assert len(found.costs) == (6 if most == 5 else len(expected))
    if most > 5:
        for mask, weight in zip(found.masks, found.weights, strict=True):
            true = expected[tuple(np.flatnonzero(mask).tolist())]
            np.testing.assert_allclose(weight, true, rtol=1e-9)
