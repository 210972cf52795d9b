"""Excel workbooks: which sheet, which rows, and what a cell is."""

import sys
from datetime import datetime, time

import numpy as np
import pytest

import projstg
from projstg._extras import MissingExtra
from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pytest.importorskip("pandas")
openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def book(tmp_path):
    """Write sheets, given as rows by name, and return the path; the name says nothing."""

    def write(hidden=(), **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            sheet.sheet_state = "hidden" if title in hidden else "visible"
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / "table.csv")
        return tmp_path / "table.csv"

    return write


TABLE = [["a", "y"], [1, 2.5], [3, 4.5]]


def test_a_sheet_is_a_table(book):
    read = read_table(book(Sheet=TABLE))
    assert read.frame.to_dict("list") == {"a": [1, 3], "y": [2.5, 4.5]}
    assert read.facts == {"format": "excel", "sheet": "Sheet", "n_rows": 2, "n_columns": 2}
    assert read.notes == []


def test_the_first_sheet_with_data_is_read_and_named(book):
    read = read_table(book(Empty=[], Hidden=[["h"], [1]], Data=TABLE, hidden=["Hidden"]))
    assert list(read.frame.columns) == ["a", "y"]
    assert [note.kind for note in read.notes] == ["sheet"]
    assert "'Data'" in read.notes[0].text
    assert read.notes[0].text.endswith("Empty, Hidden.")


def test_another_sheet_is_chosen_by_name(book):
    path = book(Data=TABLE, Other=[["b", "y"], [1, 2]], Empty=[])
    read = read_table(path, sheet="Other")
    assert list(read.frame.columns) == ["b", "y"]
    assert read.notes == []
    with pytest.raises(TableError, match=r"no sheet 'other'; did you mean 'Other'\?"):
        read_table(path, sheet="other")
    with pytest.raises(TableError, match="no data in the sheet 'Empty'"):
        read_table(path, sheet="Empty")


def test_a_sheet_of_what_is_no_workbook(written, frame):
    with pytest.raises(TableError, match="is no Excel workbook and has no sheets"):
        read_table(written("a,y\n1,2\n"), sheet="Data")
    with pytest.raises(TableError, match="give its path"):
        projstg.select(frame, "y", sheet="Data")


def test_empty_rows_and_columns_around_the_table_are_passed_over(book):
    rows = [[], [None, " "], [None, "a", None, "y"], [], [None, 1, None, 2], [None, 3, "", 4], []]
    read = read_table(book(Sheet=rows))
    assert read.frame.to_dict("list") == {"a": [1, 3], "y": [2, 4]}


def test_without_a_header_the_columns_are_numbered(book):
    read = read_table(book(Sheet=[[1, 2.5], [3, 4]]))
    assert list(read.frame.columns) == ["column 1", "column 2"]
    assert [note.kind for note in read.notes] == ["header"]
    assert len(read.frame) == 2


def test_names_that_are_no_text_missing_or_there_twice(book):
    read = read_table(book(Sheet=[["a", 2024, None, "a"], [1, 2, 3, 4]]))
    assert list(read.frame.columns) == ["a (1)", "2024", "unnamed 3", "a (2)"]


def test_numbers_in_cells_are_exact_and_their_points_decimal(book):
    values = [0.1, 1.234, 5e-324]
    read = read_table(book(Sheet=[["x", "y"], *[[value, 1] for value in values]]))
    assert read.frame["x"].tolist() == values
    assert read.notes == []


def test_cells_of_text_are_read_as_those_of_a_text_table(book):
    rows = [["euro", "gaps", "level"], ["1.234,50", 1, "u"], ["2,25", "NA", "v"], ["3,5", "?", "u"]]
    read = read_table(book(Sheet=rows))
    np.testing.assert_array_equal(read.frame["euro"], [1234.5, 2.25, 3.5])
    np.testing.assert_array_equal(read.frame["gaps"], [1.0, np.nan, np.nan])
    assert read.frame["level"].tolist() == ["u", "v", "u"]
    assert [note.kind for note in read.notes] == ["decimal", "thousands"]
    assert read_table(book(Sheet=rows), decimal=".").frame["euro"].tolist()[1] == "2,25"


def test_doubtful_text_beside_numbers_is_read_like_the_rest(book):
    rows = [["n", "euro", "x"], [1, "1.234,50", "1.234"], [2, "2,25", "2.345"]]
    assert read_table(book(Sheet=rows)).frame["x"].tolist() == [1234.0, 2345.0]


def test_codes_as_text_keep_their_zeros(book):
    rows = [["n", "zip", "y"], [1, "01234", 1], [2, "94305", 2], [3, None, 3]]
    assert read_table(book(Sheet=rows)).frame["zip"].tolist()[:2] == ["01234", "94305"]


def test_dates_booleans_and_levels_are_what_they_are(book, rng):
    a, b = rng.normal(size=(2, 40))
    rows = zip(
        a.tolist(),
        [bool(value > 0) for value in b],
        [datetime(2024, 1, 1 + i % 28) for i in range(40)],
        [time(i % 24) for i in range(40)],
        (a + (b > 0)).tolist(),
        strict=True,
    )
    path = book(Sheet=[["a", "flag", "day", "hour", "y"], *map(list, rows)])
    found = projstg.select(path, "y", 2, folds=0)
    assert sorted(found.columns) == ["a", "flag"]
    assert {note.kind: note.columns for note in found.remarks} == {"date": ("day", "hour")}


def test_without_openpyxl_one_line_says_what_to_install(book, monkeypatch):
    path = book(Sheet=TABLE)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r'^openpyxl is not installed: pip install "projstg\[ex'):
        read_table(path)


def test_a_workbook_that_does_not_fit_is_to_be_saved_as_something_else(book):
    path = book(Sheet=[["a", "y"], *[[i, 2 * i] for i in range(1000)]])
    with pytest.raises(TableError, match=r"of memory .* save it as CSV or Parquet"):
        read_table(path, most_bytes=200_000)


def test_formulas_without_saved_values_are_named(book):
    rows = [
        ["a", "b", "empty", "text"],
        *([i, f"=A{i}*2", None, "=1" if i else "x"] for i in range(9)),
    ]
    path = book(First=rows)
    read = read_table(path)
    told = {note.kind: note.columns for note in read.notes}
    assert told["formulas"] == ("b",)
    with pytest.raises(TableError, match="the target 'b' has formulas without saved values; open"):
        projstg.select(path, "b")
    with pytest.raises(TableError, match="the target 'empty' is empty"):
        projstg.select(path, "empty")
