"""Every neighbour's score is the score of that support; what may not move has none."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_search import SCORES
from rounding import assert_same_numbers

from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.score import neighbours as around_module
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.score_settings import SCORE
from projstg._core.search.working_set import restricted

JUDGES = [name for name, criterion in CRITERIA.items() if criterion.counts_volume]
SUPPORTS = {0: [[], []], 1: [[4], [0]], 3: [[0, 4, 6], [7, 1, 2]]}


def draw(seed, n_problems=2, n_rows=14, n_columns=8, centre=True):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_problems, n_rows, n_columns)) + 0.5
    y = X[..., 0] - X[..., 1] + 0.5 * X[..., 4] + 0.5 * rng.standard_normal((n_problems, n_rows))
    return X, y, standardized(RowQuadratic.from_rows(X, y, centre=centre))[0]


def field_of(Z, excluded=(), locked=()):
    n_problems, n_columns = Z.b.shape
    columns = np.tile(np.arange(n_columns), (n_problems, 1))
    return restricted(Z, columns, np.isin(columns, excluded), np.isin(columns, locked))


def around(Z, members, name, resize=True, **limits):
    members = np.asarray(members, dtype=np.int64).reshape(len(members), -1)
    problem = np.arange(len(members))
    judge = CRITERIA[name].judge(Z)
    return neighbours(field_of(Z, **limits), problem, members, judge, resize=resize)


def score_of(Z, support, criterion):
    """The score of one support of the first problem."""
    return support_scores(Z, np.asarray(support, dtype=np.int64)[None, None], criterion)[0, 0]


def moves(members, n_columns):
    """Every neighbour of a support: the table it stands in, its place there, its columns."""
    outside = [j for j in range(n_columns) if j not in members]
    for j in outside:
        yield "added", (j,), [*members, j]
    for p in range(len(members)):
        rest = [*members[:p], *members[p + 1 :]]
        yield "left_out", (p,), rest
        for j in outside:
            yield "exchanged", (p, j), [*rest, j]


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("K", SUPPORTS)
def test_every_score_is_that_of_its_support(name, centre, K):
    _, _, Z = draw(0, centre=centre)
    found = around(Z, SUPPORTS[K], name)
    dof = 14 - centre
    for c, members in enumerate(SUPPORTS[K]):

        def expected(support, c=c):
            return SCORES[name](Z.X[c], Z.y[c], support, dof)

        np.testing.assert_allclose(found.present[c], expected(members), rtol=1e-8)
        every = list(moves(members, 8))
        for table, place, support in every[c::2]:  # the slow scores take long: half in each problem
            score = getattr(found, table)[(c, *place)]
            np.testing.assert_allclose(score, expected(support), rtol=1e-7, atol=1e-7)
        tables = (found.exchanged[c], found.added[c], found.left_out[c])
        assert sum(int(np.isfinite(table).sum()) for table in tables) == len(every)


@pytest.mark.parametrize("name", JUDGES)
def test_problems_of_a_batch_may_have_different_weights(name):
    X, y, _ = draw(3)
    weights = np.stack([np.ones(14), np.full(14, 30.0)])
    Z, _ = standardized(RowQuadratic.from_rows(X, y, weights))
    found = around(Z, SUPPORTS[3], name)
    for table, place, support in moves(SUPPORTS[3][1], 8):
        alone = score_of(Z.problems(np.asarray([1])), np.sort(support), CRITERIA[name])
        assert getattr(found, table)[(1, *place)] == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("name", JUDGES)
def test_neighbours_have_no_order(name):
    _, _, Z = draw(1, n_problems=1)
    one, other = around(Z, [[0, 4, 6]], name), around(Z, [[6, 0, 4]], name)
    np.testing.assert_allclose(one.added, other.added, rtol=1e-9)
    np.testing.assert_allclose(one.left_out[:, [2, 0, 1]], other.left_out, rtol=1e-9)
    np.testing.assert_allclose(one.exchanged[:, [2, 0, 1]], other.exchanged, rtol=1e-9)


@pytest.mark.parametrize("name", JUDGES)
def test_excluded_columns_do_not_enter_and_locked_ones_do_not_leave(name):
    _, _, Z = draw(2, n_problems=1)
    free = around(Z, [[0, 4, 6]], name)
    bound = around(Z, [[0, 4, 6]], name, excluded=[3, 7], locked=[4])
    for table, place, support in moves([0, 4, 6], 8):
        score = getattr(bound, table)[(0, *place)]
        if {3, 7} & set(support) or 4 not in support:
            assert score == np.inf
        else:
            np.testing.assert_allclose(score, getattr(free, table)[(0, *place)], rtol=1e-12)
    np.testing.assert_allclose(bound.present, free.present, rtol=1e-12)


@pytest.mark.parametrize("name", JUDGES)
def test_without_other_sizes_only_exchanges_are_scored(name):
    _, _, Z = draw(3, n_problems=1)
    whole, same = around(Z, [[0, 4]], name), around(Z, [[0, 4]], name, resize=False)
    assert_same_numbers(same.exchanged, whole.exchanged)
    assert np.all(np.isinf(same.added))
    assert np.all(np.isinf(same.left_out))


@pytest.mark.parametrize("is_diluted", [True, False])
@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("n_rows", [20, 6])
def test_collinear_columns_have_the_scores_of_their_supports(name, n_rows, is_diluted):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((1, n_rows, 8))
    X[..., 5] = -2.0 * X[..., 0]
    X[..., 6] = X[..., 0] + X[..., 1]
    X[..., 7] = 3.0  # zero once centred
    y = X[..., 0] + X[..., 2] + 0.3 * rng.standard_normal((1, n_rows))
    Z = standardized(RowQuadratic.from_rows(X, y))[0]
    judge = replace(CRITERIA[name], is_diluted=is_diluted).judge(Z)
    independent = ([0], [0, 1], [2, 5], [1, 2, 6])
    for members in independent if is_diluted else ([0], [0, 5], [0, 1, 6], [2, 7]):
        own = np.asarray([members])
        found = neighbours(field_of(Z), np.zeros(1, int), own, judge, resize=True)
        assert found.has_enough_digits.tolist() == [True] or not is_diluted
        for table, place, support in moves(members, 8):
            score = getattr(found, table)[(0, *place)]
            expected = score_of(Z, support, judge)
            # At the smallest ridge a dependent column is all rounding.
            np.testing.assert_allclose(score, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-6, 1e-8])
def test_where_a_pivot_does_not_tell_whether_columns_depend_the_table_says_so(apart):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((1, 30, 6))
    X[..., 5] = X[..., 0] + apart * X[..., 5]
    Z = standardized(RowQuadratic.from_rows(X, rng.standard_normal((1, 30))))[0]
    found = around(Z, [[0, 1]], "evidence")
    assert found.has_enough_digits.tolist() == [apart not in (1e-5, 1e-6)]
    free = around(Z, [[0, 1]], "evidence", excluded=[5])
    assert free.has_enough_digits.tolist() == [True]
    if apart == 1e-8:
        assert found.added[0, 5] == np.inf == score_of(Z, [0, 1, 5], CRITERIA["evidence"])


@pytest.mark.parametrize("name", JUDGES)
def test_a_fit_without_error_stays_finite(name):
    X, _, _ = draw(5, n_problems=1)
    Z = standardized(RowQuadratic.from_rows(X, X[..., 0] - X[..., 1]))[0]
    found = around(Z, [[0, 1]], name)
    outside = [j for j in range(8) if j > 1]
    assert np.all(np.isfinite(found.added[0, outside]))
    assert np.all(np.isfinite(found.left_out))
    assert np.all(np.isfinite(found.exchanged[0][:, outside]))
    assert found.present[0] < found.left_out.min() - 100.0
    nothing = standardized(RowQuadratic.from_rows(X, np.zeros((1, 14))))[0]
    assert np.all(np.isfinite(around(nothing, [[0, 1]], name).added[0, outside]))


def test_beyond_many_exchanges_those_best_around_zero_are_exact_and_the_others_infinite(
    monkeypatch,
):
    monkeypatch.setattr(around_module, "SCORE", replace(SCORE, n_exact_exchanges=7))
    _, _, Z = draw(6, n_problems=1)
    members = [0, 4, 6]
    common = CRITERIA["common-size"]
    likeliest = np.minimum(common.ridges.zero_cost, common.ridges.size_cost)
    nowhere = np.full_like(likeliest, np.inf)
    same_grid = replace(
        common, ridges=common.ridges._replace(zero_cost=likeliest, size_cost=nowhere)
    )
    found = around(Z, [members], "common-size").exchanged[0]
    scored = {place: support for table, place, support in moves(members, 8) if table == "exchanged"}
    gaussian = {place: score_of(Z, support, same_grid) for place, support in scored.items()}
    best = sorted(gaussian, key=gaussian.get)[:7]
    assert {tuple(place) for place in np.argwhere(np.isfinite(found))} == set(best)
    for place in best:
        expected = score_of(Z, scored[place], common)
        np.testing.assert_allclose(found[place], expected, rtol=1e-8)


def test_each_support_is_that_of_its_problem():
    _, _, Z = draw(7, n_problems=3)
    members, problem = np.asarray([[1, 2], [1, 2], [5, 0]]), np.asarray([2, 0, 2])
    judge = CRITERIA["common-size"]
    together = neighbours(field_of(Z), problem, members, judge.judge(Z), resize=True)
    for c in range(3):
        one, first = Z.problems(problem[[c]]), np.zeros(1, int)
        alone = neighbours(field_of(one), first, members[[c]], judge.judge(one), resize=True)
        for whole, own in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole[c], own[0], rtol=1e-9)
