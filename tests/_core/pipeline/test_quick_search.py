"""A quick search at one size: where it begins, how far it goes, what it may select."""

from dataclasses import replace

import numpy as np
import pytest
from rounding import assert_same_numbers

import projstg._core.pipeline.quick_search as quick
from projstg._core.data.batch import Batch
from projstg._core.data.standard_table import as_tables
from projstg._core.greedy.matching_pursuit import forward_selection
from projstg._core.pipeline.pipeline_settings import PIPELINE
from projstg._core.pipeline.quick_search import QuickSearch
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores


def problem_of(n_rows=30, n_columns=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1, n_rows, n_columns))
    y = X[..., :3].sum(axis=-1) + 0.5 * rng.standard_normal((1, n_rows))
    return as_tables(X, y).problem(0)


def search_of(problem, always=()):
    must = np.isin(np.arange(problem.b.size), always)
    judge = CRITERIA["common-size"].judge(problem, 5, must)
    return QuickSearch(problem, judge, 5, must, 0), judge


@pytest.fixture
def asked(monkeypatch):
    seen, real = [], quick.refine

    def listening(*arguments, **options):
        seen.append(options)
        return real(*arguments, **options)

    monkeypatch.setattr(quick, "refine", listening)
    return seen


def test_it_begins_from_the_greedy_path(asked):
    problem = problem_of()
    search, _ = search_of(problem)
    search(3, 6)
    expected = forward_selection(Batch.of([problem]), 3).order
    np.testing.assert_array_equal(asked[0]["starts"], np.sort(expected))
    search(0, 6)
    assert asked[1]["starts"] is None


def test_a_path_that_ends_early_is_no_start(asked):
    X = np.random.default_rng(1).standard_normal((1, 20, 8))
    X[..., 2:] = X[..., :1]
    two_columns = as_tables(X, X[..., 0] + X[..., 1]).problem(0)
    search_of(two_columns)[0](3, 6)
    assert asked[0]["starts"] is None


def test_it_takes_so_many_starts_as_it_may():
    search, _ = search_of(problem_of(30, 30))
    assert search(4, 2).n_starts == 2
    assert search(4, 5).n_starts == 5


@pytest.mark.parametrize("always", [(), (7,)])
def test_one_size_says_nothing_to_the_next(always):
    problem = problem_of(30, 30)
    search, _ = search_of(problem, always=always)
    later = [search(k, 22) for k in (3, 5, 4)][-1]
    alone = search_of(problem, always=always)[0](4, 22)
    np.testing.assert_array_equal(later.support, alone.support)
    assert_same_numbers(later.ranked.scores, alone.ranked.scores)


def test_scores_are_exact_and_constraints_hold():
    problem = problem_of()
    search, judge = search_of(problem, always=[7])
    found = search(3, 6)
    assert 7 in found.support
    exact = support_scores(problem, found.support[None], judge)[0]
    assert found.objective == pytest.approx(exact, abs=1e-8)


def test_among_many_columns_it_finds_the_same():
    problem = problem_of(60, 600)
    found = search_of(problem)[0](3, 22)
    assert found.support.tolist() == [0, 1, 2]


def test_what_a_working_set_lacks_joins_it_for_all_sizes(monkeypatch):
    problem = problem_of(40, 300)
    monkeypatch.setattr(quick, "PIPELINE", replace(PIPELINE, most_quick=100, most_set=120))
    monkeypatch.setattr(quick, "QUICK", replace(quick.QUICK, working_set=20, joining_columns=2))
    monkeypatch.setattr(type(problem), "relevant", np.empty(0, dtype=np.int64))
    promise = np.where(np.arange(300) < 3, -1.0, problem.promise)  # the true ones come last
    monkeypatch.setattr(type(problem), "promise", promise)
    search, judge = search_of(problem)
    begun = search._columns
    found = [search(k, 22) for k in (2, 3)]
    assert set(begun) < set(search._columns)
    assert found[1].support.tolist() == [0, 1, 2]
    assert not found[1].is_complete
    assert found[1].n_columns == search._columns.size < 300
    exact = support_scores(problem, found[1].ranked.supports, judge)
    np.testing.assert_allclose(found[1].ranked.scores, exact, rtol=1e-8)


def test_a_working_set_holds_the_starts_of_every_size(monkeypatch, asked):
    """Also of sizes larger than a share of the set: a start outside it would be other columns."""
    problem = problem_of(60, 500)
    monkeypatch.setattr(quick, "QUICK", replace(quick.QUICK, working_set=20))
    nobody = np.zeros(500, dtype=bool)
    judge = CRITERIA["common-size"].judge(problem, 40, nobody)
    search = QuickSearch(problem, judge, 40, nobody, 0)
    columns = search._columns
    search(40, 2)
    greedy = forward_selection(Batch.of([problem]), 40).order[0]
    expected = [np.sort(greedy), np.sort(problem.relevant[:40])]
    np.testing.assert_array_equal(columns[asked[0]["starts"]], expected)
