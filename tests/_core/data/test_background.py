"""A background of small effects: sums in the metric of V⁻¹, with V written out."""

import numpy as np
import pytest

from projstg._core.data.background import backgrounds
from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized

STRENGTHS = np.asarray([0.0, 0.3, 4.0])


def drawn(n_rows, n_columns):
    rng = np.random.default_rng([n_rows, n_columns])
    X = rng.standard_normal((1, n_rows, n_columns))
    X[..., 1] = X[..., 0] + 0.1 * rng.standard_normal(n_rows)
    y = X[..., 0] + rng.standard_normal((1, n_rows))
    return standardized(RowQuadratic.from_rows(X, y))[0]


@pytest.mark.parametrize("shape", [(30, 8), (12, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("has_rows", [True, False])
def test_sums_are_those_of_the_whitened_rows(shape, has_rows):
    Z = drawn(*shape)
    found = backgrounds(Z if has_rows else Z.gram, STRENGTHS)
    X, y, columns = Z.X[0], Z.y[0], np.asarray([1, 3, 6])
    problems = found.problems(columns)
    for e, strength in enumerate(STRENGTHS):
        V = np.eye(len(y)) + strength / X.shape[1] * X @ X.T
        few = np.linalg.solve(V, X[:, columns])
        np.testing.assert_allclose(problems.G[e], X[:, columns].T @ few, atol=1e-9)
        np.testing.assert_allclose(problems.b[e], few.T @ y, atol=1e-9)
        assert problems.yy[e] == pytest.approx(y @ np.linalg.solve(V, y))
        assert found.log_determinants[e] == pytest.approx(np.linalg.slogdet(V)[1])
    np.testing.assert_array_equal(problems.n, np.full(3, Z.n[0]))


def test_given_the_effects_the_small_ones_are_those_of_a_ridge():
    Z = drawn(30, 8)
    found, G, b = backgrounds(Z, STRENGTHS), Z.gram.G[0], Z.gram.b[0]
    beta = np.where(np.arange(8) < 2, 0.7, 0.0)
    for e, eta in enumerate(found.eta):
        shrinkage = found.shrinkage(e)
        np.testing.assert_allclose(shrinkage @ (np.eye(8) + eta * G), np.eye(8), atol=1e-9)
        if eta:
            small = np.linalg.solve(G + np.eye(8) / eta, b - G @ beta)
            np.testing.assert_allclose(shrinkage @ (eta * b + beta), beta + small, atol=1e-9)
