"""A value that a fitted model computes when it is first read, and what it keeps for that.

Gates after a search, standard errors, averaged predictions: ``fit`` is faster without them, and
many models are never asked. What a value is computed from takes memory, so it is dropped once the
value is there. Where it would take much, ``fit`` does not wait, and computes the value at once.

A pickle has values, and no rows of a table. What is expensive is computed from sums, or from other
rows with the same inner products, which are such a value themselves:

    sums = FirstRead(without_rows, table)
    answer = FirstRead(solve, sums)

A pickle of the answer has the sums, and the answer has the same digits with and without pickling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["FirstRead"]

Value = TypeVar("Value")


class FirstRead(Generic[Value]):
    """The value of ``compute(kept)``, or of ``compute(kept.value())`` where that is a FirstRead.

    Then a pickle has what is kept, otherwise the value.
    """

    def __init__(self, compute: Callable[[Any], Value], kept: Any, *, wait: bool = True) -> None:
        self._compute, self._kept = compute, kept
        self._value: Value | None = None
        if not wait:
            self.value()

    @property
    def is_read(self) -> bool:
        """Whether the value is there."""
        return self._kept is None

    def value(self) -> Value:
        """Return the value; threads that read it first at once compute the same."""
        kept = self._kept  # read once: another thread may set it to None
        if kept is not None:
            self._value = self._compute(kept.value() if isinstance(kept, FirstRead) else kept)
            self._kept = None
        return self._value  # type: ignore[return-value]

    def __getstate__(self) -> dict[str, Any]:
        if not isinstance(self._kept, FirstRead):
            self.value()
        return self.__dict__
