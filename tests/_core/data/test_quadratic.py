"""A problem without its rows has the same inner products."""

import numpy as np
import pytest

from projstg._core.data.quadratic import GramQuadratic, RowQuadratic, without_rows
from projstg._core.data.standard_table import as_table


@pytest.mark.parametrize("shape", [(3, 7, 20), (2, 20, 7)], ids=["wide", "long"])
@pytest.mark.parametrize("kind", [GramQuadratic, RowQuadratic])
def test_without_rows_nothing_but_rows_is_missing(rng, shape, kind):
    X = rng.normal(size=shape) * rng.lognormal(size=shape[-1])
    problem = as_table(X, rng.normal(size=shape[:2])).problem
    if kind is RowQuadratic:
        problem = RowQuadratic.from_rows(X, rng.normal(size=shape[:2]))
    elif isinstance(problem, RowQuadratic):
        problem = problem.gram
    kept = without_rows(problem)
    assert type(kept) is kind
    assert kept.source is None
    for name in ("b", "yy", "n", "degrees_of_freedom", "diagonal"):
        np.testing.assert_allclose(getattr(kept, name), getattr(problem, name), err_msg=name)
    np.testing.assert_allclose(kept.gram.G, problem.gram.G, atol=1e-10)
    if kind is RowQuadratic:
        assert kept.X.shape[1] <= min(shape[1], shape[2] + 1)
        for sign in (-1.0, 1.0):
            apart = np.abs(kept.X[:, :, None] - sign * problem.X[:, None]).max(axis=-1)
            assert np.min(apart) > 1e-3
