"""A table is the centred, weighted, scaled matrix it says it is, however it was summed."""

import mpmath
import numpy as np
import pytest
from rounding import assert_same_numbers

from projstg._core.data import standard_table as table_module
from projstg._core.data.original_units import in_units
from projstg._core.data.quadratic import GramQuadratic, RowQuadratic
from projstg._core.data.standard_table import as_table
from projstg._core.score.evidence import support_spectra


@pytest.fixture(params=[False, True], ids=["equal rows", "weighted"])
def weights(request, table, rng):
    return rng.uniform(0.5, 3.0, size=table[0].shape[0]) if request.param else None


@pytest.fixture(params=[True, False], ids=["centred", "as it is"])
def centre(request):
    return request.param


def batched(X, y, weights, **options):
    weights = None if weights is None else weights[None]
    return as_table(X[None], y[None], weights, **options)


def obvious(X, y, weights, centre):
    """G, b, yᵀy, n and the scales of X and y from the definition."""
    w = np.ones(len(y)) if weights is None else weights
    if centre:
        X, y = X - np.average(X, axis=0, weights=w), y - np.average(y, weights=w)
    scale = np.sqrt(np.average(X**2, axis=0, weights=w))
    scale[scale < 1e-12] = 0.0
    Z = np.divide(X, scale, out=np.zeros_like(X), where=scale > 0)
    size = np.sqrt(np.average(y**2, weights=w)) or 1.0
    y = y / size
    return (Z.T * w) @ Z, (Z.T * w) @ y, np.sum(w * y**2), np.sum(w), scale, size


def assert_same(found, X, y, weights, centre):
    gram = found.problem if isinstance(found.problem, GramQuadratic) else found.problem.gram
    G, b, yy, n, scale, size = obvious(X, y, weights, centre)
    assert found.y_scale[0] == pytest.approx(size)
    tolerance = 1e-10 * n
    np.testing.assert_allclose(gram.G[0], G, atol=tolerance)
    np.testing.assert_allclose(gram.b[0], b, atol=tolerance * (1 + np.sqrt(yy / n)))
    np.testing.assert_allclose([gram.yy[0], gram.n[0]], [yy, n], rtol=1e-11, atol=1e-25)
    assert gram.degrees_of_freedom[0] == pytest.approx(n - centre)
    np.testing.assert_allclose(found.scale[0], scale, rtol=1e-11)
    np.testing.assert_array_equal(found.varies[0], scale > 0)


def test_tall_and_wide_tables_are_the_definition(table, weights, centre):
    X, y = table
    found = batched(X, y, weights, centre=centre)
    kind = GramQuadratic if X.shape[0] >= X.shape[1] else RowQuadratic
    assert isinstance(found.problem, kind)
    assert_same(found, X, y, weights, centre)


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_blocks_are_the_whole(table, weights, centre, rows, monkeypatch):
    X, y = table
    monkeypatch.setattr(table_module, "BLOCK_ROWS", rows)
    assert_same(batched(X, y, weights, centre=centre), X, y, weights, centre)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0.1, -1.1e-9, 1 / 3, 1e9 + 0.3, 1.7e15])
@pytest.mark.parametrize("shape", [(6, 8), (60, 8), (6000, 8)])
def test_a_constant_column_is_found_constant(value, shape, dtype, weighted, rng):
    X, y = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[0]).astype(dtype)
    X[:, 2] = value
    weights = rng.uniform(0.5, 3.0, size=shape[0]).astype(dtype) if weighted else None
    found = batched(X, y, weights)
    assert found.varies[0].tolist() == [d != 2 for d in range(8)]
    assert found.scale.dtype == dtype


@pytest.fixture(params=[False, True], ids=["equal rows", "weighted"])
def weighted(request):
    return request.param


@pytest.mark.parametrize("rows", [1, 64, 1000])
def test_a_constant_column_is_found_constant_in_blocks(rows, rng, monkeypatch):
    monkeypatch.setattr(table_module, "BLOCK_ROWS", rows)
    X = rng.normal(size=(2500, 5))
    X[:, 0], X[:, 3] = 0.1, 1e9 + 0.3
    found = batched(X, rng.normal(size=2500), None)
    assert found.varies[0].tolist() == [False, True, True, False, True]


@pytest.mark.parametrize("shape", [(60, 8), (6, 8)])
def test_a_small_variation_about_a_huge_mean_is_no_constant(shape, rng):
    X = rng.normal(size=shape)
    X[:, 2] = 1e8 + 1e-4 * X[:, 2]
    assert batched(X, rng.normal(size=shape[0]), None).varies.all()


def test_without_centring_a_constant_column_is_a_column(rng):
    X = np.column_stack([np.full(9, 1e9), rng.normal(size=9), np.zeros(9)])
    found = batched(X, rng.normal(size=9), None, centre=False)
    assert found.varies[0].tolist() == [True, True, False]


def test_the_way_back_to_units_keeps_the_prediction(table, weights, centre, rng):
    X, y = table
    found = batched(X, y, weights, centre=centre)
    standard = rng.normal(size=(1, X.shape[1]))
    coef = in_units(standard, found.scale, found.y_scale)
    assert not coef[~found.varies].any()
    scale = np.where(found.varies, found.scale, 1.0)[0]
    x_mean = np.average(X, axis=0, weights=weights) * centre
    y_mean = np.average(y, weights=weights) * centre
    Z = (X - x_mean) / scale * found.varies[0]
    expected = Z @ standard[0] * found.y_scale[0] + y_mean
    np.testing.assert_allclose(X @ coef[0] + found.intercept(coef)[0], expected, atol=1e-9)


def test_a_batch_is_its_members(full_table, rng):
    X, y = full_table
    X, y = np.stack([X, 10.0 * X[::-1]]), np.stack([y, y])
    together = as_table(X, y)
    for i in range(2):
        alone = as_table(X[i : i + 1], y[i : i + 1])
        for name in ("scale", "x_mean", "y_mean"):
            assert_same_numbers(getattr(together, name)[i], getattr(alone, name)[0], name=name)
        assert_same_numbers(together.problem.b[i], alone.problem.b[0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(10, 2), (5, 9)])
def test_a_constant_response_is_explained_by_its_mean_alone(shape, weighted, rng):
    X = rng.standard_normal(shape)
    weights = rng.uniform(0.1, 3.0, size=(1, shape[0])) if weighted else None
    for value in (10.0, 0.1, -1e6 / 3.0):
        y = np.full((1, shape[0]), value)
        y[0, 1] = np.nextafter(value, np.inf)
        found = as_table(X[None], y, weights)
        assert found.problem.yy[0] == 0.0
        assert found.y_mean[0] == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_response_that_hardly_varies_keeps_its_digits(weighted, rng):
    X = rng.standard_normal((12, 1))
    y = 8.8 + 1e-9 * (X[:, 0] + 1e-3 * rng.standard_normal(12))
    weights = rng.integers(1, 4, 12).astype(float) if weighted else np.ones(12)
    problem = batched(X, y, weights if weighted else None).problem
    with mpmath.workdps(40):
        w, x, z = ([mpmath.mpf(float(v)) for v in column] for column in (weights, X[:, 0], y))
        x, z = ([v - mpmath.fdot(w, side) / sum(w) for v in side] for side in (x, z))
        xx, xz, zz = (
            sum(a * b * c for a, b, c in zip(w, p, q, strict=True))
            for p, q in ((x, x), (x, z), (z, z))
        )
        share = float((zz - xz * xz / xx) / zz)
    found = support_spectra(problem, np.zeros((1, 1, 1), dtype=int)).rss[0, 0]
    assert found / problem.yy[0] == pytest.approx(share, rel=1e-6)
