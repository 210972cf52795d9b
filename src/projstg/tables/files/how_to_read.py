"""What is known of how a table is written, before it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..words.notes import TableError

__all__ = ["HowToRead"]


@dataclass(frozen=True, kw_only=True)
class HowToRead:
    """What to go by; what is not given is guessed."""

    delimiter: str | None = None
    """What stands between fields."""
    decimal: str | None = None
    """The decimal mark."""
    sheet: str | None = None
    """The sheet of an Excel workbook; by default the first that has data."""
    texts: Collection[str] = ()
    """Columns that are text, whatever their cells look like; these stay as they are written."""
    decimals: Mapping[str, str] = field(default_factory=dict)
    """Decimal marks of columns, by name, for cells that leave two possible."""

    keeps_cells: bool = False
    """Whether the cells of text files are kept as they are written, too."""

    def __post_init__(self) -> None:
        if self.decimal not in {None, ".", ","}:
            raise TableError(f"the decimal mark is {self.decimal!r}; give . or , or leave it out.")
