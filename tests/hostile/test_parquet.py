"""Parquet files: types that are understood or named, and files that are damaged."""

import io
from decimal import Decimal

import numpy as np
import pytest
from made import QUESTION, N, rows_of
from preparing import prepared_frame

from projstg.tables.files.read_table import Read, read_table

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

A, B, _, _, Y = rows_of().T


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.parquet"


def prepared(path, columns):
    parquet.write_table(pa.table({**columns, "a": A, "b": B, "y": Y}), path)
    read = read_table(path)
    return prepared_frame(read.frame, "y", missing="drop")


def kinds(data):
    return {note.kind: note.columns for note in data.notes}


def test_decimals_are_numbers(path):
    exact = [Decimal(str(value)) for value in A]
    data = prepared(path, {"money": pa.array(exact), "wide": pa.array(exact, pa.decimal256(40, 9))})
    np.testing.assert_array_equal(data.X[:, :2], np.column_stack([A, A]))


def test_decimals_of_a_frame_are_numbers():
    frame = pd.DataFrame({"x": [Decimal(str(value)) for value in A], "y": Y})
    np.testing.assert_array_equal(prepared_frame(frame, "y").X[:, 0], A)


TYPES = {
    "lists": (pa.array([[1, 2]] * N), "other"),
    "records": (pa.array([{"k": 1}] * N), "other"),
    "maps": (pa.array([[("k", 1)]] * N, pa.map_(pa.string(), pa.int64())), "other"),
    "bytes": (pa.array([b"\xff\x00"] * N), "other"),
    "times": (pa.array(range(N), pa.time64("us")), "date"),
    "days": (pa.array(range(N), pa.date32()), "date"),
    "moments": (pa.array(range(N), pa.timestamp("ns", tz="UTC")), "date"),
    "spans": (pa.array(range(N), pa.duration("s")), "date"),
    "nothing": (pa.nulls(N), "empty"),
    "levels": (pa.array(["u", "v"] * (N // 2)).dictionary_encode(), "factor"),
    "levels of numbers": (pa.array([3, 5] * (N // 2)).dictionary_encode(), None),
    "long text": (pa.array(["u", "v"] * (N // 2), pa.large_string()), "factor"),
    "bools": (pa.array([True, False] * (N // 2)), None),
    "small floats": (pa.array(A.astype(np.float16)), None),
    "large whole numbers": (pa.array([2**60 + 7 * i * i for i in range(N)]), "rounded"),
    "larger whole numbers": (
        pa.array([2**63 + 7 * i * i for i in range(N)], pa.uint64()),
        "rounded",
    ),
}


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_used_or_named(kind, path):
    column, noted = TYPES[kind]
    data = prepared(path, {"x": column})
    assert kinds(data) == ({} if noted is None else {noted: ("x",)})
    assert ("x" in {name.split("=")[0] for name in data.names}) == (
        noted in {None, "factor", "rounded"}
    )


def test_an_index_of_pandas_is_a_column(path):
    pd.DataFrame({"a": A, "b": B, "y": Y}).set_index("a").to_parquet(path)
    assert sorted(prepared_frame(read_table(path).frame, "y").names) == ["a", "b"]


def test_names_that_occur_twice(path):
    columns = [pa.array(A), pa.array(["u", "v"] * (N // 2)), pa.array([[1]] * N), pa.array(Y)]
    parquet.write_table(pa.Table.from_arrays(columns, names=["a", "a", "a", "y"]), path)
    read = read_table(path)
    assert list(read.frame.columns) == ["a (1)", "a (2)", "a (3)", "y"]
    assert prepared_frame(read.frame, "y").names == ["a (1)", "a (2)=v"]


def whole():
    file = io.BytesIO()
    parquet.write_table(pa.table({"a": A, "b": B, "y": Y}), file)
    return file.getvalue()


def no_columns():
    file = io.BytesIO()
    parquet.write_table(pa.table({}), file)
    return file.getvalue()


def no_rows():
    file = io.BytesIO()
    parquet.write_table(
        pa.table({"a": pa.array([], pa.float64()), "y": pa.array([], pa.string())}), file
    )
    return file.getvalue()


DAMAGED = {
    "cut at the end": whole()[:-7],
    "cut in the middle": whole()[:300],
    "without an end": whole()[:-8],
    "no footer": b"PAR1" + b"\0" * 8 + b"PAR1",
    "a footer too long": whole()[:-8] + b"\xff\xff\xff\x7fPAR1",
    "no columns": no_columns(),
    "no rows": no_rows(),
    "encrypted": b"PARE" + whole()[4:],
    "a target of lists": None,
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused(kind, path, refused):
    if DAMAGED[kind] is None:
        parquet.write_table(pa.table({"a": A, "y": [[1]] * N}), path)
    else:
        path.write_bytes(DAMAGED[kind])
    refused(path, *QUESTION)


@pytest.mark.parametrize("place", range(8, 1200, 89))
def test_a_byte_that_is_wrong_is_no_traceback(place, path, said):
    content = bytearray(whole())
    content[place % len(content)] ^= 0x55
    path.write_bytes(content)
    status, _, err = said(path, *QUESTION)
    assert status == 0 or (status == 2 and err.count("\n") == 1)


def test_what_a_file_says_of_its_size_is_believed_before_it_is_read(path, monkeypatch):
    parquet.write_table(pa.table({"a": np.zeros(100_000), "y": np.zeros(100_000)}), path)
    monkeypatch.setattr(parquet.ParquetFile, "read", lambda *_, **__: pytest.fail("it was read"))
    assert not isinstance(read_table(path, most_bytes=1_000_000), Read)


def test_a_column_called_as_a_field_of_a_record_is_a_column(path, said):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 50))
    records = [{"p": float(one)} for one in b]
    parquet.write_table(pa.table({"s": records, "a": a, "b": b, "y": a + b, "s.p": b + 1.0}), path)
    assert list(read_table(path).frame.columns) == ["s", "a", "b", "y", "s.p"]
    np.testing.assert_array_equal(read_table(path).frame["y"], a + b)
