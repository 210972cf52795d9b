"""Without its redundant columns a set is independent, and spans the same."""

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.data.redundant_columns import redundant_columns, redundant_forced


@pytest.mark.parametrize("n_copies", [0, 1, 3])
def test_without_them_the_rest_are_independent_and_span_the_same(n_copies, rng):
    X = rng.standard_normal((30, 9))
    X[:, 4 : 4 + n_copies] = X[:, :3] @ rng.standard_normal((3, n_copies))
    columns = np.asarray([0, 1, 2, 4, 5, 6])
    found = redundant_columns(X.T @ X, columns)
    assert found.sum() == n_copies
    assert not found[[3, 7, 8]].any()
    kept = [j for j in columns if not found[j]]
    always = np.isin(np.arange(9), columns)
    assert redundant_forced(problem_of(X, X[:, 3]), always) == n_copies
    assert np.linalg.matrix_rank(X[:, kept]) == len(kept) == np.linalg.matrix_rank(X[:, columns])


def test_one_column_and_none_are_independent(rng):
    X = np.repeat(rng.standard_normal((20, 1)), 4, axis=1)
    for columns in ([], [2]):
        assert not redundant_columns(X.T @ X, np.asarray(columns, dtype=np.int64)).any()
