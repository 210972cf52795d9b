"""Very wide problems with K from the data: few passes over X, and one over all columns at last."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from projstg import ProjectedSTG
from projstg._core.data.batch import Batch
from projstg._core.data.wide_problem import WideProblem
from projstg._core.data.wide_table import wide_table
from projstg._core.greedy.matching_pursuit import forward_selection
from projstg._core.pipeline import candidate_columns as candidates
from projstg._core.pipeline import quick_search as quick
from projstg._core.pipeline.candidate_columns import candidate_columns
from projstg._core.pipeline.pipeline_settings import PIPELINE
from projstg._core.pipeline.quick_search import QuickSearch
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores

TRUTH = [3, 17, 25, 2400]
MOST_PASSES = PIPELINE.candidate_passes + PIPELINE.times_again + 6


def table(seed=0, n_rows=80, n_columns=2500, noise=0.2):
    """Four effects; the last column is hidden by the first: y is hardly correlated with it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)).astype(np.float32)
    X[:, 2400] += X[:, 3]
    y = 2.0 * X[:, 3] - X[:, 2400] + X[:, 17] - X[:, 25] + noise * rng.standard_normal(n_rows)
    return X, y.astype(float)


def problem_of(X, y):
    never = np.zeros(X.shape[1], dtype=bool)
    return wide_table(X, y, None, centre=True, never=never).problem(0)


@pytest.fixture
def passes(monkeypatch):
    """The number of vectors in each pass over all columns."""
    seen, real = [], WideProblem.along

    def listening(self, V):
        seen.append(V.shape[1])
        return real(self, V)

    monkeypatch.setattr(WideProblem, "along", listening)
    return seen


def test_a_hidden_column_joins_in_a_few_passes(passes, monkeypatch):
    problem = problem_of(*table())
    few = replace(PIPELINE, first_candidates=50, joining_candidates=3)
    monkeypatch.setattr(candidates, "PIPELINE", replace(few, candidate_passes=0))
    assert not set(TRUTH) <= set(candidate_columns(problem, 20).tolist())
    monkeypatch.setattr(candidates, "PIPELINE", few)
    found = candidate_columns(problem, 20)
    assert set(TRUTH) <= set(found.tolist())
    assert passes == [5] * few.candidate_passes  # after 1, 2, 4, 8, 16 steps
    np.testing.assert_array_equal(found, np.unique(found))


@pytest.mark.parametrize("k_max", [0, 1, 3, 20])
def test_supports_are_those_of_the_path(k_max):
    problem, columns = problem_of(*table()), np.arange(5, 35)
    found = candidates._greedy_supports(problem, columns, k_max)
    order = forward_selection(Batch.of([problem.subset(columns)]), k_max).order[0]
    assert [own.size for own in found] == [2**i for i in range(k_max.bit_length())]
    for own in found:
        np.testing.assert_array_equal(own, columns[order[: own.size]])


def test_a_path_that_ends_early_has_fewer():
    X, y = table()
    X[:, 5:] = X[:, :1]
    found = candidates._greedy_supports(problem_of(X, y), np.arange(10), 9)
    assert [own.size for own in found] == [1, 2, 4]


@pytest.mark.parametrize("target", ["zero", "exact"])
def test_a_y_without_noise_has_candidates(target):
    X, _ = table()
    y = np.zeros(len(X)) if target == "zero" else X[:, 17].astype(float)
    found = candidate_columns(problem_of(X, y), 20)
    assert found.size >= PIPELINE.first_candidates
    assert target == "zero" or 17 in found


def test_quick_searches_make_no_pass_and_have_exact_scores(passes):
    problem = problem_of(*table())
    nobody = np.zeros(problem.b.size, dtype=bool)
    judge = CRITERIA["common-size"].judge(problem, 10, nobody)
    search = QuickSearch(problem, judge, 10, nobody, 0)
    n_before = len(passes)
    found = search(4, 6)
    assert len(passes) == n_before == PIPELINE.candidate_passes
    assert found.support.tolist() == TRUTH
    assert not search(1, 6).is_complete  # not among all columns
    exact = support_scores(problem, found.ranked.supports, judge)
    np.testing.assert_allclose(found.ranked.scores, exact, rtol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array])
def test_k_from_the_data_takes_a_few_passes(kind, passes):
    X, y = table()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.5, X, 0.0).astype(np.float32)
    y = X @ np.isin(np.arange(2500), TRUTH) + 0.2 * np.random.default_rng(2).standard_normal(80)
    found = ProjectedSTG().fit(kind(X), y)
    assert found.get_support(indices=True).tolist() == TRUTH
    assert len(passes) <= MOST_PASSES
    expected = ProjectedSTG().fit(X.astype(float), y)
    np.testing.assert_array_equal(found.support_, expected.support_)
    error = found.accuracy_.largest_error + expected.accuracy_.largest_error
    np.testing.assert_allclose(
        found.inclusion_probability_, expected.inclusion_probability_, atol=error
    )


def test_a_column_that_no_quick_search_looked_at_is_found(monkeypatch):
    """Sizes are proposed from some columns; before an answer is final all are looked at."""
    X, y = table()
    likeliest = np.argsort(-np.abs(problem_of(X, y).b))
    assert 2400 not in likeliest[:1000]  # nor would a first working set have it
    real = quick.candidate_columns

    def without(problem, k_max):
        return np.setdiff1d(real(problem, k_max), [2400])

    monkeypatch.setattr(quick, "candidate_columns", without)
    assert ProjectedSTG().fit(X, y).get_support(indices=True).tolist() == TRUTH


def test_information_criteria_take_as_few_passes(passes):
    found = ProjectedSTG(selection="ebic").fit(*table())
    assert found.get_support(indices=True).tolist() == TRUTH
    assert len(passes) <= MOST_PASSES


def test_a_pass_is_made_around_the_answer(monkeypatch):
    seen, real = [], WideProblem.row_blocks

    def listening(self, members):
        seen.append(members.tolist())
        return real(self, members)

    monkeypatch.setattr(WideProblem, "row_blocks", listening)
    found = ProjectedSTG().fit(*table())
    assert seen.count(found.get_support(indices=True).tolist()) == 1  # and is not made twice
    assert found.n_columns_searched_ < 2500


def test_columns_join_that_promise_beside_supports():
    few = np.array([3, 17])
    further = candidates.with_candidates(problem_of(*table()), few, [few, np.array([3, 17, 25])])
    assert 2400 in further
    assert further.size <= few.size + 2 * PIPELINE.joining_candidates
    np.testing.assert_array_equal(further, np.unique(further))


def test_a_small_table_is_searched_whole():
    X, y = table()
    assert ProjectedSTG(2).fit(X[:, :40], y).n_columns_searched_ == 40
    assert ProjectedSTG(2, refine=False).fit(X[:, :40], y).n_columns_searched_ == 0
