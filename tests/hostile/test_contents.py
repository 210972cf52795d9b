"""Hostile contents through the command: one right answer or one clear line each."""

import gzip
import json
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import EVIL, PLAIN, N, rows_of, text_of, with_cell, with_column
from page_reader import Reader
from soaking import count, examples

from projstg.tables.cells import memory_guard as memory

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

LONG = "n" * 100_000

# What the file holds, and the two columns that are right.
ANSWERED = {
    "plain": (PLAIN, "ab"),
    "byte order mark": ("\ufeff" + PLAIN, "ab"),
    "latin-1": (text_of(rows_of(), ("größe", *"bcdy")).encode("latin-1"), ["größe", "b"]),
    "decimal commas": (text_of(rows_of(), delimiter=";", decimal=","), "ab"),
    "windows line ends": (PLAIN.replace("\n", "\r\n"), "ab"),
    "duplicate names": (text_of(rows_of(), "aaacy"), ["a (1)", "a (2)"]),
    "quotes in names": (text_of(rows_of(), ('"the ""a"""', *"bcdy")), ['the "a"', "b"]),
    "script in names": (
        text_of(rows_of(), ('"' + EVIL.replace('"', '""') + '"', *"bcdy")),
        [EVIL, "b"],
    ),
    "markup in names": (
        text_of(rows_of(), ("[red]a[/red]", "$b_", *"cdy")),
        ["[red]a[/red]", "$b_"],
    ),
    "very long names": (text_of(rows_of(), (LONG, *"bcdy")), [LONG, "b"]),
    "dates": (with_column([f"2024-01-{i % 28 + 1:02d}" for i in range(N)], "day"), "ab"),
    "identifiers": (with_column(range(N), "id"), "ab"),
    "huge numbers": (with_cell("1.7e308"), "ab"),
    "booleans": (with_column(["True", "False"] * (N // 2), "flag"), "ab"),
    "beyond 64 bits": (with_column(["99999999999999999999", "7"] * (N // 2), "n"), "ab"),
    "text levels": (with_column(["x", "y", "z", "z"] * (N // 4), "level"), "ab"),
    "blank lines above": ("\n" * 100_000 + PLAIN, "ab"),
    "blank lines below": (PLAIN + "\n" * 100_000, "ab"),
    "blanks and tabs at line ends": (PLAIN.replace(",", " \t").replace("\n", " \t\n"), "ab"),
    "old line ends": (PLAIN.replace("\n", "\r"), "ab"),
    "a form feed above": ("\f" + PLAIN, "ab"),
    "zeros after gzip": (gzip.compress(PLAIN.encode()) + bytes(512), "ab"),
    "gzip in parts": (
        gzip.compress(PLAIN[:200].encode()) + gzip.compress(PLAIN[200:].encode()),
        "ab",
    ),
    "line ends in names": (text_of(rows_of(), ('"a\n\nb"', *"bcdy")), ["a\n\nb", "b"]),
    "names that differ in case": (text_of(rows_of(), ("a", "A", "a b", "A B", "y")), "aA"),
    "names that differ in blanks": (
        text_of(rows_of(), ("a", " a", "a\xa0", "d", "y")),
        ["a (1)", "a (2)"],
    ),
    "years for names": (text_of(rows_of(), ("2001", "2002", *"cdy")), ["2001", "2002"]),
    "formulas for names": (text_of(rows_of(), ("=1+1", "@b", "+c", "-d", "y")), ["=1+1", "@b"]),
    "a minus of typesetters": (PLAIN.replace("-", "−"), "ab"),
    "huge exponents of zero": (with_cell("0e999999999"), "ab"),
    "tiny exponents": (with_cell("1e-999999999"), "ab"),
    "excel's separator": ("sep=;\n" + PLAIN.replace(",", ";"), "ab"),
    "excel's separator in quotes": ('"sep=|"\n' + PLAIN.replace(",", "|"), "ab"),
    "comments above": ('# made by hand\n#\n\n# with a " in it\n' + PLAIN, "ab"),
    "names in a comment": ("# " + PLAIN.replace(",", " "), "ab"),
    "many comments": ("# no\n" * 20_000 + PLAIN, "ab"),
    "a date of nothing": (with_column(["0000-00-00"] * N, "when"), "ab"),
    "control characters in names": (
        text_of(rows_of(), ("a\x9b31m", "b\u202e", *"cdy")),
        ["a\x9b31m", "b\u202e"],
    ),
}

# What the file holds, and what the one line says.
REFUSED = {
    "empty": (b"", "table.csv is empty"),
    "header only": ("a,b,y\n", "a header and no rows"),
    "one column": ("y\n1\n2\n3\n4\n5\n", "one column only, y"),
    "ragged rows": (PLAIN + "1,2,3\n", "is ragged: line 42 has 3 fields and the header 5"),
    "long row": (PLAIN + "1,2,3,4,5,6\n", "is ragged: line 42 has 6 fields and the header 5"),
    "a short row between blanks": (
        PLAIN.replace(",", " ") + "1 2 3\t4 \n",
        "is ragged: line 42 has 4 fields and the header 5",
    ),
    "a separator that is not ASCII": ("sep=é\n" + PLAIN, "the delimiter is 'é'; give one ASCII"),
    "a gap in quotes between blanks": (
        PLAIN.replace(",", " ") + '1 2 3 4 ""\n',
        "1 value is missing: y 1",
    ),
    "infinite": (with_cell("inf"), "1 value is infinite: c 1"),
    "nan": (with_cell("NaN"), "1 value is missing: c 1; choose --missing drop (leaves 39 of 40"),
    "booleans with gaps": (
        with_column(["True", "", "False", "False"] * (N // 4), "flag"),
        "10 values are missing: flag 10; choose --missing drop (leaves 30 of 40",
    ),
    "beyond 64 bits with gaps": (
        with_column(["99999999999999999999", "", "7", "8"] * (N // 4), "n"),
        "10 values are missing: n 10; choose --missing drop (leaves 30 of 40",
    ),
    "target missing": (PLAIN.replace("y", "z"), "no column 'y' (target); use one of 'a', 'b', 'c'"),
    "target constant": (text_of(np.column_stack([rows_of()[:, :4], np.ones(N)])), "the same in"),
    "all text": (
        text_of([[f"w{i}", f"v{i}", i % 7] for i in range(N)], "aby"),
        "no column is left to explain 'y' by. Left out, for they hold free text",
    ),
    "target text": (text_of([[i, ["p", "q"][i % 2]] for i in range(N)], "ay"), "as 0 and 1"),
    "k too large": (text_of(rows_of()[:, [0, 4]], "ay"), "-k 2 is more than the 1 columns"),
    "binary": (bytes(range(256)) * 20, "is not a text table"),
    "zero bytes": (bytes(10_000), "zero bytes"),
    "huge target": (with_cell("1e308", column=4), "overflow; divide the target by a constant"),
    "an exponent too large": (with_cell("1e400"), "1 value is infinite: c 1"),
    "many digits": (with_cell("9" * 100_000), "1 value is infinite: c 1"),
    "hexadecimal": (with_cell("0x1p3"), "in c 1 is no number, '0x1p3'"),
    "underscores": (with_cell("1_000"), "in c 1 is no number, '1_000'"),
    "digits of another script": (with_cell("١٢"), "in c 1 is no number, '١٢'"),
    "a byte order mark in the middle": (with_cell("\ufeff1"), r"no number, '\ufeff1'"),
    "an escape in a cell": (with_cell("\x1b[31m1"), "control characters"),
    "zero bytes in the middle": (with_cell("1\0"), "zero bytes"),
    "zero bytes late": (PLAIN * 300 + "1,2,3\0,4,5\n", "zero bytes after the first"),
    "two encodings": (PLAIN.encode() + b"1,2,3,4,5\xe9\n", "the first '5é'"),
    "utf-32": (PLAIN.encode("utf-32"), "is not a text table"),
    "a quote that opens": (PLAIN + '"1,2,3,4,5\n' + PLAIN, "never closed"),
    "a quote over lines": (
        PLAIN + '1,2,3,4,"5\n1,2,3,4,"\n',
        "no number, the first '5 1,2,3,4,'",
    ),
    "a quote that opens at once": ('"' + "x" * 200_000, "a cell has more than 131072 characters"),
    "a long cell below a gap": (
        PLAIN + '1,2,3,4,\n1,2,3,"' + "x" * 200_000 + '",5\n',
        "line 43: a cell",
    ),
    "only comments": ("# a\n# b\n", "only lines that begin with #"),
    "only a separator": ("sep=;\n", "only lines that begin with #"),
    "numbers for names": (
        text_of(rows_of(), [str(2000 + i) for i in range(5)]),
        "'column 1', 'column 2'",
    ),
    "gzip in gzip": (gzip.compress(gzip.compress(PLAIN.encode())), "in a gzip file; unpack"),
    "garbage after gzip": (gzip.compress(PLAIN.encode()) + b"garbage", "not a whole gzip file"),
    "parquet in gzip": (gzip.compress(b"PAR1 rest"), "is a Parquet file in a gzip file"),
    "a picture in gzip": (gzip.compress(b"\x89PNG rest"), "is a picture"),
    "too many columns": (
        (",".join("x" * 200_000) + "\n") * 4,
        "has 200000 columns; at most 100000",
    ),
    "mixed numbers in the target": (
        text_of(
            [[i % 7, ["1.234,5", "1,234.5"][i % 2]] for i in range(N)],
            "ay",
            delimiter=";",
            decimal=".",
        ),
        "not all written in one way, such as '1",
    ),
}


@pytest.mark.parametrize("kind", ANSWERED)
def test_files_that_have_an_answer(kind, ask):
    content, expected = ANSWERED[kind]
    status, out, err = ask(content, "--json", "--folds", "0")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert [one["column"] for one in answer["chosen"]] == list(expected)
    assert answer["chosen"][0]["coefficient"] == pytest.approx(2.0, abs=0.05)
    assert answer["r2_in_sample"] > 0.99


@pytest.mark.parametrize("kind", REFUSED)
def test_files_that_have_none(kind, ask):
    content, words = REFUSED[kind]
    status, out, err = ask(content)
    assert (status, out) == (2, "")
    assert words in err
    assert err.startswith("projstg: ")
    assert err.count("\n") == 1
    assert len(err) < 400


@pytest.mark.parametrize("kind", ["script in names", "very long names", "markup in names"])
def test_names_do_nothing_in_the_report_or_on_the_terminal(kind, ask, tmp_path):
    content, expected = ANSWERED[kind]
    status, out, _ = ask(content, "--out", str(tmp_path / "out"), "--csv", "--folds", "2")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 130
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    seen = Reader(page)
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(seen.tags)
    assert not [name for name in seen.attributes if name.startswith("on")]
    assert expected[0][:30] in "".join(seen.texts) + out
    assert "default-src 'none'" in page
    assert len(page) < 600_000
    first = (tmp_path / "out" / "selected.csv").read_text(encoding="utf-8").splitlines()[0]
    assert first.endswith(",b,y") or first.endswith(",$b_,y")


def test_ten_thousand_columns(ask):
    values = rows_of(10_000)
    names = [f"g{i}" for i in range(10_000)] + ["y"]
    status, out, err = ask(text_of(values, names), "--json", "--folds", "0")
    assert (status, err) == (0, "")
    assert [one["column"] for one in json.loads(out)["chosen"]] == ["g0", "g1"]


def test_a_gigabyte_of_zeros_is_not_read_where_it_does_not_fit(ask, monkeypatch):
    monkeypatch.setattr(memory, "_free_here", lambda: 2**20)
    header = ",".join(f"g{i}" for i in range(200)) + ",y\n"
    status, _, err = ask(header + ("0," * 200 + "1\n") * 1000)
    assert status == 2
    assert "of memory" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("blanks", [" ", "\xa0"])
def test_a_long_cell_takes_time_in_proportion_to_its_length(blanks, ask):
    def seconds(length):
        start = process_time()
        cells = [f"a{blanks * length}{i % 2}a" for i in range(N)]
        status, _, err = ask(with_column(cells, "long"), "--folds", "0")
        assert (status, err) == (0, "")
        return process_time() - start

    seconds(1)  # what is imported late, before the clock
    short = seconds(15_000)
    assert seconds(120_000) < 16 * short  # with the square of the length, 64 times


def test_rows_that_a_quote_swallows_are_noted(ask):
    rows = PLAIN.splitlines()
    rows = [f"{row},{'t' if i == 0 else 'u' if i % 2 else 'v'}" for i, row in enumerate(rows)]
    rows[3], rows[7] = rows[3][:-1] + '"u', rows[7] + '"'
    status, out, _ = ask("\n".join(rows), "--folds", "0")
    assert status == 0
    assert "36 rows" in out
    assert "a quotation mark never closed? t." in out


PIECES = [
    "1",
    "-2.5",
    "1.234,5",
    "1e9",
    "inf",
    "",
    "x",
    "\0",
    "\x1b[2J",
    "\ufeff",
    '"',
    "'",
    "=1+1",
]
PIECES += ["#", "sep=", "\r", "\n", "\n", "\n", ",", ",", ";", "\t", " ", "\u2028", "\udc80", "é"]


@examples(40)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["utf-8", "utf-16", "latin-1"])
)
def test_whatever_is_appended_ends_in_an_answer_or_one_line(ask, pieces, encoding):
    count("problem", "hostile contents")
    text = PLAIN[: -len(pieces)] + "".join(pieces)
    errors = "surrogateescape" if encoding != "utf-16" else "replace"
    content = text.encode(encoding, "replace" if encoding == "latin-1" else errors)
    status, out, err = ask(content, "--folds", "0", "--missing", "drop")
    assert status == 0 or (status == 2 and out == "" and err.count("\n") == 1)
    assert all(line.isprintable() for line in (out + err).splitlines())
