"""The answer on a terminal."""

from __future__ import annotations

from typing import Any

from .._extras import extra
from .._printable import few_names, shortened
from ..render.number_text import percent, short_number
from .column_names import difference
from .result import Chosen, Selection, known_certainty, time_spent, whole_choice

__all__ = ["show"]

_WIDTH_OF_PIPES = 120


def show(selection: Selection, file: Any = None) -> None:
    """Print the chosen columns, how well they predict, and what was decided on the way."""
    console = extra("rich.console", "cli").Console(file=file, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_PIPES
    console.print(_sentence(selection), markup=False)
    for note in selection.cautions:
        console.print(f"caution: {shortened(note.text, 400)}", style="bold", markup=False)
    if selection.chosen:
        console.print(_table(selection))
    for note in selection.remarks:
        console.print(f"• {shortened(note.text, 400)}", markup=False)
    for line in [*_alternatives(selection), *_certainty(selection)]:
        console.print(line, markup=False)


def _sentence(selection: Selection) -> str:
    size, out = len(selection.chosen), selection.r2_out_of_sample
    columns = "column" if size == 1 else "columns"
    outside = "" if out is None else f", {out:.3f} on rows left out"
    return (
        f"{shortened(selection.target)} by {size} {columns} of {selection.n_columns}, "
        f"{selection.n_samples} rows: R² {selection.r2_in_sample:.3f}{outside}"
    )


def _table(selection: Selection) -> Any:
    rich = extra("rich.table", "cli")
    text = extra("rich.text", "cli").Text
    table = rich.Table(box=extra("rich.box", "cli").SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    for name in ("coefficient", "± error", "per sd"):
        table.add_column(name, justify="right", no_wrap=True)
    columns = known_certainty(selection)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    has_rivals = any(one.exchangeable_for for one in selection.chosen)
    if has_rivals:
        table.add_column("or instead")
    for one in selection.chosen:
        cells = [text(shortened(one.column)), *_numbers(one)]
        cells += [percent(getattr(one, field)) for field in columns.values()]
        cells += [text(few_names(one.exchangeable_for, 3))] if has_rivals else []
        table.add_row(*cells)
    return table


def _numbers(one: Chosen) -> list[str]:
    error = "" if one.standard_error is None else short_number(one.standard_error, 2)
    sign = "+" if one.effect > 0 else ""
    return [short_number(one.coefficient), error, sign + short_number(one.effect, 3)]


def _alternatives(selection: Selection) -> list[str]:
    """Return how likely this choice is as a whole, and the likeliest other sizes and choices."""
    said = whole_choice(selection)
    lines = [f"{words}: probability {percent(probability)}" for words, probability in said]
    if said:
        for other in selection.alternatives[:2]:
            told = difference(selection.columns, other["columns"])
            lines.append(f"  rival {percent(other['probability'])}: {told}")
    if selection.sizes:
        likely = sorted(selection.sizes, key=lambda one: -one["probability"])[:5]
        told = ", ".join(f"{one['k']} ({percent(one['probability'])})" for one in likely)
        lines.append(f"likely numbers of columns: {told}")
    return lines


def _certainty(selection: Selection) -> list[str]:
    """Return what the columns of the table mean, and the time."""
    lines = ["coefficient: per unit of the column; per sd: per standard deviation of it"]
    known = known_certainty(selection)
    if "probability" in known:
        lines.append("probability: that the column belongs to the model, given these rows")
    if "chosen again" in known:
        n_folds = len(selection.r2_folds)
        lines.append(f"chosen again: share of {n_folds} folds that choose it on their own")
    spent = time_spent(selection)
    return [*lines, f"time: {spent}"] if spent else lines
