"""Different rows are counted as NumPy's ``unique`` finds them, in any layout and any pieces."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples

from projstg._core.data.different_rows import (
    different_rows,
    most_counted,
    n_different,
    rows_of_both,
)
from projstg._core.data.shared_sums import shared_sums

LAYOUTS = {
    "C": lambda X: X,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: X.astype(np.int64),
    "minus zero": lambda X: np.where(X == 0.0, -0.0, X),
    "CSR": scipy.sparse.csr_matrix,
    "CSC": scipy.sparse.csc_array,
}


def few_values(seed, n_rows, n_columns, n_values):
    """Whole numbers: their low bits are all zero, which a weak hash would not survive."""
    return np.random.default_rng(seed).integers(0, n_values, (n_rows, n_columns)).astype(float)


@few_examples
@given(
    seed=st.integers(0, 999),
    n_rows=st.integers(1, 300),
    n_columns=st.integers(1, 150),
    n_values=st.integers(1, 3),
    layout=st.sampled_from(sorted(LAYOUTS)),
)
def test_they_are_those_of_unique(seed, n_rows, n_columns, n_values, layout):
    X = few_values(seed, n_rows, n_columns, n_values)
    expected = len(np.unique(X, axis=0))
    found = different_rows(LAYOUTS[layout](X), expected)
    assert found.shape == (expected, n_columns)
    assert n_different(found) == expected
    np.testing.assert_array_equal(found, different_rows(X, 10**6))
    assert different_rows(LAYOUTS[layout](X), expected - 1) is None
    some = np.arange(0, n_columns, 2)
    among = different_rows(LAYOUTS[layout](X), n_rows, some)
    np.testing.assert_array_equal(among, different_rows(X[:, some], n_rows))
    assert n_different(found[:, some]) == len(among) == len(np.unique(X[:, some], axis=0))


@few_examples
@given(seed=st.integers(0, 999), cut=st.integers(0, 200), most=st.integers(0, 40))
def test_pieces_are_the_whole(seed, cut, most):
    X = few_values(seed, 200, 3, 3)
    whole = different_rows(X, most)
    pieces = rows_of_both(different_rows(X[:cut], most), different_rows(X[cut:], most), most)
    assert (whole is None) == (pieces is None)
    if whole is not None:
        np.testing.assert_array_equal(whole, pieces)


def test_a_column_that_was_zero_before_changes_nothing():
    X = few_values(0, 50, 4, 3)
    wider = np.column_stack([X, np.zeros((50, 100))])
    cells = different_rows(X, 99)
    np.testing.assert_array_equal(np.pad(cells, ((0, 0), (0, 100))), different_rows(wider, 99))


@pytest.mark.parametrize("n_columns", [3, 1200])
def test_sums_keep_them_until_they_are_many(n_columns):
    most = most_counted(n_columns)
    X = np.zeros((most + 1, n_columns))
    X[:, 0] = np.arange(most + 1)
    y = np.ones((most + 1, 1))
    assert len(shared_sums(X[:most], y[:most]).cells) == most
    assert shared_sums(X, y).cells is None
    merged = shared_sums(X[:most], y[:most]).merge(shared_sums(X[2:], y[2:]))
    assert merged.cells is None


def test_rows_of_weight_zero_are_not_counted():
    X = np.arange(8.0).reshape(4, 2)
    sums = shared_sums(X, X[:, :1], np.array([1.0, 0.0, 2.0, 0.0]))
    assert len(sums.cells) == 2
