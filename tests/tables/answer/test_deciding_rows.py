"""A row that decides the answer is named, and one that does not is not."""

import numpy as np
import pytest

import projstg

pd = pytest.importorskip("pandas")
SEEDS = range(8)


def table(seed, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    return frame.assign(y=2.0 * X[:, 0] + rng.normal(size=n))


@pytest.fixture(params=SEEDS)
def frame(request):
    return table(request.param)


def told(frame, **options):
    """The caution on rows; None where there is none."""
    found = projstg.select(frame, "y", folds=0, **options)
    return next((note for note in found.cautions if note.kind == "one_row"), None)


# The place of the row, its cells, and what is said first and later.
DECIDING = {
    "brings d in": (36, {"d": 30.0, "y": 60.0}, "Row 37 decides (", "d is not chosen"),
    "hides a": (12, {"a": 4000.0}, "Row 13 decides (a is 4000 there", "a is chosen"),
    "hides a by y": (40, {"y": 900.0}, "Row 41 decides (y is 900 there", "a is chosen"),
}


@pytest.mark.parametrize("kind", DECIDING)
def test_a_row_that_brings_a_column_in_or_hides_one_is_named(kind, frame):
    row, cells, first, later = DECIDING[kind]
    frame.loc[row, [*cells]] = [*cells.values()]
    note = told(frame)
    assert note.text.startswith(first)
    assert "the first row is 1" in note.text
    assert later in note.text
    assert later[0] in note.columns


def test_the_cell_shown_is_the_slip_also_where_another_column_is_chosen(frame):
    frame["y"] += 1.5 * frame["b"]
    frame.loc[17, "b"] = 9999.0
    note = told(frame)
    assert "Row 18 decides (b is 9999 there" in note.text
    assert "b is chosen" in note.text


def test_rows_that_were_left_out_before_count(frame):
    frame.loc[36, ["d", "y"]] = [30.0, 60.0]
    frame.loc[[3, 7], "b"] = np.nan
    assert "Row 37 decides" in told(frame, missing="drop").text


def test_of_several_files_the_file_is_named(tmp_path):
    frame = table(0)
    frame.loc[36, ["d", "y"]] = [30.0, 60.0]
    frame.loc[[3, 31], "b"] = np.nan
    paths = [tmp_path / "w1.csv", tmp_path / "w2.csv"]
    frame[:30].to_csv(paths[0], index=False)
    frame[30:].to_csv(paths[1], index=False)
    assert "Row 7 of w2.csv decides (" in told(paths, missing="drop").text
    frame.iloc[30:].to_csv(paths[0], index=False)
    frame.iloc[:30].to_csv(paths[1], index=False)
    assert "Row 7 of w1.csv decides (" in told(paths, missing="drop").text


def test_a_coefficient_that_a_row_makes_is_told(rng):
    x = rng.normal(size=50)
    frame = pd.DataFrame({"x": x, "y": 2.0 * x + rng.normal(size=50)})
    frame.loc[9] = [30.0, -20.0]
    note = told(frame, k=1)
    assert "Row 10 decides" in note.text
    assert "the coefficient of x is" in note.text
    assert note.columns == ("x",)


def test_rows_that_hide_behind_each_other_are_named_together(rng):
    frame = table(3)
    frame.loc[[20, 50], "y"] = [1000.0, -1003.0]
    note = told(frame)
    assert "Rows 51 and 21 decide" in note.text
    assert "without them a is chosen" in note.text


def test_a_row_in_line_with_the_others_decides_nothing(frame):
    assert told(frame) is None
    frame.loc[36, ["a", "y"]] = [30.0, 60.0]
    assert told(frame) is None


def test_a_level_of_one_row_is_that_row(rng):
    frame = table(5)
    frame["once"] = 0.0
    frame.loc[11, ["once", "y"]] = [1.0, 25.0]
    assert "Row 12 decides" in told(frame).text
    assert "once is not chosen" in told(frame).text


def test_weights_are_numbers_of_rows():
    frame = table(2)
    frame.loc[36, ["d", "y"]] = [30.0, 60.0]
    assert "Row 37" in told(frame.assign(w=2.0), weights="w").text
    absent = frame.assign(w=1.0)
    absent.loc[36, "w"] = 0.0
    assert told(absent, weights="w") is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rows", [[7, 19], [7, 19, 25], [7, 19, 25, 30]])
def test_rows_that_stand_together_do_not_hide_each_other(seed, rows):
    frame = table(seed, n=40)
    frame.loc[rows, "d"] = [30.0, 28.0, 31.0, 29.0][: len(rows)]
    frame.loc[rows, "y"] = [60.0, 57.0, 61.0, 59.0][: len(rows)]
    note = told(frame)
    assert note.text.startswith("Rows ")
    assert all(str(row + 1) in note.text for row in rows)
    assert "d is not chosen" in note.text


@pytest.mark.parametrize("code", [-999.0, 99999.0])
def test_a_code_for_missing_values_is_named_with_its_column(frame, code):
    frame.loc[[3, 11, 12, 40, 41, 60], "a"] = code
    frame.loc[20, "d"] = code  # has no part in what happens to a
    note = told(frame)
    assert note.text.startswith(f"6 cells of a are {code:.0f}, far from all others: without these")
    assert "a is chosen" in note.text
    assert "a" in note.columns


def test_a_code_in_the_target_is_named(frame):
    frame.loc[[3, 11, 12, 40], "y"] = -9999.0
    assert "4 cells of y are -9999, far from all others" in told(frame).text


def test_a_code_and_a_slip_in_one_column_are_named_together(frame):
    frame.loc[[3, 11, 12, 40], "a"] = -999.0
    frame.loc[20, "a"] = 4000.0
    text = told(frame).text
    assert "4 cells of a are -999, far from all others. Row 21 decides with them" in text
    assert "without all these rows a is chosen" in text


def test_rows_of_a_code_in_another_column_have_no_part():
    rng = np.random.default_rng(5)
    for _ in range(20):
        X = rng.normal(size=(60, 6))
        y = X[:, 0] + 0.4 * X[:, 1] + rng.normal(size=60)
        frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
        frame.loc[rng.permutation(60)[:8], "e"] = -999.0
        note = told(frame)
        assert note is None or "e" in note.columns


@pytest.mark.parametrize("draw", ["standard_normal", "standard_exponential"])
def test_tails_alone_are_no_reason(draw):
    rng = np.random.default_rng(1)
    for _ in range(20):
        X = getattr(rng, draw)((100, 4))
        y = X @ [2.0, 1.0, 0.0, 0.0] + rng.normal(size=100)
        assert told(pd.DataFrame(X, columns=list("abcd")).assign(y=y)) is None
