"""The best columns of every size: how good they are, and a board of which come and go."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..._extras import extra
from ..._printable import told_apart
from ...render.number_text import chance, r_squared
from ..selection.result import Selection, Tried

__all__ = ["board_columns", "plain_table", "scores", "size_tables"]

# A board of more columns cannot be read on a page, or on a screen.
_MOST_COLUMNS = 40
_LONGEST_NAME = 28
_HEADS = ("size", "R²", "adjusted", "left out", "BIC", "EBIC", "probability")


def scores(one: Tried) -> list[str]:
    """Return R² on all rows, adjusted and on rows left out, BIC and EBIC; empty if not known."""
    known = [one["r2_in_sample"], one["r2_adjusted"], one["r2_out_of_sample"]]
    return [
        *("" if value is None else r_squared(value, 3) for value in known),
        *(_criterion(value) for value in (one["bic"], one["ebic"])),
    ]


def _criterion(value: float | None) -> str:
    """Return BIC to a tenth, or to a whole number where it is large."""
    if value is None:
        return ""
    return f"{value:z.0f}" if abs(value) >= 1e5 else f"{value:z.1f}"


def board_columns(selection: Selection) -> list[str]:
    """Return the columns of the board: those in the best choices, the most frequent first.

    None where they are too many.
    """
    counts = Counter(name for one in selection.path for name in one["columns"])
    names = [name for name, _ in counts.most_common()]
    return names if len(names) <= _MOST_COLUMNS else []


def plain_table() -> Any:
    """Return an empty table for a terminal, with a line below its head alone."""
    box = extra("rich.box", "cli").SIMPLE_HEAD
    return extra("rich.table", "cli").Table(box=box, pad_edge=False)


def size_tables(selection: Selection) -> list[Any]:
    """Return the scores of every size, and the board, as tables for a terminal."""
    names = board_columns(selection)
    return [_scores(selection), *([_board(selection, names)] if names else [])]


def _scores(selection: Selection) -> Any:
    table = plain_table()
    for name in _HEADS:
        table.add_column(name, justify="right", no_wrap=True)
    for one in selection.path:
        table.add_row(str(one["k"]), *scores(one), chance(one["probability"]))
    return table


def _board(selection: Selection, names: list[str]) -> Any:
    """Return a line for each column, with a star below each size whose best choice has it."""
    table, text = plain_table(), extra("rich.text", "cli").Text
    table.add_column("among the best of size", no_wrap=True)
    for one in selection.path:
        table.add_column(str(one["k"]), justify="right", no_wrap=True)
    for name, short in zip(names, told_apart(names, _LONGEST_NAME), strict=True):
        table.add_row(text(short), *("*" * (name in one["columns"]) for one in selection.path))
    return table
