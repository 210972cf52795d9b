"""One table in many forms, and what is no table."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from soaking import examples

from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")


PLAIN = "a,b,y\n1,2.5,3\n4,5.5,6\n7,8.5,9\n"


NUMBERS = {"a": [1, 4, 7], "b": [2.5, 5.5, 8.5], "y": [3, 6, 9]}


def kinds(read):
    return [note.kind for note in read.notes]


SAME_TABLE = {
    "plain": (PLAIN, []),
    "byte order mark": ("\ufeff" + PLAIN, []),
    "windows": (PLAIN.replace("\n", "\r\n"), []),
    "old mac": (PLAIN.replace("\n", "\r"), []),
    "no last newline": (PLAIN.rstrip(), []),
    "blank lines": ("\n\n" + PLAIN.replace("\n", "\n\n"), []),
    "utf-16": (PLAIN.encode("utf-16"), ["encoding"]),
    "tabs": (PLAIN.replace(",", "\t"), ["delimiter"]),
    "bars": (PLAIN.replace(",", "|"), ["delimiter"]),
    "blanks": (PLAIN.replace(",", "  "), ["delimiter"]),
    "semicolons": (PLAIN.replace(",", ";"), ["delimiter"]),
    "decimal commas": (PLAIN.replace(",", ";").replace(".", ","), ["delimiter", "decimal"]),
    "decimal commas in quotes": (
        'a,b,y\n1,"2,5",3\n4,"5,5",6\n7,"8,5",9\n',
        ["decimal"],
    ),
    "quotes": ('"a","b","y"\n"1","2.5","3"\n"4","5.5","6"\n"7","8.5","9"\n', []),
    "blanks after commas": (PLAIN.replace(",", ", "), []),
    "delimiter at the end": (PLAIN.replace("\n", ",\n").replace("y,", "y"), None),
    "gzip": (gzip.compress(PLAIN.encode()), []),
}


@pytest.mark.parametrize("kind", SAME_TABLE)
def test_one_table_in_many_dresses(kind, written):
    content, notes = SAME_TABLE[kind]
    read = read_table(written(content))
    for name, numbers in NUMBERS.items():
        np.testing.assert_array_equal(read.frame[name].to_numpy(dtype=float), numbers)
    if notes is not None:
        assert kinds(read) == notes


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.bin"  # the name does not matter
    pd.DataFrame(NUMBERS).to_parquet(path)
    read = read_table(path)
    assert read.facts["format"] == "parquet"
    assert read.frame.to_dict("list") == NUMBERS


def test_latin_1_far_from_the_beginning(written):
    late = b"a,b\n" + b"1,2\n" * 200_000 + "3,sch\xf6n\n".encode("latin-1")
    read = read_table(written(late))
    assert read.facts["encoding"] == "cp1252"
    assert read.frame["b"].iloc[-1] == "schön"


def test_latin_1_names(written):
    read = read_table(written("größe,y\n1,2\n3,4\n".encode("latin-1")))
    assert list(read.frame.columns) == ["größe", "y"]
    assert kinds(read) == ["encoding"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.234,5", "2.000,25", "3,5"], [1234.5, 2000.25, 3.5]),
        (["1,234.5", "2,000.25", "3.5"], [1234.5, 2000.25, 3.5]),
        (["0,123", "0,456", "0,789"], [0.123, 0.456, 0.789]),
        (["1,5", "2", "3e2"], [1.5, 2.0, 300.0]),
        (["1.234", "5.678", "9.012"], [1.234, 5.678, 9.012]),
    ],
)
def test_decimal_marks(cells, expected, written):
    content = "x;y\n" + "".join(f"{cell};1\n" for cell in cells)
    np.testing.assert_allclose(read_table(written(content)).frame["x"], expected, rtol=1e-15)


def test_thousands_in_quotes_between_commas(written):
    read = read_table(written('x,y\n"1,234.5",1\n"2,000",2\n3.5,3\n'))
    assert read.frame["x"].tolist() == [1234.5, 2000.0, 3.5]
    assert kinds(read) == ["thousands"]


def test_a_guess_can_be_overruled(written):
    path = written("a;b\n1,5;2\n2,5;3\n")
    assert list(read_table(path, delimiter=",").frame.columns) != ["a", "b"]
    assert read_table(path, decimal=".").frame["a"].tolist() == ["1,5", "2,5"]


def test_without_a_header_the_columns_are_numbered(written):
    read = read_table(written("1,2\n3,4\n5,6\n"))
    assert list(read.frame.columns) == ["column 1", "column 2"]
    assert read.frame.shape == (3, 2)
    assert kinds(read) == ["header"]


def test_row_names_without_a_name_of_their_own(written):
    read = read_table(written("a,y\nfirst,1,2\nsecond,3,4\n"))
    assert list(read.frame.columns) == ["row names", "a", "y"]
    assert read.frame["a"].tolist() == [1, 3]
    assert kinds(read) == ["row_names"]
    assert read_table(written("a,y\n8,1,2\n9,3,4\n")).frame["y"].tolist() == [2, 4]


@pytest.mark.parametrize(
    "rows", ["1,5,2\n3,5,4\n", "1.5,2,3\n3.5,4,5\n", "x,5,2\nx,5,4\n", "1,5,2\n"]
)
def test_a_field_too_many_is_no_row_name_unless_it_looks_like_one(rows, written):
    with pytest.raises(TableError, match="has 3 fields and the header 2; if the first is the name"):
        read_table(written(f"a,b\n{rows}"))


TOPS = {
    "sep=;\na;b\n1;2\n": (["a", "b"], ["delimiter"]),
    '"SEP=|"\n\n# made\na|b\n1|2\n': (["a", "b"], ["delimiter", "comment"]),
    '# a "quote\n#\n\na,b\n1,2\n': (["a", "b"], ["comment"]),
    "\n# a,b\n1,2\n": (["a", "b"], ["comment"]),
    "#,b\n1,2\n": (["#", "b"], ["comment"]),
    "# a, b and c\nx,y\n1,2\n": (["x", "y"], ["comment"]),
    "# of one\n1,2\n": (["column 1", "column 2"], ["comment", "header"]),
}


@pytest.mark.parametrize("text", TOPS)
def test_lines_above_the_table(text, written):
    names, notes = TOPS[text]
    read = read_table(written(text))
    assert list(read.frame.columns) == names
    assert read.frame.iloc[0].tolist() == [1, 2]
    assert kinds(read) == notes


def test_lines_are_counted_from_the_top_of_the_file(written):
    for text in ("sep=,\n\n# here\na,b\n1,2\n3,4,5\n", "# a,b\n\n\n\n1,2\n3,4,5\n"):
        with pytest.raises(TableError, match="line 6 has 3 fields and the header 2"):
            read_table(written(text))
    with pytest.raises(TableError, match="line 5 has 1 fields and the header 2"):
        read_table(written('# here\n"a\n1",b\n1,2\n3\n'))


def test_names_that_occur_twice_are_told_apart(written):
    read = read_table(written("a,a,a (1),,y\n1,2,3,4,5\n2,3,4,5,6\n"))
    assert list(read.frame.columns) == ["a (2)", "a (3)", "a (1)", "unnamed 4", "y"]
    assert kinds(read) == ["duplicate"]


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n\n", "is empty"),
    "long line": ("a,b\n1,2\n3,4,5\n", "is ragged: line 3 has 3 fields and the header 2"),
    "long first line": ("a,b\n1,2,3\n3,4\n", "is ragged: the first line under the header has 3"),
    "short line": ("a,b,c\n1,2,3\n4,5\n6,7\n", "line 3 has 2 fields and the header 3, and 1 more"),
    "open quote": ('a,b\n1,"2\n3,4\n', "quotation mark that is never closed"),
    "zero bytes": (b"a,b\n\0\0\0", "zero bytes"),
    "control characters": (b"a,b\n\x01\x02,3\n", "control characters"),
    "zip": (b"PK\x03\x04rest", "Excel"),
    "pdf": (b"%PDF-1.7", "a PDF"),
    "web page": ("\n<!DOCTYPE html><html>", "is a web page"),
    "json": ('{"a": [1, 2], "y": [3, 4]}', "is JSON"),
    "half a gzip": (gzip.compress(PLAIN.encode())[:-9], "not a whole gzip file"),
    "gzip of nothing": (b"\x1f\x8bnothing", "not a whole gzip file"),
    "half a parquet": (b"PAR1" + b"\0" * 50, "not a Parquet file"),
    "utf-16 cut short": (b"\xff\xfea\x00,\x00\x00\xdc\x00\xdc\x00\xdc\x00\xdc", "utf-16"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_is_refused_in_one_line(kind, written):
    content, words = REFUSED[kind]
    with pytest.raises(TableError, match=words) as caught:
        read_table(written(content))
    assert "\n" not in str(caught.value).strip()


TOKENS = ["1", "2.5", "-3", "1,5", '"', '""', ",", ";", "\t", "|", " ", "\n", "\n", "\r\n", "\r"]


TOKENS += ["a", "y", "ü", "\ufeff", "NaN", "inf", "?", "2024-01-01", "true", "5%", "<b>", "\u2028"]


@examples(150)
@given(st.lists(st.sampled_from(TOKENS), max_size=60), st.sampled_from(["utf-8", "utf-16"]))
def test_any_text_is_a_table_or_refused_in_one_line(tmp_path, tokens, encoding):
    path = tmp_path / "any.csv"
    path.write_bytes("".join(tokens).encode(encoding))
    names, said = [], ""
    try:
        names = list(read_table(path).frame.columns)
    except TableError as error:
        said = str(error)
    assert "\n" not in said
    assert len(set(names)) == len(names)
