"""Errors of one line, and notes on what was decided about a table."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Note", "TableError"]


class TableError(ValueError):
    """A table or a question that has no answer; the message says what to change."""


class Note(NamedTuple):
    """Something that was decided about a table."""

    kind: str
    """One word for programs, such as ``constant``."""
    text: str
    """A sentence for people."""
    columns: tuple[str, ...] = ()
