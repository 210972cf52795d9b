"""Which rows are left out for a gap in text depends on no order, no chunks and no source."""

from itertools import pairwise

import dask.dataframe
import numpy as np
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from soaking import count, examples

from projstg import Statistics
from projstg.sources import gap_sets
from projstg.sources.folds import fold_of_rows
from projstg.tables.prepare.design_matrix import prepared_table
from projstg.tables.words.question import TableQuestion

LEVELS = {"few": 3, "both": 2, "most": 20, "one more": 21, "many": 60}


def frame(seed, n_rows=400):
    """Text of these numbers of levels, each with gaps, and gaps in numbers, target and weights."""
    rng = np.random.default_rng(seed)
    found = pandas.DataFrame({"a": rng.standard_normal(n_rows), "b": rng.standard_normal(n_rows)})
    for name, n_levels in LEVELS.items():
        cells = np.array([f"{name} {i}" for i in np.arange(n_rows) % n_levels], dtype=object)
        cells[rng.random(n_rows) < 0.1] = None
        found[name] = rng.permutation(cells)
    found["price"] = found.a + (found.few == "few 1") + rng.standard_normal(n_rows)
    found["times"] = rng.integers(0, 3, n_rows).astype(float)
    for name in ("b", "price", "times"):
        found.loc[rng.random(n_rows) < 0.02, name] = None
    return found.astype(dict.fromkeys(LEVELS, "str"))


def left_out(table):
    """Text of more than 20 levels; those of rows of weight zero are none."""
    n_levels = table[table.times != 0.0][[*LEVELS]].nunique()
    return set(n_levels.index[n_levels > 20])


def counting(table):
    """The mask of rows that count, by the rule: what is left out costs no row."""
    used = table.columns.difference(left_out(table))
    return (table[used].notna().all(axis=1) & (table.times != 0.0)).to_numpy()


def coded(table, names):
    """Its columns as numbers: this text as columns of 0 and 1, or of one of two."""
    found = table[["a", "b"]].copy()
    for name in names:
        levels = sorted(table[name].dropna().unique())
        for level in levels[1:] if len(levels) == 2 else levels:
            found[f"{name}={level}"] = (table[name] == level).astype(float)
    return found


def in_batches(table, cuts):
    """A stream that can be read once."""
    (whole,) = pyarrow.Table.from_pandas(table, preserve_index=False).to_batches()
    ends = [0, *sorted(cuts), len(table)]
    parts = [whole.slice(i, j - i) for i, j in pairwise(ends)]
    return pyarrow.RecordBatchReader.from_batches(whole.schema, parts)


ORDERS = {
    "as drawn": lambda table: table,
    "levels late": lambda table: table.sort_values("one more"),
    "gaps first": lambda table: table.sort_values("many", na_position="first"),
    "few first": lambda table: table.sort_values(["few", "one more"], na_position="first"),
}


@examples(25)
@given(st.data())
def test_what_counts_depends_on_no_order_and_no_chunks(data):
    table = frame(data.draw(st.integers(0, 999)), data.draw(st.sampled_from([150, 400])))
    table = ORDERS[data.draw(st.sampled_from([*ORDERS]))](table).reset_index(drop=True)
    cuts = data.draw(st.lists(st.integers(0, len(table)), max_size=12))
    n_folds = data.draw(st.sampled_from([0, 3]))
    params = {"weights": "times", "missing": "drop", "folds": n_folds}
    found = Statistics.from_arrow(in_batches(table, cuts), "price", **params)
    counts = counting(table)
    assert found.n_rows == counts.sum()
    assert found.n_dropped == (~counts & (table.times != 0.0)).sum()
    strange = left_out(table)
    assert set(found.left_out) == strange >= {"many"}
    rows, texts = table[counts], [name for name in LEVELS if name not in strange]
    expected = Statistics().update(coded(rows, texts), rows.price, rows.times)
    assert found.feature_names.tolist() == expected.feature_names.tolist()
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.xy, expected.xy, rtol=1e-10, atol=1e-9)
    folds = fold_of_rows(0, len(table), max(n_folds, 1), 0)
    for i in range(n_folds):
        own = table[counts & (folds == i)]
        inside = found.fold(i)[1]
        assert inside.n_rows == len(own)
        assert inside.weight_sum == own.times.sum()
        np.testing.assert_allclose(inside.x_mean[0], np.average(own.a, weights=own.times))
    count("problem", "rows with gaps in text")


SOURCES = {
    "frame": lambda table, folder: table,
    "reader": lambda table, folder: in_batches(table, range(0, len(table), 37)),
    "dataset": lambda table, folder: pyarrow.dataset.dataset(written(table, folder)),
    "folder": lambda table, folder: written(table, folder),
}


def written(table, folder):
    for i, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
        part = pyarrow.Table.from_pandas(table.iloc[rows], preserve_index=False)
        pyarrow.parquet.write_table(part, folder / f"part-{i}.parquet", row_group_size=40)
    return folder


def gathered(source, **params):
    if hasattr(source, "is_dir"):
        return Statistics.from_parquet(source, "price", weights="times", **params)
    return Statistics.from_arrow(source, "price", weights="times", **params)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_keeps_the_rows_of_select(kind, order, tmp_path):
    table = ORDERS[order](frame(1)).reset_index(drop=True)
    question = TableQuestion(target="price", weights="times", levels="all", missing="drop")
    data = prepared_table(table, question)
    found = gathered(SOURCES[kind](table, tmp_path), missing="drop")
    assert found.n_rows == data.n_rows == counting(table).sum()
    assert found.weight_sum == data.weights.sum()
    assert found.feature_names.tolist()[:5] == ["a", "b", "few=few 0", "few=few 1", "few=few 2"]
    np.testing.assert_allclose(found.x_mean[:5], np.average(data.X, 0, data.weights)[:5])


@pytest.mark.parametrize("order", ORDERS)
def test_dask_keeps_the_same_rows(order):
    table = ORDERS[order](frame(1)).reset_index(drop=True)
    rows = dask.dataframe.from_pandas(table, npartitions=3, sort=False)
    found = Statistics.from_dask(rows, "price", "times", missing="drop", folds=2)
    expected = Statistics.from_arrow(table, "price", weights="times", missing="drop", folds=2)
    assert found.n_rows == expected.n_rows == counting(table).sum()
    assert found.n_dropped == expected.n_dropped
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)


def test_where_there_is_no_room_for_all_combinations_the_source_must_be_read_twice(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(gap_sets, "_MOST_NUMBERS", 0)
    table = frame(3)
    message = r"gaps in \d+ combinations of columns of text \(both, few.*pass a path or a dataset"
    for kind in ("frame", "reader"):
        with pytest.raises(ValueError, match=message) as caught:
            gathered(SOURCES[kind](table, tmp_path), missing="drop")
        assert "\n" not in str(caught.value)
    for kind in ("dataset", "folder"):
        found = gathered(SOURCES[kind](table, tmp_path), missing="drop")
        assert found.n_rows == counting(table).sum()
    one_gap = table.fillna(dict.fromkeys(["both", "most", "one more", "many"], "both 1"))
    gathered(one_gap, missing="drop")  # for a few sets there is room


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", SOURCES)
def test_gaps_are_refused_where_they_would_cost_a_row_and_only_there(kind, order, tmp_path):
    table = ORDERS[order](frame(2)).dropna(subset=["b", "price", "times"])
    table = table[table.times > 0.0].reset_index(drop=True)
    filled = table.fillna(dict.fromkeys(["few", "both", "most"], "both 1"))
    found = gathered(SOURCES[kind](filled.drop(columns="most"), tmp_path))
    assert found.n_rows == len(table)
    filled = filled.assign(few=table.few).drop(columns="most")
    with pytest.raises(ValueError, match=r"rows with a missing value \(few") as caught:
        gathered(SOURCES[kind](filled, tmp_path))
    assert "\n" not in str(caught.value)
