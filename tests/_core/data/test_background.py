"""A background of small effects: rows in the metric of V⁻¹, with V written out."""

import numpy as np
import pytest

from projstg._core.data.background import background
from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized


def drawn(n_rows, n_columns):
    rng = np.random.default_rng([n_rows, n_columns])
    X = rng.standard_normal((1, n_rows, n_columns))
    X[..., 1] = X[..., 0] + 0.1 * rng.standard_normal(n_rows)
    y = X[..., 0] + rng.standard_normal((1, n_rows))
    return standardized(RowQuadratic.from_rows(X, y))[0]


@pytest.mark.parametrize("shape", [(30, 8), (12, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("has_rows", [True, False])
@pytest.mark.parametrize("strength", [0.0, 0.3, 4.0])
def test_sums_are_those_of_the_whitened_rows(shape, has_rows, strength):
    Z = drawn(*shape)
    found, eta = background(Z if has_rows else Z.gram), strength / shape[1]
    X, y, problem = Z.X[0], Z.y[0], found.problem(eta)
    V = np.eye(len(y)) + eta * X @ X.T
    whitened = np.linalg.solve(V, X)
    np.testing.assert_allclose(problem.gram.G[0], X.T @ whitened, atol=1e-9)
    np.testing.assert_allclose(problem.b[0], whitened.T @ y, atol=1e-9)
    assert problem.yy[0] == pytest.approx(y @ np.linalg.solve(V, y))
    assert found.log_determinant(eta) == pytest.approx(np.linalg.slogdet(V)[1])
    assert (problem.n[0], problem.degrees_of_freedom[0]) == (Z.n[0], Z.degrees_of_freedom[0])
