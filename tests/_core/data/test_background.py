"""A background of small effects: rows in the metric of V⁻¹, with V written out."""

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.data.background import background


def drawn(n_rows, n_columns):
    rng = np.random.default_rng([n_rows, n_columns])
    X = rng.standard_normal((n_rows, n_columns))
    X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(n_rows)
    return problem_of(X, X[:, 0] + rng.standard_normal(n_rows))


@pytest.mark.parametrize("shape", [(30, 8), (12, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("strength", [0.0, 0.3, 4.0])
def test_sums_are_those_of_the_whitened_rows(shape, door, strength):
    Z = drawn(*shape)
    found, eta = background(door(Z)), strength / shape[1]
    X, y, problem = Z.X, Z.y, found.problem(eta)
    V = np.eye(len(y)) + eta * X @ X.T
    whitened = np.linalg.solve(V, X)
    np.testing.assert_allclose(problem.G, X.T @ whitened, atol=1e-9)
    np.testing.assert_allclose(problem.b, whitened.T @ y, atol=1e-9)
    assert problem.yy == pytest.approx(y @ np.linalg.solve(V, y))
    assert found.log_determinant(eta) == pytest.approx(np.linalg.slogdet(V)[1])
    assert (problem.n, problem.dof) == (Z.n, Z.dof)
