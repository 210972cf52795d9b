"""From frames to numbers: what is kept, encoded, left out and refused."""

import numpy as np
import pytest
from preparing import N, Y, frame_of, kinds, prepared_frame

from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")


SEX, SITE = ["f", "m"] * 6, ["o", "o", "n", "p"] * 3


def test_a_text_is_a_column_for_each_level_but_the_most_frequent():
    data = prepared_frame(frame_of(sex=SEX, site=SITE), "y")
    assert data.names == ["x", "sex=m", "site=n", "site=p"]
    np.testing.assert_array_equal(data.X[:, 1], [0, 1] * 6)
    np.testing.assert_array_equal(data.X[:, 2], [0, 0, 1, 0] * 3)
    assert [one.reference for one in data.factors] == ["f", "o"]
    (note,) = data.notes
    assert (note.kind, note.columns) == ("factor", ("sex", "site"))
    coded = "Text as columns of 0 and 1, none for the most frequent level"
    assert note.text == f"{coded}: sex ('f'), site ('o')."


def test_with_all_levels_a_longer_text_has_a_column_for_each_and_one_of_two_levels_one():
    data = prepared_frame(frame_of(sex=SEX, site=SITE), "y", levels="all")
    assert data.names == ["x", "sex=m", "site=n", "site=o", "site=p"]
    np.testing.assert_array_equal(data.X[:, 2:].sum(axis=1), np.ones(N))
    assert kinds(data) == {"factor": ("sex",), "category": ("site",)}
    assert [(one.reference, one.is_complete) for one in data.factors] == [
        ("f", False),
        (None, True),
    ]
    few = prepared_frame(frame_of(site=SITE), "y", levels="all", never=["site=p"])
    assert not few.factors[0].is_complete


def test_signs_are_taken_off_and_that_is_noted():
    data = prepared_frame(frame_of(p=["$1,500.50", "$2", "$1,000,003"] * 4), "y")
    np.testing.assert_allclose(data.X[:3, 1], [1500.5, 2.0, 1_000_003.0])
    assert kinds(data) == {"signs": ("p",)}


def test_a_forced_text_column_enters_without_its_reference_level():
    for always in (["site"], ["site", "site=o"]):
        data = prepared_frame(frame_of(site=SITE), "y", always=always)
        assert data.names == ["x", "site=n", "site=p"]
        assert data.always.tolist() == [False, True, True]
    data = prepared_frame(frame_of(site=SITE), "y", always=["site"], levels="all")
    assert data.names == ["x", "site=o", "site=p"]


def test_one_level_can_be_forced_or_excluded():
    frame = frame_of(site=SITE)
    data = prepared_frame(frame, "y", always=["site=o"], never=["site=p", "x"], levels="all")
    assert data.names == ["site=n", "site=o"]
    assert data.always.tolist() == [False, True]


def test_the_reference_level_is_not_chosen_anyway():
    data = prepared_frame(frame_of(site=SITE), "y", never=["site=o"])
    assert data.names == ["x", "site=n", "site=p"]


def test_where_two_columns_have_one_name_the_factor_still_finds_its_levels():
    data = prepared_frame(frame_of(**{"site=n": np.sin(np.arange(N)), "site": SITE}), "y")
    assert data.names == ["x", "site=n", "site=n'", "site=p"]
    assert data.factors[0].places == {"n": 2, "p": 3}


def test_text_that_is_the_same_in_every_row_is_left_out_and_is_no_factor():
    data = prepared_frame(frame_of(site=["n"] * N), "y")
    assert kinds(data) == {"constant": ("site=n",)}
    assert data.factors == ()


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


def test_weights_are_a_column_and_no_candidate():
    frame = frame_of(w=np.arange(N) + 1.0)
    data = prepared_frame(frame, "y", weights="w")
    assert data.names == ["x"]
    np.testing.assert_array_equal(data.weights, np.arange(N) + 1.0)


def test_rows_of_weight_zero_are_left_out():
    frame = frame_of(a=[5.0] * 6 + [7.0] * 6, w=[0.0, 1.0] * 3 + [0.0] * 3 + [2.0] * 3)
    data = prepared_frame(frame, "y", weights="w")
    np.testing.assert_array_equal(data.rows, [1, 3, 5, 9, 10, 11])
    np.testing.assert_array_equal(data.weights, [1, 1, 1, 2, 2, 2])
    assert data.n_rows == 6
    (note,) = data.notes
    assert note.text == "6 of 12 rows left out, for their weight is zero."


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
        "1 value is infinite: a 1",
    ),
    "infinite target": (
        bad(lambda frame: frame.loc.__setitem__((2, "y"), -np.inf)),
        {},
        "1 value is infinite: y 1",
    ),
    "all text": (
        pd.DataFrame({"t": [f"w{i}" for i in range(N)], "y": Y}),
        {},
        "no column is left to explain 'y' by. Left out.*free text.*: t",
    ),
    "all constant": (frame_of().assign(x=1.0), {}, "no column is left.*same in every row"),
    "all excluded": (frame_of(), {"never": ["x"]}, "no column is left"),
    "no such always": (frame_of(), {"always": ["z"]}, "always has 'z'; use one of 'x', 'y'"),
    "no such never": (frame_of(), {"never": ["xx"]}, "never has 'xx'; did you mean 'x'"),
    "target in never": (frame_of(), {"never": ["y"]}, "'y' is in never and is the target"),
    "both": (frame_of(), {"always": ["x"], "never": ["x"]}, "'x' is both in always and in never"),
    "no such level": (
        frame_of(t=["a", "b", "c"] * 4),
        {"always": ["t=z"]},
        "always has 't=z', which is no level",
    ),
    "the reference in always": (
        frame_of(t=["a", "b", "c"] * 4),
        {"always": ["t=a"]},
        "always has 't=a', the level that the rest of t is compared with; choose "
        'levels="all", or name t as a whole',
    ),
    "the reference of two in always": (
        frame_of(t=["a", "b", "b"] * 4),
        {"always": ["t=b"]},
        "always has 't=b', the level .*; name 't=a', which says the same",
    ),
    "no such levels": (frame_of(), {"levels": "every"}, 'choose "reference" or "all"'),
    "one level both": (
        frame_of(t=["a", "b", "c"] * 4),
        {"always": ["t"], "never": ["t=b"]},
        "'t=b' is both in always and in never",
    ),
    "constant in always": (frame_of(c=1.0), {"always": ["c"]}, "same in every row"),
    "date in always": (
        frame_of(d=pd.date_range("2024", periods=N)),
        {"always": ["d"]},
        "always has d, which holds dates or times",
    ),
    "negative weights": (frame_of(w=-1.0), {"weights": "w"}, "12 negative values"),
    "weights of zero": (
        frame_of(w=[1.0] * 3 + [0.0] * 9),
        {"weights": "w"},
        "the weights 'w' are zero in 9 of 12 rows; at least 4",
    ),
    "weights of text": (frame_of(w=["a", "b"] * 6), {"weights": "w"}, "are not numbers"),
    "missing how": (frame_of(), {"missing": "guess"}, 'choose "error", "drop" or "mean"'),
    "nothing without gaps": (
        frame_of(a=[np.nan] * (N - 1) + [1.0]),
        {"missing": "drop"},
        "leaves only 1 row of 12",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_answer_is_refused_in_one_line(kind):
    frame, options, words = REFUSED[kind]
    with pytest.raises(TableError, match=words) as caught:
        prepared_frame(frame, **{"target": "y", **options})
    assert "\n" not in str(caught.value)


LONG = 2**60 + 2 * np.arange(N)  # in double precision one number


def test_numbers_that_differ_in_digits_that_are_lost_are_not_called_the_same():
    notes = prepared_frame(frame_of(long=LONG, three=3.0), "y").notes
    assert [note.text for note in notes if note.kind == "constant"] == [
        "Left out, for it is the same in every row: three.",
        "Left out, for it is the same in every row in the 15 digits or so that are kept: long.",
    ]


def test_a_target_whose_digits_are_lost_is_noted():
    frame = frame_of(long=LONG).assign(y=2**60 + 250 * np.arange(N))
    assert kinds(prepared_frame(frame.drop(columns="long"), "y")) == {"rounded": ("y",)}
    with pytest.raises(
        TableError, match=r"same in every row \(1.15292e\+18, in the 15 digits or so"
    ):
        prepared_frame(frame, "long")
