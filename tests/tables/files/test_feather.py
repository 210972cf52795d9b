"""Feather files give the tables that Parquet files give."""

import io

import numpy as np
import pytest

from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
parquet = pytest.importorskip("pyarrow.parquet")

TABLE = pa.table(
    {
        "a": [1.5, None, 3.0],
        "n": [[1], [2], [3]],
        "s": ["u", "v", "u"],
        "view": pa.array(["u", None, "v"], pa.string_view()),
        "money": pa.array([1, 2, 3], pa.decimal128(20, 2)),
        "levels": pa.array(["x", "y", "x"]).dictionary_encode(),
        "y": [1, 2, 3],
    }
)


def packed(table, n_batches=1, **how):
    file = io.BytesIO()
    with ipc.new_file(file, table.schema, options=ipc.IpcWriteOptions(**how)) as writer:
        for _ in range(n_batches):
            writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("n_batches", [1, 3])
def test_it_is_read_as_parquet_is(compression, n_batches, written, tmp_path):
    read = read_table(written(packed(TABLE, n_batches, compression=compression)))
    parquet.write_table(pa.concat_tables([TABLE] * n_batches), tmp_path / "table.parquet")
    other = read_table(tmp_path / "table.parquet")
    assert read.facts == {**other.facts, "format": "feather"}
    pd.testing.assert_frame_equal(read.frame.astype(object), other.frame.astype(object))


def test_names_that_occur_twice(written):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([[1]]), pa.array(["u"])], names=["a"] * 3)
    read = read_table(written(packed(table)))
    assert list(read.frame.columns) == ["a (1)", "a (2)", "a (3)"]
    assert read.frame.iloc[0].tolist() == [1, (), "u"]


def test_the_frames_of_others(written, tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"s": ["u", "v"], "y": [1, 2]})
    frame = frame.with_columns(c=polars.col("s").cast(polars.Categorical))
    frame.write_ipc(tmp_path / "polars", compression="zstd")
    frame.to_pandas().to_feather(tmp_path / "pandas")
    for name in ("polars", "pandas"):
        read = read_table(tmp_path / name).frame
        assert read.astype(object).to_dict("list") == frame.to_dict(as_series=False)


def test_what_it_unpacks_to_is_counted(written):
    content = packed(pa.table({"a": np.zeros(10**6), "y": np.zeros(10**6)}), compression="zstd")
    assert len(content) < 10_000
    with pytest.raises(TableError, match=r"1000000 rows and 2 columns .* as CSV or Parquet"):
        read_table(written(content), most_bytes=100_000_000)
    assert len(read_table(written(content)).frame) == 10**6


def test_text_counts_as_what_it_unpacks_to(written):
    content = packed(pa.table({"s": ["x" * 10**7], "y": [1]}), compression="zstd")
    with pytest.raises(TableError, match="of memory"):
        read_table(written(content), most_bytes=10**7)
    assert len(read_table(written(content)).frame) == 1
