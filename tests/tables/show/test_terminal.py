"""What a terminal shows, wide or narrow."""

import io
from dataclasses import replace

import pytest

from projstg import select
from projstg.tables.show.selection_page import page
from projstg.tables.show.terminal import show

rich_console = pytest.importorskip("rich.console")


@pytest.fixture
def found(frame):
    """An answer with a remark: c is forced in."""
    return select(frame, "y", always=["c"], sizes="1-4")


def shown(found, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")  # taken for a terminal
    file = io.StringIO()
    show(found, file)
    return file.getvalue()


def test_remarks_stand_beside_their_column_or_below_the_table(found, monkeypatch):
    wide, narrow = (shown(found, width, monkeypatch) for width in (130, 80))
    assert "c: asked for" not in wide
    assert any("asked for" in line and " c " in line for line in wide.splitlines())
    assert "c: asked for" in narrow


def test_the_board_has_a_star_for_every_column_of_every_size(found, monkeypatch):
    lines = shown(found, 100, monkeypatch).splitlines()
    start = next(i for i, line in enumerate(lines) if "among the best of size" in line)
    stars = sum(line.count("*") for line in lines[start:])
    assert stars == sum(len(one["columns"]) for one in found.path)


def test_an_r_squared_far_below_zero_has_few_digits(found, monkeypatch):
    far = -5.2479012312e27
    path = tuple({**one, "r2_out_of_sample": far} for one in found.path)
    found = replace(found, r2_out_of_sample=far, path=path)
    for text in (shown(found, 130, monkeypatch), page(found).replace("\u2212", "-")):
        assert text.count("-5.25e+27") == 1 + len(found.path) + ("<html" in text)
        assert "52479" not in text
