"""The command: what it prints, what it writes, and with which status it ends."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from page_reader import Reader

import projstg
from projstg._core.posterior.posterior import Posterior
from projstg.cli import main
from projstg.render import progress_bar
from projstg.tables import Selection
from projstg.tables.cells.text_cells import TextCells
from projstg.tables.words.argument_names import as_options

pytest.importorskip("click")
pytest.importorskip("rich")
pd = pytest.importorskip("pandas")


@pytest.fixture
def table(rng, tmp_path):
    """A file with y = 2b − f and a note-worthy column or two."""
    X = rng.normal(size=(60, 6))
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(
        same=1.0, id=np.arange(60), y=2.0 * X[:, 1] - X[:, 5] + 0.1 * rng.normal(size=60)
    )
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def test_without_a_file_it_shows_the_diabetes_table(said_by):
    out = said_by("select", "-k", "3").out
    assert out.startswith("progression by 3 of 10 columns, as many as asked for; ")
    assert "R² 0.48 on its 442 rows, 0.47 on rows left out" in " ".join(out.split())
    assert "No file was given" in out
    assert "projstg select FILE --target NAME" in out
    assert "bmi" in out


def test_without_a_size_the_data_choose_it(table, said_by):
    for options in ([], ["--auto"]):
        out = said_by("select", table, "-t", "y", "--folds", "0", *options).out
        assert out.startswith("y depends on 2 of 6 columns; both belong with probability ")


class Terminal(io.StringIO):
    """A place to write to that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stderr", "options", "is_shown"),
    [(Terminal, [], True), (Terminal, ["--quiet"], False), (io.StringIO, [], False)],
)
def test_a_terminal_shows_what_a_fit_is_doing(
    stderr, options, is_shown, rng, tmp_path, monkeypatch, capsys, said_by
):
    X = rng.normal(size=(40, 30))
    frame = pd.DataFrame(X).add_prefix("x").assign(y=X[:, 0] + 2.0 * rng.normal(size=40))
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "-t", "y", "--folds", "0"]
    expected = said_by(*command).out
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bar, "_LASTS", 0.0)
    monkeypatch.setattr(sys, "stderr", stderr())
    assert main([*command, *options]) == 0
    assert capsys.readouterr().out == expected
    shown = sys.stderr.getvalue()
    said = ("choosing the columns", "  trying how many", "  searching", "  sampling")
    assert [what in shown for what in said] == [is_shown] * len(said)
    assert is_shown or not shown


def test_nothing_chosen_is_an_answer(rng, tmp_path, capsys):
    X = rng.normal(size=(40, 3))
    pure = rng.normal(size=40)
    design = np.column_stack([np.ones(40), X])
    pure -= design @ np.linalg.lstsq(design, pure)[0]
    pd.DataFrame(X, columns=list("abc")).assign(y=pure).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    assert main(["select", str(tmp_path / "t.csv"), "-t", "y", "--out", str(out), "--csv"]) == 0
    assert capsys.readouterr().out.startswith(
        "No column helps to explain y; that none does has probability "
    )
    assert "No column explains" in (out / "report.html").read_text(encoding="utf-8")
    assert list(pd.read_csv(out / "selected.csv").columns) == ["y"]


@pytest.mark.parametrize("size", [[], ["-k", "4"]])
def test_a_search_that_did_not_settle_is_said_everywhere(size, rng, tmp_path, capsys, monkeypatch):
    """On the terminal, in JSON and on the page, in the words of each door."""
    real = Posterior._accuracy
    doubtful = lambda self, known, agree: real(self, known, False)  # noqa: E731
    X = rng.normal(size=(40, 120))
    frame = pd.DataFrame(X).assign(y=X[:, 1] + rng.normal(size=40))
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "-t", "y", "--folds", "0", *size]
    said = "The search did not settle: another seed may give another answer. Compare "
    assert main(command) == 0
    assert said not in " ".join(capsys.readouterr().out.split())
    monkeypatch.setattr(Posterior, "_accuracy", doubtful)
    assert main([*command, "--out", str(tmp_path / "out")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{said}--seed 1" in out
    assert ("-k 3" in out) != bool(size)
    assert said in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert said in (tmp_path / "out" / "selection.json").read_text(encoding="utf-8")
    (note,) = projstg.select(frame, "y", folds=0).cautions
    assert (
        note.text == f"{said}random_state=1, or say how many columns belong, such as k=3; "
        "more rows help most."
    )


def test_it_prints_what_the_function_finds(table, said_by):
    out = said_by("select", table, "-t", "y", "-k", "2", "--json").out
    answer = Selection.from_dict(json.loads(out))
    found = projstg.select(table, "y", 2)
    assert answer.chosen == found.chosen
    assert answer.r2_out_of_sample == found.r2_out_of_sample
    texts = [as_options(note.text) for note in found.notes]
    assert [note.text for note in answer.notes] == texts
    assert [note[::2] for note in answer.notes] == [note[::2] for note in found.notes]


def test_the_terminal_names_columns_numbers_and_notes(table, said_by):
    out = said_by("select", table, "--target", "y", "-k", "2").out
    assert "y by 2 of 6 columns" in out
    assert "on its 60 rows" in " ".join(out.split())
    assert "Left out, for it is the same in every row: same." in out
    assert "Left out, for it looks like identifiers" in out
    assert "one named in --always is used" in out
    rows = [line.split() for line in out.splitlines()]
    assert next(row for row in rows if row[:2] == ["sure", "b"])
    numbers = {row[-6]: float(row[-5]) for row in rows if row[-1:] == ["%"] and len(row) >= 6}
    assert numbers["b"] == pytest.approx(2.0, abs=0.1)
    assert numbers["f"] == pytest.approx(-1.0, abs=0.1)


def test_it_writes_what_it_says(table, tmp_path, capsys):
    out = tmp_path / "deep" / "answer"
    options = ["-t", "y", "-k", "2", "--out", str(out), "--csv", "--folds", "3"]
    assert main(["select", str(table), *options]) == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "report.html",
        "selected.csv",
        "selection.json",
    ]
    assert str(out / "report.html") in capsys.readouterr().err
    kept = Selection.load(out / "selection.json")
    assert kept.columns == ["b", "f"]
    assert [one["k"] for one in kept.path] == [1, 2, 3, 4, 5, 6]
    within = [one["r2_in_sample"] for one in kept.path]
    assert within == sorted(within)
    chosen, whole = pd.read_csv(out / "selected.csv"), pd.read_csv(table)
    np.testing.assert_allclose(chosen.to_numpy(), whole[["b", "f", "y"]].to_numpy())
    page = (out / "report.html").read_text(encoding="utf-8")
    for words in ("What y depends on", "y by 2 of 6 columns", "The best columns of every size"):
        assert words in page
    assert page.count("<svg") == 6  # three pictures, each for a desk and for a phone
    assert "seconds to" not in page
    assert "one named in --always is used" in "".join(Reader(page).texts)
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_cautions_come_first_and_other_notes_once(rng, tmp_path, said_by):
    few = pd.DataFrame(rng.normal(size=(15, 2)), columns=["a", "b"]).assign(same=1.0)
    few.assign(y=few["a"] + rng.normal(size=15)).to_csv(tmp_path / "t.csv", index=False)
    options = [str(tmp_path / "t.csv"), "-t", "y", "--out", str(tmp_path / "out")]
    out = said_by("select", *options).out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (out, page):
        assert text.count("There are only 15 rows") == 1
        assert text.count("the same in every row: same.") == 1
        assert text.index("There are only 15 rows") < text.index("the same in every row")
    assert out.splitlines()[1].startswith("caution: ")
    kept = Selection.load(tmp_path / "out" / "selection.json")
    assert [note.kind for note in kept.cautions] == [kept.notes[0].kind] == ["few_rows"]
    assert "constant" in [note.kind for note in kept.remarks]
    assert "caution: There are only 15 rows" in str(kept)


def test_names_with_commas_between_them(table, said_by):
    options = ["-t", "y", "-k", "2", "--never", "b,c", "--always", "a", "--folds", "0"]
    answer = json.loads(said_by("select", table, *options, "--json").out)
    assert {one["column"] for one in answer["chosen"]} == {"a", "f"}
    assert answer["question"]["never"] == ["b", "c"]


def test_standard_input(table, standard_input, said_by):
    standard_input(table.read_bytes())
    said = said_by("select", "-", "-t", "y", "-k", "2", "--folds", "0")
    assert said.out.startswith("y by 2 of 6 columns")


def test_a_delimiter_and_a_decimal_mark_can_be_given(tmp_path, said_by):
    rows = "".join(f"{i % 7}\t{i % 5},5\n" for i in range(30))
    path = tmp_path / "table.txt"
    path.write_text("a\ty\n" + rows, encoding="utf-8")
    options = ["-t", "y", "-k", "1", "--delimiter", "tab", "--decimal", ","]
    assert said_by("select", path, *options).out.startswith("y by 1 of 1 columns")


MISTAKES = {
    "sizes beyond the columns": (
        ["-t", "y", "--sizes", "20-30"],
        "--sizes 20-30, and there can be 1 to",
    ),
    "sizes from zero": (["-t", "y", "--sizes", "0-3"], "projstg: --sizes 0-3; give them as"),
    "a fold of all rows": (["-t", "y", "--folds", "1"], "projstg: --folds 1 leaves no rows"),
    "too many folds": (
        ["-t", "y", "--folds", "2000"],
        "projstg: --folds 2000; give a whole number",
    ),
    "a long seed": (["-t", "y", "--seed", "9" * 12], "projstg: --seed 999999999999; give a whole"),
    "no target": ([], "say which column to explain, as --target NAME; use one of 'a', 'b', 'c'"),
    "two sizes": (["-t", "y", "-k", "2", "--auto"], "-k 2 and --auto contradict each other"),
    "csv without out": (["-t", "y", "-k", "2", "--csv"], "add --out DIR"),
    "k too large": (["-t", "y", "-k", "7"], "-k 7 is more than the 6 columns"),
    "k of zero": (["-t", "y", "-k", "0"], "0 is not in the range"),
    "k of words": (["-t", "y", "-k", "two"], "is not a valid integer"),
    "unknown option": (["-t", "y", "--size", "2"], "--size"),
    "unknown never": (["-t", "y", "-k", "2", "--never", "zz"], "--never has 'zz'; use one of 'a'"),
    "unknown always": (["-t", "y", "--always", "zz"], "projstg: --always has 'zz'; use one of 'a'"),
    "both": (["-t", "y", "--always", "a", "--never", "a"], "is both in --always and in --never"),
    "target in never": (["-t", "y", "--never", "y"], "'y' is in --never and is the target"),
    "constant": (["-t", "y", "--always", "same"], "--always has same, which is the same in every"),
    "k below always": (["-t", "y", "-k", "1", "--always", "a,b"], "2 columns in --always"),
    "delimiter": (["-t", "y", "-k", "2", "--delimiter", "ab"], "give one ASCII character"),
    "a letter with an accent": (["-t", "y", "--delimiter", "é"], "give one ASCII character"),
    "decimal": (["-t", "y", "-k", "2", "--decimal", "x"], "give . or ,"),
    "weights": (["-t", "y", "-k", "2", "--weights", "a"], "negative values"),
    "no sizes": (["-t", "y", "--sizes", ""], 'projstg: --sizes ""; give whole numbers, as 1-10'),
    "blank sizes": (["-t", "y", "--sizes", " "], 'projstg: --sizes ""; give whole numbers'),
    "half a size": (["-t", "y", "--sizes", "1.5"], "projstg: --sizes 1.5; give whole numbers"),
    "size of Python": (["-t", "y", "--sizes", "1_0"], "projstg: --sizes 1_0; give whole numbers"),
    "no folder": (["-t", "y", "--out", ""], 'projstg: --out "" names no folder; give one'),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_end_in_one_line_and_status_2(kind, table, refusal):
    options, words = MISTAKES[kind]
    assert words in refusal("select", table, *options)


def test_out_must_be_a_folder(table, refusal):
    line = refusal("select", table, "-t", "y", "-k", "2", "--out", table)
    assert "is a file; give a folder" in line


def test_an_empty_folder_is_not_the_current_one(table, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main(["select", str(table), "-t", "y", "-k", "2", "--out", ""]) == 2
    assert not [*(tmp_path / "here").iterdir()]
    assert main(["select", str(table), "-t", "y", "-k", "2", "--out", "."]) == 0
    assert (tmp_path / "here" / "report.html").exists()


def test_running_out_of_memory_is_said(table, monkeypatch, refusal):
    def fail(*given, **options):
        raise MemoryError

    monkeypatch.setattr(TextCells, "frame", fail)
    assert "does not fit into memory" in refusal("select", table, "-t", "y", "-k", "2")


@pytest.mark.parametrize(("name", "words"), [("select", []), ("predict", ["Excel", "--sheet"])])
def test_help_comes_without_numpy(name, words):
    code = (
        f"import sys; from projstg.cli import main; status = main(['{name}', '--help']); "
        "assert 'numpy' not in sys.modules and 'pandas' not in sys.modules; sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [word for word in ("Exit status", *words) if word not in done.stdout] == []


def test_several_files_are_one_table(table, tmp_path, said_by, refusal):
    frame = pd.read_csv(table)
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    frame[:30].to_csv(paths[0], index=False)
    frame[30:].to_csv(paths[1], index=False, sep="\t")
    question = ["-t", "y", "-k", "2", "--folds", "0", "--json"]
    one = json.loads(said_by("select", table, *question).out)
    many = json.loads(said_by("select", *paths, *question).out)
    for found, expected in zip(many["chosen"], one["chosen"], strict=True):
        assert found["column"] == expected["column"]
        assert found["coefficient"] == pytest.approx(expected["coefficient"], rel=1e-9)
    assert many["source"]["files"] == ["one.csv", "two.csv"]
    assert "one.csv is given twice" in refusal("select", *paths, str(paths[0]), *question)


def test_a_sheet_is_chosen(table, tmp_path, said_by, refusal):
    pytest.importorskip("openpyxl")
    frame, path = pd.read_csv(table), str(tmp_path / "book.xlsx")
    with pd.ExcelWriter(path) as writer:
        frame[["a"]].to_excel(writer, sheet_name="First", index=False)
        frame.to_excel(writer, sheet_name="Second", index=False)
    question = ["-t", "y", "-k", "2", "--folds", "0"]
    said = said_by("select", path, *question, "--sheet", "Second")
    assert said.out.startswith("y by 2 of 6 columns")
    line = refusal("select", path, *question, "--sheet", "second")
    assert line == "projstg: book.xlsx has no sheet 'second'; did you mean 'Second'?\n"
    line = refusal("select", table, *question, "--sheet", "Second")
    assert line.endswith("leave out --sheet NAME.\n")
