"""The rank of a table: from the spectrum, from pivots, and NumPy's."""

import numpy as np
import pytest

from projstg._core.data import table_rank as rank
from projstg._core.data.standard_table import as_table


@pytest.mark.parametrize("shape", [(30, 8), (9, 20), (12, 12)], ids=str)
@pytest.mark.parametrize("true", [0, 1, 3, 6, None])
@pytest.mark.parametrize("through", ["rows", "sums"])
def test_all_ways_agree(rng, monkeypatch, shape, true, through):
    X = rng.normal(size=shape)
    if true is not None:
        X = rng.normal(size=(shape[0], true)) @ rng.normal(size=(true, shape[1]))
    y = rng.normal(size=(1, shape[0]))
    problem = as_table(X[None], y).problem
    problem = problem.gram if through == "sums" else problem
    centred = X - X.mean(axis=0)
    expected = int(np.linalg.matrix_rank(centred, tol=1e-8))
    left = y[0] - y.mean()
    left = left - centred @ np.linalg.lstsq(centred, left, rcond=1e-10)[0]
    found, residual = rank.rank_and_residual(problem)
    assert found == expected
    share = residual / problem.yy[0]
    assert share == pytest.approx(left @ left / np.sum((y - y.mean()) ** 2), abs=1e-9)
    for most in (1, expected, expected + 1, 100):
        assert rank.rank_up_to(problem, most) == min(expected, most)
    monkeypatch.setattr(rank, "_MOST", 0)
    assert rank.rank_and_residual(problem) is None
    for most in (1, expected, expected + 1, 100):
        assert rank.rank_up_to(problem, most) == min(expected, most)
