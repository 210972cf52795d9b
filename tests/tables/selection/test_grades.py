"""Lines of an answer: grades, text columns above their levels, what was asked for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from projstg import select
from projstg.tables.selection.grades import graded, left_out
from projstg.tables.words.notes import Note


@pytest.fixture
def text(rng):
    """A text with levels a to d; y differs by 5 at b and by 3 at c."""
    level = rng.choice(list("abcd"), 300, p=[0.4, 0.2, 0.2, 0.2])
    jump = {"a": 0.0, "b": 5.0, "c": 3.0, "d": 0.0}
    y = np.array([jump[one] for one in level]) + 0.3 * rng.normal(size=300)
    return pd.DataFrame({"g": level, "x": rng.normal(size=300), "y": y})


def lines(found):
    return [(one.grade, one.name, one.remark) for one in graded(found)]


def test_a_text_column_stands_above_its_levels(text):
    assert lines(select(text, "y")) == [
        ("sure", "g", "compared with 'a' and 'd'"),
        ("", "b", ""),
        ("", "c", ""),
    ]


def test_levels_are_compared_with_all_rows_that_have_another_one(text):
    found = select(text, "y", k=1, never=["x"])
    is_b = text.g == "b"
    assert found.columns == ["g=b"]
    expected = text.y[is_b].mean() - text.y[~is_b].mean()
    assert found.chosen[0].coefficient == pytest.approx(expected)
    assert graded(found)[0].remark == "compared with 'a', 'c' and 'd'"


def test_of_two_levels_one_line_is_enough(text):
    two = text[text.g.isin(["a", "b"])]
    assert lines(select(two, "y")) == [("sure", "g=b", "compared with 'a'")]


def test_what_was_asked_for_has_no_grade(text):
    found = select(text, "y", always=["x"])
    assert lines(found)[-1] == ("", "x", "asked for")
    assert not next(one for one in found.chosen if one.column == "x").exchangeable_for
    whole = lines(select(text, "y", always=["g"]))
    assert whole[0] == ("", "g", "compared with 'a'")
    assert [remark for _, _, remark in whole[1:]] == ["asked for"] * 3


def test_grades_do_not_alternate(rng):
    text = rng.choice(list("abc"), 80)
    X = rng.normal(size=(80, 3))
    y = 0.8 * (text == "a") + X[:, 0] + 0.3 * X[:, 1] + rng.normal(size=80)
    frame = pd.DataFrame(X, columns=list("uvw")).assign(t=text, y=y)
    grades = [line.grade for line in graded(select(frame, "y", k=4)) if line.grade]
    assert grades == sorted(grades, key=["sure", "likely", "doubtful"].index)


def test_a_reason_is_no_part_of_a_name(rng):
    names = [*(f"q{i}: age" for i in range(8)), "y"]
    frame = pd.DataFrame(rng.normal(size=(60, 9)), columns=names)
    found = select(frame, "y", k=1)
    (odd,) = (note for note in found.notes if note.kind == "unlikely")
    assert odd.reason == "the number of columns was given"
    assert graded(found)[0].remark == odd.reason


def test_columns_that_are_likely_and_left_out_share_a_line(frame):
    note = Note("left_out", "a and c are left out: why.", ("a", "c"), "why")
    (one,) = left_out(replace(select(frame, "y"), notes=(note,)))
    assert [name for name, _ in one.columns] == ["a", "c"]
    assert one.remark == "why"
