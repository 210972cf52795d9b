"""A table is the centred, weighted, scaled matrix it says it is, however it was summed."""

import mpmath
import numpy as np
import pytest
from rounding import assert_same_numbers

from projstg._core.data import standard_table as table_module
from projstg._core.data.shared_sums import shared_sums
from projstg._core.data.standard_table import as_tables, of_same_columns
from projstg._core.data.summed_table import tables_of_sums
from projstg._core.score.evidence import support_spectra


@pytest.fixture(params=[False, True], ids=["equal rows", "weighted"])
def weighted(request):
    return request.param


@pytest.fixture
def weights(weighted, table, rng):
    return rng.uniform(0.5, 3.0, size=table[0].shape[0]) if weighted else None


@pytest.fixture(params=[True, False], ids=["centred", "as it is"])
def centre(request):
    return request.param


def batched(X, y, weights, **options):
    weights = None if weights is None else weights[None]
    return as_tables(X[None], y[None], weights, **options)


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
    problem, frame = found.problem(0), found.frame(0)
    G, b, yy, n, scale, size = obvious(X, y, weights, centre)
    assert frame.y_scale == pytest.approx(size)
    tolerance = 1e-10 * n
    np.testing.assert_allclose(problem.G, G, atol=tolerance)
    np.testing.assert_allclose(problem.b, b, atol=tolerance * (1 + np.sqrt(yy / n)))
    np.testing.assert_allclose([problem.yy, problem.n], [yy, n], rtol=1e-11, atol=1e-25)
    assert problem.dof == pytest.approx(n - centre)
    np.testing.assert_allclose(frame.scale, scale, rtol=1e-11)
    np.testing.assert_array_equal(found.varies[0], scale > 0)


def test_tall_and_wide_tables_are_the_definition(table, weights, centre):
    X, y = table
    found = batched(X, y, weights, centre=centre)
    assert (found.batch.X is None) == (X.shape[0] >= X.shape[1])
    assert_same(found, X, y, weights, centre)


def test_some_columns_are_the_table_of_these(table, weights, centre):
    X, y = table
    columns = np.arange(0, X.shape[1], 2)
    found = batched(X, y, weights, centre=centre, columns=columns)
    assert_same(found, X[:, columns], y, weights, centre)
    assert found.frame(0).n_features == X.shape[1]
    np.testing.assert_array_equal(found.frame(0).columns, columns)


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
    assert found.units.scale.dtype == dtype


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
    frame, support = found.frame(0), np.flatnonzero(found.varies[0])
    beta = rng.normal(size=support.size)
    coef = frame.coef(support, beta)
    x_mean = np.average(X, axis=0, weights=weights) * centre
    y_mean = np.average(y, weights=weights) * centre
    Z = (X - x_mean)[:, support] / frame.scale[support]
    expected = Z @ beta * frame.y_scale + y_mean
    np.testing.assert_allclose(X @ coef + frame.intercept(coef), expected, atol=1e-9)


def assert_same_tables(found, expected):
    assert len(found) == len(expected)
    np.testing.assert_array_equal(found.columns, expected.columns)
    for name, field in expected.units._asdict().items():
        assert_same_numbers(getattr(found.units, name), field, name=name)
    for i in range(len(found)):
        one, other = found.problem(i), expected.problem(i)
        for name in ("G", "b", "yy", "n", "dof", "diagonal"):
            assert_same_numbers(getattr(one, name), getattr(other, name), name=name)
        if one.has_rows:
            rows, others = (each.rows_of(np.arange(each.b.size))[0] for each in (one, other))
            assert_same_numbers(rows.T @ rows, others.T @ others)


def test_some_of_the_tables_are_tables_of_themselves(full_table):
    X, y = full_table
    X, y = np.stack([X, 10.0 * X[::-1], X**3]), np.stack([y, y, y[::-1]])
    together = as_tables(X, y)
    assert together.some(np.arange(3)) is together
    for chosen in ([0], [1], [2, 0]):
        alone = as_tables(X[chosen], y[chosen])
        assert_same_tables(together.some(np.asarray(chosen)), alone)


@pytest.mark.parametrize("shape", [(30, 5), (4, 5)])
def test_tables_without_their_constant_columns_are_grouped_by_the_others(shape, rng):
    X, y = rng.normal(size=(5, *shape)), rng.normal(size=(5, shape[0]))
    X[[1, 4], :, 2], X[3] = 7.0, 1.0  # in the last but one nothing varies

    def remake(members, columns):
        return as_tables(X[members], y[members], columns=columns)

    every, expected = np.arange(5), {0: [0, 1, 2, 3, 4], 1: [0, 1, 3, 4], 3: [0]}
    groups = of_same_columns(remake(every, every), remake)
    assert sorted(members.tolist() for members, _ in groups) == [[0, 2], [1, 4], [3]]
    for members, tables in groups:
        columns = expected[members[0]]
        assert tables.columns.tolist() == columns
        assert tables.units.n_features == 5
        for place, i in enumerate(members):
            own = tables.some(np.asarray([place]))
            assert_same(own, X[i][:, columns], y[i], None, True)


def test_tables_of_which_all_columns_vary_stay_as_they_are(rng):
    tables = as_tables(rng.normal(size=(3, 9, 4)), rng.normal(size=(3, 9)))
    ((members, same),) = of_same_columns(tables, None)
    assert members.tolist() == [0, 1, 2]
    assert same is tables


@pytest.mark.parametrize("columns", [[0, 1, 2, 3], [1, 3]])
def test_tables_of_sums_are_those_of_the_rows(columns, centre, rng):
    X, Y = rng.normal(size=(20, 4)) + 3.0, rng.normal(size=(20, 3)) - 1.0
    Y[:, 1] = -0.1
    X[:, 2] = 0.1
    columns = np.asarray(columns)
    found = tables_of_sums(shared_sums(X, Y), columns, centre=centre)
    assert len(found) == 3
    for i in range(3):
        expected = batched(X, Y[:, i], None, centre=centre, columns=columns)
        assert_same_tables(found.some(np.asarray([i])), expected)
        assert not found.problem(i).has_rows


@pytest.mark.parametrize("shape", [(10, 2), (5, 9)])
def test_a_constant_response_is_explained_by_its_mean_alone(shape, weighted, rng):
    X = rng.standard_normal(shape)
    weights = rng.uniform(0.1, 3.0, size=(1, shape[0])) if weighted else None
    for value in (10.0, 0.1, -1e6 / 3.0):
        y = np.full((1, shape[0]), value)
        y[0, 1] = np.nextafter(value, np.inf)
        found = as_tables(X[None], y, weights)
        assert found.problem(0).yy == 0.0
        assert found.units.y_mean[0] == pytest.approx(value, rel=1e-15)


def test_a_response_that_hardly_varies_keeps_its_digits(weighted, rng):
    X = rng.standard_normal((12, 1))
    y = 8.8 + 1e-9 * (X[:, 0] + 1e-3 * rng.standard_normal(12))
    weights = rng.integers(1, 4, 12).astype(float) if weighted else np.ones(12)
    problem = batched(X, y, weights if weighted else None).problem(0)
    with mpmath.workdps(40):
        w, x, z = ([mpmath.mpf(float(v)) for v in column] for column in (weights, X[:, 0], y))
        x, z = ([v - mpmath.fdot(w, side) / sum(w) for v in side] for side in (x, z))
        xx, xz, zz = (
            sum(a * b * c for a, b, c in zip(w, p, q, strict=True))
            for p, q in ((x, x), (x, z), (z, z))
        )
        share = float((zz - xz * xz / xx) / zz)
    found = support_spectra(problem, np.zeros((1, 1), dtype=int)).rss[0]
    assert found / problem.yy == pytest.approx(share, rel=1e-6)
