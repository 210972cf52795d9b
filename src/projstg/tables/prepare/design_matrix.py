"""From a data frame to the numbers of a fit, with a note for every decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

import numpy as np

from ..cells.columns import Column, column_of
from ..words.column_names import free_name
from ..words.notes import Note
from ..words.question import TableQuestion
from .column_roles import (
    check_finite,
    check_is_number,
    check_not_negative,
    check_shape,
    check_varies,
    check_weights,
    roles,
    usable,
    weightless_notes,
)
from .level_columns import LevelColumn, gap_level, indicators, labels_of
from .missing import fill_of, filled, kept_rows
from .prepared_rows import PreparedRows
from .recipe import MadeColumn, Recipe, made_column, recipe_of

__all__ = ["first_cell", "prepared_table"]


def prepared_table(
    frame: Any, question: TableQuestion, *, may_have_thousands: bool = True
) -> PreparedRows:
    """Return the problem in a data frame whose names are distinct strings.

    Parameters
    ----------
    frame : DataFrame
    question : TableQuestion
        Rows without a target or a weight, and those of weight zero, are left out, also where
        missing values are filled in.
    may_have_thousands : bool
        Whether text may have commas between thousands; a file that was read has none left.
    """
    names = list(frame.columns)
    question.check_names(names)
    check_shape(names, len(frame))

    def column_named(name: str, is_wanted: bool) -> Column:
        return column_of(
            frame[name],
            is_wanted=is_wanted,
            must_be_number=name in {question.target, question.weights},
            may_have_thousands=may_have_thousands,
        )

    fixed_columns = _fixed(frame, column_named, question)
    target, weights = question.target, question.weights
    columns, notes = usable(names, column_named, fixed_columns, question)
    fixed = {name: column.values for name, column in fixed_columns.items()}
    rows, row_notes = kept_rows(columns, fixed, question.missing)
    if weights is not None:
        rows, weight_notes = _weighing_rows(rows, fixed[weights], weights)
        row_notes += weight_notes
    fixed = {name: values[rows] for name, values in fixed.items()}
    check_varies(target, len(rows), np.min(fixed[target]), np.max(fixed[target]))
    row_weights = None if weights is None else fixed[weights]
    designed, origins, references = _designed(columns, rows, row_weights, question)
    check_finite({name: int(np.isinf(one).sum()) for name, one in (fixed | designed).items()})
    varies = np.array([np.ptp(one) > 0.0 for one in designed.values()], dtype=bool)
    made = [made_column(name, *origin) for name, origin in origins.items()]
    found = roles(origins, references, varies, notes + row_notes, question)
    used = list(compress(designed.values(), found.kept))
    return PreparedRows(
        X=np.column_stack(used) if used else np.empty((len(rows), 0)),
        y=fixed[target],
        weights=row_weights,
        names=[name for name, keep in zip(designed, found.kept, strict=True) if keep],
        target=target,
        always=found.always[found.kept],
        rows=rows,
        notes=found.notes,
        recipe=_recipe(columns, rows, designed, list(compress(made, found.kept)), question),
        factors=found.factors,
    )


def _fixed(
    frame: Any, column_named: Callable[[str, bool], Column], question: TableQuestion
) -> dict[str, Column]:
    """Return the target and the weights, or raise where they are no numbers."""
    target, weights = question.target, question.weights
    fixed = {target: column_named(target, True)}
    check_is_number(fixed[target], target, first_cell(frame[target]))
    if weights is not None:
        fixed[weights] = column_named(weights, True)
        check_weights(fixed[weights], weights)
        check_not_negative(int(np.sum(fixed[weights].values < 0.0)), weights)
    return fixed


def _weighing_rows(
    rows: np.ndarray, weights: np.ndarray, name: str
) -> tuple[np.ndarray, list[Note]]:
    """Return the rows that have a positive weight: a fit leaves out the others, too."""
    left = rows[weights[rows] > 0.0]
    return left, weightless_notes(len(rows) - len(left), len(left), name)


def first_cell(series: Any) -> str | None:
    """Return the first cell that is not missing, as text; None where all are."""
    place = series.first_valid_index()
    return None if place is None else str(series[place])


def _designed(
    columns: dict[str, Column],
    rows: np.ndarray,
    weights: np.ndarray | None,
    question: TableQuestion,
) -> tuple[dict[str, np.ndarray], dict[str, LevelColumn], dict[str, str]]:
    """Return the columns of numbers by name, where each comes from, and the reference levels."""
    designed: dict[str, np.ndarray] = {}
    origins: dict[str, LevelColumn] = {}
    references: dict[str, str] = {}
    for name, column in columns.items():
        values = column.values if len(rows) == len(column.values) else column.values[rows]
        made: dict[LevelColumn, np.ndarray] = {}
        if column.kind == "category":
            levels, reference = indicators(name, values, weights, question)
            made = {LevelColumn(name, level): numbers for level, numbers in levels.items()}
            references |= {} if reference is None else {name: reference}
        else:
            made[LevelColumn(name)] = filled(values)
        for origin, numbers in made.items():
            key = free_name(origin.key, designed)
            designed[key], origins[key] = numbers, origin
    return designed, origins, references


def _recipe(
    columns: dict[str, Column],
    rows: np.ndarray,
    designed: dict[str, np.ndarray],
    made: Sequence[MadeColumn],
    question: TableQuestion,
) -> Recipe:
    """Return how the columns of numbers that are used are made of a table."""
    texts = [name for name, column in columns.items() if column.kind == "category"]
    levels = {name: sorted(set(labels_of(columns[name].values[rows]))) for name in texts}
    gaps = {
        name: gap_level(columns[name].values[rows])
        for name in texts
        if any(one is None for one in columns[name].values[rows])
    }
    shares = {name: column.share for name, column in columns.items() if column.share}
    if question.missing != "mean":
        return recipe_of(made, levels, None, shares=shares, gaps=gaps)
    numbers = [one for one in made if one["level"] is None]
    fills = {one["column"]: fill_of(designed[one["name"]]) for one in numbers}
    return recipe_of(made, levels, fills, shares=shares, gaps=gaps)
