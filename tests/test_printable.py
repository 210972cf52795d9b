"""Any text becomes one line that a terminal can show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projstg._printable import few_names, printable, shortened, told_apart


@given(st.text(), st.integers(2, 60))
def test_any_text_is_one_printable_line_of_bounded_length(text, longest):
    line = printable(text)
    assert line.isprintable()
    assert printable(line) == line
    assert len(shortened(text, longest)) <= longest
    assert shortened(text, longest).isprintable()


@given(st.lists(st.text(), max_size=8), st.integers(4, 40))
def test_any_names_told_apart_are_of_bounded_length(names, longest):
    short = told_apart(names, longest)
    assert len(short) == len(names)
    assert all(len(one) <= longest and one.isprintable() for one in short)


def test_names_that_differ_anywhere_stay_different():
    names = [f"{'a' * i}{letter}{'b' * 90}" for i in (0, 20, 60) for letter in "xyz"]
    assert len(set(told_apart(names, 18))) == len(names)
    ends = [f"{first}{'c' * 80}{last}{'d' * 40}" for first in "pq" for last in "xy"]
    assert len(set(told_apart([f"{'e' * 50}{one}" for one in ends], 18))) == 4
    assert told_apart(["short", "short"]) == ["short", "short"]


def test_a_lone_half_of_a_character_is_escaped():
    assert printable("a\udc80") == r"a\udc80"


@pytest.mark.parametrize(("n", "words"), [(0, ""), (2, "0, 1"), (3, "0, 1 and 1 more")])
def test_few_names(n, words):
    assert few_names(range(n), 2) == words
