"""From frames to numbers: what is kept, encoded, filled in, left out and refused."""

import datetime

import numpy as np
import pytest
from preparing import prepared_frame

from projstg.tables.columns import column_of, indicators
from projstg.tables.notes import TableError

pd = pytest.importorskip("pandas")

N = 12
Y = np.arange(N) % 5 + 0.5


def frame_of(**columns):
    return pd.DataFrame({"x": np.cos(np.arange(N)), **columns, "y": Y})


def kinds(data):
    return {note.kind: note.columns for note in data.notes}


KINDS = {
    "numbers": (np.cos(np.arange(N)), "number"),
    "whole numbers": ([3, 1, 2] * 4, "number"),
    "bools": ([True, False] * 6, "number"),
    "bools with a gap": ([True, None, False] * 4, "number"),
    "numbers as text": (["1.5", " 2 ", "3"] * 4, "number"),
    "percent": (["1.5 %", "2%", "3%"] * 4, "number"),
    "money": (["$1,500.50", "$2", "$3"] * 4, "number"),
    "nullable": (pd.array([1, None, 2] * 4, dtype="Int64"), "number"),
    "two levels": (["yes", "no"] * 6, "category"),
    "three levels": (["a", "b", "c"] * 4, "category"),
    "categories": (pd.Categorical(["a", "b", "c"] * 4), "category"),
    "one level": (["a"] * N, "category"),
    "free text": ([f"word {i}" for i in range(N)], "text"),
    "days": ([f"2024-02-{i + 1:02d}" for i in range(N)], "date"),
    "days and times": ([f"2024-02-01 {i:02d}:30:00" for i in range(N)], "date"),
    "other days": ([f"{i + 1}.2.2024" for i in range(N)], "date"),
    "days in words": ([f"{i + 1} Feb 2024" for i in range(N)], "date"),
    "timestamps": (pd.date_range("2024-01-01", periods=N), "date"),
    "date objects": ([datetime.date(2024, 1, i + 1) for i in range(N)], "date"),
    "days as numbers": (20240101 + np.arange(N), "date"),
    "nothing": ([None] * N, "empty"),
    "nan": ([np.nan] * N, "empty"),
    "lists": ([[1, 2]] * N, "other"),
    "complex": (np.full(N, 1j), "other"),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_a_column_is(name):
    values, kind = KINDS[name]
    assert column_of(pd.Series(values, name="some")).kind == kind


IDS = [
    "id",
    "ID",
    "patient_id",
    "customerId",
    "Unnamed: 0",
    "unnamed 1",
    "index",
    "row names",
    "user id",
]
NOT_IDS = ["column 1", "acid", "humid", "price index", "paid", "grid", "solid"]


@pytest.mark.parametrize("name", IDS + NOT_IDS)
def test_identifiers_go_by_their_names(name):
    kind = "identifier" if name in IDS else "number"
    assert column_of(pd.Series(np.arange(N) * 7, name=name)).kind == kind
    assert column_of(pd.Series(np.arange(N) * 7, name=name), is_wanted=True).kind == "number"
    assert column_of(pd.Series(np.arange(N) * 7.3, name=name)).kind == "number"


def test_a_two_level_text_is_one_column_and_a_longer_one_is_a_column_a_level():
    data = prepared_frame(frame_of(sex=["f", "m"] * 6, site=["n", "o", "p"] * 4), "y")
    assert data.names == ["x", "sex=m", "site=n", "site=o", "site=p"]
    np.testing.assert_array_equal(data.X[:, 1], [0, 1] * 6)
    np.testing.assert_array_equal(data.X[:, 2:].sum(axis=1), np.ones(N))
    assert kinds(data)["category"] == ("sex", "site")


def test_signs_are_taken_off_and_that_is_noted():
    data = prepared_frame(frame_of(p=["$1,500.50", "$2", "$1,000,003"] * 4), "y")
    np.testing.assert_allclose(data.X[:3, 1], [1500.5, 2.0, 1_000_003.0])
    assert kinds(data) == {"signs": ("p",)}


def test_a_forced_text_column_enters_without_its_first_level():
    data = prepared_frame(frame_of(site=["n", "o", "p"] * 4), "y", always=["site"])
    assert data.names == ["x", "site=o", "site=p"]
    assert data.always.tolist() == [False, True, True]


def test_one_level_can_be_forced_or_barred():
    frame = frame_of(site=["n", "o", "p"] * 4)
    data = prepared_frame(frame, "y", always=["site=o"], never=["site=p", "x"])
    assert data.names == ["site=n", "site=o"]
    assert data.always.tolist() == [False, True]


def test_a_missing_level_is_a_level_of_its_own():
    values = np.array(["a", None, "b"], dtype=object)
    assert list(indicators("t", values, leave_first=False)) == ["t=(missing)", "t=a", "t=b"]


def test_dates_identifiers_text_and_constants_are_left_out_and_named():
    data = prepared_frame(
        frame_of(
            id=np.arange(N),
            day=pd.date_range("2024-01-01", periods=N),
            words=[f"w{i}" for i in range(N)],
            same=np.ones(N),
            gone=[np.nan] * N,
        ),
        "y",
    )
    assert data.names == ["x"]
    expected = {"identifier": "id", "date": "day", "text": "words", "constant": "same"}
    assert {kind: (name,) for kind, name in {**expected, "empty": "gone"}.items()} == kinds(data)


def test_a_counter_of_rows_stays_and_is_named():
    data = prepared_frame(frame_of(year=np.arange(1990, 1990 + N)), "y")
    assert data.names == ["x", "year"]
    assert kinds(data) == {"counter": ("year",)}


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64"])
def test_whole_numbers_that_a_float_does_not_hold_are_named(kind):
    large = pd.array([2**53 + 7 * i * i for i in range(N)], dtype=kind)
    data = prepared_frame(frame_of(large=large, small=pd.array([3, 1, 2] * 4, dtype=kind)), "y")
    assert kinds(data) == {"rounded": ("large",)}


@pytest.mark.parametrize(
    "cells",
    [
        [2.0**53, np.nan, 5.0],
        [2**53 + 1, 3, 5],
        [10**20, 3, 5],
        ["$9007199254740993", "$3", "$5"],
    ],
)
def test_large_whole_numbers_are_named_in_whatever_they_are_held(cells):
    data = prepared_frame(frame_of(large=cells * 4), "y", missing="drop")
    assert kinds(data)["rounded"] == ("large",)


def with_gaps():
    frame = frame_of(a=np.arange(N) * 1.5, site=["n", "o", "p"] * 4)
    frame.loc[[1, 2], "a"] = np.nan
    frame.loc[3, "site"] = None
    return frame


def test_missing_values_are_counted():
    words = r'3 values are missing: a 2, site 1; choose missing="drop" \(leaves 9 of 12 rows\)'
    with pytest.raises(TableError, match=words):
        prepared_frame(with_gaps(), "y")


def test_missing_values_in_barred_columns_do_not_matter():
    assert prepared_frame(with_gaps(), "y", never=["a", "site"]).names == ["x"]


def test_rows_with_missing_values_are_dropped():
    frame = with_gaps()
    data = prepared_frame(frame, "y", missing="drop")
    assert data.rows.tolist() == [0, *range(4, N)]
    whole = prepared_frame(frame.dropna().reset_index(drop=True), "y")
    np.testing.assert_array_equal(data.X, whole.X)
    np.testing.assert_array_equal(data.y, whole.y)
    assert list(kinds(data)) == ["category", "dropped"]


def test_missing_values_are_filled_in():
    data = prepared_frame(with_gaps(), "y", missing="mean")
    assert data.names == ["x", "a", "site=(missing)", "site=n", "site=o", "site=p"]
    known = np.delete(np.arange(N) * 1.5, [1, 2])
    np.testing.assert_allclose(data.X[[1, 2], 1], known.mean())
    assert kinds(data)["filled"] == ("a", "site")


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_a_missing_target_is_never_filled_in(missing):
    frame = frame_of()
    frame.loc[4, "y"] = np.nan
    assert 4 not in prepared_frame(frame, "y", missing=missing).rows


def test_numbers_with_a_few_words_count_as_missing_and_are_shown():
    frame = frame_of(a=["1", "2", "3", "4", "5", "6", "7", "8", "n/k", "10", "11", "12"])
    with pytest.raises(TableError, match="in a 1 are not numbers, such as 'n/k'"):
        prepared_frame(frame, "y")
    assert prepared_frame(frame, "y", missing="drop").X[:, 1].tolist() == [*range(1, 9), 10, 11, 12]


def test_weights_are_a_column_and_no_candidate():
    frame = frame_of(w=np.arange(N) + 1.0)
    data = prepared_frame(frame, "y", weights="w")
    assert data.names == ["x"]
    np.testing.assert_array_equal(data.weights, np.arange(N) + 1.0)


def bad(change):
    frame = frame_of(a=np.sin(np.arange(N)))
    change(frame)
    return frame


REFUSED = {
    "no such target": (frame_of(), {"target": "Y"}, r"no column 'Y' \(target\); did you mean 'y'"),
    "twice that target": (
        frame_of().rename(columns={"x": "z (1)"}).assign(**{"z (2)": 1.0}),
        {"target": "z"},
        r"several columns have that name and are read as z \(1\), z \(2\)",
    ),
    "no such weights": (frame_of(), {"weights": "w"}, r"no column 'w' \(weights\)"),
    "target as weights": (frame_of(), {"weights": "y"}, "both the target and the weights"),
    "one column": (pd.DataFrame({"y": Y}), {}, "one column only"),
    "no rows": (frame_of().iloc[:0], {}, "a header and no rows"),
    "few rows": (frame_of().iloc[:3], {}, "the table has 3 rows"),
    "target constant": (frame_of().assign(y=2.0), {}, r"the same in every row \(2\)"),
    "target text": (frame_of().assign(y=["yes", "no"] * 6), {}, "write two classes as 0 and 1"),
    "target half text": (
        frame_of().assign(y=["1", "2", "x"] * 4),
        {},
        "has 4 cells that are not numbers, the first 'x'",
    ),
    "target of dates": (frame_of(d=pd.date_range("2024", periods=N)), {"target": "d"}, "a number"),
    "target empty": (frame_of(d=[None] * N), {"target": "d"}, "is empty"),
    "infinite": (
        bad(lambda frame: frame.loc.__setitem__((2, "a"), np.inf)),
        {},
        "1 values are infinite: a 1",
    ),
    "infinite target": (
        bad(lambda frame: frame.loc.__setitem__((2, "y"), -np.inf)),
        {},
        "1 values are infinite: y 1",
    ),
    "all text": (
        pd.DataFrame({"t": [f"w{i}" for i in range(N)], "y": Y}),
        {},
        "no column is left to explain 'y' by. Left out.*free text.*: t",
    ),
    "all constant": (frame_of().assign(x=1.0), {}, "no column is left.*same in every row"),
    "all barred": (frame_of(), {"never": ["x"]}, "no column is left"),
    "no such always": (frame_of(), {"always": ["z"]}, "always has 'z'; use one of 'x', 'y'"),
    "no such never": (frame_of(), {"never": ["xx"]}, "never has 'xx'; did you mean 'x'"),
    "target in never": (frame_of(), {"never": ["y"]}, "'y' is in never and is the target"),
    "both": (frame_of(), {"always": ["x"], "never": ["x"]}, "'x' is both in always and in never"),
    "no such level": (
        frame_of(t=["a", "b", "c"] * 4),
        {"always": ["t=z"]},
        "always has 't=z', which is no level",
    ),
    "one level both": (
        frame_of(t=["a", "b", "c"] * 4),
        {"always": ["t"], "never": ["t=b"]},
        "'t=b' is both in always and in never",
    ),
    "constant in always": (frame_of(c=1.0), {"always": ["c"]}, "same in every row"),
    "date in always": (
        frame_of(d=pd.date_range("2024", periods=N)),
        {"always": ["d"]},
        "always has d, which are dates",
    ),
    "negative weights": (frame_of(w=-1.0), {"weights": "w"}, "12 negative values"),
    "weights of text": (frame_of(w=["a", "b"] * 6), {"weights": "w"}, "are not numbers"),
    "missing how": (frame_of(), {"missing": "guess"}, 'choose "error", "drop" or "mean"'),
    "nothing without gaps": (
        frame_of(a=[np.nan] * (N - 1) + [1.0]),
        {"missing": "drop"},
        "leaves only 1 rows of 12",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_answer_is_refused_in_one_line(kind):
    frame, options, words = REFUSED[kind]
    with pytest.raises(TableError, match=words) as caught:
        prepared_frame(frame, **{"target": "y", **options})
    assert "\n" not in str(caught.value)
