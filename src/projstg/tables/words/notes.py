"""Errors of one line, notes on what was decided about a table, and cautions among them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CAUTIONS", "Note", "TableError"]

CAUTIONS = frozenset(
    {"rank", "identity", "carry_over", "few_rows", "one_row", "classes", "skew", "unsettled"}
)
"""Kinds of notes on what may make the answer wrong; they are shown first."""


class TableError(ValueError):
    """A table or a question that has no answer; the message says what to change."""


class Note(NamedTuple):
    """Something that was decided about a table."""

    kind: str
    """One word for programs, such as ``constant``."""
    text: str
    """A sentence for people."""
    columns: tuple[str, ...] = ()
    reason: str = ""
    """Why, where the sentence is about columns that look out of place."""

    @property
    def is_caution(self) -> bool:
        """Whether this may make the answer wrong.

        Examples
        --------
        >>> Note("few_rows", "Only 9 rows.").is_caution, Note("date", "Left out: day.").is_caution
        (True, False)
        """
        return self.kind in CAUTIONS
