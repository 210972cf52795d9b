"""The answer on a terminal: one sentence, the columns by how sure they are, and what to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._extras import extra
from ..._printable import few_names, shortened
from ...render.number_text import chance, short_number
from ..selection.grades import IN_PLACE, Graded, graded, left_out
from ..selection.headline import headline
from ..selection.origins import has_size
from ..selection.result import Chosen, Selection
from ..words.column_names import difference
from .size_board import plain_table, size_tables

__all__ = ["show"]

_WIDTH_OF_PIPES = 120
# On less, remarks stand below the table: beside it they would break after every word.
_WIDE = 100
_LONGEST_NOTE = 400


def show(selection: Selection, file: Any = None) -> None:
    """Print the chosen columns, how well they predict, and what was decided on the way."""
    console = extra("rich.console", "cli").Console(file=file, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_PIPES
    text = extra("rich.text", "cli").Text
    console.print(text(_capital(headline(selection)), style="bold"))
    for note in selection.cautions:
        console.print(text(f"caution: {shortened(note.text, _LONGEST_NOTE)}", style="yellow"))
    is_wide = console.width >= _WIDE
    if selection.chosen:
        console.print(_table(selection, has_remarks=is_wide))
    for line in (*([] if is_wide else _remarks(selection)), *_lines(selection)):
        console.print(line, markup=False)
    if selection.path and selection.question["sizes"] is not True:
        for table in size_tables(selection):
            console.print(table)


def _capital(sentence: str) -> str:
    """Return a sentence that begins with a capital, unless it begins with a name."""
    is_none = sentence.startswith(("no column ", "no other column ", "it cannot "))
    return sentence[0].upper() + sentence[1:] if is_none else sentence


def _table(selection: Selection, *, has_remarks: bool) -> Any:
    text, lines = extra("rich.text", "cli").Text, graded(selection)
    table = plain_table()
    has_grades = any(one.grade for one in lines)
    has_remarks = has_remarks and any(one.remark for one in lines)
    if has_grades:
        table.add_column("how sure", no_wrap=True)
    table.add_column("column", overflow="fold")
    for name in ("coefficient", "± error", "per sd", *(["belongs"] if has_grades else [])):
        table.add_column(name, justify="right", no_wrap=True)
    if has_remarks:
        table.add_column("", overflow="fold")
    before = ""
    for one in lines:
        cells: list[Any] = [one.grade if one.grade != before else ""] if has_grades else []
        cells += [text(_named(one)), *_numbers(one.column)]
        cells += [chance(one.probability)] if has_grades else []
        table.add_row(*cells, *([text(one.remark)] if has_remarks else []))
        before = one.grade or before
    return table


def _remarks(selection: Selection) -> Iterator[str]:
    """Yield what is to be said of columns, where there is no room beside them."""
    for one in graded(selection):
        if one.remark:
            yield f"{shortened(one.name)}: {one.remark}"


def _named(one: Graded) -> str:
    name = f"{'  ' * one.is_level}{shortened(one.name)}"
    return f"{name} (or {few_names(one.stands_for, 2)})" if one.stands_for else name


def _numbers(one: Chosen | None) -> list[str]:
    if one is None:
        return ["", "", ""]
    error = "" if one.standard_error is None else short_number(one.standard_error, 2)
    sign = "+" if one.effect > 0 else ""
    return [short_number(one.coefficient), error, sign + short_number(one.effect, 3)]


def _lines(selection: Selection) -> Iterator[str]:
    """Yield what is to be said below the table, the most important first."""
    for one in left_out(selection):
        names = few_names(f"{shortened(name)} {chance(p)}".strip() for name, p in one.columns)
        why = f" ({one.remark})" if one.remark else ""
        yield f"Not chosen though likely: {names}{why}"
    for note in selection.remarks:
        if note.kind not in IN_PLACE:
            yield f"• {shortened(note.text, _LONGEST_NOTE)}"
    yield from _rivals(selection)
    yield from _legend(selection)


def _rivals(selection: Selection) -> Iterator[str]:
    """Yield the likeliest other choices and numbers of columns."""
    others = [one for one in selection.alternatives if (one["probability"] or 0.0) >= 0.01][:2]
    if others and selection.probability is not None:
        told = (
            f"{chance(one['probability'])} {difference(selection.columns, one['columns'])}"
            for one in others
        )
        yield (
            f"Exactly these and no others: {chance(selection.probability)}; next: {'; '.join(told)}"
        )
    likely = sorted(selection.sizes, key=lambda one: -one["probability"])[:4]
    if len(likely) > 1 and likely[1]["probability"] >= 0.05:
        counts = ", ".join(f"{one['k']} ({chance(one['probability'])})" for one in likely)
        levels = ", each level counted" if selection.factors else ""
        likeliest = likely[0]["k"] == len(selection.chosen)
        why = "" if likeliest else "; the likeliest choice need not have the likeliest number"
        yield f"How many columns belong{levels}: {counts}{why}"


def _legend(selection: Selection) -> Iterator[str]:
    """Yield what the numbers mean, in plain words."""
    if not selection.chosen:
        return
    target = shortened(selection.target)
    yield (
        f"coefficient: change of {target} for one unit of the column, the others held; ± error: "
        "its standard error; per sd: for one standard deviation of the column"
    )
    if any(one.grade for one in graded(selection)):
        size = f", if just {len(selection.chosen)} are" if has_size(selection) else ""
        yield (
            f"belongs: probability that the column is needed beside the others{size}, not that it "
            "is a cause; sure: 95 % or more, likely: 50 % or more, doubtful: less"
        )
    yield f"R²: share of the differences in {target} that is explained{_miss(selection)}"


def _miss(selection: Selection) -> str:
    """Return how far predictions are off, and for which rows that is."""
    if selection.typical_miss is None:
        return ""
    miss, parts = short_number(selection.typical_miss, 2), len(selection.r2_folds)
    return (
        f"; rows left out: {parts}-fold cross-validation, with the columns chosen anew each time; "
        f"predictions there are typically off by {miss}"
    )
