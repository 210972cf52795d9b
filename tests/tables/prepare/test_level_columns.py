"""Text as columns of zeros and ones: which level has none, and what the others are."""

import numpy as np
import pytest

from projstg.tables.prepare.level_columns import (
    LevelColumn,
    factors_of,
    indicators,
    reference_level,
)
from projstg.tables.words.question import TableQuestion

ASKED = TableQuestion(target="y")
ALL = TableQuestion(target="y", levels="all")
FORCED = TableQuestion(target="y", levels="all", always=["t"])

REFERENCES = {
    "the most frequent": ({"a": 1, "b": 3, "c": 2}, ASKED, "b"),
    "of equal ones the first": ({"c": 3, "b": 3, "a": 1}, ASKED, "b"),
    "equal but for rounding": ({"b": 0.3, "a": 0.1 + 0.2, "c": 0.1}, ASKED, "a"),
    "none with all levels": ({"a": 1, "b": 3, "c": 2}, ALL, None),
    "the more frequent of two": ({"a": 1, "b": 3}, ASKED, "b"),
    "with all levels the first of two": ({"a": 1, "b": 3}, ALL, "a"),
    "with all levels the first of a forced column": ({"b": 3, "a": 1, "c": 2}, FORCED, "a"),
    "none of one": ({"a": 5}, ASKED, None),
}


@pytest.mark.parametrize("kind", REFERENCES)
def test_the_reference_is(kind):
    counts, question, expected = REFERENCES[kind]
    assert reference_level("t", counts, question) == expected


def test_a_cell_without_a_level_is_a_level_of_its_own():
    values = np.array(["a", None, "b", None], dtype=object)
    made, reference = indicators("t", values, None, ASKED)
    assert reference == "(missing)"
    assert {level: one.tolist() for level, one in made.items()} == {
        "a": [1.0, 0.0, 0.0, 0.0],
        "b": [0.0, 0.0, 1.0, 0.0],
    }
    assert list(indicators("t", values, None, ALL)[0]) == ["(missing)", "a", "b"]


def test_a_row_counts_by_its_weight():
    values, weights = np.array(list("aabc"), dtype=object), np.array([1.0, 1.0, 3.0, 1.0])
    repeated = np.repeat(values, weights.astype(int))
    assert indicators("t", values, weights, ASKED)[1] == indicators("t", repeated, None, ASKED)[1]


def test_places_are_those_among_the_columns_that_are_kept():
    origins = [
        LevelColumn("x"),
        *(LevelColumn("s", level) for level in "npq"),
        LevelColumn("t", "u"),
    ]
    kept = np.array([True, False, True, True, True])
    first, second = factors_of(origins, kept, {"t": "v"})
    assert (first.column, first.reference, first.is_complete) == ("s", None, False)
    assert (first.places, second.places) == ({"p": 1, "q": 2}, {"u": 3})
    assert factors_of(origins, np.ones(5, dtype=bool), {"t": "v"})[0].is_complete
