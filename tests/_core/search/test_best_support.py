"""Closed-form exchanges are recomputed; the search finds what enumeration finds."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from made_problems import problem_of
from oracles_search import all_supports

from projstg._core.data.centred_sums import CentredSums
from projstg._core.data.problem import DenseProblem
from projstg._core.data.summed_table import tables_of_sums
from projstg._core.kernel import library
from projstg._core.score import neighbours as around
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import residual_floor, support_scores
from projstg._core.score.tableau import Field, exchange_objectives, ridge_cost, tableau
from projstg._core.search.best_support import equivalent_features, refine
from projstg._core.search.record import SearchRecord
from projstg._core.search.search_settings import SEARCH
from projstg._core.search.walk import descend, wander
from projstg._core.search.working_set import (
    around_support,
    exchange_scores_with,
    exchanges_for,
    joining_pairs,
)

NOT_ENUMERATED = replace(SEARCH, n_enumerable=0)


def drawn(seed, n_problems, n_rows, n_columns, K=3, sigma=0.5):
    """Problems whose y depends on the first K columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_problems, n_rows, n_columns))
    y = X[..., :K] @ rng.choice([-1.0, 1.0], K) + sigma * rng.standard_normal((n_problems, n_rows))
    return [problem_of(*one) for one in zip(X, y, strict=True)]


def draw(seed, n_rows, n_columns, K=3, sigma=0.5):
    """One such problem."""
    return drawn(seed, 1, n_rows, n_columns, K, sigma)[0]


def whole(Z):
    return Field.of(Z, np.zeros(Z.b.size, dtype=bool))


def score_of(Z, support, criterion):
    """The score of one support, its columns in any order."""
    return support_scores(Z, np.sort(support)[None], criterion)[0]


def exchanged(members, p, j):
    """The support after column j has replaced the member at place p."""
    return np.where(np.arange(len(members)) == p, j, members)


def objective(Z, members, kappa, counts_log_det):
    """ν log(rss) and, if it counts, log det H, from their definition."""
    A, y = Z.X[:, list(members)], Z.y
    H = A.T @ A + kappa * np.eye(len(members))
    rss = y @ (y - A @ np.linalg.solve(H, A.T @ y))
    log_det = np.linalg.slogdet(H)[1] if counts_log_det else 0.0
    return Z.dof * np.log(rss) + log_det


def generator(i=0, seed=0):
    return np.random.default_rng([seed, i])


def refined(problems, K, **options):
    """The answers to problems, with a generator each."""
    return [refine(Z, K, generator=generator(i), **options) for i, Z in enumerate(problems)]


@pytest.mark.parametrize("counts_log_det", [True, False])
@pytest.mark.parametrize(("n_rows", "kappa"), [(30, 0.3), (30, 1e-3), (5, 0.3)])
def test_every_exchange_in_the_table_is_its_recomputation(n_rows, kappa, counts_log_det):
    supports = np.asarray([[0, 4, 6], [7, 1, 2]])
    for Z in drawn(0, 2, n_rows, 8):
        field = whole(Z)
        state = tableau(field, supports, np.full(2, kappa))
        tables = exchange_objectives(state, field.dof, residual_floor(field.yy), counts_log_det)
        for table, members in zip(tables, supports, strict=True):
            before = objective(Z, members, kappa, True) - objective(Z, members, kappa, False)
            for p in range(3):
                for j in set(range(8)) - set(members):
                    expected = objective(Z, exchanged(members, p, j), kappa, counts_log_det)
                    expected -= before if counts_log_det else 0.0
                    np.testing.assert_allclose(table[p, j], expected, atol=1e-7)


@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-4, 3e-5, 3e-6])
def test_a_ridge_costs_least_squares_no_more_than_is_said(apart):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 8))
    X[:, 7] = X[:, 0] + apart * X[:, 7]  # enters beside column 0, or is there beside it
    X[:, 6] = X[:, 1] + apart * X[:, 6]
    y = X[:, 0] + (X[:, 7] - X[:, 0]) / apart + 0.5 * rng.standard_normal(30)
    Z = problem_of(X, y)
    field, judge = whole(Z), CRITERIA["least-squares"].judge(Z)
    for members in ([0, 2, 3], [1, 3, 6], [0, 3, 7]):
        support = np.asarray([members])
        scores = around.neighbours(field, support, judge, resize=False).exchanged
        cost = ridge_cost(field, tableau(field, support, judge.ridges.kappa), scores)
        assert np.all(cost >= 0.0)
        for p, j in zip(*np.nonzero(np.isfinite(scores[0])), strict=True):
            exact = score_of(Z, exchanged(members, p, j), judge)
            assert exact <= scores[0, p, j] + 1e-6 or np.isinf(cost[0, p, j])
            assert exact >= scores[0, p, j] - cost[0, p, j] - 1e-6
    assert np.isinf(cost).any() == (apart < 1e-3)


def test_updates_do_not_drift():
    members = np.argsort(np.random.default_rng(0).random((3, 4, 30)), axis=2)[..., :6]
    for Z, own in zip(drawn(2, 3, 20, 30, K=6), members, strict=True):
        rests = []
        for refresh in (1, 10**6):
            chains, optima, n_exchanges = wander(
                whole(Z),
                own,
                np.full(4, 0.5),
                without=np.full(4, -1),
                settings=replace(SEARCH, refresh=refresh, walk_length=10, n_local_optima=9),
            )
            assert n_exchanges == 4 * 62
            rests.append([(c, tuple(sorted(m))) for c, m in zip(chains, optima, strict=True)])
        assert rests[0] == rests[1]


def is_local_optimum(Z, members, kappa):
    now = objective(Z, members, kappa, True)
    outside = set(range(Z.b.size)) - set(members)
    others = [exchanged(members, p, j) for p in range(len(members)) for j in outside]
    return all(objective(Z, own, kappa, True) >= now - 1e-3 for own in others)


def test_descents_end_at_local_optima():
    for Z in drawn(3, 2, 15, 10):
        starts = np.asarray([[7, 8, 9], [5, 6, 7]])
        ends, n_exchanges = descend(whole(Z), starts, np.full(2, 0.1), counts_log_det=True)
        assert all(is_local_optimum(Z, members, 0.1) for members in ends)
        assert n_exchanges > 0


def test_a_walk_does_without_the_column_it_is_told():
    Z, without = draw(3, 15, 10), np.asarray([0, -1, 1, 2])
    starts = np.asarray([[7, 8, 9]] * 4)
    settings = replace(SEARCH, walk_length=10, n_local_optima=5)
    chains, optima, _ = wander(
        whole(Z), starts, np.full(4, 0.1), without=without, settings=settings
    )
    assert set(chains) == set(range(4))
    assert not np.any(optima == without[chains][:, None])


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("seed", range(40))
def test_small_problems_get_the_best_of_all_supports(name, seed):
    rng = np.random.default_rng([7, seed])
    n_columns = int(rng.integers(2, 10))
    K = int(rng.integers(1, n_columns + 1))
    n_rows = int(rng.integers(3, 25))
    supports, judge = all_supports(n_columns, K), CRITERIA[name]
    sigma = rng.choice([0.1, 1.0])
    problems = drawn([8, seed], 2, n_rows, n_columns, K=min(3, n_columns), sigma=sigma)
    for Z, found in zip(problems, refined(problems, K, criterion=name), strict=True):
        scores = support_scores(Z, supports, judge)
        has_independent = bool(np.isfinite(scores).any())
        assert found.judge.is_diluted == (has_independent and judge.is_diluted)
        if not has_independent:  # without rows enough dilution leaves none
            scores = support_scores(Z, supports, replace(judge, is_diluted=False))
        np.testing.assert_allclose(found.objective, scores.min(), rtol=1e-7, atol=1e-5)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("n_rows", "K"), [(8, 4), (12, 3), (30, 5)])
def test_the_search_alone_finds_them_too(name, n_rows, K):
    problems = drawn([18, n_rows], 8, n_rows, 11, K=4, sigma=0.3)
    found = refined(problems, K, criterion=name, settings=NOT_ENUMERATED)
    lowest = [support_scores(Z, all_supports(11, K), CRITERIA[name]).min() for Z in problems]
    objectives = [one.objective for one in found]
    np.testing.assert_allclose(objectives, lowest, rtol=1e-7, atol=1e-5)


def test_rows_and_sums_give_the_same_support():
    for Z in drawn(5, 2, 40, 12):
        for problem in (Z, Z.by_sums):
            found = refine(problem, 3, generator=generator())
            assert found.support.tolist() == [0, 1, 2]


def test_starts_are_taken_and_counted():
    starts = np.asarray([[3, 4, 5], [0, 1, 2]])
    for found in refined(drawn(6, 2, 40, 60), 3, starts=starts, n_starts=2):
        assert found.support.tolist() == [0, 1, 2]
        assert found.n_agreeing_starts <= found.n_starts == 2


def test_where_every_support_is_scored_no_start_is_needed():
    found = refine(draw(6, 40, 12), 3, generator=generator())
    assert found.support.tolist() == [0, 1, 2]
    assert found.is_complete
    assert found.n_starts == 0


def test_optima_are_distinct_sorted_and_led_by_the_answer():
    Z = draw(7, 18, 40, K=8, sigma=1.0)
    found = refine(Z, 8, generator=generator())
    optima = found.ranked
    assert len({tuple(s) for s in optima.supports}) == len(optima.supports) > 1
    assert np.all(np.diff(optima.scores) >= 0)
    assert np.all(np.diff(optima.supports, axis=1) > 0)
    assert optima.scores[0] == pytest.approx(found.objective)
    again = support_scores(Z, optima.supports)
    np.testing.assert_allclose(again, optima.scores, rtol=1e-9)


@pytest.mark.parametrize("name", CRITERIA)
def test_constraints_are_hard(name):
    problems = drawn(8, 3, 30, 15)
    for settings in (SEARCH, NOT_ENUMERATED):
        options = {"criterion": name, "always": np.arange(15) == 11, "settings": settings}
        for found in refined(problems, 4, **options):
            for supports in (found.support[None], found.ranked.supports):
                assert np.all(np.any(supports == 11, axis=1))


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("K", [0, 1, 6, 9])
def test_any_size_up_to_all_columns(name, K):
    for found in refined(drawn(9, 2, 5, 9), K, criterion=name):
        assert found.support.shape == (K,)
        assert np.isfinite(found.objective)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("settings", [SEARCH, NOT_ENUMERATED])
def test_columns_of_zeros_are_not_selected(name, settings, rng):
    X = rng.standard_normal((20, 6))
    X[:, [0, 3]] = 1.0
    Z = problem_of(X, rng.standard_normal(20))
    for K in (2, 4):
        found = refine(Z, K, generator=generator(), criterion=name, settings=settings)
        assert not np.any(np.isin(found.ranked.supports, [0, 3]))


def test_a_response_of_zeros_has_an_answer():
    Z = draw(11, 20, 6)
    Z = DenseProblem.of_rows(Z.X, 0.0 * Z.y, Z.n, Z.dof)
    assert np.isfinite(refine(Z, 2, generator=generator()).objective)


@pytest.mark.parametrize("name", CRITERIA)
def test_of_duplicates_the_first_stands_and_the_others_are_told(name, rng):
    X = rng.standard_normal((40, 10))
    X[:, 9] = X[:, 2]
    X[:, 7] = -X[:, 2]
    Z = problem_of(X, X[:, 2] + X[:, 5] + 0.3 * rng.standard_normal(40))
    for seed in range(5):
        found = refine(Z, 2, generator=generator(seed=seed), criterion=name)
        assert found.support.tolist() == [2, 5]
    assert equivalent_features(Z, found.support, found.judge) == {2: [7, 9], 5: []}


def test_near_duplicates_are_told(rng):
    X = rng.standard_normal((400, 6))
    X[:, 4] = X[:, 1] + 1e-3 * rng.standard_normal(400)
    Z = problem_of(X, X[:, 1] + 0.1 * X[:, 2])
    judge = CRITERIA["evidence"].judge(Z)
    assert equivalent_features(Z, np.asarray([1, 2]), judge) == {1: [4], 2: []}


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("n_rows", "n_columns", "K"), [(40, 64, 10), (40, 700, 4)])
def test_what_a_column_could_be_exchanged_for_costs_nothing(name, n_rows, n_columns, K):
    for seed in range(6):
        Z = draw(seed, n_rows, n_columns, K)
        found = refine(Z, K, generator=generator(seed=seed), criterion=name)
        others = equivalent_features(Z, found.support, found.judge)
        for p, columns in enumerate(others.values()):
            for column in columns:
                score = score_of(Z, exchanged(found.support, p, column), CRITERIA[name])
                assert score <= found.objective + 1e-6


@pytest.mark.parametrize("name", CRITERIA)
def test_exchanges_with_some_columns_are_scored_one_by_one(name, door):
    Z = door(draw(15, 30, 12))
    members = np.asarray([0, 5, 7])
    leaving, entering = np.asarray([0, 0, 2, 1]), np.asarray([11, 2, 6, 11])
    judge = CRITERIA[name].judge(Z)
    scores = exchange_scores_with(Z, members, leaving, entering, judge)
    for place, column, score in zip(leaving, entering, scores, strict=True):
        expected = score_of(Z, exchanged(members, place, column), judge)
        assert score == pytest.approx(expected, abs=1e-8)


def test_a_pass_over_all_columns_sees_what_the_table_sees(door):
    for Z, members in zip(drawn(14, 2, 30, 12), ([0, 5, 7], [1, 2, 9]), strict=True):
        Z, support = door(Z), np.asarray(members)
        others = np.setdiff1d(np.arange(12), support)
        judge = CRITERIA["least-squares"].judge(Z)
        found = around.neighbours(whole(Z), support[None], judge, resize=False)
        expected = (found.exchanged[0] - found.present[0])[:, others]
        few = exchanges_for(Z, support, others, judge)
        np.testing.assert_allclose(few.change, expected, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(few.correlation, Z.G[np.ix_(support, others)] / Z.n, atol=1e-12)
        for locked in (np.zeros(3, dtype=bool), np.arange(3) == 1):
            passed = around_support(Z, support, judge, locked).exchanged
            least = expected[~locked].min(axis=0)
            np.testing.assert_allclose(passed.change[others], least, rtol=1e-6, atol=1e-6)
            assert np.all(np.isinf(passed.change[support]))
            largest = np.abs(few.correlation).max(axis=0)
            np.testing.assert_allclose(passed.correlation[others], largest, atol=1e-12)


@pytest.mark.parametrize("name", ["common-size", "evidence"])
@pytest.mark.parametrize("support", [[0, 5, 7], [], [2]])
def test_what_taking_in_a_column_adds_is_that_of_effects_around_zero(name, support, door):
    Z, support = door(draw(14, 30, 12)), np.asarray(support, dtype=np.int64)
    others = np.setdiff1d(np.arange(12), support)
    judge = replace(CRITERIA[name].judge(Z).around_zero(), is_diluted=False)
    if support.size:
        each = [judge.at(np.asarray([r])) for r in range(judge.ridges.kappa.size)]
        judge = min(each, key=lambda one: support_scores(Z, support[None], one)[0])
    larger = np.sort(np.array([np.append(support, j) for j in others]), axis=1)
    expected = support_scores(Z, larger, judge) - support_scores(Z, support[None], judge)[0]
    found = around_support(Z, support, CRITERIA[name].judge(Z))
    np.testing.assert_allclose(found.taken_in[others], expected, rtol=1e-6, atol=1e-6)
    assert np.all(np.isinf(found.taken_in[support]))


@pytest.mark.parametrize("support", [[0, 5], []])
def test_pairs_that_join_explain_most_of_what_a_support_leaves(support, door):
    Z, support = door(draw(16, 30, 14)), np.asarray(support, dtype=np.int64)
    others = np.setdiff1d(np.arange(14), support).tolist()

    def left(members):
        own = np.asarray(members)
        return Z.yy - Z.b[own] @ np.linalg.solve(Z.products(own), Z.b[own])

    of_pair = {pair: left([*support, *pair]) for pair in combinations(others, 2)}
    found = [tuple(pair) for pair in joining_pairs(Z, support, SEARCH).tolist()]
    assert found[0] == min(of_pair, key=of_pair.get)
    assert len(set(found)) == len(found) == SEARCH.joining_pairs
    # Each of the columns that explain most alone is in its best pair.
    partner = {i: min((p for p in of_pair if i in p), key=of_pair.get) for i in others}
    assert set(found) <= set(partner.values())
    assert [of_pair[pair] for pair in found] == sorted(of_pair[pair] for pair in found)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_working_set_gives_the_answer_of_all_columns(name, door):
    problems = [door(Z) for Z in drawn(15, 3, 60, 120, K=5)]
    settings = replace(SEARCH, most_columns=10, working_set=12)
    few = refined(problems, 5, criterion=name, settings=settings)
    for one, other in zip(few, refined(problems, 5, criterion=name), strict=True):
        assert one.support.tolist() == other.support.tolist()
        assert one.objective == pytest.approx(other.objective)


def test_sufficient_statistics_are_enough(rng):
    X = rng.standard_normal((1, 50, 8))
    sums = CentredSums.from_rows(X, X[..., 6] - X[..., 1])
    Z = tables_of_sums(sums, np.arange(8)).problem(0)
    assert refine(Z, 2, generator=generator()).support.tolist() == [1, 6]


def settled(scores, starts, after_first_round):
    record = SearchRecord()
    for place, score in enumerate(scores):
        record.add(np.asarray([place]).tobytes(), score)
    record.starts, record.n_challenges = list(starts), 10
    return record.is_settled(after_first_round, 4, 64)


def test_a_clear_lead_needs_few_starts_and_a_close_race_many():
    assert settled([-30.0], [-30.0] * 6, True)
    assert settled([-30.0, -10.0], [-30.0] * 5 + [-10.0], True)
    assert not settled([-30.0, -29.0], [-30.0] * 5 + [-29.0], True)
    assert settled([-30.0, -10.0], [-30.0] * 3 + [-10.0] * 20, False)
    assert not settled([-30.0, -29.0], [-30.0] * 8 + [-29.0] * 20, False)
    assert settled([-30.0, -29.0], [-30.0] * 20 + [-29.0] * 20, False)


@pytest.mark.parametrize("most", [4000, 5])
@pytest.mark.parametrize("name", CRITERIA)
def test_what_tables_do_not_carry_is_polished_one_by_one(name, most, monkeypatch):
    settings = replace(NOT_ENUMERATED, most_one_by_one=most)
    monkeypatch.setattr(library, "KERNEL", None)
    monkeypatch.setattr(around, "has_enough_digits", lambda *_: np.zeros(1, bool))
    Z = draw(40, 25, 12)
    exact = refine(Z, 3, generator=generator(), criterion=name, settings=settings)
    monkeypatch.undo()
    tables = refine(Z, 3, generator=generator(), criterion=name)
    np.testing.assert_array_equal(exact.support, tables.support)


def test_a_start_itself_counts_as_found():
    Z, begun = draw(41, 12, 40, K=8, sigma=1.0), np.arange(8)
    found = refine(Z, 8, starts=begun[None], generator=generator(), n_starts=1)
    assert begun.tolist() in found.ranked.supports.tolist()
    assert found.objective <= support_scores(Z, begun[None])[0]
