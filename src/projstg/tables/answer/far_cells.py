"""Cells that stand apart from all others of their column, alone or together.

The cells of a column are sorted. The outermost m of one side stand apart if the gap after them is
twice the range of the others. So rows that stand together do not hide each other, and a code
for missing values, such as -999, is found however often it occurs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

__all__ = ["FarCells", "far_cells"]


class _FarRules(NamedTuple):
    """Numbers that decide which cells stand apart."""

    gap: float = 2.0
    """In ranges of the others. The largest of skewed columns are one range away now and then."""
    most_values: int = 5
    """More distinct values are a part of the distribution, no slips and no codes."""
    most_share: float = 0.2
    """Of the rows: the table without more of them is another table."""
    other_side: float = 0.1
    """This share of the cells at the other side is no part of the range: odd cells there would make
    it large."""


_RULES = _FarRules()
_TINY = float(np.finfo(np.float64).tiny)


class FarCells(NamedTuple):
    """Cells of one value that stand apart."""

    value: float
    cells: tuple[tuple[int, int], ...]
    """Row and column of each, in order."""
    distance: float
    """Of the farthest, in ranges of the others."""

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that have one."""
        return tuple(sorted({row for row, _ in self.cells}))

    def within(self, places: Collection[int]) -> FarCells:
        """Return those of some columns."""
        return self._replace(cells=tuple(cell for cell in self.cells if cell[1] in places))


def far_cells(table: np.ndarray) -> list[FarCells]:
    """Return the cells of a table (N, D) that stand apart, by value, the farthest first.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.column_stack([np.arange(20.0), np.arange(20.0)])
    >>> table[[3, 5], 0], table[5, 1], table[9, 1] = -999.0, -999.0, 500.0
    >>> [(one.value, one.cells) for one in far_cells(table)]
    [(-999.0, ((3, 0), (5, 0), (5, 1))), (500.0, ((9, 1),))]
    """
    order = np.argsort(table, axis=0, kind="stable")
    values = np.take_along_axis(table, order, 0)
    values /= np.maximum(np.max(np.abs(values), axis=0), _TINY)  # differences may overflow
    found: dict[float, FarCells] = {}
    for way in (1, -1):
        counts, distances = _apart(values[::way])
        for place in np.flatnonzero(counts).tolist():
            for row in order[::way][: counts[place], place].tolist():
                value, distance = float(table[row, place]), float(distances[place])
                known = found.get(value, FarCells(value, (), 0.0))
                cells = (*known.cells, (row, place))
                found[value] = FarCells(value, cells, max(known.distance, distance))
    said = [one._replace(cells=tuple(sorted(one.cells))) for one in found.values()]
    return sorted(said, key=lambda one: -one.distance)


def _apart(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many cells stand apart at the top of each sorted column, and how far, (D,)."""
    n_rows = len(values)
    most = int(_RULES.most_share * n_rows)
    inner = values[1 : most + 1]
    gaps = np.abs(inner - values[:most])
    spread = np.abs(inner - values[-1 - int(_RULES.other_side * n_rows)])
    spread = np.where(spread > 0.0, spread, np.abs(inner - values[-1]))
    far = np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0.0)
    n_values = np.cumsum(gaps > 0.0, axis=0)
    is_apart = (far > _RULES.gap) & (n_values <= _RULES.most_values)
    counts = np.max(is_apart * np.arange(1, most + 1)[:, None], axis=0, initial=0)
    return counts, np.max(far * is_apart, axis=0, initial=0.0)
