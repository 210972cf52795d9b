"""Objects of JSON, one for each row."""

import gzip
import json

import numpy as np
import pytest

import projstg
from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pytest.importorskip("pandas")

ROWS = [{"a": 1, "s": "u", "y": 2.5}, {"a": 3, "s": "vé", "y": 4.5}, {"a": 5, "s": "u", "y": 6}]
LINES = "\n".join(map(json.dumps, ROWS))
SAME_TABLE = {
    "lines": LINES,
    "blank lines": "\n \n" + LINES.replace("\n", "\n\n") + "\n\n",
    "windows": LINES.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + LINES,
    "not in ASCII": "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS),
    "a list": json.dumps(ROWS),
    "a list over lines": json.dumps(ROWS, indent=2) + "\n",
    "as jq prints": "\n".join(json.dumps(row, indent=2) for row in ROWS),
    "gzip": gzip.compress(LINES.encode()),
}


@pytest.mark.parametrize("kind", SAME_TABLE)
def test_one_table_in_many_forms(kind, written):
    read = read_table(written(SAME_TABLE[kind]))
    assert read.frame.to_dict("list") == {"a": [1, 3, 5], "s": ["u", "vé", "u"], "y": [2.5, 4.5, 6]}
    assert read.facts["format"] == "json"
    assert read.facts["gzip"] == (kind == "gzip")
    assert read.notes == []


def test_keys_that_are_not_there_are_missing(written):
    read = read_table(written('{"a": 1}\n{"y": 2, "a": null}\n{"b": 3, "y": 4}'))
    np.testing.assert_array_equal(
        read.frame[["a", "y", "b"]],
        [[1, np.nan, np.nan], [np.nan, 2, np.nan], [np.nan, 4, 3]],
    )


def test_characters_written_as_two_halves(written):
    read = read_table(written('{"a": "\\ud83d\\ude00"}\n{"a": "u"}'))
    assert read.frame["a"].tolist() == ["\U0001f600", "u"]


def test_a_column_with_nested_values_is_left_out(written, rng):
    X = rng.normal(size=(30, 2))
    rows = [{"a": a, "b": b, "n": [a], "m": {"k": 1} if b > 0 else 2, "y": a} for a, b in X]
    found = projstg.select(written("\n".join(map(json.dumps, rows))), "y", 1, folds=0)
    assert found.columns == ["a"]
    assert {note.kind: note.columns for note in found.remarks} == {"other": ("n", "m")}


BAD = {
    '{"a": 1}\n{"a": 2\n{"a": 3}': "line 2: {\"a\": 2 is no row of JSON: Expecting ',' delimiter",
    '{"a": 1}\n\n7\n': "line 3: 7 is no row of JSON: a row is an object",
    '{"a": 1} and more\n{"a": 2}': "line 1: and more is no row",
    '{"a": 1}\n[2]': r"line 2: \[2\] is no row",
    '{"a": 1}\n{"a": "x\ny"}': "line 2: .*Invalid control character",
    '{"a": 1}\n{"a": ' + "9" * 5000 + "}": "line 2: .*limit",
    '[{"a": 1}, {"a": 2}': "never closed",
    '[{"a": 1}, {"a": 2}] 3': r"line 1: \] 3 is no row",
    '{"a": [1, 2], "y": [3, 4]}': "is JSON with one object",
    '{\n"a": 1\n}\n': "is JSON with one object",
    "{}\n{}\n": "its objects are empty",
    b'{"a": 1}\n{"a": "\xe9"}\n': "line 2: it is not UTF-8",
}


@pytest.mark.parametrize("content", BAD)
def test_what_is_no_row_is_named_with_its_line(content, written):
    with pytest.raises(TableError, match=BAD[content]) as caught:
        read_table(written(content))
    assert str(caught.value).isprintable()


def test_every_row_with_a_key_of_its_own_does_not_fill_the_memory(written):
    path = written("\n".join(f'{{"k{i}": 1}}' for i in range(3000)))
    with pytest.raises(TableError, match=r"3000 rows and 3000 columns, .* as CSV or Parquet"):
        read_table(path, most_bytes=100_000_000)


def test_too_many_keys(written):
    rows = [json.dumps({f"k{i}": 1 for i in range(100_001)}), "{}"]
    with pytest.raises(TableError, match="more than 100000 different keys"):
        read_table(written("\n".join(rows)))
