"""Sparse, single precision, memory-mapped and very wide X: the answers of a dense X in double."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse

from projstg import ProjectedSTG, RandomizedOMP
from projstg.estimators import _validation, questions

SHAPES = {"tall": (80, 26), "wide": (40, 80), "very wide": (60, 2500)}
SPARSE = {
    "csc array": scipy.sparse.csc_array,
    "csr matrix": scipy.sparse.csr_matrix,
    "coo array": scipy.sparse.coo_array,
}


def table(shape, density=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape).astype(np.float32).astype(float)
    X[rng.random(shape) > density] = 0.0
    y = 2.0 * X[:, 3] - 2.0 * X[:, 17] + 2.0 * X[:, 25] + 0.2 * rng.standard_normal(len(X))
    return X, y


def assert_same(found, expected):
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.coef_std_error_, expected.coef_std_error_, rtol=1e-5)
    # Of very wide tables the prior's mean over supports comes from some columns.
    np.testing.assert_allclose(
        found.inclusion_probability_, expected.inclusion_probability_, atol=1e-3
    )
    assert found.equivalent_features_ == expected.equivalent_features_


@cache
def dense(shape, k):
    """A table with zeros, and the model fitted to it."""
    X, y = table(SHAPES[shape], density=0.3)
    return X, y, ProjectedSTG(k).fit(X, y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize("k", [3, "auto"])
def test_a_sparse_x_is_a_dense_x(shape, kind, k):
    X, y, expected = dense(shape, k)
    sparse = SPARSE[kind](X)
    found = ProjectedSTG(k).fit(sparse, y)
    assert_same(found, expected)
    np.testing.assert_allclose(found.predict(sparse), expected.predict(X), rtol=1e-6, atol=1e-8)
    mean, std = found.predict(sparse, averaged=True, return_std=True)
    dense_mean, dense_std = found.predict(X, averaged=True, return_std=True)
    np.testing.assert_allclose(mean, dense_mean, rtol=1e-10)
    np.testing.assert_allclose(std, dense_std, rtol=1e-10)
    np.testing.assert_array_equal(
        found.transform(sparse).toarray(), X[:, np.flatnonzero(found.support_)]
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_and_no_intercept(weighted, fit_intercept):
    X, y = table(SHAPES["very wide"], density=0.3)
    weights = np.random.default_rng(2).integers(0, 3, len(X)) if weighted else None
    model = ProjectedSTG(3, fit_intercept=fit_intercept)
    expected = ProjectedSTG(3, fit_intercept=fit_intercept).fit(X, y, weights)
    assert_same(model.fit(scipy.sparse.csr_array(X), y, weights), expected)


def test_single_precision_is_read_as_it_is(tmp_path):
    X, y = table(SHAPES["very wide"])
    expected = ProjectedSTG(3).fit(X, y)
    assert_same(ProjectedSTG(3).fit(X.astype(np.float32), y), expected)
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert_same(ProjectedSTG(3).fit(mapped, y), expected)


def test_a_large_x_is_not_copied(monkeypatch):
    X, y = table(SHAPES["very wide"])
    expected = ProjectedSTG().fit(X, y)
    monkeypatch.setattr(_validation, "MOST_COPIED", 1000)
    monkeypatch.setattr(_validation, "_MOST_PLAIN", 0)
    assert_same(ProjectedSTG().fit(X, y), expected)


def test_columns_that_are_excluded_stay_out():
    X, y = table(SHAPES["very wide"], density=0.3)
    found = ProjectedSTG(2, never_select=[3]).fit(scipy.sparse.csc_array(X), y)
    assert found.get_support(indices=True).tolist() == [17, 25]


def test_copies_are_named():
    X, y = table(SHAPES["very wide"], density=0.3)
    X[:, 2000] = 3.0 * X[:, 17]
    found = ProjectedSTG(3).fit(scipy.sparse.csc_array(X), y)
    assert found.equivalent_features_ == {17: [2000]}


@pytest.mark.parametrize(
    "model",
    [ProjectedSTG(3, always_select=[5]), ProjectedSTG(3, refine=False), ProjectedSTG(None)],
)
def test_what_needs_all_columns_in_memory_has_them_or_says_so(model, monkeypatch):
    X, y = table(SHAPES["very wide"], density=0.3)
    expected = model.fit(X, y).support_
    for kind in (scipy.sparse.csc_array, lambda X: X.astype(np.float32)):
        np.testing.assert_array_equal(model.fit(kind(X), y).support_, expected)
    monkeypatch.setattr(questions, "MOST_COPIED", 1000)
    with pytest.raises(ValueError, match="needs X in memory as doubles"):
        model.fit(scipy.sparse.csc_array(X), y)


def test_columns_that_do_not_vary_may_be_most():
    X, y = table(SHAPES["very wide"], density=0.3)
    X[:, 1000:] = 0.0
    expected = ProjectedSTG(3).fit(X, y)
    assert_same(ProjectedSTG(3).fit(scipy.sparse.csc_array(X), y), expected)
    assert_same(ProjectedSTG(3).fit(X.astype(np.float32), y), expected)


def test_entries_that_occur_twice_are_added():
    X, y = table(SHAPES["very wide"], density=0.3)
    once = scipy.sparse.csc_array(X)
    cells = (np.repeat(once.data / 2.0, 2), np.repeat(once.indices, 2), 2 * once.indptr)
    twice = scipy.sparse.csc_array(cells, shape=X.shape)
    assert_same(ProjectedSTG(3).fit(twice, y), ProjectedSTG(3).fit(X, y))
    assert twice.nnz == 2 * once.nnz  # the caller's own is as it was


@pytest.mark.parametrize("unit", [1e160, 1e-170])
def test_squares_out_of_range_are_refused(unit):
    X, y = table(SHAPES["very wide"], density=0.3)
    small = min(unit, 1e100) * y
    expected = ProjectedSTG(3).fit(X, small).support_
    np.testing.assert_array_equal(
        ProjectedSTG(3).fit(scipy.sparse.csc_array(X), small).support_, expected
    )
    X[:, 17] *= unit
    with pytest.raises(ValueError, match="too large or too small"):
        ProjectedSTG(3).fit(scipy.sparse.csc_array(X), y)


def test_single_precision_far_from_zero_still_varies():
    X, y = table(SHAPES["very wide"])
    far = (X + 1e6).astype(np.float32)
    assert_same(ProjectedSTG(3).fit(far, y), ProjectedSTG(3).fit(far.astype(float), y))


def test_x_may_change_after_the_fit():
    X, y = table(SHAPES["very wide"])
    X = X.astype(np.float32)
    expected = ProjectedSTG(3).fit(X, y).coef_std_error_
    model = ProjectedSTG(3).fit(X, y)
    X[:] = 0.0
    np.testing.assert_array_equal(model.coef_std_error_, expected)


def test_what_takes_no_sparse_x_still_says_so():
    X, y = table(SHAPES["tall"])
    with pytest.raises(TypeError, match="dense data is required"):
        RandomizedOMP(3).fit(scipy.sparse.csc_array(X), y)
