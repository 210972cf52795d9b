"""Whatever speaks Arrow gives the same sums; text is coded as by ``select(levels="all")``."""

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

from projstg import ProjectedSTG, Statistics
from projstg.tables.prepare.design_matrix import prepared_table
from projstg.tables.words.question import TableQuestion


def frame(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    found = pandas.DataFrame(rng.standard_normal((n_rows, 4)), columns=list("abcd"))
    found["count"] = rng.integers(0, 9, n_rows)
    found["is_new"] = rng.random(n_rows) > 0.5
    found["colour"] = rng.choice(["red", "green", "blue"], n_rows)
    found["sex"] = rng.choice(["m", "f"], n_rows)
    found["price"] = found.a - 2 * found["count"] + (found.colour == "red") * 3.0
    found["price"] += 0.5 * rng.standard_normal(n_rows)
    return found


def written(folder, table, n_files=3):
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(table)), n_files)):
        part = pyarrow.Table.from_pandas(table.iloc[rows], preserve_index=False)
        pyarrow.parquet.write_table(part, folder / f"part-{i}.parquet", row_group_size=50)
    return folder


def one_file(table, folder):
    path = folder / "rows.parquet"
    table.to_parquet(path)
    return path


SOURCES = {
    "pandas": lambda table, folder: table,
    "polars": lambda table, folder: polars.from_pandas(table),
    "pyarrow": lambda table, folder: pyarrow.Table.from_pandas(table),
    "reader": lambda table, folder: pyarrow.Table.from_pandas(table).to_reader(max_chunksize=37),
    "duckdb": lambda table, folder: duckdb.from_df(table),
    "dataset": lambda table, folder: pyarrow.dataset.dataset(written(folder / "d", table)),
    "categories": lambda table, folder: table.astype({"colour": "category", "sex": "category"}),
    "polars categories": lambda table, folder: polars.from_pandas(table).with_columns(
        polars.col("colour").cast(polars.Categorical)
    ),
    "folder": lambda table, folder: written(folder / "f", table),
    "file": lambda table, folder: one_file(table, folder),
}


def gathered(source, **params):
    if hasattr(source, "is_dir"):
        return Statistics.from_parquet(source, "price", **params)
    return Statistics.from_arrow(source, "price", **params)


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_has_the_numbers_of_select(kind, tmp_path):
    table = frame()
    data = prepared_table(table, TableQuestion(target="price", levels="all"))
    expected = Statistics().update(pandas.DataFrame(data.X, columns=data.names), data.y)
    found = gathered(SOURCES[kind](table, tmp_path))
    assert found.feature_names.tolist() == data.names
    assert found.n_rows == 400
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.xy, expected.xy, rtol=1e-10, atol=1e-9)
    model = ProjectedSTG().fit(found, "price")
    whole = ProjectedSTG().fit(pandas.DataFrame(data.X, columns=data.names), data.y)
    assert model.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["pandas", "polars", "reader", "duckdb", "folder", "file"])
def test_a_source_is_fitted(kind, tmp_path):
    model = ProjectedSTG().fit(SOURCES[kind](frame(), tmp_path), "price")
    assert set(model.get_feature_names_out()) == {"a", "count", "colour=red"}


def test_the_index_of_a_frame_is_no_column():
    table = frame().set_index("d").query("a > 0")
    assert gathered(table).left_out == {"d": "the index of a data frame"}
    assert gathered(table.reset_index()[::2]).feature_names.tolist()[:4] == list("dabc")


def test_a_level_that_turns_up_late_was_zero_before(tmp_path):
    table = frame().sort_values("colour", kind="stable")
    data = prepared_table(table.reset_index(drop=True), TableQuestion(target="price", levels="all"))
    expected = Statistics().update(data.X, data.y)
    found = gathered(pyarrow.Table.from_pandas(table).to_reader(max_chunksize=23))
    assert found.feature_names.tolist() == data.names
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)


def test_what_is_no_quantity_is_left_out_and_said_to_be():
    table = frame().assign(
        day=pandas.Timestamp("2026-01-01"), note=[f"text {i}" for i in range(400)]
    )
    found = gathered(table)
    assert found.left_out == {"day": "dates", "note": "text of more than 20 levels"}
    assert "note=text 1" not in found.feature_names
    with pytest.raises(ValueError, match="'day' has dates"):
        gathered(table, columns=["a", "day"])


def test_columns_and_weights_are_chosen_by_name():
    table = frame()
    found = gathered(table, columns=["c", "a"], weights="count")
    few = table[table["count"] > 0]
    expected = Statistics().update(few[["c", "a"]], few.price, few["count"])
    assert found.feature_names.tolist() == ["a", "c"]
    assert found.weight_sum == expected.weight_sum
    np.testing.assert_allclose(found.xx[::-1, ::-1], expected.xx, rtol=1e-10, atol=1e-9)


def test_floats_of_four_bytes_are_summed_in_double():
    table = frame()[["a", "b", "price"]].astype("float32")
    found = gathered(table)
    expected = gathered(table.astype(float))
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("column", ["a", "count", "colour", "price"])
def test_missing_values_are_counted_and_refused_or_left_out(column):
    table = frame()
    table[column] = table[column].astype(object if column == "colour" else float)
    table.loc[5:7, column] = None
    with pytest.raises(ValueError, match="3 of 400 rows with a missing value"):
        gathered(table)
    found = gathered(table, missing="drop")
    assert found.n_rows == 397
    assert found.n_dropped == 3
    expected = gathered(table.drop(index=[5, 6, 7]))
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)


def rewritten(number, change):
    """Change the table in one file of a folder."""

    def change_file(folder):
        path = folder / f"part-{number}.parquet"
        pyarrow.parquet.write_table(change(pyarrow.parquet.read_table(path)), path)

    return change_file


def with_text(table):
    text = pyarrow.array([str(one) for one in table.column("a").to_pylist()])
    return table.set_column(table.schema.names.index("a"), "a", text)


def emptied(folder):
    for path in folder.iterdir():
        path.unlink()


def truncated(folder):
    path = folder / "part-2.parquet"
    path.write_bytes(path.read_bytes()[:-100])


def damaged(folder):
    path = folder / "part-2.parquet"
    content = bytearray(path.read_bytes())
    content[10:400] = bytes(390)
    path.write_bytes(bytes(content))


FOLDERS = [
    (rewritten(1, lambda table: table.drop(["price"])), r"part-1\.parquet has no column 'price'"),
    (rewritten(1, with_text), r"part-1\.parquet has text in 'a', and what came before it numbers"),
    (rewritten(2, lambda table: table.drop(["b"])), r"part-2\.parquet has no column b"),
    (
        rewritten(1, lambda table: table.append_column("new", table["a"])),
        r"part-1\.parquet has the column 'new', and what came before it has not",
    ),
    (emptied, "the folder rows has no files"),
    (truncated, r"part-2\.parquet cannot be read"),
    (damaged, r"part-2\.parquet cannot be read"),
]


@pytest.mark.parametrize(("change", "message"), FOLDERS)
def test_a_folder_with_a_fault_is_refused_in_one_line(change, message, tmp_path):
    folder = written(tmp_path / "rows", frame())
    change(folder)
    with pytest.raises(ValueError, match=message) as caught:
        Statistics.from_parquet(folder, "price")
    assert "\n" not in str(caught.value)


def test_names_that_are_not_there_have_a_hint():
    with pytest.raises(ValueError, match=r"no column 'prize'.*price"):
        Statistics.from_arrow(frame(), "prize")
    with pytest.raises(ValueError, match=r"'colour' of .* has text"):
        Statistics.from_arrow(frame(), "colour")
    with pytest.raises(TypeError, match="list is no Arrow source"):
        Statistics.from_arrow([1, 2], "price")
    with pytest.raises(FileNotFoundError):
        Statistics.from_parquet("no such file.parquet", "price")


def test_negative_weights_are_refused():
    table = frame().assign(times=-1.0)
    with pytest.raises(ValueError, match="400 negative values"):
        gathered(table, weights="times")


def test_a_first_batch_without_rows_has_no_say():
    table = pyarrow.Table.from_pandas(frame())
    (batch,) = table.to_batches()
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, [batch.slice(0, 0), batch])
    assert gathered(reader).feature_names.tolist() == gathered(table).feature_names.tolist()


def test_gaps_of_a_column_that_is_left_out_cost_no_row():
    names = [f"id {i}" if i % 2 else None for i in range(400)]
    found = gathered(frame().assign(name=names))
    assert found.n_rows == 400
    assert "name" in found.left_out


def test_what_is_asked_of_a_source_is_checked():
    table = frame()
    for columns in ("ab", []):
        with pytest.raises(ValueError, match="give a list of names"):
            gathered(table, columns=columns)
    with pytest.raises(ValueError, match="both the target and the weights"):
        gathered(table, weights="price")
    with pytest.raises(TypeError, match="name of a column of the source"):
        ProjectedSTG().fit(table, "price", np.ones(400))
    twice = pyarrow.table([table.a, table.b, table.price], names=["a", "a", "price"])
    with pytest.raises(ValueError, match="more than one column 'a'"):
        gathered(twice)
    with pytest.raises(ValueError, match="all 400 have a missing value"):
        gathered(table.assign(a=np.nan), missing="drop")
