"""X as it came is the same problem as standardised rows; nothing as large as X is made."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from made_problems import problem_of
from oracles import few_examples

from projstg._core.data import wide_problem
from projstg._core.data import wide_table as table_module
from projstg._core.data.standard_table import as_tables
from projstg._core.data.wide_table import wide_table

KINDS = {
    "double": lambda X: X,
    "single": lambda X: X.astype(np.float32),
    "by columns": np.asfortranarray,
    "sparse": scipy.sparse.csc_array,
    "sparse matrix": scipy.sparse.csc_matrix,
    "sparse single": lambda X: scipy.sparse.csc_array(X.astype(np.float32)),
}


def table(seed, n_rows, n_columns, density=0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)).astype(np.float32).astype(float)
    X[rng.random(X.shape) > density] = 0.0
    X[:, 0], X[:, 1] = 0.0, 2.5  # neither varies
    y = X[:, 3] - X[:, -1] + rng.standard_normal(n_rows) + 4.0
    return X, y


def wide_of(X, y, weights, centre, kind, never=None):
    """The table as a wide one, however few its columns are."""
    never = np.zeros(X.shape[1], dtype=bool) if never is None else never
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "MANY_COLUMNS", 0)
        found = wide_table(KINDS[kind](X), y, weights, centre=centre, never=never)
    assert found.problem(0) is found.wide
    return found


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


@few_examples
@given(st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_problem_of_standardised_rows(kind, data):
    n_rows, n_columns = data.draw(st.integers(4, 12)), data.draw(st.integers(13, 30))
    X, y = table(data.draw(st.integers(0, 99)), n_rows, n_columns)
    rng = np.random.default_rng(1)
    weights = data.draw(st.sampled_from([None, rng.integers(0, 4, n_rows) + 0.5]))
    centre = data.draw(st.booleans())
    never = rng.random(n_columns) < 0.2
    wide = wide_of(X, y, weights, centre, kind, never)
    own, columns = None if weights is None else weights[None], wide.columns
    rows = as_tables(X[None], y[None], own, centre=centre)
    np.testing.assert_array_equal(columns, np.flatnonzero(rows.varies[0] & ~never))
    rows = as_tables(X[None], y[None], own, centre=centre, columns=columns)
    for name, field in rows.units._asdict().items():
        np.testing.assert_allclose(getattr(wide.units, name), field, rtol=1e-9, atol=1e-12)
    ours = wide.wide
    theirs = problem_of(X[:, columns], y / rows.units.y_scale[0], weights, centre=centre)
    for name in ("b", "diagonal", "yy", "n", "dof", "G"):
        same(getattr(ours, name), getattr(theirs, name))
    few = data.draw(st.lists(st.integers(0, columns.size - 1), min_size=1, max_size=4, unique=True))
    few = np.asarray(few)
    same(ours.rows(few), theirs.rows(few))
    same(ours.products(few), theirs.products(few))
    supports = np.stack([few, np.sort(few)])
    same(ours.products_of(supports), theirs.products_of(supports))
    same(ours.subset(few).G, theirs.subset(few).G)
    for found, expected in zip(ours.rows_of(few), theirs.rows_of(few), strict=True):
        same(found, expected)


@pytest.mark.parametrize("kind", ["double", "sparse"])
def test_few_columns_are_held_in_memory(kind):
    X, y = table(0, 10, 40)
    wide = wide_of(X, y, None, True, kind).wide
    few = wide_table(KINDS[kind](X), y, None, centre=True, never=np.zeros(40, dtype=bool))
    assert few.wide is None
    same(few.problem(0).X, wide.dense(np.arange(wide.b.size)))


@pytest.mark.parametrize("kind", ["double", "sparse"])
def test_blocks_change_nothing(kind, monkeypatch):
    X, y = table(0, 10, 3000)
    weights, nobody = np.ones(10), np.zeros(3000, dtype=bool)
    expected = wide_table(KINDS[kind](X), y, weights, centre=True, never=nobody).wide
    monkeypatch.setattr(wide_problem, "_BLOCK", 10)
    monkeypatch.setattr(wide_problem, "_CELLS", 7)
    found = wide_table(KINDS[kind](X), y, weights, centre=True, never=nobody).wide
    np.testing.assert_allclose(found.b, expected.b, rtol=1e-12, atol=1e-12)
    members = np.asarray([3, 700, 2500])
    np.testing.assert_allclose(found.rows(members), expected.rows(members), rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("kind", ["double", "sparse"])
@pytest.mark.parametrize("value", [0.1, 1e6, 1e-9])
def test_a_constant_column_does_not_vary(kind, value):
    X, y = table(1, 2500, 40)
    X[:, 5] = value
    wide = wide_of(X, y, None, True, kind)
    varies = X.std(axis=0) > 1e-12 * np.abs(X.mean(axis=0))
    assert not varies[5]
    np.testing.assert_array_equal(wide.columns, np.flatnonzero(varies))


@pytest.mark.parametrize("kind", ["double", "sparse"])
def test_where_nothing_varies_one_column_stays(kind):
    X, y = np.full((5, 9), 2.5), np.arange(5.0)
    wide = wide_of(X, y, None, True, kind)
    assert wide.columns.tolist() == [0]
    assert not wide.varies.any()
    assert not wide.wide.dense(np.arange(1)).any()


def test_what_supports_leave_of_y_is_the_same_from_rows_from_sums_and_from_a_wide_table(rng):
    X = rng.standard_normal((30, 12))
    y = X[:, :3].sum(axis=1) + rng.standard_normal(30)
    dense = problem_of(X, y)
    wide = wide_table(X, y, None, centre=True, never=np.zeros(12, dtype=bool)).problem(0)
    supports = [np.asarray([2]), np.asarray([0, 5, 7])]
    expected = []
    for own in supports:
        beta, *_ = np.linalg.lstsq(dense.X[:, own], dense.y, rcond=None)
        expected.append(dense.X.T @ (dense.y - dense.X[:, own] @ beta))
    for problem, tolerance in ((dense, 1e-9), (dense.by_sums, 1e-9), (wide, 1e-4)):
        found = problem.left_by(supports) * np.sqrt(dense.yy / problem.yy)
        np.testing.assert_allclose(found, expected, atol=tolerance)
