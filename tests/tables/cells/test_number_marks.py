"""Numbers in every way of writing are read as they were meant, or a note says what may be wrong."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from preparing import prepared_frame
from soaking import count, examples

from projstg.cli import main
from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")

BLANKS = ["\u00a0", "\u2009", "\u202f", " "]
THOUSANDS = [None, ",", ".", "'", "’", *BLANKS]


@pytest.fixture
def table(tmp_path):
    """Read columns of cells, given as lists of text."""

    def read(delimiter=";", decimal=None, **columns):
        rows = zip(*columns.values(), strict=True)
        quoted = [[f'"{cell}"' if delimiter in cell else cell for cell in row] for row in rows]
        lines = [delimiter.join(columns), *(delimiter.join(row) for row in quoted)]
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read_table(path, decimal=decimal)

    return read


def noted(read, kind):
    return {name for note in read.notes if note.kind == kind for name in note.columns}


def repeated(*cells, n=12):
    return [cells[i % len(cells)] for i in range(n)]


def test_each_column_has_marks_of_its_own(table):
    read = table(
        a=repeated("1.234,50", "12,25"),
        b=repeated("2.69", "3.5"),
        c=repeated("1'234.5", "7"),
        d=repeated("1\u202f234\u202f567", "-5"),
        y=repeated("3", "4"),
    )
    for name, expected in {"a": 1234.5, "b": 2.69, "c": 1234.5, "d": 1234567.0}.items():
        assert read.frame[name].iloc[0] == expected
    assert noted(read, "decimal") == {"a"}
    assert noted(read, "thousands") == {"a", "c", "d"}
    assert noted(read, "doubtful") == set()


def test_all_rows_are_asked_not_only_the_first(table):
    cells = [f"{i},234.50" for i in range(1, 221)] + [f"{i},25" for i in range(1, 221)]
    read = table(x=cells, y=["1.5"] * 440)
    assert read.frame["x"].tolist() == cells  # kept as they are
    with pytest.raises(TableError, match=r"not all written in one way, such as '1,25'"):
        prepared_frame(read.frame, "x")
    frame = read.frame.assign(z=np.arange(440.0) % 7, y=np.arange(440.0) % 11)
    data = prepared_frame(frame, "y")
    assert data.names == ["z"]
    (note,) = [note for note in data.notes if note.kind == "mixed"]
    assert "x ('1,25')" in note.text


@pytest.mark.parametrize(
    ("cells", "beside", "delimiter", "value"),
    [
        (("1.234", "5.678"), "1", ",", 1.234),
        (("1.234", "5.678"), "1,5", ";", 1234.0),
        (("1.234", "5.678"), "1.5", ";", 1.234),
        (("1,234", "5,678"), "1", ";", 1.234),
        (("1,234", "5,678"), "1.5", ";", 1234.0),
        (("1,234", "5,678"), "1", ",", 1234.0),
        (("1.000", "2.000"), "1", ",", 1.0),
        (("−1.234", "5"), "1,5", ";", -1234.0),
        (("1.234", "5.678"), "1.234.567", ",", 1234.0),
        (("1,234", "5,678"), "1,234,567", ";", 1234.0),
        (("1,234", "5,678"), "1.234.567", "|", 1.234),
    ],
)
def test_one_group_of_three_is_read_by_the_other_columns_and_noted(
    cells, beside, delimiter, value, table
):
    read = table(delimiter, x=repeated(*cells), y=repeated(beside, "2"))
    assert read.frame["x"].iloc[0] == value
    assert noted(read, "doubtful") == {"x"}
    assert cells[0] in next(note.text for note in read.notes if note.kind == "doubtful")


@pytest.mark.parametrize(("decimal", "value"), [(",", 1234.0), (".", 1.234)])
def test_a_decimal_mark_that_is_given_leaves_no_doubt(decimal, value, table):
    read = table(decimal=decimal, x=repeated("1.234", "5.678"), y=repeated("1", "2"))
    assert read.frame["x"].iloc[0] == value
    assert noted(read, "doubtful") == set()


def test_a_decimal_mark_that_is_given_stands(tmp_path, capfd):
    pytest.importorskip("click")
    path, cells = tmp_path / "table.csv", repeated("1,234,567", "8")
    rows = [f"{cell};{i % 5};{i * i % 7}" for i, cell in enumerate(cells)]
    path.write_text("x;z;y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    question = [str(path), "--decimal", ",", "--folds", "0", "--json"]
    assert main(["select", *question, "-t", "y"]) == 0
    assert "x ('1,234,567')" in capfd.readouterr().out
    assert main(["select", *question, "-t", "x"]) == 2
    assert "such as '1,234,567'" in capfd.readouterr().err


def test_a_point_where_a_comma_was_given_is_noted(table):
    read = table(decimal=",", x=repeated("1.5", "2.69"), y=repeated("1,5", "2"))
    assert read.frame["x"].iloc[0] == 1.5
    (note,) = [note for note in read.notes if "x" in note.columns]
    assert "a point all the same" in note.text


SURE = {
    "two groups": (("1.234.567", "8"), 1234567.0),
    "no group of three": (("1,5", "2,25"), 1.5),
    "a leading zero": (("0,123", "0,456"), 0.123),
    "a long whole number": (("12345,678", "1,234"), 12345.678),
    "an exponent": (("1,234e2", "5"), 123.4),
    "both marks": (("1,234.5", "3"), 1234.5),
    "an exponent beside a group": (("65.777", "92e3"), 65.777),
    "a sign before": (("+1.234,5", "-2,5"), 1234.5),
    "money": (("€ 1.234,50", "2,5 €"), 1234.5),
    "percent": (("12,5 %", "3 %"), 12.5),
    "a sign in some cells": (("$5", "6"), 5.0),
}


@pytest.mark.parametrize("kind", SURE)
def test_what_leaves_no_doubt(kind, table):
    cells, value = SURE[kind]
    read = table(x=repeated(*cells), y=[str(i % 5) for i in range(12)])
    assert prepared_frame(read.frame, "y").X[0, 0] == value
    assert noted(read, "doubtful") == set()


@pytest.mark.parametrize(
    "cells",
    [
        ("1.234,5", "1,234.5"),
        ("1,5", "1.5"),
        ("1.23.456", "1.234"),
        ("12,34,567", "1,234"),
        ("1 234", "1'234"),
        ("1,2345.6", "1,234.5"),
        ("5 %", "0.05", "7%"),
        ("$5", "€6"),
        ("5%", "6‰"),
        ("$5", "6", "7%"),
    ],
)
def test_numbers_in_several_ways_of_writing_are_left_out_and_quoted(cells, table):
    read = table(x=repeated(*cells), z=list("123456789876"), y=list("135246735246"))
    assert read.frame["x"].tolist() == repeated(*cells)
    data = prepared_frame(read.frame, "y")
    assert data.names == ["z"]
    assert any(f"('{cell}')" in data.notes[0].text for cell in cells)


def test_commas_in_a_frame_are_thousands_only_where_all_cells_say_so():
    frame = pd.DataFrame({"x": repeated("1,234", "1,5"), "z": range(12), "y": [1.0, 4.0, 2.0] * 4})
    data = prepared_frame(frame, "y")
    assert data.names == ["z"]
    frame["x"] = repeated("1,234", "1,500.5")
    assert prepared_frame(frame, "y").X[1, 0] == 1500.5


def test_digits_and_minus_signs_of_other_scripts(table):
    read = table(x=repeated("−1,5", "2"), t=repeated("١٢٣", "٤٥٦"), y=repeated("1", "2"))
    assert read.frame["x"].iloc[0] == -1.5
    assert read.frame["t"].iloc[0] == "١٢٣"


# Slow and obvious: a cell by its parts, a column by all ways of writing.


def value_of(cell, decimal, thousands):
    """What one cell is in one way of writing; None: it is not written so."""
    sign = -1.0 if cell[:1] in "-−" else 1.0
    body, _, exponent = cell.lstrip("+-−").partition("e")
    whole, point, fraction = body.partition(decimal)
    if "e" in cell and thousands is not None:
        return None
    groups = [whole] if thousands is None else whole.split(thousands)
    if len(groups) > 1:
        right = 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
        if not right or groups[0].startswith("0"):
            return None
    elif thousands is not None and len(whole) > 3:
        return None
    digits = [*groups, fraction] if point else groups
    if not all(re.fullmatch("[0-9]*", part) for part in digits) or not "".join(digits):
        return None
    if "e" in cell and not re.fullmatch("[+-]?[0-9]+", exponent):
        return None
    if not point and not whole:
        return None
    return sign * float(f"{''.join(groups) or '0'}.{fraction or '0'}e{exponent or '0'}")


def is_code(cells):
    """Whether cells are digits of one length, some with a zero in front."""
    is_digits = all(cell.isascii() and cell.isdigit() and len(cell) > 1 for cell in cells)
    is_varied = len({*map(len, cells)}) == 1 < len({*cells})
    return is_digits and is_varied and any(cell[0] == "0" for cell in cells) and int(max(cells)) > 9


def readings(cells):
    """All that a column of cells may mean: nothing where zeros in front say that it is codes."""
    if is_code(cells):
        return set()
    found = set()
    for decimal in ".,":
        for thousands in THOUSANDS:
            is_used = thousands is None or any(thousands in cell for cell in cells)
            if thousands != decimal and is_used:
                values = [value_of(cell, decimal, thousands) for cell in cells]
                found |= {tuple(values)} if None not in values else set()
    return found


def number_text(number, places, decimal, thousands, minus):
    whole, fraction = divmod(abs(number), 10**places)
    text = f"{whole:,}".replace(",", thousands or "")
    text += f"{decimal}{fraction:0{places}d}" if places else ""
    return (minus if number < 0 else "") + text


WRITERS = st.tuples(
    st.integers(0, 4), st.sampled_from(".,"), st.sampled_from(THOUSANDS), st.sampled_from("-−")
).filter(lambda way: way[1] != way[2])
NUMBERS = st.lists(st.integers(-(10**8), 10**8), min_size=4, max_size=8)


@examples(30)
@given(NUMBERS, NUMBERS, WRITERS, WRITERS, st.sampled_from(";\t|"))
def test_a_column_in_one_way_of_writing_is_never_changed_in_silence(
    table, first, second, one, other, delimiter
):
    count("problem", "numbers in any writing")
    n = min(len(first), len(second))
    columns, meant = {}, {}
    for name, numbers, (places, *way) in (("a", first, one), ("b", second, other)):
        columns[name] = [number_text(number, places, *way) for number in numbers[:n]]
        meant[name] = [float(f"{number}e-{places}") for number in numbers[:n]]
    read = table(delimiter, **columns, y=[str(i) for i in range(n)])
    for name, cells in columns.items():
        is_kept = read.frame[name].tolist() == cells
        is_right = is_kept or read.frame[name].tolist() == meant[name]
        assert is_right or name in noted(read, "doubtful")
        assert not (is_kept and readings(cells))


CELLS = st.from_regex(
    r"[-+−]?[0-9]{1,4}([.,' ]?[0-9]{3}){0,2}([.,][0-9]{1,3})?(e[0-9])?", fullmatch=True
)


@examples(50)
@given(st.lists(CELLS, min_size=1, max_size=4), st.sampled_from(["1,5", "1.5", "1"]))
def test_all_that_cells_may_mean_is_weighed(table, cells, beside):
    count("problem", "what cells may mean")
    read = table("|", x=[*cells, *cells], y=[beside] * (2 * len(cells)))
    got, possible = read.frame["x"].tolist(), readings(cells)
    if not possible:
        assert got == [*cells, *cells]
        return
    assert tuple(got[: len(cells)]) in possible
    assert (noted(read, "doubtful") == {"x"}) == (len(possible) > 1)
