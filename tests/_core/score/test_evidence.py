"""The score is its formula, is blind to order, and stays finite where the formula breaks."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_search import SCORES

from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores, total_score


def problem(X, y, **kwargs):
    return standardized(RowQuadratic.from_rows(X, y, **kwargs))[0]


def draw(seed, n_problems, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_problems, n_rows, n_columns)) + 1.0
    return X, X[..., 0] - 2.0 * X[..., 1] + rng.standard_normal((n_problems, n_rows))


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize(("n_rows", "K"), [(30, 1), (30, 4), (6, 4)])
def test_scores_are_their_formula(name, centre, n_rows, K):
    Z = problem(*draw(0, 3, n_rows, 7), centre=centre)
    rng = np.random.default_rng(1)
    supports = np.argsort(rng.random((3, 5, 7)), axis=-1)[..., :K]
    scores = support_scores(Z, supports, CRITERIA[name])
    through_gram = support_scores(Z.gram, supports, CRITERIA[name])
    np.testing.assert_allclose(scores, through_gram, rtol=1e-9)
    for i in range(3):
        for s in range(5):
            dof = n_rows - centre
            expected = SCORES[name](Z.X[i], Z.y[i], supports[i, s], dof)
            np.testing.assert_allclose(scores[i, s], expected, rtol=1e-8, atol=1e-8)


def test_the_columns_of_a_support_have_no_order():
    Z = problem(*draw(2, 1, 20, 6))
    scores = support_scores(Z, np.asarray([[[0, 3, 5], [5, 0, 3]]]))
    np.testing.assert_allclose(scores[0, 0], scores[0, 1], rtol=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
def test_a_fit_without_error_is_finite_and_best(name):
    X, _ = draw(3, 1, 20, 6)
    Z = problem(X, X[..., 0] - X[..., 1])
    scores = support_scores(Z, np.asarray([[[0, 1], [0, 2], [2, 3]]]), CRITERIA[name])
    assert np.all(np.isfinite(scores))
    assert scores[0, 0] < scores[0, 1] - 100.0


@pytest.mark.parametrize("is_diluted", [True, False])
@pytest.mark.parametrize("name", CRITERIA)
def test_scores_are_finite_whatever_the_columns_unless_dilution_forbids_them(name, is_diluted):
    X, y = draw(4, 1, 5, 8)
    X[..., 3] = 2.0  # no variation: a column of zeros once centred
    X[..., 4] = X[..., 0]
    everything = np.arange(8)[None, None]
    judge = replace(CRITERIA[name], is_diluted=is_diluted)
    for target in (y, 0.0 * y, np.ones_like(y)):
        Z = problem(X, target)
        for dependent in (everything, everything[..., [0, 4]], everything[..., [3]]):
            score = support_scores(Z, dependent, judge)[0, 0]
            assert score == np.inf if is_diluted else np.isfinite(score)
        for independent in (everything[..., :0], everything[..., [0, 1]], everything[..., [4]]):
            assert np.all(np.isfinite(support_scores(Z, independent, judge)))


def test_a_copy_is_a_support_of_no_prior_and_a_near_copy_of_little():
    X, y = draw(6, 1, 30, 3)
    judge = CRITERIA["evidence"]
    plain, lost = replace(judge, is_diluted=False), []
    for apart in (1.0, 1e-2, 1e-4, 1e-6):
        near = X.copy()
        near[..., 2] = X[..., 0] + apart * X[..., 2]
        Z, pair = problem(near, y), np.asarray([[[0, 2]]])
        lost.append((support_scores(Z, pair, judge) - support_scores(Z, pair, plain))[0, 0])
    for apart, cost in zip((1e-2, 1e-4), lost[1:3], strict=True):
        assert cost == pytest.approx(np.log(0.1) - 2.0 * np.log(apart), abs=2.0)
    assert lost[3] == np.inf


def test_scores_are_added_up_as_what_they_are_logarithms_of():
    scores = np.asarray([[1.0, 2.0, 5000.0], [np.inf, 3.0, np.inf], [np.inf] * 3])
    with np.errstate(divide="ignore"):
        expected = -2.0 * np.log(np.sum(np.exp(-0.5 * scores), axis=1))
    np.testing.assert_allclose(total_score(scores), expected)


def test_a_scale_of_y_shifts_every_score_alike():
    X, y = draw(5, 1, 20, 6)
    supports = np.asarray([[[0, 1], [2, 3]]])
    shift = support_scores(problem(X, 10.0 * y), supports) - support_scores(problem(X, y), supports)
    np.testing.assert_allclose(shift, 2 * 19 * np.log(10.0))
