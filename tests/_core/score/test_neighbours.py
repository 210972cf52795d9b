"""Every neighbour's score is the score of that support; what may not move has none."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of
from oracles_search import SCORES
from rounding import assert_same_numbers

from projstg._core.score import neighbours as around_module
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.score_settings import SCORE
from projstg._core.score.tableau import Field

WITH_VOLUME = [name for name, criterion in CRITERIA.items() if criterion.counts_volume]
SUPPORTS = {0: [[], []], 1: [[4], [0]], 3: [[0, 4, 6], [7, 1, 2]]}


def draw(seed, n_rows=14, n_columns=8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) + 0.5
    return X, X[:, 0] - X[:, 1] + 0.5 * X[:, 4] + 0.5 * rng.standard_normal(n_rows)


def field_of(Z, excluded=(), locked=()):
    """All columns, of which one of zeros may enter: there is a formula for its score."""
    columns = np.arange(Z.b.size)
    field = Field.of(Z, np.isin(columns, locked))
    return field._replace(excluded=np.isin(columns, excluded))


def around(Z, members, name, resize=True, **limits):
    members = np.asarray(members, dtype=np.int64).reshape(len(members), -1)
    return neighbours(field_of(Z, **limits), members, CRITERIA[name].judge(Z), resize=resize)


def score_of(Z, support, criterion):
    return support_scores(Z, np.asarray(support, dtype=np.int64)[None], criterion)[0]


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


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("K", SUPPORTS)
def test_every_score_is_that_of_its_support(name, centre, K):
    Z = problem_of(*draw(0), centre=centre)
    found = around(Z, SUPPORTS[K], name)
    dof = 14 - centre
    for c, members in enumerate(SUPPORTS[K]):

        def expected(support):
            return SCORES[name](Z.X, Z.y, support, dof)

        np.testing.assert_allclose(found.present[c], expected(members), rtol=1e-8)
        every = list(moves(members, 8))
        for table, place, support in every[c::2]:  # the slow scores take long: half of each
            score = getattr(found, table)[(c, *place)]
            np.testing.assert_allclose(score, expected(support), rtol=1e-7, atol=1e-7)
        tables = (found.exchanged[c], found.added[c], found.left_out[c])
        assert sum(int(np.isfinite(table).sum()) for table in tables) == len(every)


@pytest.mark.parametrize("name", CRITERIA)
def test_rows_may_have_weights(name):
    Z = problem_of(*draw(3), np.full(14, 30.0))
    found = around(Z, SUPPORTS[3], name)
    for table, place, support in moves(SUPPORTS[3][1], 8):
        alone = score_of(Z, np.sort(support), CRITERIA[name])
        assert getattr(found, table)[(1, *place)] == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("name", CRITERIA)
def test_neighbours_have_no_order(name):
    Z = problem_of(*draw(1))
    one, other = around(Z, [[0, 4, 6]], name), around(Z, [[6, 0, 4]], name)
    np.testing.assert_allclose(one.added, other.added, rtol=1e-9)
    np.testing.assert_allclose(one.left_out[:, [2, 0, 1]], other.left_out, rtol=1e-9)
    np.testing.assert_allclose(one.exchanged[:, [2, 0, 1]], other.exchanged, rtol=1e-9)


@pytest.mark.parametrize("name", CRITERIA)
def test_excluded_columns_do_not_enter_and_locked_ones_do_not_leave(name):
    Z = problem_of(*draw(2))
    free = around(Z, [[0, 4, 6]], name)
    bound = around(Z, [[0, 4, 6]], name, excluded=[3, 7], locked=[4])
    for table, place, support in moves([0, 4, 6], 8):
        score = getattr(bound, table)[(0, *place)]
        if {3, 7} & set(support) or 4 not in support:
            assert score == np.inf
        else:
            np.testing.assert_allclose(score, getattr(free, table)[(0, *place)], rtol=1e-12)
    np.testing.assert_allclose(bound.present, free.present, rtol=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
def test_without_other_sizes_only_exchanges_are_scored(name):
    Z = problem_of(*draw(3))
    whole, same = around(Z, [[0, 4]], name), around(Z, [[0, 4]], name, resize=False)
    assert_same_numbers(same.exchanged, whole.exchanged)
    assert np.all(np.isinf(same.added))
    assert np.all(np.isinf(same.left_out))


@pytest.mark.parametrize("is_diluted", [True, False])
@pytest.mark.parametrize("name", WITH_VOLUME)
@pytest.mark.parametrize("n_rows", [20, 6])
def test_collinear_columns_have_the_scores_of_their_supports(name, n_rows, is_diluted):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n_rows, 8))
    X[:, 5] = -2.0 * X[:, 0]
    X[:, 6] = X[:, 0] + X[:, 1]
    X[:, 7] = 3.0  # zero once centred
    Z = problem_of(X, X[:, 0] + X[:, 2] + 0.3 * rng.standard_normal(n_rows))
    judge = replace(CRITERIA[name], is_diluted=is_diluted).judge(Z)
    independent = ([0], [0, 1], [2, 5], [1, 2, 6])
    for members in independent if is_diluted else ([0], [0, 5], [0, 1, 6], [2, 7]):
        found = neighbours(field_of(Z), np.asarray([members]), judge, resize=True)
        assert found.has_enough_digits.tolist() == [True] or not is_diluted
        for table, place, support in moves(members, 8):
            score = getattr(found, table)[(0, *place)]
            expected = score_of(Z, support, judge)
            # At the smallest ridge a dependent column is all rounding.
            np.testing.assert_allclose(score, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-6, 1e-8])
def test_where_a_pivot_does_not_tell_whether_columns_depend_the_table_says_so(apart):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((30, 6))
    X[:, 5] = X[:, 0] + apart * X[:, 5]
    Z = problem_of(X, rng.standard_normal(30))
    found = around(Z, [[0, 1]], "evidence")
    assert found.has_enough_digits.tolist() == [apart not in (1e-5, 1e-6)]
    free = around(Z, [[0, 1]], "evidence", excluded=[5])
    assert free.has_enough_digits.tolist() == [True]
    if apart == 1e-8:
        assert found.added[0, 5] == np.inf == score_of(Z, [0, 1, 5], CRITERIA["evidence"])


@pytest.mark.parametrize("name", CRITERIA)
def test_a_fit_without_error_stays_finite(name):
    X, _ = draw(5)
    Z = problem_of(X, X[:, 0] - X[:, 1])
    found = around(Z, [[0, 1]], name)
    outside = [j for j in range(8) if j > 1]
    assert np.all(np.isfinite(found.added[0, outside]))
    assert np.all(np.isfinite(found.left_out))
    assert np.all(np.isfinite(found.exchanged[0][:, outside]))
    assert found.present[0] < found.left_out.min() - 100.0
    nothing = problem_of(X, np.zeros(14))
    assert np.all(np.isfinite(around(nothing, [[0, 1]], name).added[0, outside]))


def test_beyond_many_exchanges_those_best_around_zero_are_exact_and_the_others_infinite(
    monkeypatch,
):
    monkeypatch.setattr(around_module, "SCORE", replace(SCORE, n_exact_exchanges=7))
    Z = problem_of(*draw(6))
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


def test_supports_side_by_side_have_the_scores_they_have_alone():
    Z, members = problem_of(*draw(7)), [[1, 2], [4, 2], [5, 0]]
    together = around(Z, members, "common-size")
    for c in range(3):
        alone = around(Z, members[c : c + 1], "common-size")
        for whole, own in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole[c], own[0], rtol=1e-9)
