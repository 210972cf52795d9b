"""The sum over supports, best first, is the sum over all of them where those can be listed."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from oracles_search import all_supports
from scipy.special import comb

from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.posterior import confidence as from_search
from projstg._core.posterior.confidence import confidence, criterion_with_volume
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.posterior.support_probabilities import posterior
from projstg._core.score.criterion import CRITERIA, support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.prior import log_supports, n_selectable, uniform_prior
from projstg._core.search.best_support import refine
from projstg._core.search.record import Optima
from projstg._core.search.working_set import restricted

D = 8
JUDGES = [name for name, criterion in CRITERIA.items() if criterion.counts_volume]
ONLY_3 = np.where(np.arange(4) == 3, 0.0, -np.inf)
UP_TO_5 = np.full(6, -np.log(6.0))
UNEVEN = np.log([0.1, 0.4, 0.3, 0.2])
PRIORS = {"K = 3": ONLY_3, "up to 5": UP_TO_5, "uneven": UNEVEN}
# Go on while there is anything left to look at.
TO_THE_END = replace(POSTERIOR, settled=0.0, negligible=200.0)
ALL_LOOKS, NO_LOOKS = replace(TO_THE_END, most_looks=10_000), replace(POSTERIOR, most_looks=0)
LIMITS = {"free": ((), ()), "bound": ((2,), (0, 6))}


def draw(seed, n_rows=16, n_columns=D, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1, n_rows, n_columns))
    y = X[..., :3] @ [1.0, -1.0, 1.0] + noise * rng.standard_normal((1, n_rows))
    return standardized(RowQuadratic.from_rows(X, y))[0]


def masks(always, never, n_columns=D):
    return np.isin(np.arange(n_columns), always), np.isin(np.arange(n_columns), never)


def field_of(Z, always=(), never=()):
    locked, excluded = masks(always, never, Z.b.shape[1])
    columns = np.arange(Z.b.shape[1])[None]
    return restricted(Z, columns, excluded[None], locked[None])


def enumerated(Z, judge, prior, always=(), never=()):
    """Probabilities of all supports, from a list of them."""
    found = {}
    for size in np.flatnonzero(np.isfinite(prior)):
        own = [
            support
            for support in combinations(range(Z.b.shape[1]), size)
            if set(always) <= set(support) and not set(never) & set(support)
        ]
        if own:
            scores = support_scores(Z, np.asarray(own, dtype=np.int64)[None], judge)[0]
            for support, score in zip(own, scores, strict=True):
                found[support] = -0.5 * score + prior[size] - np.log(len(own))
    logs = np.asarray(list(found.values()))
    return dict(zip(found, np.exp(logs - np.logaddexp.reduce(logs)), strict=True))


def summed(known, n_columns, n_sizes):
    """Inclusion and sizes from the probabilities of all supports."""
    inclusion, sizes = np.zeros(n_columns), np.zeros(n_sizes)
    for support, probability in known.items():
        inclusion[list(support)] += probability
        sizes[len(support)] += probability
    return inclusion, sizes


def begun(Z, judge, prior, always=(), never=()):
    """One support to begin from, and not a good one."""
    size = int(np.flatnonzero(np.isfinite(prior))[-1])
    allowed = [j for j in reversed(range(Z.b.shape[1])) if j not in {*always, *never}]
    members = np.sort([*always, *allowed[: size - len(always)]])
    return [(members, float(support_scores(Z, members[None, None], judge)[0, 0]))]


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("noise", [0.5, 3.0])
def test_the_sum_is_that_over_all_supports(name, limits, prior, noise):
    Z, judge, prior = draw(0, noise=noise), CRITERIA[name], PRIORS[prior]
    always, never = LIMITS[limits]
    expected = enumerated(Z, judge, prior, always, never)
    found = posterior(
        field_of(Z, always, never),
        begun(Z, judge, prior, always, never),
        judge,
        prior,
        n_free=D - len(never),
        settings=ALL_LOOKS,
    )
    inclusion, sizes = summed(expected, D, prior.size)
    assert found.n_supports == len(expected)
    ordered = sorted(expected.values(), reverse=True)[: len(found.supports)]
    np.testing.assert_allclose(found.probabilities, ordered, rtol=1e-6)
    for support, probability in zip(found.supports, found.probabilities, strict=True):
        np.testing.assert_allclose(probability, expected[tuple(support.tolist())], rtol=1e-6)
    np.testing.assert_allclose(found.inclusion, inclusion, atol=1e-6)
    np.testing.assert_allclose(found.sizes, sizes, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prior", PRIORS)
def test_stopping_early_misses_little_and_never_doubts_too_much(seed, prior):
    Z, judge, prior = draw(seed, noise=1.0), CRITERIA["common-size"], PRIORS[prior]
    expected = enumerated(Z, judge, prior)
    found = posterior(field_of(Z), begun(Z, judge, prior), judge, prior, n_free=D)
    for support, probability in zip(found.supports, found.probabilities, strict=True):
        true = expected[tuple(support.tolist())]
        assert true * (1.0 - 1e-7) <= probability <= 1.03 * true
    inclusion, sizes = summed(expected, D, prior.size)
    np.testing.assert_allclose(found.inclusion, inclusion, atol=0.03)
    np.testing.assert_allclose(found.sizes, sizes, atol=0.03)


@pytest.mark.parametrize("n_looks", [0, 1, 3, 96])
def test_probabilities_are_probabilities(n_looks):
    settings = replace(POSTERIOR, most_looks=n_looks)
    Z, judge = draw(1, noise=2.0), CRITERIA["common-size"]
    for prior in PRIORS.values():
        start = begun(Z, judge, prior)
        found = posterior(field_of(Z), start, judge, prior, n_free=D, settings=settings)
        assert np.all(np.diff(found.probabilities) <= 0.0)
        assert 0.0 < found.probabilities.sum() <= 1.0 + 1e-9
        assert found.sizes.sum() == pytest.approx(1.0)
        mean_size = found.sizes @ np.arange(prior.size)
        assert found.inclusion.sum() == pytest.approx(mean_size)  # K itself where K is given
        assert np.all((found.inclusion >= 0.0) & (found.inclusion <= 1.0))
        assert all(np.array_equal(np.sort(own), own) for own in found.supports)
    two = replace(POSTERIOR, n_best=2)
    assert (
        posterior(field_of(Z), start, judge, prior, n_free=D, settings=two).probabilities.size == 2
    )


def test_without_a_look_there_is_what_was_found():
    Z, judge = draw(2), CRITERIA["evidence"]
    supports = np.asarray([[0, 1, 2], [0, 1, 3], [4, 5, 6]])
    scores = support_scores(Z, supports[None], judge)[0]
    start = [*zip(supports, scores, strict=True)]
    found = posterior(field_of(Z), [*start, start[0]], judge, ONLY_3, n_free=D, settings=NO_LOOKS)
    weight = np.exp(-0.5 * (scores - scores.min()))
    np.testing.assert_allclose(found.probabilities, np.sort(weight / weight.sum())[::-1], rtol=1e-9)
    assert found.n_supports == 3  # the one that came twice counts once


def test_the_order_of_what_was_found_makes_no_difference():
    """Weights are in units of the best so far, which another order makes anew more often."""
    Z, judge = draw(3, noise=0.1), CRITERIA["common-size"]
    supports = all_supports(D, 3)
    scores = support_scores(Z, supports[None], judge)[0]
    order = np.argsort(scores)
    answers = [
        posterior(
            field_of(Z),
            [(supports[i], scores[i]) for i in way],
            judge,
            ONLY_3,
            n_free=D,
            settings=NO_LOOKS,
        )
        for way in (order, order[::-1])
    ]
    assert scores.max() - scores.min() > 20.0
    best_first, worst_first = answers
    np.testing.assert_allclose(best_first.probabilities, worst_first.probabilities, rtol=1e-12)
    np.testing.assert_allclose(best_first.inclusion, worst_first.inclusion, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(best_first.sizes, worst_first.sizes, rtol=1e-12)
    expected, _ = summed(enumerated(Z, judge, ONLY_3), D, 4)
    np.testing.assert_allclose(worst_first.inclusion, expected, rtol=1e-9)


def test_a_better_support_than_all_that_were_found_turns_up():
    Z, judge = draw(4, noise=0.1), CRITERIA["common-size"]
    poor = np.asarray([3, 4, 5])
    score = float(support_scores(Z, poor[None, None], judge)[0, 0])
    found = posterior(field_of(Z), [(poor, score)], judge, ONLY_3, n_free=D)
    assert found.supports[0].tolist() == [0, 1, 2]
    assert found.probabilities[0] > 0.99


def test_however_many_are_as_likely_the_best_has_been_looked_around():
    Z, judge = draw(12, n_rows=10, n_columns=30, noise=100.0), CRITERIA["common-size"]
    supports = all_supports(30, 3)
    order = np.argsort(support_scores(Z, supports[None], judge)[0])
    poor = supports[order[500:]]  # so many that no eight have a share of one percent
    start = [*zip(poor, support_scores(Z, poor[None], judge)[0], strict=True)]
    found = posterior(field_of(Z), start, judge, ONLY_3, n_free=30)
    best = found.supports[0]
    around = neighbours(field_of(Z), np.zeros(1, int), best[None], judge, resize=False)
    assert around.exchanged.min() >= around.present[0]


def test_columns_that_are_not_in_the_field_enter_the_prior():
    """Among more columns a match by chance is less surprising: each size pays for its number."""
    Z, judge = draw(5, noise=2.0), CRITERIA["common-size"]
    few, many = (
        posterior(
            field_of(Z), begun(Z, judge, UP_TO_5), judge, UP_TO_5, n_free=n, settings=ALL_LOOKS
        )
        for n in (D, 100)
    )
    sizes = np.arange(6)
    fewer = few.sizes * comb(D, sizes) / comb(100, sizes)
    np.testing.assert_allclose(many.sizes, fewer / fewer.sum(), rtol=1e-6)


def test_sizes_that_are_not_asked_about_have_no_probability():
    Z, judge = draw(6, noise=2.0), CRITERIA["evidence"]
    prior = np.where(np.arange(4) % 2 == 1, np.log(0.5), -np.inf)
    start = [
        (members, float(support_scores(Z, members[None, None], judge)[0, 0]))
        for members in (np.asarray([7]), np.asarray([5, 6, 7]), np.asarray([1, 2]))
    ]
    found = posterior(field_of(Z), start, judge, prior, n_free=D, settings=ALL_LOOKS)
    expected = enumerated(Z, judge, prior)
    np.testing.assert_allclose(found.sizes, summed(expected, D, 4)[1], rtol=1e-6)
    assert found.sizes[[0, 2]].tolist() == [0.0, 0.0]


def test_the_same_table_has_the_same_probabilities():
    Z, judge = draw(7, n_columns=30, noise=2.0), CRITERIA["common-size"]
    start = begun(Z, judge, UP_TO_5)
    one, other = (posterior(field_of(Z), start, judge, UP_TO_5, n_free=30) for _ in range(2))
    assert one.n_supports == other.n_supports > 1000
    np.testing.assert_array_equal(one.inclusion, other.inclusion)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_the_logarithm_of_the_number_of_supports():
    sizes = np.arange(31)
    np.testing.assert_allclose(log_supports(30, sizes), np.log(comb(30, sizes)), atol=1e-10)


@pytest.mark.parametrize(("k_min", "k_max"), [(0, 0), (0, 7), (3, 7), (4, 4)])
def test_the_prior_is_uniform_from_the_smallest_size_on(k_min, k_max):
    prior = np.exp(uniform_prior(k_min, k_max))
    assert prior.shape == (k_max + 1,)
    assert prior.sum() == pytest.approx(1.0)
    assert np.all(prior[:k_min] == 0.0)
    assert np.ptp(prior[k_min:]) == 0.0


def test_a_column_that_must_be_selected_may_be_even_where_it_does_not_vary():
    always, never = np.asarray([True, False, False]), np.asarray([True, True, False])
    assert n_selectable(always, never) == 2


# ------------------------------------------------------------------------------- from a search


def searched(Z, size, criterion="common-size"):
    return refine(Z, size, generators=[np.random.default_rng(0)], criterion=criterion).optima[0]


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("n_found", [1, 200])
def test_what_a_search_found_and_what_is_found_from_there_weigh_alike(name, n_found):
    """The grid is cut to the ridges that matter; whoever was there before, all are cut alike."""
    settings = replace(TO_THE_END, most_found=n_found)
    Z, judge = draw(8, noise=0.7), CRITERIA[name]
    always, never = masks((), ())
    found = [searched(Z, 3, name)]
    found = confidence(Z, found, judge, ONLY_3, always=always, never=never, settings=settings)
    expected = enumerated(Z, judge, ONLY_3)
    for support, probability in zip(found.supports, found.probabilities, strict=True):
        true = expected[tuple(support.tolist())]
        np.testing.assert_allclose(probability, true, rtol=0.03)
    np.testing.assert_allclose(found.inclusion, summed(expected, D, 4)[0], atol=0.003)


@pytest.mark.parametrize("noise", [0.7, 2.0])
def test_no_columns_at_all_weigh_what_they_should_beside_the_others(noise):
    """No columns have no ridge, and so lose nothing when the grid is cut."""
    settings = replace(TO_THE_END, useless_ridge=0.02)
    Z, judge = draw(9, noise=noise), CRITERIA["common-size"]
    always, never = masks((), ())
    found = [searched(Z, size) for size in (0, 1, 3)]
    ridges = from_search._useful_ridges(
        [one.supports for one in found],
        [from_search._by_ridge(Z, one.supports, judge) for one in found],
        settings,
    )
    assert 0 < ridges.sum() < ridges.size
    known = confidence(Z, found, judge, UP_TO_5, always=always, never=never, settings=settings)
    _, sizes = summed(enumerated(Z, judge, UP_TO_5), D, 6)
    np.testing.assert_allclose(known.sizes, sizes, rtol=0.1)


def test_of_nothing_found_the_whole_grid_is_used():
    Z, judge = draw(9), CRITERIA["common-size"]
    always, never = masks((), range(D))
    known = confidence(Z, [searched(Z, 0)], judge, np.zeros(1), always=always, never=never)
    assert known.supports[0].size == 0
    assert known.probabilities.tolist() == [1.0]


def test_least_squares_has_no_probabilities_of_its_own():
    assert [criterion_with_volume(name) for name in JUDGES] == JUDGES == ["common-size", "evidence"]
    assert criterion_with_volume("least-squares") == "common-size"


def test_of_many_columns_those_that_come_closest_are_looked_at():
    Z, judge = draw(10, n_columns=40, n_rows=25, noise=0.5), CRITERIA["common-size"]
    always, never = masks([39], [5], 40)
    prior = np.where(np.arange(5) == 4, 0.0, -np.inf)
    search = refine(Z, 4, generators=[np.random.default_rng(0)], always=always, never=never)
    arguments = ([search.optima[0]], judge, prior)
    whole = confidence(Z, *arguments, always=always, never=never)
    few = replace(POSTERIOR, most_columns=20, n_leaders=1)
    some = confidence(Z, *arguments, always=always, never=never, settings=few)
    assert whole.supports[0].tolist() == some.supports[0].tolist() == [0, 1, 2, 39]
    assert np.sum(some.inclusion > 0.0) <= 20 < np.sum(whole.inclusion > 0.0)
    assert some.probabilities[0] == pytest.approx(whole.probabilities[0], rel=0.05)
    assert some.inclusion[5] == whole.inclusion[5] == 0.0
    assert some.inclusion[39] == pytest.approx(1.0)


def test_a_support_with_columns_that_are_not_looked_at_is_left_out():
    """Its columns have no place in the field, and another's place is not theirs."""
    Z, judge = draw(11, n_columns=40, n_rows=25, noise=0.5), CRITERIA["common-size"]
    always, never = masks((), (), 40)
    few = replace(POSTERIOR, most_columns=5, n_leaders=1)
    supports = np.asarray([[0, 1, 2], [0, 1, 38], [17, 38, 39]])
    found = Optima(supports, support_scores(Z, supports[None], judge)[0])
    known = confidence(Z, [found], judge, ONLY_3, always=always, never=never, settings=few)
    columns = np.flatnonzero(known.inclusion > 0.0)
    assert columns.size <= 5
    assert not {38, 39, 17} <= set(columns.tolist())
    for own in known.supports:
        assert np.unique(own).size == 3
    for own, probability in zip(known.supports[1:], known.probabilities[1:], strict=True):
        odds = support_scores(Z, np.stack([own, known.supports[0]])[None], judge)[0]
        expected = np.exp(-0.5 * (odds[0] - odds[1])) * known.probabilities[0]
        np.testing.assert_allclose(probability, expected, rtol=0.02)
