"""What is asked of a table: one record for ``select()`` and for ``projstg select``.

What can be checked without the table is checked when the record is made; names of columns are
checked once the table is read, and the number of columns once it is prepared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from numbers import Integral
from reprlib import repr as short_repr
from typing import Any, TypedDict

from ..._did_you_mean import did_you_mean
from ..._messages import Argument, Message
from ..._printable import shortened, whole_characters
from .column_names import no_such_column
from .notes import TableError

__all__ = ["CRITERIA", "LEVELS", "MISSING", "QuestionKept", "TableQuestion", "named_target"]

CRITERIA = ("common-size", "evidence", "least-squares")
MISSING = ("error", "drop", "mean")
LEVELS = ("reference", "all")
_MOST_FOLDS = 1000
_MOST_SIZE = 1000


class QuestionKept(TypedDict):
    """A question as an answer keeps it."""

    k: Any
    criterion: str
    always: list[str]
    never: list[str]
    weights: str | None
    missing: str
    levels: str
    folds: int
    sizes: Any
    random_state: int
    target: str


@dataclass(frozen=True, kw_only=True)
class TableQuestion:
    """A question, its fields in the order of ``selection.json``; see :func:`projstg.select`."""

    k: Any = "auto"
    """How many columns to choose: a whole number, "auto", or None for those with open gates."""
    criterion: str = "common-size"
    always: Iterable[str] = ()
    """Columns that must be chosen; a text column whole, or one level as ``column=level``."""
    never: Iterable[str] = ()
    """Columns that must not be chosen, named in the same way."""
    weights: str | None = None
    """A column that says how many rows each row counts for."""
    missing: str = "error"
    levels: str = "reference"
    """Which levels of a text column have a column: all but the most frequent, or all."""
    folds: int = 5
    sizes: Any = False
    """Other sizes to try: whole numbers, or ``"1-10"``; True: those around the answer."""
    random_state: int = 0
    target: str

    def __post_init__(self) -> None:
        for role in ("always", "never"):
            object.__setattr__(self, role, _names(getattr(self, role), role))
        _check_choice("missing", self.missing, MISSING)
        _check_choice("levels", self.levels, LEVELS)
        _check_choice("criterion", self.criterion, CRITERIA)
        _check_range("folds", self.folds, _MOST_FOLDS)
        if self.folds == 1:
            said = " leaves no rows to learn from; give 0 for no check, or 2 or more."
            raise TableError(Message(Argument("folds", 1), said))
        _check_range("random_state", self.random_state, 2**32 - 1)
        object.__setattr__(self, "sizes", _sizes(self.sizes))
        if not (_is_count(self.k) or self.k is None or self.k == "auto"):
            asked, auto = Argument("k", repr(self.k)), Argument("k", '"auto"')
            raise TableError(Message(asked, "; give a whole number from 1, or ", auto, "."))

    @property
    def has_size(self) -> bool:
        """Whether the number of columns is given."""
        return isinstance(self.k, Integral)

    def check_names(self, names: Collection[str]) -> None:
        """Raise where a name is no column, or has two roles that exclude each other."""
        for role, name in (("target", self.target), ("weights", self.weights)):
            if name is not None and name not in names:
                hint = no_such_column(name, names)
                raise TableError(f"there is no column '{shortened(name)}' ({role}); {hint}")
        if self.weights == self.target:
            raise TableError(f"'{shortened(self.target)}' is both the target and the weights.")
        lists = ((Argument("always"), self.always), (Argument("never"), self.never))
        for argument, name in ((one, name) for one, wanted in lists for name in wanted):
            shown = f"'{shortened(name)}'"
            if name in {self.target, self.weights}:
                raise TableError(
                    Message(f"{shown} is in ", argument, " and is the target or weights.")
                )
            if name not in names and name.split("=")[0] not in names:
                raise TableError(Message(argument, f" has {shown}; {no_such_column(name, names)}"))

    def check_size(self, n_rows: int, n_columns: int, n_always: int) -> None:
        """Raise where so many columns cannot be chosen."""
        if not self.has_size:
            return
        asked = Argument("k", self.k)
        if self.k > n_columns:
            said = f" is more than the {n_columns} columns that can be chosen."
            raise TableError(Message(asked, said))
        if self.k > n_rows - 2:
            said = f" is too many for {n_rows} rows; ask for at most {n_rows - 2}."
            raise TableError(Message(asked, said))
        if self.k < n_always:
            said = f" is less than the {n_always} columns in "
            raise TableError(Message(asked, said, Argument("always"), "."))

    def as_dict(self) -> QuestionKept:
        """Return the question as the answer keeps it."""
        sizes = self.sizes if isinstance(self.sizes, bool) else list(self.sizes)
        names = {"always": list(self.always), "never": list(self.never)}
        return QuestionKept(**{**asdict(self), **names, "sizes": sizes})  # type: ignore[typeddict-item]


def named_target(target: str | None, names: Iterable[str]) -> str:
    """Return the target, or raise where none is named."""
    if target is None:
        hint = did_you_mean("", names)
        said = "say which column to explain, as "
        raise TableError(Message(said, Argument("target", '"…"'), f"; {hint}"))
    return whole_characters(str(target))


def _is_count(k: Any) -> bool:
    return not isinstance(k, bool) and isinstance(k, Integral) and int(k) >= 1


def _sizes(given: Any) -> bool | tuple[int, ...]:
    """Return sizes in order; True and False stay.

    Examples
    --------
    >>> _sizes("1-3"), _sizes("2, 5"), _sizes([4, 2]), _sizes(None)
    ((1, 2, 3), (2, 5), (2, 4), False)
    """
    if given is None or isinstance(given, bool):
        return bool(given)
    said = f'; give them as "1-10" or "2,4,8", from 1 to {_MOST_SIZE}.'
    refused = TableError(Message(Argument("sizes", short_repr(given)), said))
    try:
        parts = given.replace(" ", "").split(",") if isinstance(given, str) else iter(given)
        spans = [_span(str(part)) for part in islice(parts, _MOST_SIZE + 1)]
    except (TypeError, ValueError):
        raise refused from None
    # No range is made before its ends are known to be near.
    if not 0 < len(spans) <= _MOST_SIZE or any(last > _MOST_SIZE for _, last in spans):
        raise refused
    return tuple(sorted({size for first, last in spans for size in range(first, last + 1)}))


def _span(part: str) -> tuple[int, int]:
    """Return the first and the last of some sizes, "2-5" or "3"; raise where they are none."""
    if not re.fullmatch(r"\d+(-\d+)?", part, re.ASCII):  # int() takes 1_0, too
        raise ValueError(part)
    first, last = map(int, part.split("-") if "-" in part else (part, part))
    if not 1 <= first <= last:
        raise ValueError(part)
    return first, last


def _names(columns: Iterable[str] | None, role: str) -> tuple[str, ...]:
    if isinstance(columns, str):
        name = shortened(columns)
        raise TableError(f'{role}="{name}"; give a list of names, {role}=["{name}"].')
    return tuple(whole_characters(str(column)) for column in columns or ())


def _check_range(name: str, value: Any, most: int) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (is_whole and 0 <= int(value) <= most):
        said = f"; give a whole number from 0 to {most}."
        raise TableError(Message(Argument(name, repr(value)), said))


def _check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        *first, last = (f'"{one}"' for one in known)
        raise TableError(f'{name}="{shortened(value)}"; choose {", ".join(first)} or {last}.')
