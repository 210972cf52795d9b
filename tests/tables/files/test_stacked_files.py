"""Several files with the same columns are one table."""

import gzip

import numpy as np
import pytest

import projstg
from projstg.tables.files import stacked_files
from projstg.tables.files.reopened_file import ReopenedFile
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
    with pytest.raises(TableError, match=r"two.csv has other .* one.csv \(c instead of b\)"):
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


def concatenated(texts):
    """The rows of text tables under the header of the first."""
    return texts[0] + "".join(text.split("\n", 1)[1] for text in texts[1:])


def rows(header, *columns):
    return (
        "\n".join([header, *(";".join(map(str, row)) for row in zip(*columns, strict=True))]) + "\n"
    )


COLUMNS = {
    "booleans beside a word": (["True", "False", "unknown"] * 4, ["True", "False"] * 6),
    "booleans in capitals beside a word": (["TRUE", "FALSE", "unknown"] * 4, ["TRUE", "FALSE"] * 6),
    "booleans beside gaps": (["True", "False"] * 6, [""] * 12),
    "booleans beside digits": (["True", "False"] * 6, [0, 1] * 6),
    "marks that one file shows": (["1.624,60", "2,5"] * 6, ["2.728", "1.100"] * 6),
    "marks that another column shows": (["1.234", "2.345"] * 6, ["2.728", "1.100"] * 6),
    "a decimal point that one file shows": (["1.5", "2.25"] * 6, ["2.728", "1.100"] * 6),
    "codes": (["00123", "94305"] * 6, ["94305", "12345"] * 6),
    "codes of two lengths": (["00123", "94305"] * 6, ["0123", "9430"] * 6),
    "levels that look like numbers": (["low", "007"] * 6, ["7", "3.50"] * 6),
    "a word among numbers": (["1.5", "2.5", "oops"] * 4, ["3", "4.25"] * 6),
    "signs": (["5 %", "7 %"] * 6, ["0.05", "0.07"] * 6),
    "signs in one file only": (["5 %", "7 %"] * 6, [5, 7] * 6),
    "no cells": ([""] * 12, [""] * 12),
    "large numbers": ([10**20, 1] * 6, [1, 2] * 6),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("turned", [False, True])
def test_text_files_are_read_as_one_file_with_all_rows(kind, turned, written):
    other = ["1,5" if kind == "marks that another column shows" else "1.5"] * 12
    parts = COLUMNS[kind][::-1] if turned else COLUMNS[kind]
    texts = [rows("x;o;y", cells, other, range(12)) for cells in parts]
    one = read_tables([written(concatenated(texts), "all.csv")])
    many = read_tables([written(text, f"{i}.csv") for i, text in enumerate(texts)])
    pd.testing.assert_frame_equal(many.frame, one.frame)
    assert [note for note in many.notes if note.kind not in {"files", "kinds"}] == one.notes
    assert many.facts["decimal"] == one.facts["decimal"]
    assert many.may_have_thousands == one.may_have_thousands


def test_the_columns_of_text_files_may_be_in_another_order(written):
    paths = [
        written("x;y\n1.624,60;1\n2,5;2\n", "one.csv"),
        written("y;x\n3;2.728\n", "two.csv"),
    ]
    read = read_tables(paths)
    assert read.frame["x"].tolist() == [1624.6, 2.5, 2728.0]
    assert read.frame["y"].tolist() == [1, 2, 3]


def test_a_file_without_rows_changes_nothing(written):
    paths = [written("x,y\n", "none.csv"), written("x,y\n1,2\n3,4\n", "some.csv")]
    assert [str(dtype) for dtype in read_tables(paths).frame.dtypes] == ["int64", "int64"]
    assert [str(dtype) for dtype in read_tables(paths[::-1]).frame.dtypes] == ["int64", "int64"]


def test_a_text_file_with_another_delimiter_has_its_own_marks(written):
    paths = [
        written("x;y\n1.624,60;1\n2.000,50;2\n", "one.csv"),
        written('x,y\n"1,624.60",1\n"2,000.50",2\n', "two.csv"),
    ]
    assert read_tables(paths).frame["x"].tolist() == [1624.6, 2000.5] * 2


def test_beside_text_booleans_and_numbers_of_another_kind_of_file_are_text(written, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "two.parquet"
    two = pd.DataFrame({"flag": [True, False], "size": [3.0, None], "y": [3, 4]})
    two.to_parquet(path)
    read = read_tables(
        [written("flag,size,y\nTrue,3,1\nunknown,big,2\nunknown,small,3\n", "one.csv"), path]
    )
    assert read.frame["flag"].tolist() == ["True", "unknown", "unknown", "True", "False"]
    assert read.frame["size"].tolist()[:4] == ["3", "big", "small", "3"]
    assert [note.columns for note in read.notes if note.kind == "kinds"] == [("flag",), ("size",)]


def test_more_files_than_can_be_open_at_once(written):
    resource = pytest.importorskip("resource")
    paths = [written(f"x,y\n{i}.500,1\n", f"{i}.csv") for i in range(1, 90)]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (70, limits[1]))
    try:
        read = read_tables(paths)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert len(read.frame) == 89
    assert [note.kind for note in read.notes] == ["files", "doubtful"]


def test_pipes_and_gzip_files_beside_others(written, standard_input):
    standard_input(b"x;y\n1.624,60;1\n")
    packed = written(gzip.compress(b"x;y\n2.728;3\n"), "packed.gz")
    assert read_tables(["-", packed]).frame["x"].tolist() == [1624.6, 2728.0]


def test_a_file_that_changes_meanwhile_is_refused(written):
    path = written("x,y\n1,2\n")
    file = ReopenedFile(path, "table.csv")
    assert file.read() == b"x,y\n1,2\n"
    written("x,y\n1,2\n3,4\n")
    file.seek(0)
    with pytest.raises(TableError, match="changed while it was read"):
        file.read()
