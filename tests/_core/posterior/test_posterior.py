"""From a search to probabilities: exact where supports are few, and near that where not."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of
from oracles_posterior import (
    JUDGES,
    LIMITS,
    ONLY_3,
    PRIORS,
    UP_TO_5,
    D,
    draw,
    holding,
    listed,
    mask_of,
    summed,
    with_columns,
)

from projstg._core.posterior import drawing, exploration
from projstg._core.posterior.counted import Counted
from projstg._core.posterior.credible_groups import credible_groups
from projstg._core.posterior.drawing import drawn
from projstg._core.posterior.exploration import (
    counted_around,
    every_support,
    every_support_of,
    useful_ridges,
    with_more,
)
from projstg._core.posterior.posterior import Posterior
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.posterior.represented import Represented
from projstg._core.posterior.target import criterion_with_volume, target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores, total_score
from projstg._core.search.best_support import refine
from projstg._core.search.record import RankedSupports
from projstg._core.search.working_set import Around, Exchanges


def searched(Z, size, criterion="common-size", always=()):
    generator, always = np.random.default_rng(0), mask_of(always, Z.b.size)
    return refine(Z, size, generator=generator, criterion=criterion, always=always).ranked


def posed(Z, criterion, prior, always=(), settings=POSTERIOR):
    return target(Z, criterion, prior, always=mask_of(always, Z.b.size), settings=settings)


def close(found, expected, support, prior, atol):
    """Whether a posterior is that of a list of all supports."""
    inclusion, sizes = summed(expected, found.inclusion.size, prior.size)
    np.testing.assert_allclose(found.inclusion, inclusion, atol=atol)
    np.testing.assert_allclose(found.sizes, sizes, atol=atol)
    assert found.exactly == pytest.approx(expected[tuple(support.tolist())], abs=atol)
    assert found.all_belong == pytest.approx(holding(expected, support.tolist()), abs=atol)
    for members, probability in zip(found.supports, found.probabilities, strict=True):
        assert probability == pytest.approx(expected[tuple(members.tolist())], abs=atol)
    ordered = sorted(expected.values(), reverse=True)[: len(found.supports)]
    np.testing.assert_allclose(np.sort(found.probabilities)[::-1], ordered, atol=atol)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
def test_of_few_supports_all_are_scored(name, limits, prior):
    always, zeros = LIMITS[limits]
    Z, criterion, prior = draw(0, noise=2.0, zeros=zeros), CRITERIA[name], PRIORS[prior]
    own = posed(Z, criterion, prior, always)
    assert own.is_enumerable
    known = every_support(own)
    expected = listed(Z, criterion, prior, always)
    assert tuple(known.likeliest.tolist()) == max(expected, key=expected.get)
    found = known.about(known.likeliest)
    close(found, expected, known.likeliest, prior, 1e-7)
    assert found.accuracy.method == "enumerated"
    assert found.accuracy.n_supports == len(expected)
    assert np.all(found.inclusion_error == 0.0)


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("noise", [0.7, 3.0])
@pytest.mark.parametrize("prior", [ONLY_3, UP_TO_5], ids=["K = 3", "up to 5"])
def test_counted_and_sampled_it_is_nearly_that(name, noise, prior):
    Z, criterion = draw(1, noise=noise), CRITERIA[name]
    settings = replace(POSTERIOR, most_looks=1)
    sizes = np.flatnonzero(np.isfinite(prior)).tolist()
    searches = [searched(Z, size, name) for size in sizes]
    first, *others = [RankedSupports(every.supports[:2], every.scores[:2]) for every in searches]
    known = counted_around(posed(Z, criterion, prior, settings=settings), [first])
    for other in others:
        known = with_more(known, [other])
    few = len(known.counted.costs)
    known = drawn(known, 0)
    expected = listed(Z, criterion, prior)
    assert few < len(expected)
    found = known.about(known.likeliest)
    assert found.accuracy.method == "sampled"
    assert found.accuracy.largest_error == found.inclusion_error.max()
    close(found, expected, known.likeliest, prior, 0.08)
    inclusion, _ = summed(expected, D, prior.size)
    assert np.all(np.abs(found.inclusion - inclusion) < 4.0 * found.inclusion_error)
    assert np.all(found.inclusion_error >= settings.least_error)


def test_a_search_that_has_scored_all_supports_is_the_enumeration():
    Z, criterion = draw(2, noise=2.0), CRITERIA["common-size"]
    own = posed(Z, criterion, ONLY_3)
    both = every_support_of(own, searched(Z, 3)), every_support(own)
    one, other = (known.about(np.asarray([0, 1, 2])) for known in both)
    np.testing.assert_allclose(one.inclusion, other.inclusion, rtol=1e-9)
    assert one.exactly == pytest.approx(other.exactly)
    assert one.accuracy.method == "enumerated"


def test_what_is_said_of_a_support_that_is_not_among_the_best_is_its_probability_too():
    Z, criterion = draw(3, noise=0.5), CRITERIA["common-size"]
    known = every_support(posed(Z, criterion, ONLY_3))
    expected = listed(Z, criterion, ONLY_3)
    found = known.about(np.asarray([5, 6, 7]))
    assert found.exactly == pytest.approx(expected[5, 6, 7], rel=1e-6)
    assert found.all_belong == pytest.approx(expected[5, 6, 7], rel=1e-6)


def test_every_one_of_many_equal_columns_has_its_share():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 45))
    X[:, :40] = X[:, :1]
    y = X[:, 0] + X[:, 41] + 0.5 * rng.standard_normal(60)
    Z = problem_of(X, y, centre=False)
    prior = np.where(np.arange(3) == 2, 0.0, -np.inf)
    known = every_support(posed(Z, CRITERIA["common-size"], prior))
    found = known.about(np.asarray([7, 41]))
    assert found.exactly == pytest.approx(1.0 / 40.0, rel=1e-3)
    np.testing.assert_allclose(found.inclusion[:40], 1.0 / 40.0, rtol=1e-3)
    # Which of equal supports comes first shall not make it likelier than its own columns.
    for members, probability in zip(found.supports, found.probabilities, strict=True):
        assert np.all(found.inclusion[members] >= probability - 1e-12)


def test_counting_goes_on_from_what_it_has():
    Z, criterion = draw(4, n_columns=20, noise=1.5), CRITERIA["common-size"]
    known = counted_around(posed(Z, criterion, UP_TO_5), [searched(Z, 1)])
    n_counted = len(known.counted.costs)
    more = with_more(known, [searched(Z, 3)])
    assert len(more.counted.costs) > n_counted
    assert more.counted.masks.sum(axis=1).max() >= 3
    assert len(known.around.counted.costs) == n_counted  # a value stays as it is


FEW = {"most_columns": (60, 60), "fewest_cells": 20}


@pytest.mark.parametrize("prior", [ONLY_3, UP_TO_5], ids=["K = 3", "up to 5"])
def test_columns_that_others_stand_for_have_probabilities_of_that_size(prior):
    Z, criterion = draw(5, n_columns=90, noise=2.0), CRITERIA["common-size"]
    found = []
    for settings in ({}, FEW):
        own = posed(Z, criterion, prior, settings=replace(POSTERIOR, **settings))
        known = drawn(counted_around(own, [searched(Z, 3)]), 0)
        found.append(known.about(known.likeliest))
    whole, part = found
    outside = np.setdiff1d(np.arange(90), known.columns)
    assert outside.size == 30
    assert np.all(part.inclusion[outside] > 0.0)
    assert part.inclusion[outside].sum() == pytest.approx(whole.inclusion[outside].sum(), rel=0.5)
    np.testing.assert_allclose(part.inclusion, whole.inclusion, atol=0.06)
    np.testing.assert_allclose(part.sizes, whole.sizes, atol=0.06)
    expected = float(part.sizes @ np.arange(part.sizes.size))
    assert part.inclusion.sum() == pytest.approx(expected, abs=1e-9)


def test_the_draws_depend_on_the_seed_alone():
    Z, criterion = draw(5, n_columns=20, noise=2.0), CRITERIA["common-size"]
    answers = []
    for seed in (3, 3, 4):
        found = [searched(Z, size) for size in (1, 3)]
        known = drawn(counted_around(posed(Z, criterion, UP_TO_5), found), seed)
        answers.append(known.about(known.likeliest))
    one, same, other = answers
    np.testing.assert_array_equal(one.inclusion, same.inclusion)
    assert not np.array_equal(one.inclusion, other.inclusion)
    np.testing.assert_allclose(one.inclusion, other.inclusion, atol=0.12)


def test_a_better_support_that_a_chain_has_been_at_is_the_likeliest():
    Z, criterion = draw(6, n_columns=30, noise=0.3), CRITERIA["common-size"]
    own = posed(Z, criterion, ONLY_3, settings=replace(POSTERIOR, most_looks=0))
    poor = np.asarray([[0, 11, 12]])
    known = counted_around(own, [RankedSupports(poor, support_scores(Z, poor, criterion))])
    assert known.likeliest.tolist() == [0, 11, 12]
    known = drawn(known, 0)
    assert known.likeliest.tolist() == [0, 1, 2]
    assert known.about(known.likeliest).exactly > 0.5


def test_where_one_support_is_beyond_doubt_no_chain_is_run():
    Z, criterion = draw(6, n_columns=30, noise=0.1), CRITERIA["common-size"]
    answers = {}
    for share in (POSTERIOR.others_share, 0.0):
        own = posed(Z, criterion, ONLY_3, settings=replace(POSTERIOR, others_share=share))
        known = drawn(counted_around(own, [searched(Z, 3)]), 0)
        found = known.about(known.likeliest)
        answers[found.accuracy.method] = found
        assert known.has_draws
        known = with_more(known, [searched(Z, 3)])  # what is new may raise doubts
        assert known.has_draws == (share == 0.0)
    settled, sampled = answers["settled"], answers["sampled"]
    assert settled.accuracy[2:] == (0, POSTERIOR.least_error, True)
    assert np.all(settled.inclusion_error == POSTERIOR.least_error)
    np.testing.assert_allclose(settled.inclusion, sampled.inclusion, atol=1e-4)
    assert settled.exactly == pytest.approx(sampled.exactly, abs=1e-4)
    assert settled.all_belong == pytest.approx(sampled.all_belong, abs=1e-4)


def test_a_fit_that_leaves_no_digits_is_counted_and_not_sampled(monkeypatch):
    none = lambda field, state, n_supports: np.zeros(1, bool)  # noqa: E731
    monkeypatch.setattr(drawing, "has_enough_digits", none)
    Z, criterion = draw(7, noise=0.0), CRITERIA["common-size"]
    known = drawn(counted_around(posed(Z, criterion, ONLY_3), [searched(Z, 3)]), 0)
    found = known.about(known.likeliest)
    assert found.accuracy.method == "counted"
    assert not found.accuracy.is_accurate
    assert np.isnan(found.accuracy.largest_error)
    assert np.all(np.isnan(found.inclusion_error))
    assert found.exactly == pytest.approx(1.0)


def test_where_all_supports_are_dependent_there_is_no_dilution():
    Z, criterion = draw(8), CRITERIA["common-size"]
    Z = with_columns(Z, np.repeat(Z.X[:, :2], 4, axis=1))
    own, supports = posed(Z, criterion, ONLY_3), np.asarray([[0, 1, 4], [0, 4, 5]])
    for known in (every_support(own), counted_around(own, [RankedSupports(supports, np.zeros(2))])):
        assert not known.target.judge.is_diluted
        assert 0.0 < known.about(known.likeliest).exactly < 1.0


# --------------------------------------------------------------------- ridges, columns, criteria


@pytest.mark.parametrize("noise", [0.7, 2.0])
def test_no_columns_at_all_weigh_what_they_should_beside_the_others(noise):
    """No columns have no ridge, and so lose nothing when the grid is cut."""
    settings = replace(POSTERIOR, useless_ridge=0.02, settled=0.0, negligible=200.0)
    Z, criterion = draw(9, noise=noise), CRITERIA["common-size"]
    own = posed(Z, criterion, UP_TO_5, settings=replace(settings, most_looks=10_000))
    found = [searched(Z, size) for size in (0, 1, 3)]
    known, by_ridge = (
        counted_around(own, found),
        [own.scores_by_ridge(one.supports) for one in found],
    )
    useful = useful_ridges(found, by_ridge, settings)
    assert 0 < useful.sum() < useful.size
    assert len(known.counted.costs) == len(listed(Z, criterion, UP_TO_5))
    _, sizes = summed(listed(Z, criterion, UP_TO_5), D, 6)
    np.testing.assert_allclose(known.about(known.likeliest).sizes, sizes, rtol=0.1)


def test_least_squares_has_no_probabilities_of_its_own():
    assert [criterion_with_volume(name) for name in JUDGES] == JUDGES == ["common-size", "evidence"]
    assert criterion_with_volume("least-squares") == "common-size"


def test_of_many_columns_those_that_come_closest_are_looked_at():
    Z, criterion = draw(10, n_columns=40, n_rows=25, noise=0.5), CRITERIA["common-size"]
    prior = np.where(np.arange(5) == 4, 0.0, -np.inf)
    Z.X[:, 5] = 0.0
    Z = with_columns(Z, Z.X)
    search = searched(Z, 4, always=[39])
    answers = []
    for settings in (
        POSTERIOR,
        replace(POSTERIOR, most_columns=(20, 20), n_leaders=1, fewest_cells=5),
    ):
        known = drawn(counted_around(posed(Z, criterion, prior, [39], settings), [search]), 0)
        answers.append(known.about(known.likeliest))
    whole, some = answers
    assert whole.supports[0].tolist() == some.supports[0].tolist() == [0, 1, 2, 39]
    assert known.columns.size == 20
    np.testing.assert_allclose(some.inclusion, whole.inclusion, atol=1e-6)
    assert some.probabilities[0] == pytest.approx(whole.probabilities[0], rel=0.1)
    assert some.inclusion[5] == whole.inclusion[5] == 0.0
    assert some.inclusion[39] == pytest.approx(1.0)


def test_a_support_with_columns_that_are_not_looked_at_is_left_out():
    """Its columns have no place in the field, and another's place is not theirs."""
    Z, criterion = draw(11, n_columns=40, n_rows=25, noise=0.5), CRITERIA["common-size"]
    few = replace(POSTERIOR, most_columns=(5, 5), n_leaders=1, fewest_cells=1)
    supports = np.asarray([[0, 1, 2], [0, 1, 38], [17, 38, 39]])
    own = posed(Z, criterion, ONLY_3, settings=few)
    known = counted_around(own, [RankedSupports(supports, support_scores(Z, supports, criterion))])
    found = known.about(known.likeliest)
    columns = known.columns
    assert columns.size <= 5
    assert not {38, 39, 17} <= set(columns.tolist())
    for own in found.supports:
        assert np.unique(own).size == 3
    for own, probability in zip(found.supports[1:], found.probabilities[1:], strict=True):
        odds = support_scores(Z, np.stack([own, found.supports[0]]), criterion)
        expected = np.exp(-0.5 * (odds[0] - odds[1])) * found.probabilities[0]
        np.testing.assert_allclose(probability, expected, rtol=0.02)
    outside = known.about(np.asarray([17, 38, 39]))
    assert outside.all_belong == 0.0
    assert outside.exactly >= 0.0


def test_a_better_support_with_columns_not_looked_at_makes_the_count_begin_again(monkeypatch):
    Z, criterion = draw(13, n_columns=40, n_rows=40, noise=0.3), CRITERIA["common-size"]
    few = replace(POSTERIOR, most_columns=(6, 6), n_leaders=1, fewest_cells=1)
    poor, best = np.asarray([[30], [31]]), np.asarray([[0, 1, 2]])

    def optima(supports):
        return [RankedSupports(supports, support_scores(Z, supports, criterion))]

    change = np.arange(40)[::-1] * 1.0
    likeliest_last = Around(Exchanges(change, np.zeros(40)), np.full(40, np.inf))
    monkeypatch.setattr(exploration, "around_support", lambda *_: likeliest_last)
    known = counted_around(posed(Z, criterion, UP_TO_5, settings=few), optima(poor))
    assert not {0, 1, 2} & set(known.columns.tolist())
    known = drawn(known, 0)
    assert known.has_draws
    known = with_more(known, optima(best))
    assert not known.has_draws  # they were of other columns
    known = drawn(known, 0)
    found = known.about(known.likeliest)
    assert known.likeliest.tolist() == [0, 1, 2]
    assert found.all_belong > 0.9
    assert found.all_belong >= found.exactly - 0.02


def test_dependent_columns_that_must_be_selected_weigh_alike_wherever_they_were_found():
    """Six copies are forced: the search's supports and their neighbours are on one scale."""
    rng = np.random.default_rng(14)
    X = rng.standard_normal((60, 13))
    X[:, 1:6] = X[:, :1]
    y = X[:, 0] + 0.3 * X[:, 7] - 0.25 * X[:, 9] + rng.standard_normal(60)
    Z, criterion, forced = problem_of(X, y), CRITERIA["evidence"], range(6)
    own = posed(Z, criterion, np.full(14, -np.log(14.0)), forced)
    found = [searched(Z, size, "evidence", forced) for size in (6, 8)]
    exact, counted = every_support(own), drawn(counted_around(own, found), 0)
    support = exact.likeliest
    one, other = exact.about(support), counted.about(support)
    assert other.exactly == pytest.approx(one.exactly, abs=0.03)
    np.testing.assert_allclose(other.inclusion, one.inclusion, atol=0.05)


def test_scores_over_all_ridges_are_those_of_the_criterion():
    Z, criterion = draw(12), CRITERIA["common-size"]
    supports = np.asarray([[0, 1, 2], [3, 4, 5]])
    by_ridge = posed(Z, criterion, ONLY_3).scores_by_ridge(supports)
    expected = support_scores(Z, supports, criterion)
    np.testing.assert_allclose(total_score(by_ridge), expected, rtol=1e-12)


def test_the_median_columns_are_those_likelier_than_not():
    Z = draw(8, n_rows=20, n_columns=6, noise=2.0)
    found = every_support(posed(Z, CRITERIA["common-size"], UP_TO_5, always=(3,)))
    about = found.about(found.likeliest)
    first = [group.columns[0] for group in credible_groups(about.together.joint(), 0.5)]
    likely = np.flatnonzero(about.inclusion > 0.5)
    assert set(likely) <= set(found.median(found.likeliest))
    assert found.median(found.likeliest).tolist() == sorted({3, *first})


def said(own, masks):
    """The posterior in which these supports are all there is, each as likely."""
    masks = np.asarray(masks, dtype=bool)
    among = Represented.every(masks.shape[1])
    return Posterior(own, Counted(masks, np.zeros(len(masks))), among)


def test_of_dependent_columns_the_least_likely_one_is_left_out_and_no_other():
    Z = draw(8, n_rows=20, n_columns=6, noise=2.0)
    Z = with_columns(Z, np.column_stack([Z.X, -Z.X[:, 0]]))  # the last column copies the first
    settings = replace(POSTERIOR, far_less_likely=1e-300)
    own = posed(Z, CRITERIA["common-size"], UP_TO_5, always=(3,), settings=settings)
    # Column 2 is less likely than the copy, 6, and depends on nothing.
    supports = [{0, 2, 3, 6}] * 3 + [{0, 3, 6}] * 2 + [{0, 2, 3}, {0, 3}]
    masks = [mask_of(list(own), 7) for own in supports]
    assert said(own, masks).median(np.asarray([3])).tolist() == [0, 2, 3]


def test_no_more_columns_are_selected_than_may_be():
    Z = draw(8, n_rows=20, n_columns=6, noise=2.0)
    settings = replace(POSTERIOR, far_less_likely=1e-300)
    own = posed(Z, CRITERIA["common-size"], ONLY_3, settings=settings)
    masks = [[1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0], [1, 0, 1, 1, 0, 0], [0, 1, 1, 1, 0, 0]]
    assert said(own, masks).median(np.arange(3)).size == 3


def test_columns_far_less_likely_together_give_way_to_the_preferred_support():
    Z = draw(0, noise=0.1)
    own = posed(Z, CRITERIA["common-size"], UP_TO_5)
    best = every_support(own).likeliest
    others = ~mask_of(best)
    assert np.array_equal(said(own, [others]).median(best), best)
    own = replace(own, settings=replace(POSTERIOR, far_less_likely=1e-300))
    assert np.array_equal(said(own, [others]).median(best), np.flatnonzero(others)[:5])


@pytest.mark.parametrize(
    ("limits", "prior", "is_there"),
    [
        ({}, UP_TO_5, True),
        ({"most_directions": 5}, UP_TO_5, False),
        ({"most_stored": 30}, UP_TO_5, False),
        ({}, ONLY_3, False),
    ],
)
def test_a_background_is_for_tables_not_too_large_and_a_number_not_given(limits, prior, is_there):
    Z = draw(0)
    own = posed(Z, CRITERIA["common-size"], prior, settings=replace(POSTERIOR, **limits))
    averaging = every_support(own).about(np.asarray([0, 1, 2])).averaging
    assert bool(averaging.strengths) == is_there
    assert averaging.columns.size == 8
    assert (averaging.fit().small_effects(np.arange(8) > 2).share > 0.0) == is_there
    beside = averaging.small_effects(np.asarray([0, 1, 2]))
    assert (beside is not None) == is_there
    assert beside is None or 0.0 < beside.share < 0.9
