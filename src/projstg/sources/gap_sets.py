"""Rows with gaps in text of which it is not known yet whether it is left out.

Text of too many levels is left out, and its gaps cost no row; those of other text do. In a stream
that is read once this is known at the end only. Until then the sums of rows without another gap are
kept apart, by the set of columns in which they have one. So what counts depends on no order.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from .._printable import few_names
from .fold_sums import FoldSums, merged_folds

__all__ = ["GapSets"]

# Sums of all sets may have so many numbers (1 GB): of a hundred columns, 13 000 sets.
_MOST_NUMBERS = 2**27
# There is room for so many sets even so: their sums take little more than merging them does.
_FEW_SETS = 4


class GapSets:
    """Sets of columns, numbered as they turn up; the empty one is number 0."""

    def __init__(self) -> None:
        self._numbers: dict[frozenset[str], int] = {frozenset(): 0}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, gaps: Mapping[str, np.ndarray], n_rows: int) -> np.ndarray | None:
        """Return the number of each row's set, (n_rows,); None where no row has a gap.

        ``gaps`` has the mask (n_rows,) of each column.
        """
        mask = np.column_stack([np.zeros((n_rows, 0), dtype=bool), *gaps.values()])
        rows = np.flatnonzero(mask.any(axis=1))
        if not rows.size:
            return None
        sets, which = np.unique(mask[rows], axis=0, return_inverse=True)
        names = np.array([*gaps], dtype=object)
        keys = [frozenset(names[own].tolist()) for own in sets]
        known = [self._numbers.setdefault(key, len(self._numbers)) for key in keys]
        found = np.zeros(n_rows, dtype=np.intp)
        found[rows] = np.array(known)[which.ravel()]
        return found

    def check_room(self, n_numbers: int, place: str) -> None:
        """Raise where sums of all sets, each of so many numbers, would take too much memory."""
        if len(self) > max(_FEW_SETS, _MOST_NUMBERS // n_numbers):
            columns = frozenset().union(*self._numbers)
            raise ValueError(
                f"{place}: rows have gaps in {len(self) - 1} combinations of columns of text "
                f"({few_names(sorted(columns))}), too many to keep their sums apart until all "
                "levels are known; fill these gaps with a level of their own, or pass a path or a "
                "dataset, which is read twice."
            )

    def settled(self, parts: FoldSums, used: Set[str]) -> tuple[FoldSums, dict[str, int], int]:
        """Return the sums, by fold, of the rows without a gap in the columns that are used.

        Also how many rows have one, by column and in all. ``parts`` are the sums of all sets, by
        fold, one set after the other.
        """
        n_folds = len(parts) // len(self)
        found, n_rows = parts[:n_folds], 0
        counts: dict[str, int] = {}
        for key, number in self._numbers.items():
            own = parts[number * n_folds : (number + 1) * n_folds]
            if not key & used:
                found = merged_folds(found, own) if number else found
                continue
            n_own = sum(part.n_rows for part in own if part is not None)
            n_rows += n_own
            counts |= {name: counts.get(name, 0) + n_own for name in sorted(key & used)}
        return found, counts, n_rows
