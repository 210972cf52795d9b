"""A file that is read in pieces gives the answer of the same file read whole."""

import gzip
import time
from functools import partial

import numpy as np
import pytest

from projstg.cli import main
from projstg.tables.cells.columns import NumberFacts, number_column
from projstg.tables.cells.memory_guard import TooLarge
from projstg.tables.files import parquet, parquet_pieces, text_pieces
from projstg.tables.files.read_table import Read, read_table
from projstg.tables.large_files import learn_columns, sum_columns
from projstg.tables.select_columns import chosen_from, select
from projstg.tables.words.notes import TableError
from projstg.tables.words.question import TableQuestion

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

N_ROWS = 300


def frame(seed=0, n_rows=N_ROWS):
    """Numbers, text, dates, an identifier, a constant, numbers with marks, and price."""
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(rng.standard_normal((n_rows, 4)).round(6), columns=list("abcd"))
    found["count"] = rng.integers(0, 9, n_rows)
    found["colour"] = rng.choice(["red", "green", "blue"], n_rows)
    found["sex"] = rng.choice(["m", "f"], n_rows)
    found["row_id"] = np.arange(n_rows)
    found["day"] = 20240101 + np.arange(n_rows) % 28
    found["when"] = "2024-02-03"
    found["ones"] = 1.0
    found["paid"] = [f"{one:,.2f}" for one in rng.uniform(100, 99999, n_rows)]
    found["times"] = 1 + np.arange(n_rows) % 3
    found["price"] = found.a - 2 * found["count"] + (found.colour == "red") * 3.0
    found["price"] += 0.5 * rng.standard_normal(n_rows)
    return found


def written(table, folder, kind):
    path = folder / f"table.{kind}"
    if kind == "parquet":
        table.to_parquet(path, row_group_size=70)
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    else:
        table.to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Let a piece have 41 rows."""
    for module in (text_pieces, parquet_pieces):
        monkeypatch.setattr(module, "rows_of_piece", lambda n_columns: 41)


def answers(path, **asked):
    """Return the answer of the whole file, and that of its pieces."""
    whole, large = read_table(path), read_table(path, most_bytes=1)
    assert isinstance(whole, Read)
    assert not isinstance(large, Read)
    question = TableQuestion(**{"target": "price", **asked})
    start = time.perf_counter()
    return [chosen_from(one, question, start)[0] for one in (whole, large)]


def plain(selection):
    content = selection.as_dict()
    content["notes"] = [one["text"] for one in content["notes"] if one["kind"] != "streamed"]
    del content["seconds"]
    return content


def assert_same(one, other):
    """Compare plain values; numbers to rounding."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_same(*pair)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-7, abs=1e-9)
    else:
        assert one == other


QUESTIONS = {
    "as it is": {},
    "a number of columns": {"k": 4, "sizes": True},
    "weights": {"weights": "times", "folds": 3},
    "forced": {"always": ["colour", "d"], "never": ["count", "b"], "folds": 0},
    "a level": {"always": ["sex=f"], "never": ["colour=red", "sex=m"]},
    "all levels": {"levels": "all", "k": 4, "weights": "times"},
    "all levels forced": {"levels": "all", "always": ["colour"], "folds": 0},
    "an identifier": {"always": ["row_id"], "k": 5, "random_state": 3},
    "gates alone": {"k": None, "folds": 0},
}


def test_copies_of_few_rows_in_pieces_are_few_rows(tmp_path):
    """As many columns as there are different rows fit anything, however often these are there."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.standard_normal((8, 20))).add_prefix("x")
    rows["price"] = rng.standard_normal(8)
    path = tmp_path / "copies.csv"
    pd.concat([rows] * 12).to_csv(path, index=False)
    assert_same(*map(plain, answers(path, folds=0)))
    selection = answers(path, folds=0)[1]
    assert len(selection.columns) == 5  # eight rows, less a mean and two degrees of freedom


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("asked", QUESTIONS)
def test_pieces_give_the_answer_of_the_whole(asked, kind, tmp_path):
    whole, large = answers(written(frame(), tmp_path, kind), **QUESTIONS[asked])
    assert_same(plain(large), plain(whole))
    assert [note.kind for note in large.notes].count("streamed") == 1


def test_rows_of_weight_zero_are_rows_that_are_not_there(tmp_path):
    table = frame().assign(times=np.arange(N_ROWS) % 3)
    table.loc[table.times == 0, ["a", "colour"]] = [1e6, "pink"]
    gone = table[table.times > 0]
    path, other = written(table, tmp_path, "csv"), tmp_path / "others.csv"
    gone.to_csv(other, index=False)
    whole, large = answers(path, weights="times")
    assert_same(plain(large), plain(whole))
    assert large.n_samples == len(gone) == 200
    same = plain(answers(other, weights="times")[1])
    found = plain(large)
    found["notes"].remove("100 of 300 rows left out, for their weight is zero.")
    assert_same(found | {"source": same["source"]}, same)
    table.loc[5, "b"] = None
    whole, large = answers(written(table, tmp_path, "csv"), weights="times", missing="drop")
    assert_same(plain(large), plain(whole))
    assert large.n_samples == 199


def test_levels_with_equal_sums_of_weights_have_one_reference(tmp_path):
    # 0.1 has no exact double: sums differ by rounding where they are taken in another order.
    table = frame().assign(share=0.1, level=np.repeat(["b", "a", "c"], N_ROWS // 3))
    whole, large = answers(written(table, tmp_path, "csv"), weights="share", always=["level"])
    assert_same(plain(large), plain(whole))
    assert [one["reference"] for one in large.factors if one["column"] == "level"] == ["a"]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_missing_values_are_settled_alike(missing, kind, tmp_path):
    table, rng = frame(), np.random.default_rng(1)
    for name in ("a", "count", "colour", "price", "paid"):
        table.loc[rng.random(N_ROWS) < 0.05, name] = None
    # A level that is only in rows that are left out, so that two others remain.
    table.loc[table.colour == "blue", "colour"] = "green"
    table.loc[7, ["colour", "a", "price"]] = ["pink", None, None]
    whole, large = answers(written(table, tmp_path, kind), missing=missing, weights="times")
    assert_same(plain(large), plain(whole))


def test_missing_values_are_counted_and_refused(tmp_path):
    table = frame()
    table.loc[[3, 50], "a"] = None
    table.loc[9, "colour"] = None
    file = read_table(written(table, tmp_path, "csv"), most_bytes=1)
    with pytest.raises(TableError, match="3 values are missing: a 2, colour 1; choose"):
        chosen_from(file, TableQuestion(target="price"), 0.0)


def test_marks_header_and_encoding_are_seen_as_in_the_whole(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        f"{x:.3f};{i % 5};{'klein' if i % 3 else 'groß'};{2 * x + i % 5 + e:.2f}".replace(".", ",")
        for i, (x, e) in enumerate(rng.standard_normal((N_ROWS, 2)))
    ]
    path = tmp_path / "marks.csv"
    path.write_text("größe;n;art;price\n" + "\n".join(rows) + "\n", encoding="latin-1")
    whole, large = answers(path)
    assert_same(plain(large), plain(whole))
    assert large.source["decimal"] == ","


def test_an_encoding_that_shows_late_is_found(tmp_path):
    lines = ["a,b,word,price"] + [f"{i % 17},{i % 5},plain,{i % 17 + i % 3}" for i in range(60_000)]
    lines.append("3,4,süß,5")
    path = tmp_path / "late.csv"
    path.write_text("\n".join(lines) + "\n", encoding="latin-1")
    file = read_table(path, most_bytes=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_pieces, "rows_of_piece", lambda n_columns: 10_000)
        found, _ = chosen_from(file, TableQuestion(target="price", folds=0), 0.0)
    assert found.source["encoding"] == "cp1252"
    assert found.n_samples == 60_001


def test_columns_that_turn_out_to_be_no_numbers_are_looked_at_whole(tmp_path):
    table = frame()
    late = table.b.astype(object)
    late[250:] = [f"{one:.6f} %" for one in late[250:]]
    points = [f"{one}.{100 + i % 900}" for i, one in enumerate(table["count"] + 1)]  # 1.234
    table = table.assign(mixed=late, points=points, few=["?"] * 299 + ["7"], empty=None)
    table["is_new"] = [None, *(table.a > 0.0)[1:]]  # in one piece with a gap
    table["is_old"] = ["?", *(table.a > 1.0)[1:299], "yes"]
    table["huge"] = [2**63 + 7 * i for i in range(300)]
    whole, large = answers(written(table, tmp_path, "csv"), missing="mean")
    assert_same(plain(large), plain(whole))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_chosen_columns_are_written(kind, tmp_path):
    path = written(frame(), tmp_path, kind)
    written_to = []
    for most_bytes in (None, 1):
        question = TableQuestion(target="price", k=3, folds=0)
        found, data = chosen_from(read_table(path, most_bytes=most_bytes), question, 0.0)
        out = tmp_path / f"{most_bytes}.csv"
        data.write_csv(out, found.columns, [*found.columns, "price"])
        written_to.append(pd.read_csv(out))
    pd.testing.assert_frame_equal(*written_to)


def test_the_command_says_that_it_reads_in_pieces(tmp_path, monkeypatch, capsys):
    path = written(frame(), tmp_path, "parquet")
    with monkeypatch.context() as patched:
        patched.setattr(parquet, "free_memory", lambda: 1)
        out = tmp_path / "answer"
        arguments = ["select", str(path), "-t", "price", "-k", "3", "--out", str(out), "--csv"]
        assert main(arguments) == 0
    assert "does not fit into memory: it is read in pieces" in " ".join(
        capsys.readouterr().out.split()
    )
    assert sorted(one.name for one in out.iterdir()) == [
        "report.html",
        "selected.csv",
        "selection.json",
    ]


def _tell(told, *one):
    told.append(one)


def test_progress_is_told(tmp_path):
    for kind in ("csv", "parquet"):
        told: list = []
        file = read_table(written(frame(), tmp_path, kind), most_bytes=1)
        question = TableQuestion(target="price", k=2, folds=0)
        chosen_from(file, question, 0.0, partial(_tell, told))
        counted = [(what, done, total) for what, done, total in told if total is not None]
        assert {"looking at the columns", "adding up the rows"} < {what for what, _, _ in counted}
        assert all(done <= total for _, done, total in counted)
        assert {what for what, _, _ in told} == {w for w, done, total in counted if done == total}


def refused(path, message, **asked):
    question = TableQuestion(**{"target": "price", **asked})
    with pytest.raises(TableError, match=message):
        chosen_from(read_table(path, most_bytes=1), question, 0.0)


def test_faults_are_said_in_one_line(tmp_path):
    table = frame()
    path = written(table.assign(a=table.a.replace(table.a[100], np.inf)), tmp_path, "csv")
    refused(path, "1 value is infinite: a 1;")
    refused(written(table.assign(times=-1), tmp_path, "csv"), "300 negative", weights="times")
    refused(written(table.assign(price=7.0), tmp_path, "csv"), "the same in every row")
    refused(written(table.assign(price="dear"), tmp_path, "csv"), "has no numbers")
    refused(written(table.assign(price=None), tmp_path, "csv"), "is empty")
    refused(written(table, tmp_path, "csv"), "there is no column 'prise'", target="prise")
    refused(written(table[["price", "when"]], tmp_path, "csv"), "no column is left")
    gaps = table.assign(a=[None, *table.a[1:]], b=[*table.b[:1], *[None] * 299])
    refused(written(gaps, tmp_path, "csv"), "leaves no row of 300", missing="drop")
    path.write_text(table.to_csv(index=False) + "1,2\n", encoding="utf-8")
    refused(path, "is ragged: line 302 has 2 fields")
    path.write_text("a,b,price\n", encoding="utf-8")
    refused(path, "a header and no rows")
    path.write_text("a,b,price\n1,2,3\n2,3,5\n4,4,4\n", encoding="utf-8")
    refused(path, "the table has 3 rows; at least 4")
    refused(
        written(table.assign(times=0), tmp_path, "csv"), "zero in 300 of 300 rows", weights="times"
    )
    dropped = table.assign(times=-1, price=[None, *table.price[1:]])
    dropped.loc[1:, "times"] = 1
    refused(written(dropped, tmp_path, "csv"), "1 negative", weights="times", missing="drop")
    far = table.assign(a=1e200 * table.a)
    refused(written(far, tmp_path, "parquet"), "a have numbers too large", folds=0)
    with pytest.raises(TableError, match="folds=1001; give"):
        TableQuestion(target="price", folds=1001)


def test_lines_with_too_many_fields_are_refused(tmp_path):
    lines = [f"{i % 13},{i % 7}.5,{i % 13 + i % 7}" for i in range(100)]
    path = tmp_path / "long.csv"
    for place in (1, 41, 60, 99):
        own = [*lines[:place], "1,2,3,4", *lines[place + 1 :]]
        path.write_text("\n".join(["x,z,price", *own]) + "\n", encoding="utf-8")
        refused(path, f"is ragged: line {place + 2} has 4 fields")
    path.write_text(
        "\n".join(["x,z,price", *(f"{i},{i % 7}" for i in range(60))]) + "\n", encoding="utf-8"
    )
    refused(path, "is ragged: line 2 has 2 fields")


def test_columns_that_are_excluded_have_a_say_in_the_marks(tmp_path):
    rng = np.random.default_rng(3)
    rows = [f"{1 + i % 9}.{100 + i};0,{i % 90 + 10};{(i % 9) - e:.0f}" for i, e in
            enumerate(rng.standard_normal(120))]  # fmt: skip
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(["p;q;price", *rows]) + "\n", encoding="utf-8")
    whole, large = answers(path, never=["q"], k=1, folds=0)
    assert_same(plain(large), plain(whole))
    assert large.source["thousands"] == "."


def test_a_file_that_grows_in_a_pass_is_refused(tmp_path):
    for names in (["a", "price"], ["a", "sex", "price"]):
        path = written(frame()[names], tmp_path, "csv")
        file, text = read_table(path, most_bytes=1), path.read_text(encoding="utf-8")

        def grow(what, done, total, path=path, text=text):
            if what == "adding up the rows":
                path.write_text(text + text.split("\n", 1)[1], encoding="utf-8")

        with pytest.raises(TableError, match="changed while it was read"):
            chosen_from(file, TableQuestion(target="price", folds=0), 0.0, grow)
    path.unlink()
    with pytest.raises(TableError, match="cannot be read again"):
        chosen_from(file, TableQuestion(target="price", folds=0), 0.0)


def test_what_is_left_without_error_has_its_digits(tmp_path):
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"a": 1e5 * (1 + rng.standard_normal(200)), "b": rng.random(200)})
    table["price"] = table.a + 1e-4 * rng.standard_normal(200)
    whole, large = answers(written(table, tmp_path, "parquet"), k=1, folds=0)
    assert large.residual_std == pytest.approx(whole.residual_std, rel=0.01)


def test_a_file_that_changes_is_refused(tmp_path, monkeypatch):
    path = written(frame(), tmp_path, "csv")
    file = read_table(path, most_bytes=1)
    path.write_text("a,price\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match="changed while it was read"):
        chosen_from(file, TableQuestion(target="price"), 0.0)


def test_columns_that_must_be_held_have_to_fit(tmp_path, monkeypatch):
    path = written(frame(), tmp_path, "csv")
    monkeypatch.setattr(learn_columns, "free_memory", lambda: 1000)
    with pytest.raises(TooLarge, match=r"no plain numbers \(colour, .*never"):
        chosen_from(read_table(path, most_bytes=1), TableQuestion(target="price"), 0.0)
    question = TableQuestion(
        target="price", never=["colour", "sex", "when", "ones", "paid"], folds=0
    )
    found, _ = chosen_from(read_table(path, most_bytes=1), question, 0.0)
    assert found.n_columns == 6


def test_sums_have_to_fit(tmp_path, monkeypatch):
    file = read_table(written(frame(), tmp_path, "parquet"), most_bytes=1)
    monkeypatch.setattr(sum_columns, "free_memory", lambda: 1000)
    with pytest.raises(TooLarge, match=r"has 13 columns of numbers, .* do without folds"):
        chosen_from(file, TableQuestion(target="price"), 0.0)


def test_weights_beside_a_large_file_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "free_memory", lambda: 1)
    with pytest.raises(TableError, match="weights must be a column"):
        select(written(frame(), tmp_path, "parquet"), "price", weights=np.ones(N_ROWS))


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0, 3.0, 4.0],
        [np.nan, 2.0, 3.0, 4.0],
        [1.0, 2.0, np.nan, 4.0],
        [1.5, 2.0, 3.0, 4.0],
        [1.0, 2.0, 3.0, 4.5],
        [20240101.0, 20240102.0, np.nan, 20240103.0],
        [20240101.0, 20240102.0, 1.0, np.inf],
        [np.nan, np.nan, np.nan, np.nan],
        [np.inf, np.nan, 2.0**60, -(2.0**61)],
    ],
)
def test_facts_on_parts_of_a_column_are_those_on_the_whole(values):
    values = np.asarray(values)
    whole = NumberFacts.of(values)
    for cut in range(1, 4):
        parts = NumberFacts.of(values[:cut]).merge(NumberFacts.of(values[cut:]))
        assert parts[:4] == whole[:4]
        for is_wanted in (False, True):
            for name in ("a", "id"):
                expected = number_column(name, whole, is_wanted)
                assert number_column(name, parts, is_wanted) == expected
