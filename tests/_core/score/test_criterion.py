"""A criterion's ridges have a prior; a judge is that of its problem alone."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of
from oracles_search import all_supports

from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores


def drawn(n_problems, n_rows=14, n_columns=6):
    """Problems whose columns are more and more correlated."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal((n_problems, n_rows, 1)) * np.arange(n_problems)[:, None, None]
    X = rng.standard_normal((n_problems, n_rows, n_columns)) + common
    y = X[..., 0] - X[..., 1] + 0.5 * rng.standard_normal((n_problems, n_rows))
    return [problem_of(*one) for one in zip(X, y, strict=True)]


@pytest.mark.parametrize("name", CRITERIA)
def test_the_ridges_of_a_criterion_have_a_prior_that_sums_to_one(name):
    ridges = CRITERIA[name].ridges
    shares = np.exp(-0.5 * ridges.zero_cost) + np.exp(-0.5 * ridges.size_cost)
    assert shares.sum() == pytest.approx(1.0)
    assert CRITERIA[name].has_common_size == (name == "common-size")


@pytest.mark.parametrize("name", CRITERIA)
def test_a_judge_of_larger_supports_judges_the_small_ones_alike(name):
    for Z in drawn(3):
        alone = support_scores(Z, all_supports(6, 3), CRITERIA[name])
        among = support_scores(Z, all_supports(6, 3), CRITERIA[name].judge(Z))
        np.testing.assert_allclose(among, alone, rtol=1e-9)


def test_few_of_the_columns_have_the_prior_they_have_among_all():
    (Z,), members = drawn(1), np.asarray([[0, 1]])
    judge, few = CRITERIA["evidence"].judge(Z), Z.subset(np.asarray([0, 1, 4]))
    among_all = support_scores(Z, members, judge)
    np.testing.assert_allclose(support_scores(few, members, judge), among_all)
    assert not np.allclose(support_scores(few, members, CRITERIA["evidence"]), among_all)


def test_around_zero_a_judge_ranks_as_the_evidence_does():
    apart, every = [], all_supports(6, 2)
    for Z in drawn(2):
        evidence = CRITERIA["evidence"].judge(Z)
        assert evidence.around_zero() is evidence
        zero = support_scores(Z, every, CRITERIA["common-size"].judge(Z).around_zero())
        apart.append(zero - support_scores(Z, every, evidence))
    np.testing.assert_allclose(np.ptp(apart), 0.0, atol=1e-9)


def test_where_no_effect_may_be_around_zero_all_ridges_are_asked():
    common = CRITERIA["common-size"]
    nowhere = np.full(21, np.inf)
    sized = replace(common, ridges=common.ridges._replace(zero_cost=nowhere))
    assert sized.judge(drawn(1)[0]).around_zero().ridges.kappa.size == 21


def test_a_judge_at_some_ridges_has_their_volumes():
    judge = CRITERIA["common-size"].judge(drawn(2)[1])
    some = np.asarray([0, 7, 20])
    few, sizes = judge.at(some), np.asarray([1, 4])
    np.testing.assert_array_equal(few.ridges.kappa, judge.ridges.kappa[some])
    np.testing.assert_array_equal(few.volume(sizes), judge.volume(sizes)[:, some])
