"""Several files with the same columns are one table."""

import numpy as np
import pytest

import projstg
from projstg.tables.files import stacked_files
from projstg.tables.files.stacked_files import read_tables
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")


@pytest.fixture
def parts(frame, tmp_path):
    """The rows of a frame in three files of three kinds, the columns in another order in each."""
    pytest.importorskip("pyarrow")
    frame = frame.assign(
        level=["u", "v", "w"] * 20, flag=[True, False] * 30, day=pd.Timestamp("2024-01-01")
    )
    paths = [tmp_path / name for name in ("jan.csv", "feb.csv", "mar.feather")]
    frame[:20].to_csv(paths[0], index=False)
    frame[20:40][frame.columns[::-1]].to_csv(paths[1], index=False, sep=";", decimal=",")
    frame[40:].assign(flag=frame["flag"].astype(float)).reset_index(drop=True).to_feather(paths[2])
    return frame, paths


def test_the_rows_follow_each_other(parts):
    frame, paths = parts
    read = read_tables(paths)
    assert list(read.frame.columns) == list(frame.columns)
    np.testing.assert_array_equal(read.frame["level"].astype(object), frame["level"])
    for name in [*"abcdefgh", "y", "flag"]:
        assert read.frame[name].dtype == float
        np.testing.assert_allclose(read.frame[name], frame[name], rtol=1e-14)
    assert read.facts["files"] == ["jan.csv", "feb.csv", "mar.feather"]
    assert (read.facts["n_rows"], read.facts["format"]) == (60, "several")
    assert read.notes[0].text.startswith("3 files, their rows one after the other: jan.csv, feb")
    assert [note.text for note in read.notes if note.kind == "delimiter"] == [
        "In feb.csv: The delimiter is a semicolon."
    ]


def test_the_answer_is_that_of_one_file(parts):
    frame, paths = parts
    one = projstg.select(frame, "y", 2)
    many = projstg.select([str(path) for path in paths], "y", 2)
    assert many.columns == one.columns == ["b", "f"]
    assert many.r2_out_of_sample == pytest.approx(one.r2_out_of_sample, rel=1e-9)
    assert projstg.select(tuple(paths), "y", 2, folds=0).columns == one.columns
    left_out = [note.columns for note in many.notes if note.kind == "date"]
    assert left_out == [("day",)]


def test_what_is_noted_of_every_file_is_noted_once(written):
    paths = [written("a;y\n1;2\n", name) for name in ("one", "two")]
    assert [note.kind for note in read_tables(paths).notes] == ["files", "delimiter"]


def test_other_columns_are_named_with_their_file(written):
    paths = [written("a,b,y\n1,2,3\n", "one.csv"), written("y,c,a\n1,2,3\n", "two.csv")]
    with pytest.raises(TableError, match=r"two.csv has other .* one.csv \(with c, without b\)"):
        read_tables(paths)


def test_a_file_given_twice_is_refused(written, tmp_path):
    path = written("a,y\n1,2\n")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(TableError, match="link is given twice"):
        read_tables([path, tmp_path / "link"])


def test_numbers_in_one_file_and_text_in_another(written):
    paths = [
        written("a,b,y\n" + "1,2,3\n" * 5, "one.csv"),
        written("a,b,y\n" + "u,2,3\n" * 5, "two.csv"),
        written("a,b,y\n" + ",2,3\n" * 5, "three.csv"),
    ]
    notes = read_tables(paths).notes
    assert [(note.kind, note.columns) for note in notes] == [("files", ()), ("kinds", ("a",))]
    assert notes[1].text.endswith("'a' is numbers in one.csv and text in two.csv.")


def test_all_files_must_fit_into_memory_together(written):
    lines = "".join(f"{i},{i * i}\n" for i in range(2000))
    paths = [written("a,y\n" + lines, f"{i}.csv") for i in range(3)]
    read_tables(paths[:2], most_bytes=600_000)
    with pytest.raises(TableError, match=r"3 files or more .* save them as one Parquet file"):
        read_tables(paths, most_bytes=600_000)
    with pytest.raises(TableError, match=r"0.csv does not fit .* save them as one Parquet file"):
        read_tables(paths, most_bytes=60_000)


def test_one_file_may_be_too_large_for_memory(written):
    path = written("a,y\n" + "".join(f"{i},{i * i}\n" for i in range(2000)))
    assert not isinstance(read_tables([path], most_bytes=60_000), stacked_files.Read)
