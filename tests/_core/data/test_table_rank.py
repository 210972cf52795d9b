"""The rank of a table: from the spectrum, from pivots, and NumPy's."""

import numpy as np
import pytest

from projstg._core.data import table_rank as rank
from projstg._core.data.standard_table import as_tables


@pytest.mark.parametrize("shape", [(30, 8), (9, 20), (12, 12)], ids=str)
@pytest.mark.parametrize("true", [0, 1, 3, 6, None])
@pytest.mark.parametrize("through", ["rows", "sums"])
def test_all_ways_agree(rng, monkeypatch, shape, true, through):
    X = rng.normal(size=shape)
    if true is not None:
        X = rng.normal(size=(shape[0], true)) @ rng.normal(size=(true, shape[1]))
    y = rng.normal(size=(1, shape[0]))
    problem = as_tables(X[None], y).problem(0)
    problem = problem.by_sums if through == "sums" else problem
    centred = X - X.mean(axis=0)
    expected = int(np.linalg.matrix_rank(centred, tol=1e-8))
    left = y[0] - y.mean()
    left = left - centred @ np.linalg.lstsq(centred, left, rcond=1e-10)[0]
    share_left = left @ left / np.sum((y - y.mean()) ** 2)

    def check(found):
        assert found[0] == expected
        assert found[1] / problem.yy == pytest.approx(share_left, abs=1e-9)

    check(rank.rank_and_residual(problem, 1))
    for most in (1, expected, expected + 1, 100):
        assert rank.rank_up_to(problem, most) == min(expected, most)
    monkeypatch.setattr(rank, "_MOST", 0)
    check(rank.rank_and_residual(problem, shape[0]))  # by pivots: there are no more rows than that
    assert true == 0 or rank.rank_and_residual(problem, 2) is None
    for most in (1, expected, expected + 1, 100):
        assert rank.rank_up_to(problem, most) == min(expected, most)
