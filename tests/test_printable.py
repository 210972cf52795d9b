"""Any text becomes one line that a terminal can show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projstg._printable import few_names, printable, shortened


@given(st.text(), st.integers(2, 60))
def test_any_text_is_one_printable_line_of_bounded_length(text, longest):
    line = printable(text)
    assert line.isprintable()
    assert printable(line) == line
    assert len(shortened(text, longest)) <= longest
    assert shortened(text, longest).isprintable()


def test_a_lone_half_of_a_character_is_escaped():
    assert printable("a\udc80") == r"a\udc80"


@pytest.mark.parametrize(("n", "words"), [(0, ""), (2, "0, 1"), (3, "0, 1 and 1 more")])
def test_few_names(n, words):
    assert few_names(range(n), 2) == words
