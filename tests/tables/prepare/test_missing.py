"""Missing values are counted, and refused, left out or filled in."""

import numpy as np
import pytest
from preparing import N, frame_of, kinds, prepared_frame

from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")


def with_gaps():
    frame = frame_of(a=np.arange(N) * 1.5, site=["n", "o", "p"] * 4)
    frame.loc[[1, 2], "a"] = np.nan
    frame.loc[3, "site"] = None
    return frame


def test_missing_values_are_counted():
    words = r'3 values are missing: a 2, site 1; choose missing="drop" \(leaves 9 of 12 rows\)'
    with pytest.raises(TableError, match=words):
        prepared_frame(with_gaps(), "y")


def test_missing_values_in_excluded_columns_do_not_matter():
    assert prepared_frame(with_gaps(), "y", never=["a", "site"]).names == ["x"]


def test_rows_with_missing_values_are_dropped():
    frame = with_gaps()
    data = prepared_frame(frame, "y", missing="drop")
    assert data.rows.tolist() == [0, *range(4, N)]
    whole = prepared_frame(frame.dropna().reset_index(drop=True), "y")
    np.testing.assert_array_equal(data.X, whole.X)
    np.testing.assert_array_equal(data.y, whole.y)
    assert list(kinds(data)) == ["dropped", "factor"]


def test_missing_values_are_filled_in():
    data = prepared_frame(with_gaps(), "y", missing="mean")
    assert data.names == ["x", "a", "site=(missing)", "site=n", "site=p"]
    known = np.delete(np.arange(N) * 1.5, [1, 2])
    np.testing.assert_allclose(data.X[[1, 2], 1], known.mean())
    told = {note.columns: note.text for note in data.notes if note.kind == "filled"}
    assert told == {
        ("a",): "Missing values filled in with the column's mean: a 2.",
        ("site",): "Missing text is a level of its own, '(missing)': site 1.",
    }


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_a_missing_target_is_never_filled_in(missing):
    frame = frame_of()
    frame.loc[4, "y"] = np.nan
    assert 4 not in prepared_frame(frame, "y", missing=missing).rows


def test_the_level_of_gaps_is_a_text_that_no_cell_has():
    frame = frame_of(site=["(missing)", "o", None] * 4)
    data = prepared_frame(frame, "y", missing="mean", levels="all")
    assert data.names == ["x", "site=(missing)", "site=(missing)'", "site=o"]
    assert "level of its own, '(missing)'': site 4" in data.notes[0].text
    assert data.recipe["gaps"] == {"site": "(missing)'"}


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_words_among_numbers_are_in_the_note(missing):
    frame = frame_of(a=["<0.1", *np.arange(1.5, N).astype(str)])
    data = prepared_frame(frame, "y", missing=missing)
    assert data.notes[0].text.endswith("(in a 1 is no number, '<0.1').")


def test_numbers_with_a_few_words_count_as_missing_and_are_shown():
    frame = frame_of(a=["1", "2", "3", "4", "5", "6", "7", "8", "n/k", "10", "11", "12"])
    with pytest.raises(TableError, match="in a 1 is no number, 'n/k'"):
        prepared_frame(frame, "y")
    assert prepared_frame(frame, "y", missing="drop").X[:, 1].tolist() == [*range(1, 9), 10, 11, 12]
