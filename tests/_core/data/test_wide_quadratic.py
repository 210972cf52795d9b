"""X as it came is the same problem as standardised rows; nothing as large as X is made."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples

from projstg._core.data import wide_quadratic
from projstg._core.data.standard_table import as_table
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


def problems(X, y, weights, centre, kind, never=None):
    never = np.zeros(X.shape[1], dtype=bool) if never is None else never
    wide = wide_table(KINDS[kind](X), y, weights, centre=centre, never=never)
    own = None if weights is None else weights[None]
    return wide, as_table(X[None], y[None], own, centre=centre, never=never)


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
    wide, rows = problems(X, y, weights, centre, kind, never)
    for name in ("scale", "x_mean", "y_mean", "y_scale"):
        np.testing.assert_allclose(getattr(wide, name), getattr(rows, name), rtol=1e-9, atol=1e-12)
    few = data.draw(st.lists(st.integers(0, n_columns - 1), min_size=1, max_size=4, unique=True))
    members = np.sort(few)[None]
    ours, theirs = wide.problem, rows.problem
    for name in ("b", "diagonal", "yy", "n", "degrees_of_freedom"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9, err_msg=name
        )
    np.testing.assert_allclose(ours.rows(members), theirs.rows(members), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        ours.columns(members).X, theirs.columns(members).X, rtol=1e-9, atol=1e-9
    )
    kept = np.flatnonzero(np.asarray(rows.varies)[0])
    among, part = ours.among(kept), theirs.columns(kept[None])
    np.testing.assert_allclose(among.gram.G, part.gram.G, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ["double", "sparse"])
def test_blocks_change_nothing(kind, monkeypatch):
    X, y = table(0, 10, 3000)
    weights = np.ones(10)
    expected = wide_table(KINDS[kind](X), y, weights, centre=True, never=np.zeros(3000, bool))
    monkeypatch.setattr(wide_quadratic, "_BLOCK", 10)
    monkeypatch.setattr(wide_quadratic, "_CELLS", 7)
    found = wide_table(KINDS[kind](X), y, weights, centre=True, never=np.zeros(3000, bool))
    np.testing.assert_allclose(found.problem.b, expected.problem.b, rtol=1e-12, atol=1e-12)
    members = np.asarray([[3, 700, 2999]])
    np.testing.assert_allclose(
        found.problem.rows(members), expected.problem.rows(members), rtol=1e-12, atol=1e-11
    )


@pytest.mark.parametrize("kind", ["double", "sparse"])
@pytest.mark.parametrize("value", [0.1, 1e6, 1e-9])
def test_a_constant_column_does_not_vary(kind, value):
    X, y = table(1, 2500, 40)
    X[:, 5] = value
    wide, _ = problems(X, y, None, True, kind)
    assert wide.scale[0, 5] == 0.0
    assert np.sum(wide.varies) == np.sum(X.std(axis=0) > 1e-12 * np.abs(X.mean(axis=0)) + 0.0)
