"""Very wide problems with K from the data: few passes over X, and one over all columns at last."""

import numpy as np
import pytest

from projstg import ProjectedSTG
from projstg._core.data.wide_quadratic import WideQuadratic
from projstg._core.data.wide_table import wide_table
from projstg._core.pipeline.candidate_columns import candidate_columns, with_candidates
from projstg._core.pipeline.pipeline_settings import PIPELINE
from projstg._core.search import best_support


def problem(seed=1, n_rows=80, n_columns=3000):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)).astype(np.float32)
    # Column 2999 hides behind 2998: alone it says nothing of y.
    X[:, 2998] = X[:, 2999] + 0.5 * rng.standard_normal(n_rows)
    signal = X[:, 5] - X[:, 1500] + 3.0 * (X[:, 2998] - X[:, 2999])
    return X, np.asarray(signal + 0.2 * rng.standard_normal(n_rows), dtype=float)


def wide_problem(X, y):
    never = np.zeros(X.shape[1], dtype=bool)
    return wide_table(X, y, None, centre=True, never=never).problem


@pytest.fixture
def passes(monkeypatch):
    """How many times a product with all columns was made."""
    made, real = [], WideQuadratic.products

    def products(self, V):
        made.append(V.shape)
        return real(self, V)

    monkeypatch.setattr(WideQuadratic, "products", products)
    return made


def test_columns_join_that_promise_beside_others(passes):
    X, y = problem()
    wide = wide_problem(X, y)
    passes.clear()
    columns = candidate_columns(wide, 10)
    assert {5, 1500, 2998} <= set(columns.tolist())
    assert len(passes) == PIPELINE.candidate_passes
    few = np.array([5, 1500])
    further = with_candidates(wide, few, [few, np.array([5, 1500, 2998])])
    assert 2999 in further
    assert further.size <= few.size + 2 * PIPELINE.joining_candidates
    assert (np.diff(further) > 0).all()


def test_a_path_that_ends_early_has_its_residuals():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.standard_normal((30, 3)), 1000, axis=1).astype(np.float32)
    wide = wide_problem(X, X[:, 0] - X[:, 2999].astype(float))
    assert candidate_columns(wide, 10).size >= PIPELINE.first_candidates


def test_size_and_columns_are_those_of_a_table_in_memory_in_few_passes(passes):
    X, y = problem()
    expected = ProjectedSTG().fit(X.astype(float), y)
    assert not passes
    found = ProjectedSTG().fit(X, y)
    assert np.flatnonzero(found.support_).tolist() == [5, 1500, 2998, 2999]
    assert np.array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.support_probability_, expected.support_probability_, atol=0.05)
    assert len(passes) < 20
    assert found.n_columns_searched_ < X.shape[1]


def test_all_columns_are_looked_at_before_an_answer_is_final(monkeypatch):
    X, y = problem()
    looked, real = [], best_support.least_changes

    def listening(one, support, *others):
        found = real(one, support, *others)
        looked.append((tuple(support[0]), found.size))
        return found

    monkeypatch.setattr(best_support, "least_changes", listening)
    model = ProjectedSTG().fit(X, y)
    assert (tuple(np.flatnonzero(model.support_)), X.shape[1]) in looked


def test_a_small_table_is_searched_whole():
    X, y = problem()
    model = ProjectedSTG(2).fit(X[:, :40], y)
    assert model.n_columns_searched_ == 40
    assert ProjectedSTG(2, refine=False).fit(X[:, :40], y).n_columns_searched_ == 0
