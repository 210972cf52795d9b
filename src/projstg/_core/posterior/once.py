"""Rows that are computed once: chains come back to the same supports again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

__all__ = ["Once"]


class Once:
    """Rows, each of several arrays, and the places of those that are known by a key."""

    def __init__(self) -> None:
        self._rows: list[tuple[np.ndarray, ...]] = []
        self._places: dict[bytes, int] = {}

    def places(
        self, keys: list[bytes], compute: Callable[[list[int]], Iterable[tuple[np.ndarray, ...]]]
    ) -> list[int]:
        """Return the place of each key's row.

        ``compute`` is given where in ``keys`` those are that come for the first time, and returns
        their rows.
        """
        new = {key: i for i, key in enumerate(keys) if key not in self._places}
        if new:
            for key, row in zip(new, compute(list(new.values())), strict=True):
                self._places[key] = self.add(*row)
        return [self._places[key] for key in keys]

    def add(self, *row: np.ndarray) -> int:
        """Add a row that has no key, and return its place."""
        self._rows.append(row)
        return len(self._rows) - 1

    def column(self, i: int, places: list[int] | None = None) -> np.ndarray:
        """Return the i-th array of the rows at some places, or of all rows, one below the other."""
        rows = self._rows if places is None else [self._rows[place] for place in places]
        return np.asarray([row[i] for row in rows])
