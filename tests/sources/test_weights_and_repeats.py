"""A row of weight three, and three copies of a row, are one different row, through every door.

With fewer rows than columns any y is fitted without error. Weights add degrees of freedom, not
rows: K must stay below what the different rows can tell.
"""

import dask.array
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse

from projstg import ProjectedSTG, Statistics, fit_many
from projstg._core.data.shared_sums import shared_sums
from projstg._core.data.standard_table import as_tables
from projstg._core.data.summed_table import tables_of_sums
from projstg._core.data.wide_table import wide_table
from projstg._core.pipeline.largest_size import largest_size

TIMES = 3


def few_rows(n_columns=20):
    rng = np.random.default_rng(0)
    return rng.standard_normal((8, n_columns)), rng.standard_normal(8)


def of_halves(X, y, w, folder):
    """Merged, saved and loaded: what is known of one half must reach the other."""
    halves = [Statistics().update(X[i::2], y[i::2], w[i::2]) for i in (0, 1)]
    halves[0].save(folder / "half.npz")
    return ProjectedSTG().fit(halves[1] + Statistics.load(folder / "half.npz"))


def of_folds(X, y, w, folder):
    return ProjectedSTG().fit(Statistics(folds=3).update(X, y, w).without_folds())


def of_parquet(X, y, w, folder):
    columns = {f"x{i}": column for i, column in enumerate(X.T)} | {"y": y, "w": w}
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "rows.parquet")
    return ProjectedSTG().fit(folder / "rows.parquet", "y", sample_weight="w")


def of_dask(X, y, w, folder):
    blocks = [dask.array.from_array(one, chunks=2) for one in (X, y, w)]
    return ProjectedSTG().fit(*blocks[:2], sample_weight=blocks[2])


def of_chunks(X, y, w, folder):
    cuts = range(5, len(X), 5)
    return ProjectedSTG().fit(zip(*(np.split(one, cuts) for one in (X, y, w)), strict=True))


DOORS = {
    "partial_fit": lambda X, y, w, folder: ProjectedSTG().partial_fit(X, y, w),
    "chunks": of_chunks,
    "halves": of_halves,
    "folds": of_folds,
    "parquet": of_parquet,
    "dask": of_dask,
    "sparse": lambda X, y, w, folder: ProjectedSTG().fit(scipy.sparse.csr_array(X), y, w),
}


def assert_same(found, expected):
    np.testing.assert_array_equal(found.get_support(), expected.get_support())
    # Sums have the digits of squares: 10⁻¹⁶ of yᵀy, and the residual is 10⁻⁴ of that.
    for name in ("all_belong_probability_", "support_probability_"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-6)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", ["weights", "copies"])
def test_sums_give_the_answer_of_the_rows(door, way, tmp_path):
    X, y = few_rows()
    w = np.full(8, float(TIMES))
    expected = ProjectedSTG().fit(X, y, w)
    if way == "copies":
        X, y, w = np.tile(X, (TIMES, 1)), np.tile(y, TIMES), np.ones(8 * TIMES)
    assert_same(DOORS[door](X, y, w, tmp_path), expected)


def test_many_responses_of_one_table():
    X, y = few_rows()
    expected = ProjectedSTG().fit(X, y, np.full(8, float(TIMES))).get_support()
    many = fit_many(np.tile(X, (TIMES, 1)), np.stack([np.tile(y, TIMES)] * 2))
    np.testing.assert_array_equal(many.support, [expected, expected])


def test_forced_columns():
    X, y = few_rows()
    model = ProjectedSTG(always_select=[0])
    expected = model.fit(X, y, np.full(8, float(TIMES))).get_support()
    found = model.partial_fit(np.tile(X, (TIMES, 1)), np.tile(y, TIMES)).get_support()
    np.testing.assert_array_equal(found, expected)


LARGE = {"dense": 1500, "sparse": 1500, "sparse, very wide": 2100, "sums": 610}


@pytest.mark.parametrize("through", LARGE)
def test_a_large_table_of_few_different_rows(through):
    """The rank of a large table comes from no spectrum; that of few different rows from pivots."""
    X, y = few_rows(LARGE[through])
    X, y = np.tile(X, (80, 1)), np.tile(y, 80)
    if through == "dense":
        table = as_tables(X[None], y[None])
    elif through != "sums":
        table = wide_table(scipy.sparse.csc_array(X), y, None, centre=True, never=X[0] > np.inf)
    else:
        table = tables_of_sums(shared_sums(X, y[:, None]), np.arange(X.shape[1]))
    # Seven columns fit any y on eight rows; two degrees of freedom stay.
    assert largest_size(table.problem(0), X.shape[1]) == 5


def with_numbers():
    """Three copies of eight rows, beside a column that numbers them."""
    X, y = few_rows()
    X, y = np.tile(X, (TIMES, 1)), np.tile(y, TIMES)
    return np.column_stack([X, np.arange(1.0, len(X) + 1.0)]), y


NUMBERED = {
    "sums": lambda model, X, y: model.fit(Statistics().update(X, y)),
    "partial_fit": lambda model, X, y: model.partial_fit(X, y),
    "sparse": lambda model, X, y: model.fit(scipy.sparse.csr_array(X), y),
    "dask": lambda model, X, y: model.fit(
        *(dask.array.from_array(one, chunks=8) for one in (X, y))
    ),
}


@pytest.mark.parametrize("door", NUMBERED)
def test_a_column_that_may_not_be_selected_makes_no_row_different(door):
    X, y = with_numbers()
    expected = ProjectedSTG(never_select=[20]).fit(X, y)
    assert_same(NUMBERED[door](ProjectedSTG(never_select=[20]), X, y), expected)
    rows = ProjectedSTG().fit(X[:, :20], y).get_support()
    np.testing.assert_array_equal(expected.get_support(), [*rows, False])


def test_nor_where_there_are_many_responses_or_the_column_is_taken_out():
    X, y = with_numbers()
    expected = ProjectedSTG().fit(X[:, :20], y).get_support()
    many = fit_many(X, np.stack([y, y]), never_select=[20])
    np.testing.assert_array_equal(many.support[:, :20], [expected, expected])
    few = ProjectedSTG().fit(Statistics().update(X, y).columns(range(20)))
    np.testing.assert_array_equal(few.get_support(), expected)


@pytest.mark.parametrize("size", [3, 5, 24])
def test_text_that_is_left_out_late_makes_no_row_different(size):
    X, y = with_numbers()
    table = pyarrow.table(
        {f"x{i}": column for i, column in enumerate(X.T[:20])}
        | {"y": y, "id": [f"number {i}" for i in range(len(X))]}
    )
    batches = pyarrow.Table.from_batches(table.to_batches(max_chunksize=size))
    found = ProjectedSTG().fit(batches, "y")
    assert_same(found, ProjectedSTG().fit(X[:, :20], y))


def test_sums_whose_levels_came_in_another_order_count_the_same_rows():
    X, y = few_rows()
    table = pyarrow.table(
        {"k": list("abcabcab")} | {f"x{i}": own for i, own in enumerate(X.T)} | {"y": y}
    )
    one, other = (
        Statistics.from_arrow(pyarrow.Table.from_batches(table.to_batches(max_chunksize=n)), "y")
        for n in (2, 8)
    )
    assert_same(ProjectedSTG().fit(one + other), ProjectedSTG().fit(other + other))


@pytest.mark.parametrize("way", ["weight of zero", "gap elsewhere"])
def test_a_level_of_rows_that_do_not_count_is_none(way):
    rng = np.random.default_rng(1)
    x, k = rng.standard_normal(60), rng.choice(["a", "b"], 60)
    y = x + (k == "b") + rng.standard_normal(60)
    plain = Statistics.from_arrow(pyarrow.table({"x": x, "k": k, "y": y}), "y")
    more = {"x": [*x, np.nan if way == "gap elsewhere" else 0.0], "k": [*k, "c"], "y": [*y, 0.0]}
    table = pyarrow.table(more | {"w": [1.0] * 60 + [float(way == "gap elsewhere")]})
    found = Statistics.from_arrow(table, "y", weights="w", missing="drop")
    assert found.feature_names.tolist() == plain.feature_names.tolist() == ["x", "k=b"]
    assert_same(ProjectedSTG().fit(found), ProjectedSTG().fit(plain))
