"""A text column as columns of zeros and ones, each named ``column=level``.

All levels together say nothing that the intercept does not: their columns sum to one in every row.
So one level, the reference, has no column, and each other one is compared with it. It is the most
frequent level. With ``levels="all"`` every level has a column, as in :mod:`projstg.sources.arrow`,
and any one of them can be chosen on its own; only of two levels, and of a text that is chosen
whole, the first in sorted order has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..words.column_names import free_name
from ..words.question import TableQuestion

__all__ = [
    "MISSING_LEVEL",
    "Factor",
    "LevelColumn",
    "factors_of",
    "gap_level",
    "indicators",
    "labels_of",
    "reference_level",
]

MISSING_LEVEL = "(missing)"
"""The level of a cell that has none, where missing values are filled in and no cell has it."""
# Sums of weights that differ by less than this part are equal, whatever the order they come in.
_ROUNDING = 1e-9


class LevelColumn(NamedTuple):
    """What a column of numbers is: a column of the table, or a level of one."""

    column: str
    """The column of the table."""
    level: str | None = None
    """The cells that are 1, where it is text."""

    @property
    def key(self) -> str:
        """The name that is shown, unless another column has it."""
        return self.column if self.level is None else f"{self.column}={self.level}"


class Factor(NamedTuple):
    """A text column among the columns of numbers."""

    column: str
    reference: str | None
    """The level that has no column; None where every level has one."""
    is_complete: bool
    """Whether every level may be chosen: then all of them together are one in every row."""
    places: dict[str, int]
    """Where each other level is among the columns of numbers that may be chosen."""


def reference_level(
    column: str, counts: Mapping[str, float], question: TableQuestion
) -> str | None:
    """Return the level without a column, if there is one; ``counts`` are rows of each level.

    Examples
    --------
    >>> reference_level("site", {"b": 5, "c": 5, "a": 2}, TableQuestion(target="y"))
    'b'
    >>> reference_level("site", {"b": 5, "c": 5, "a": 2}, TableQuestion(target="y", levels="all"))
    """
    if len(counts) < 2:
        return None
    if question.levels == "all":
        has_all = len(counts) > 2 and column not in question.always
        return None if has_all else min(counts)
    most = max(counts.values()) * (1.0 - _ROUNDING)
    return min(level for level, count in counts.items() if count >= most)


def indicators(
    column: str, values: np.ndarray, weights: np.ndarray | None, question: TableQuestion
) -> tuple[dict[str, np.ndarray], str | None]:
    """Return a column of zeros and ones by level, and the reference, which has none.

    A cell without a level is a level of its own, see :func:`gap_level`. A row counts by its weight.

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.array(["f", "m", "f"], dtype=object)
    >>> made, reference = indicators("sex", cells, None, TableQuestion(target="y"))
    >>> {level: column.tolist() for level, column in made.items()}, reference
    ({'m': [0.0, 1.0, 0.0]}, 'f')
    """
    labels = labels_of(values)
    levels, places = np.unique(labels, return_inverse=True)
    counts = dict(zip(levels.tolist(), np.bincount(places, weights).tolist(), strict=True))
    reference = reference_level(column, counts, question)
    kept = [level for level in counts if level != reference]
    return {level: (labels == level).astype(np.float64) for level in kept}, reference


def labels_of(values: np.ndarray) -> np.ndarray:
    """Return the level of each cell; as objects, or each would take the room of the longest."""
    gap = gap_level(values)
    return np.array([gap if one is None else str(one) for one in values], dtype=object)


def gap_level(values: Iterable[str | None]) -> str:
    """Return the level of cells that have none: a text that no cell has.

    Examples
    --------
    >>> gap_level(["a", None]), gap_level(["a", "(missing)", None])
    ('(missing)', "(missing)'")
    """
    return free_name(MISSING_LEVEL, {one for one in values if one is not None})


def factors_of(
    origins: Sequence[LevelColumn], kept: np.ndarray, references: Mapping[str, str]
) -> tuple[Factor, ...]:
    """Return the text columns among columns of numbers.

    ``origins`` says where these come from, and the mask ``kept`` which may be chosen.
    """
    found: dict[str, Factor] = {}
    lacking = {one.column for one, is_kept in zip(origins, kept, strict=True) if not is_kept}
    for place, i in enumerate(np.flatnonzero(kept).tolist()):
        column, level = origins[i]
        if level is not None:
            reference = references.get(column)
            is_complete = reference is None and column not in lacking
            own = found.setdefault(column, Factor(column, reference, is_complete, {}))
            own.places[level] = place
    return tuple(found.values())
