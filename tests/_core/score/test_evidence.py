"""The score is its formula, is blind to order, and stays finite where the formula breaks."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of
from oracles_search import SCORES

from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores, total_score


def draw(seed, n_rows, n_columns, *n_tables):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((*n_tables, n_rows, n_columns)) + 1.0
    return X, X[..., 0] - 2.0 * X[..., 1] + rng.standard_normal((*n_tables, n_rows))


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize(("n_rows", "K"), [(30, 1), (30, 4), (6, 4)])
def test_scores_are_their_formula(name, centre, n_rows, K):
    every = np.argsort(np.random.default_rng(1).random((3, 5, 7)), axis=-1)[..., :K]
    for X, y, supports in zip(*draw(0, n_rows, 7, 3), every, strict=True):
        Z = problem_of(X, y, centre=centre)
        scores = support_scores(Z, supports, CRITERIA[name])
        by_sums = support_scores(Z.by_sums, supports, CRITERIA[name])
        np.testing.assert_allclose(scores, by_sums, rtol=1e-9)
        expected = [SCORES[name](Z.X, Z.y, own, n_rows - centre) for own in supports]
        np.testing.assert_allclose(scores, expected, rtol=1e-8, atol=1e-8)


def test_the_columns_of_a_support_have_no_order():
    one, other = support_scores(problem_of(*draw(2, 20, 6)), np.asarray([[0, 3, 5], [5, 0, 3]]))
    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_fit_without_error_is_finite_and_best(name):
    X, _ = draw(3, 20, 6)
    Z = problem_of(X, X[:, 0] - X[:, 1])
    scores = support_scores(Z, np.asarray([[0, 1], [0, 2], [2, 3]]), CRITERIA[name])
    assert np.all(np.isfinite(scores))
    assert scores[0] < scores[1] - 100.0


@pytest.mark.parametrize("is_diluted", [True, False])
@pytest.mark.parametrize("name", CRITERIA)
def test_scores_are_finite_whatever_the_columns_unless_dilution_forbids_them(name, is_diluted):
    X, y = draw(4, 5, 8)
    X[:, 3] = 2.0  # no variation: a column of zeros once centred
    X[:, 4] = X[:, 0]
    everything = np.arange(8)[None]
    judge = replace(CRITERIA[name], is_diluted=is_diluted)
    for target in (y, 0.0 * y, np.ones_like(y)):
        Z = problem_of(X, target)
        for dependent in (everything, everything[:, [0, 4]], everything[:, [3]]):
            score = support_scores(Z, dependent, judge)[0]
            assert score == np.inf if is_diluted else np.isfinite(score)
        for independent in (everything[:, :0], everything[:, [0, 1]], everything[:, [4]]):
            assert np.all(np.isfinite(support_scores(Z, independent, judge)))


def test_a_copy_is_a_support_of_no_prior_and_a_near_copy_of_little():
    X, y = draw(6, 30, 3)
    judge = CRITERIA["evidence"]
    plain, lost = replace(judge, is_diluted=False), []
    for apart in (1.0, 1e-2, 1e-4, 1e-6):
        near = X.copy()
        near[:, 2] = X[:, 0] + apart * X[:, 2]
        Z, pair = problem_of(near, y), np.asarray([[0, 2]])
        lost.append((support_scores(Z, pair, judge) - support_scores(Z, pair, plain))[0])
    for apart, cost in zip((1e-2, 1e-4), lost[1:3], strict=True):
        assert cost == pytest.approx(np.log(0.1) - 2.0 * np.log(apart), abs=2.0)
    assert lost[3] == np.inf


def test_scores_are_added_up_as_what_they_are_logarithms_of():
    scores = np.asarray([[1.0, 2.0, 5000.0], [np.inf, 3.0, np.inf], [np.inf] * 3])
    with np.errstate(divide="ignore"):
        expected = -2.0 * np.log(np.sum(np.exp(-0.5 * scores), axis=1))
    np.testing.assert_allclose(total_score(scores), expected)


def test_a_scale_of_y_shifts_every_score_alike():
    X, y = draw(5, 20, 6)
    one, other = (
        support_scores(problem_of(X, scale * y), np.asarray([[0, 1], [2, 3]]))
        for scale in (1.0, 10.0)
    )
    np.testing.assert_allclose(other - one, 2 * 19 * np.log(10.0))
