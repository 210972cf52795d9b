"""Hostile files through the command: one right answer or one clear line each."""

import json
from html.parser import HTMLParser

import numpy as np
import pytest

from projstg.cli import main
from projstg.tables import memory

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

N = 40
EVIL = '"><script>alert("1")</script><img src=x onerror=alert(2)>'


def rows_of(n_columns=4, n_rows=N):
    """Numbers in which the last column is 2·first − second and a little noise."""
    X = np.random.default_rng(8).normal(size=(n_rows, n_columns)).round(3)
    noise = np.random.default_rng(9).normal(size=n_rows)
    return np.column_stack([X, (2 * X[:, 0] - X[:, 1] + 0.01 * noise).round(4)])


def text_of(values, names=("a", "b", "c", "d", "y"), delimiter=",", decimal="."):
    lines = [delimiter.join(names)]
    lines += [delimiter.join(str(v).replace(".", decimal) for v in row) for row in values]
    return "\n".join(lines) + "\n"


def with_cell(value, row=3, column=2):
    cells = rows_of().astype(object)
    cells[row, column] = value
    return text_of(cells)


def with_column(values, name):
    cells = np.column_stack([values, rows_of().astype(object)])
    return text_of(cells, (name, *"abcdy"))


PLAIN = text_of(rows_of())
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
    "text levels": (with_column(["x", "y", "z", "z"] * (N // 4), "level"), "ab"),
}

# What the file holds, and what the one line says.
REFUSED = {
    "empty": (b"", "table.csv is empty"),
    "header only": ("a,b,y\n", "a header and no rows"),
    "one column": ("y\n1\n2\n3\n4\n5\n", "one column only, y"),
    "ragged rows": (PLAIN + "1,2,3\n", "is ragged: line 42 has 3 fields and the header 5"),
    "long row": (PLAIN + "1,2,3,4,5,6\n", "is ragged: line 42 has 6 fields and the header 5"),
    "infinite": (with_cell("inf"), "1 values are infinite: c 1"),
    "nan": (with_cell("NaN"), "1 values are missing: c 1; choose --missing drop (leaves 39 of 40"),
    "target missing": (PLAIN.replace("y", "z"), "no column 'y' (target); the columns are a, b, c"),
    "target constant": (text_of(np.column_stack([rows_of()[:, :4], np.ones(N)])), "the same in"),
    "all text": (
        text_of([[f"w{i}", f"v{i}", i % 7] for i in range(N)], "aby"),
        "no column is left to explain 'y' by. Left out, for they are free text",
    ),
    "target text": (text_of([[i, ["p", "q"][i % 2]] for i in range(N)], "ay"), "as 0 and 1"),
    "k too large": (text_of(rows_of()[:, [0, 4]], "ay"), "-k 2 is more than the 1 columns"),
    "binary": (bytes(range(256)) * 20, "is not a text table"),
    "zero bytes": (bytes(10_000), "zero bytes"),
    "huge target": (with_cell("1e308", column=4), "overflow; divide y by a constant"),
}


@pytest.fixture
def ask(tmp_path, capsys):
    """Run the command on a file that holds the content given."""

    def run(content, *options):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        status = main(["select", str(path), "-t", "y", "-k", "2", *options])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


class Reader(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), {}, []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data):
        self.text.append(data)


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
    seen = Reader()
    seen.feed(page)
    assert not {"script", "img", "iframe", "object", "link", "form"} & seen.tags
    assert not [name for name in seen.attributes if name.startswith("on")]
    assert expected[0][:30] in "".join(seen.text) + out
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


def test_a_hole_of_a_gigabyte(tmp_path, capsys):
    path = tmp_path / "hole.csv"
    with path.open("wb") as file:
        file.truncate(2**30)
    assert main(["select", str(path), "-t", "y"]) == 2
    assert "zero bytes" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path, capsys):
    assert main(["select", str(tmp_path / "nothing.csv"), "-t", "y", "-k", "2"]) == 2
    assert "is not there" in capsys.readouterr().err
