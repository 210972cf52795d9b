"""Closed-form swaps are recomputation; the search finds what enumeration finds."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_search import SCORES, all_supports

from projstg._core.data.centred_sums import CentredSums
from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.score import neighbours as around
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import residual_floor, support_scores
from projstg._core.score.tableau import ridge_cost, swap_objectives, tableau, tableaux
from projstg._core.search.best_support import equivalent_features, refine
from projstg._core.search.record import SearchRecord
from projstg._core.search.search_settings import SEARCH
from projstg._core.search.walk import Starts, descend, wander
from projstg._core.search.working_set import exchange_scores_with, outside_swaps, restricted

NOT_ENUMERATED = replace(SEARCH, n_enumerable=0)


def draw(seed, n_problems, n_rows, n_columns, K=3, sigma=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_problems, n_rows, n_columns))
    y = X[..., :K] @ rng.choice([-1.0, 1.0], K) + sigma * rng.standard_normal((n_problems, n_rows))
    return standardized(RowQuadratic.from_rows(X, y))[0]


def whole(Z):
    shape = Z.b.shape
    nobody = np.zeros(shape, dtype=bool)
    return restricted(Z, np.tile(np.arange(shape[1]), (shape[0], 1)), nobody, nobody)


def exchange_scores(field, problem, members, judge):
    """The scores of all exchanges and of the supports."""
    state, ridge = tableaux(field, problem, members, judge)
    return around.exchange_scores(field, problem, members, judge, state, ridge)[:2]


def objective(Z, i, members, kappa, counts_log_det):
    """ν log(rss) and, if it counts, log det H, from their definition."""
    A, y = Z.X[i][:, list(members)], Z.y[i]
    H = A.T @ A + kappa * np.eye(len(members))
    rss = y @ (y - A @ np.linalg.solve(H, A.T @ y))
    log_det = np.linalg.slogdet(H)[1] if counts_log_det else 0.0
    return float(Z.degrees_of_freedom[i]) * np.log(rss) + log_det


def generator(i=0, seed=0):
    return np.random.default_rng([seed, i])


def refined(Z, K, **options):
    """The answers to a batch, one problem after another."""
    each = range(len(Z.n))
    return [refine(Z.problems(np.asarray([i])), K, generator=generator(i), **options) for i in each]


def every(answers, name):
    """One field of several answers."""
    return np.asarray([getattr(one, name) for one in answers])


@pytest.mark.parametrize("counts_log_det", [True, False])
@pytest.mark.parametrize(("n_rows", "kappa"), [(30, 0.3), (30, 1e-3), (5, 0.3)])
def test_every_swap_in_the_table_is_its_recomputation(n_rows, kappa, counts_log_det):
    Z = draw(0, 2, n_rows, 8)
    field = whole(Z)
    problem, members = np.asarray([0, 1]), np.asarray([[0, 4, 6], [7, 1, 2]])
    state = tableau(field, problem, members, np.full(2, kappa))
    floor = residual_floor(field.yy)
    table = swap_objectives(state, field.dof, floor, counts_log_det)
    for c in range(2):
        for p in range(3):
            for j in set(range(8)) - set(members[c]):
                other = members[c].copy()
                other[p] = j
                expected = objective(Z, c, other, kappa, counts_log_det)
                if counts_log_det:
                    expected -= objective(Z, c, members[c], kappa, True)
                    expected += objective(Z, c, members[c], kappa, False)
                np.testing.assert_allclose(table[c, p, j], expected, atol=1e-7)


@pytest.mark.parametrize("name", CRITERIA)
def test_exchange_scores_are_scores_of_exchanges(name):
    Z = draw(1, 2, 12, 7)
    members = np.asarray([[0, 4, 6], [6, 1, 2]])
    judge = CRITERIA[name].judge(Z)
    scores, present = exchange_scores(whole(Z), np.asarray([0, 1]), members, judge)
    for c in range(2):
        np.testing.assert_allclose(present[c], SCORES[name](Z.X[c], Z.y[c], members[c], 11))
        for p in range(3):
            for j in range(7):
                other = members[c].copy()
                other[p] = j
                if j in members[c]:
                    assert scores[c, p, j] == np.inf
                    continue
                expected = SCORES[name](Z.X[c], Z.y[c], other, 11)
                np.testing.assert_allclose(scores[c, p, j], expected, rtol=1e-8)


@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-4, 3e-5, 3e-6])
def test_a_ridge_costs_least_squares_no_more_than_is_said(apart):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((1, 30, 8))
    X[..., 7] = X[..., 0] + apart * X[..., 7]  # enters beside column 0, or is there beside it
    X[..., 6] = X[..., 1] + apart * X[..., 6]
    y = X[..., 0] + (X[..., 7] - X[..., 0]) / apart + 0.5 * rng.standard_normal((1, 30))
    Z = standardized(RowQuadratic.from_rows(X, y))[0]
    field, judge, problem = whole(Z), CRITERIA["least-squares"].judge(Z), np.zeros(1, dtype=int)
    for members in (np.asarray([[0, 2, 3]]), np.asarray([[1, 3, 6]]), np.asarray([[0, 3, 7]])):
        state, ridge = tableaux(field, problem, members, judge)
        scores = around.exchange_scores(field, problem, members, judge, state, ridge)[0]
        cost = ridge_cost(field, problem, state, scores)
        assert np.all(cost >= 0.0)
        for p, j in zip(*np.nonzero(np.isfinite(scores[0])), strict=True):
            other = np.sort(np.where(np.arange(3) == p, j, members[0]))
            exact = support_scores(Z, other[None, None], judge)[0, 0]
            assert exact <= scores[0, p, j] + 1e-6 or np.isinf(cost[0, p, j])
            assert exact >= scores[0, p, j] - cost[0, p, j] - 1e-6
    assert np.isinf(cost).any() == (apart < 1e-3)


def test_updates_do_not_drift():
    Z = draw(2, 3, 20, 30, K=6)
    field = whole(Z)
    problem = np.repeat(np.arange(3), 4)
    members = np.argsort(np.random.default_rng(0).random((12, 30)), axis=1)[:, :6]

    def rests(refresh):
        settings = replace(SEARCH, refresh=refresh)
        kappa, none, n_iter = np.full(12, 0.5), np.full(12, -1), np.zeros(3, dtype=np.int64)
        starts = Starts(problem, members, kappa, 0.5 / 20)
        found = wander(
            field,
            starts,
            length=60,
            n_local_optima=9,
            without=none,
            n_iter=n_iter,
            settings=settings,
        )
        assert n_iter.tolist() == [240] * 3
        return [(c, tuple(sorted(m))) for c, m in zip(*found, strict=True)]

    assert rests(1) == rests(10**6)


def is_local_optimum(Z, i, members, kappa):
    now = objective(Z, i, members, kappa, True)
    others = set(range(Z.X.shape[2])) - set(members)
    swaps = [np.where(members == m, j, members) for m in members for j in others]
    return all(objective(Z, i, own, kappa, True) >= now - 1e-3 for own in swaps)


def test_descents_end_at_local_optima():
    Z = draw(3, 2, 15, 10)
    n_iter = np.zeros(2, dtype=np.int64)
    starts = Starts(np.arange(2), np.asarray([[7, 8, 9]] * 2), np.full(2, 0.1), 0.1 / 15)
    ends = descend(whole(Z), starts, counts_log_det=True, n_iter=n_iter)
    assert all(is_local_optimum(Z, i, ends[i], 0.1) for i in range(2))
    assert np.all(n_iter > 0)


def test_a_walk_does_without_the_column_it_is_told():
    Z = draw(3, 1, 15, 10)
    chains, without = np.zeros(4, dtype=np.int64), np.asarray([0, -1, 1, 2])
    starts = Starts(chains, np.asarray([[7, 8, 9]] * 4), np.full(4, 0.1), 0.1 / 15)
    n_iter = np.zeros(1, dtype=np.int64)
    rests = wander(whole(Z), starts, length=30, n_local_optima=5, without=without, n_iter=n_iter)
    assert set(rests.chains) == set(range(4))
    assert not np.any(rests.members == without[rests.chains][:, None])


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("seed", range(40))
def test_small_problems_get_the_best_of_all_supports(name, seed):
    rng = np.random.default_rng([7, seed])
    n_columns = int(rng.integers(2, 10))
    K = int(rng.integers(1, n_columns + 1))
    n_rows = int(rng.integers(3, 25))
    Z = draw([8, seed], 2, n_rows, n_columns, K=min(3, n_columns), sigma=rng.choice([0.1, 1.0]))
    found = refined(Z, K, criterion=name)
    supports = all_supports(n_columns, K)
    judge = CRITERIA[name]
    scores = support_scores(Z, np.stack([supports, supports]), judge)
    has_independent = np.isfinite(scores).any(axis=1)
    is_diluted = [one.judge.is_diluted for one in found]
    assert is_diluted == (has_independent & judge.is_diluted).tolist()
    if not has_independent.all():  # without rows enough dilution leaves none
        scores = support_scores(Z, np.stack([supports, supports]), replace(judge, is_diluted=False))
    lowest = scores.min(axis=1)
    np.testing.assert_allclose(every(found, "objective"), lowest, rtol=1e-7, atol=1e-5)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("n_rows", "K"), [(8, 4), (12, 3), (30, 5)])
def test_the_search_alone_finds_them_too(name, n_rows, K):
    Z = draw([18, n_rows], 8, n_rows, 11, K=4, sigma=0.3)
    found = refined(Z, K, criterion=name, settings=NOT_ENUMERATED)
    supports = np.broadcast_to(all_supports(11, K), (8, *all_supports(11, K).shape))
    scores = support_scores(Z, supports, CRITERIA[name])
    lowest = scores.min(axis=1)
    np.testing.assert_allclose(every(found, "objective"), lowest, rtol=1e-7, atol=1e-5)


def test_rows_and_gram_give_the_same_support():
    Z = draw(5, 2, 40, 12)
    for problem in (Z, Z.gram):
        assert every(refined(problem, 3), "support").tolist() == [[0, 1, 2]] * 2


def test_starts_are_taken_and_counted():
    Z = draw(6, 2, 40, 60)
    starts = np.asarray([[3, 4, 5], [0, 1, 2]])
    for found in refined(Z, 3, starts=starts, n_starts=2):
        assert found.support.tolist() == [0, 1, 2]
        assert found.n_agreeing_starts <= found.n_starts == 2


def test_where_every_support_is_scored_no_start_is_needed():
    found = refine(draw(6, 1, 40, 12), 3, generator=generator())
    assert found.support.tolist() == [0, 1, 2]
    assert found.is_complete
    assert found.n_starts == 0


def test_optima_are_distinct_sorted_and_led_by_the_answer():
    Z = draw(7, 1, 18, 40, K=8, sigma=1.0)
    found = refine(Z, 8, generator=generator())
    optima = found.ranked
    assert len({tuple(s) for s in optima.supports}) == len(optima.supports) > 1
    assert np.all(np.diff(optima.scores) >= 0)
    assert np.all(np.diff(optima.supports, axis=1) > 0)
    assert optima.scores[0] == pytest.approx(found.objective)
    again = support_scores(Z, optima.supports[None])[0]
    np.testing.assert_allclose(again, optima.scores, rtol=1e-9)


@pytest.mark.parametrize("name", CRITERIA)
def test_constraints_are_hard(name):
    Z = draw(8, 3, 30, 15)
    always, never = np.arange(15) == 11, np.arange(15) < 2
    for found in refined(Z, 4, criterion=name, always=always, never=never):
        for supports in (found.support[None], found.ranked.supports):
            assert np.all(np.any(supports == 11, axis=1))
            assert not np.any(supports < 2)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("K", [0, 1, 6, 9])
def test_any_size_up_to_all_columns(name, K):
    Z = draw(9, 2, 5, 9)
    for found in refined(Z, K, criterion=name):
        assert found.support.shape == (K,)
        assert np.isfinite(found.objective)


def test_zero_columns_come_last():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((1, 20, 6))
    X[..., [0, 3]] = 1.0
    Z, _ = standardized(RowQuadratic.from_rows(X, rng.standard_normal((1, 20))), 1e-20)
    assert not set(refine(Z, 4, generator=generator()).support) & {0, 3}
    assert len(set(refine(Z, 5, generator=generator()).support) & {0, 3}) == 1


def test_a_response_of_zeros_has_an_answer():
    Z = draw(11, 1, 20, 6)
    Z = RowQuadratic(Z.X, 0.0 * Z.y, Z.n, Z.degrees_of_freedom)
    assert np.isfinite(refine(Z, 2, generator=generator()).objective)


@pytest.mark.parametrize("name", CRITERIA)
def test_of_duplicates_the_first_stands_and_the_others_are_told(name):
    rng = np.random.default_rng(12)
    X = rng.standard_normal((1, 40, 10))
    X[..., 9] = X[..., 2]
    X[..., 7] = -X[..., 2]
    y = X[..., 2] + X[..., 5] + 0.3 * rng.standard_normal((1, 40))
    Z, _ = standardized(RowQuadratic.from_rows(X, y))
    for seed in range(5):
        found = refine(Z, 2, generator=generator(seed=seed), criterion=name)
        assert found.support.tolist() == [2, 5]
    assert equivalent_features(Z, found.support, CRITERIA[name]) == {2: [7, 9], 5: []}


def test_near_duplicates_are_told():
    rng = np.random.default_rng(13)
    X = rng.standard_normal((1, 400, 6))
    X[..., 4] = X[..., 1] + 1e-3 * rng.standard_normal((1, 400))
    Z, _ = standardized(RowQuadratic.from_rows(X, X[..., 1] + 0.1 * X[..., 2]))
    assert equivalent_features(Z, np.asarray([1, 2]), CRITERIA["evidence"]) == {1: [4], 2: []}


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("n_rows", "n_columns", "K"), [(40, 64, 10), (40, 700, 4)])
def test_what_a_column_could_be_exchanged_for_costs_nothing(name, n_rows, n_columns, K):
    for seed in range(6):
        Z = draw(seed, 1, n_rows, n_columns, K)
        found = refine(Z, K, generator=generator(seed=seed), criterion=name)
        support, others = found.support, equivalent_features(Z, found.support, CRITERIA[name])
        for member, columns in others.items():
            for column in columns:
                exchanged = np.sort(np.append(support[support != member], column))
                score = support_scores(Z, exchanged[None, None], CRITERIA[name])[0, 0]
                assert score <= found.objective + 1e-6


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("through", ["rows", "sums"])
def test_exchanges_with_some_columns_are_scored_one_by_one(name, through):
    Z = draw(15, 1, 30, 12)
    Z = Z.gram if through == "sums" else Z
    members = np.asarray([0, 5, 7])
    leaving, entering = np.asarray([0, 0, 2, 1]), np.asarray([11, 2, 6, 11])
    judge = CRITERIA[name].judge(Z)
    scores = exchange_scores_with(Z, members, leaving, entering, judge)
    for place, column, score in zip(leaving, entering, scores, strict=True):
        other = np.sort(np.append(np.delete(members, place), column))
        expected = support_scores(Z, other[None, None], judge)[0, 0]
        assert score == pytest.approx(expected, abs=1e-8)


def test_outside_swaps_see_what_the_table_sees():
    Z = draw(14, 2, 30, 12)
    members, nobody = np.asarray([[0, 5, 7], [1, 2, 9]]), np.zeros((2, 12), dtype=bool)
    judge = CRITERIA["least-squares"].judge(Z)
    change = outside_swaps(Z, members, nobody, nobody, judge)
    scores, present = exchange_scores(whole(Z), np.arange(2), members, judge)
    expected = scores - present[:, None, None]
    np.testing.assert_array_equal(np.isfinite(change), np.isfinite(expected))
    permitted = np.isfinite(expected)
    np.testing.assert_allclose(change[permitted], expected[permitted], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", ["rows", "gram"])
@pytest.mark.parametrize("name", CRITERIA)
def test_a_working_set_gives_the_answer_of_all_columns(name, kind):
    Z = draw(15, 3, 60, 120, K=5)
    problem = Z if kind == "rows" else Z.gram
    settings = replace(SEARCH, most_columns=10, working_set=12)
    few = refined(problem, 5, criterion=name, settings=settings)
    for one, other in zip(few, refined(problem, 5, criterion=name), strict=True):
        assert one.support.tolist() == other.support.tolist()
        assert one.objective == pytest.approx(other.objective)


def test_sufficient_statistics_are_enough():
    rng = np.random.default_rng(16)
    X = rng.standard_normal((1, 50, 8))
    y = X[..., 6] - X[..., 1]
    Z, _ = standardized(CentredSums.from_rows(X, y).quadratic())
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
    settings = replace(SEARCH, most_one_by_one=most)
    monkeypatch.setattr(
        around, "has_enough_digits", lambda field, problem, state: np.zeros(1, bool)
    )
    Z = draw(40, 1, 25, 12)
    exact = refine(Z, 3, generator=generator(), criterion=name, settings=settings)
    monkeypatch.undo()
    tables = refine(Z, 3, generator=generator(), criterion=name)
    np.testing.assert_array_equal(exact.support, tables.support)


def test_a_start_itself_counts_as_found():
    Z, begun = draw(41, 1, 12, 40, K=8, sigma=1.0), np.arange(8)
    found = refine(
        Z,
        8,
        starts=begun[None],
        generator=generator(),
        n_starts=1,
        settings=NOT_ENUMERATED,
    )
    assert begun.tolist() in found.ranked.supports.tolist()
    assert found.objective <= support_scores(Z, begun[None, None])[0, 0]
