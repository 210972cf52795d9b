"""The command that uses an answer: what it prints, what it writes, and how it ends."""

import csv
import io
import json
import re

import numpy as np
import pytest
from rounding import assert_same_numbers

from projstg.cli import main
from projstg.tables import Selection
from projstg.tables.cells.memory_guard import TooLarge
from projstg.tables.files import read_table

pytest.importorskip("click")
pytest.importorskip("rich")
pd = pytest.importorskip("pandas")


@pytest.fixture
def table(rng, tmp_path):
    """A file with y = 2a and 3 more in Rome."""
    frame = pd.DataFrame(rng.normal(size=(60, 3)).round(4), columns=list("abc"))
    frame["city"] = rng.choice(["Bern", "Oslo", "Rome"], 60)
    frame["y"] = 2 * frame.a + 3 * (frame.city == "Rome") + 0.1 * rng.normal(size=60)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def answer(table, tmp_path, said_by):
    said_by("select", table, "-t", "y", "--folds", "0", "--out", tmp_path)
    return tmp_path / "selection.json"


def printed(text):
    return pd.read_csv(io.StringIO(text))


def test_it_prints_what_the_function_predicts(table, answer, said_by):
    found = Selection.load(answer)
    for options, asked in (
        ([], {}),
        (["--averaged"], {"averaged": True}),
        (["--interval", "0.8"], {"interval": 0.8}),
    ):
        said = said_by("predict", answer, table, *options)
        expected = found.predict(table, **asked)
        assert list(printed(said.out).columns) == list(expected.columns)
        assert_same_numbers(printed(said.out), expected, tolerance=1e-13)  # all digits
        if not options:
            assert said.err == f"R² on 60 rows of table.csv: {found.r2_in_sample:.3f}\n"


def test_without_the_target_nothing_is_said_on_standard_error(table, answer, tmp_path, said_by):
    new = tmp_path / "new.csv"
    pd.read_csv(table)[["city", "a"]].to_csv(new, index=False)
    said = said_by("predict", answer, new)
    assert len(printed(said.out)) == 60
    assert said.err == ""


def test_it_writes_the_rows_with_the_predictions(table, answer, tmp_path, said_by):
    new, out = tmp_path / "new.csv", tmp_path / "priced.csv"
    given = pd.read_csv(table)[:5].rename(columns={"b": "prediction", "c": "=c"})
    given.to_csv(new, index=False)
    said = said_by("predict", answer, new, "--out", out)
    assert said.out == ""
    assert f"written: {out}" in said.err
    got = pd.read_csv(out)
    assert list(got.columns) == ["a", "prediction", "'=c", "city", "y", "prediction'"]
    pd.testing.assert_frame_equal(got.iloc[:, :5].set_axis(given.columns, axis=1), given)
    expected = Selection.load(answer).predict(given)["prediction"]
    assert_same_numbers(got["prediction'"], expected, tolerance=1e-13)


def test_standard_input_and_marks(table, answer, standard_input, said_by):
    frame = pd.read_csv(table)
    expected = Selection.load(answer).predict(frame)["prediction"]
    standard_input(frame.to_csv(index=False, sep="\t", decimal=",").encode())
    options = ["--delimiter", "tab", "--decimal", ","]
    said = said_by("predict", answer, "-", *options)
    assert_same_numbers(printed(said.out)["prediction"], expected)
    assert "The decimal mark is a comma" in said.err


def test_rows_that_cannot_be_predicted_are_counted_in_one_line(table, answer, tmp_path, said_by):
    new = tmp_path / "new.csv"
    frame = pd.read_csv(table)[["a", "city"]][:4]
    frame.loc[0, "a"], frame.loc[2, "city"] = np.nan, "Paris"
    frame.to_csv(new, index=False)
    said = said_by("predict", answer, new)
    assert said.out.splitlines()[1] == said.out.splitlines()[3] == "NA"
    assert said.err.startswith("2 of 4 rows have no prediction: missing values, a 1 (fill")
    assert "run select again with --missing mean" in said.err
    assert "text in city that select has not seen, 'Paris' 1." in said.err
    assert said.err.count("\n") == 1


def test_what_is_filled_in_is_a_line_on_standard_error(table, tmp_path, said_by):
    asked = ["-t", "y", "--folds", "0", "--missing", "mean", "--out", str(tmp_path)]
    said_by("select", table, *asked)
    new = tmp_path / "new.csv"
    new.write_text("a,city\n1,Rome\n,Bern\noops,Oslo\n2.5,Oslo\n", encoding="utf-8")
    said = said_by("predict", tmp_path / "selection.json", new)
    assert said.err.startswith("Filled in, of 4 rows: with the mean of the first table, a 2 (in a ")
    assert said.err.count("\n") == 1


def test_several_files_are_one_table(table, answer, tmp_path, said_by):
    frame = pd.read_csv(table)
    parts = [tmp_path / "one.csv", tmp_path / "two.csv"]
    frame[:20].to_csv(parts[0], index=False)
    frame[20:][frame.columns[::-1]].to_csv(parts[1], index=False)
    said = said_by("predict", answer, *parts)
    assert_same_numbers(printed(said.out), Selection.load(answer).predict(frame))
    assert "2 files, their rows one after the other: one.csv, two.csv." in said.err


def test_a_sheet_is_chosen_by_name(table, answer, tmp_path, said_by):
    pytest.importorskip("openpyxl")
    book, frame = tmp_path / "book.xlsx", pd.read_csv(table)
    with pd.ExcelWriter(book) as writer:
        frame[:2].to_excel(writer, sheet_name="First", index=False)
        frame.to_excel(writer, sheet_name="Second", index=False)
    said = said_by("predict", answer, book)
    assert len(printed(said.out)) == 2
    assert "the first that has data; --sheet NAME reads another: Second." in said.err
    assert len(printed(said_by("predict", answer, book, "--sheet", "Second").out)) == 60
    assert len(Selection.load(answer).predict(book, sheet="Second")) == 60


def test_an_r_squared_far_below_zero_has_few_digits(table, answer, capsys):
    frame = pd.read_csv(table)
    frame.loc[7, "a"] = 1e15
    frame.to_csv(table, index=False)
    assert main(["predict", str(answer), str(table)]) == 0
    assert re.search(r"R² on 60 rows of table\.csv: -\d\.\d+e\+\d\d$", capsys.readouterr().err)


def test_the_folder_of_an_answer_is_the_answer(table, answer, tmp_path, said_by, refusal):
    assert Selection.load(tmp_path) == Selection.load(answer)
    said = []
    for given in (str(answer), str(tmp_path), f"{tmp_path}/"):
        said.append(said_by("predict", given, table, "--interval", "0.8"))
    assert said[0] == said[1] == said[2]
    line = refusal("predict", tmp_path, table, "--out", answer)
    assert "would replace a file that is read" in line


def test_codes_are_written_as_they_were(answer, table, tmp_path, rng, capsys):
    frame = pd.read_csv(table).assign(zip=rng.choice(["01234", "94305"], 60))
    frame["y"] += 5.0 * (frame.zip == "01234")
    frame.to_csv(table, index=False)
    assert main(["select", str(table), "-t", "y", "--folds", "0", "--out", str(tmp_path)]) == 0
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    frame[frame.zip == "01234"][:1].to_csv(new, index=False)
    assert main(["predict", str(answer), str(new), "--out", str(out)]) == 0
    assert "no prediction" not in capsys.readouterr().err
    assert pd.read_csv(out, dtype=str)["zip"].tolist() == ["01234"]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_the_cells_of_text_files_are_written_as_they_stand_there(answer, delimiter, tmp_path):
    rows = [
        ["a", "city", "id", "price", "name", "gone"],
        ["1.10", "Rome", "007", "1.234,50 €", 'say "a,b;c"', "NA"],
        ["0.20", "", "010", "2,00 €", "TRUE", ""],
        ["?", "Bern", "100", "12345678901234567890", "2024-01-01", "5 %"],
    ]
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    with new.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    for files, expected in (([new], rows[1:]), ([new, tmp_path / "two.csv"], 2 * rows[1:])):
        files[-1].write_bytes(new.read_bytes())
        assert main(["predict", str(answer), *map(str, files), "--out", str(out)]) == 0
        with out.open(newline="", encoding="utf-8") as file:
            got = list(csv.reader(file))
        assert [row[:-1] for row in got] == [rows[0], *expected]


def changed(answer, **fields):
    content = json.loads(answer.read_text(encoding="utf-8"))
    answer.write_text(json.dumps(content | fields), encoding="utf-8")


def inside(answer, record, **fields):
    content = json.loads(answer.read_text(encoding="utf-8"))
    changed(answer, **{record: content[record] | fields})


MISTAKES = {
    "no answer": (lambda a, t: t.unlink(), "is not there"),
    "no selection": (lambda a, t: a.unlink(), "selection.json cannot be read: No such file"),
    "no JSON": (lambda a, t: a.write_text("x", encoding="utf-8"), "is not JSON"),
    "an empty folder": (
        lambda a, t: (a.unlink(), a.mkdir()),
        "is a folder without selection.json; give one that select wrote with --out, or the file",
    ),
    "forged weights": (lambda a, t: inside(a, "question", weights=[]), "question.weights is []"),
    "forged averages": (
        lambda a, t: inside(a, "averages", covariance=[]),
        "averages differ in length",
    ),
    "no recipe": (lambda a, t: changed(a, recipe=None), "recipe is null, and an object is wanted"),
    "a column": (
        lambda a, t: t.write_text("A,city\n1,Rome\n", encoding="utf-8"),
        "did you mean 'A'?",
    ),
    "a kind": (
        lambda a, t: t.write_text("a,city\nx,Rome\nz,Rome\n", encoding="utf-8"),
        "here it begins 'x'",
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_end_in_one_line_and_status_2(kind, table, answer, refusal):
    spoil, words = MISTAKES[kind]
    spoil(answer, table)
    assert words in refusal("predict", answer, table)


def test_a_probability_is_between_zero_and_one(table, answer, refusal):
    assert "0.0<x<1.0" in refusal("predict", answer, table, "--interval", "90")


def test_what_is_read_is_not_replaced_and_csv_is_written(table, answer, tmp_path, refusal):
    link = tmp_path / "link.csv"
    link.symlink_to(answer)
    for out in (answer, table, link, tmp_path / "x.xlsx", tmp_path / "x.parquet"):
        before = answer.read_bytes(), table.read_bytes()
        said = refusal("predict", answer, table, "--out", out)
        assert "give another name" in said or "ends in .csv or .csv.gz" in said
        assert (answer.read_bytes(), table.read_bytes()) == before
    out = tmp_path / "x.csv.gz"
    assert main(["predict", str(answer), str(table), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x1f\x8b")
    assert len(pd.read_csv(out)) == 60


def test_nothing_is_written_where_it_cannot_be(table, answer, tmp_path, refusal):
    before = sorted(tmp_path.iterdir())
    for out in (tmp_path, tmp_path / "no" / "such.csv", tmp_path / f"{300 * 'a'}.csv"):
        line = refusal("predict", answer, table, "--out", out)
        assert "nothing is written to" in line
        assert ".." not in line
    assert sorted(tmp_path.iterdir()) == before


def test_a_table_that_does_not_fit_is_refused(table, answer, monkeypatch, refusal):
    def too_large(*given):
        raise TooLarge("too large", "do something")

    monkeypatch.setattr(read_table, "_read", too_large)
    line = refusal("predict", answer, table)
    assert "does not fit into memory; give its rows in several files" in line
