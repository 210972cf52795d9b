"""Words of a sentence: lists, and formulas that stay on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["listed", "tied"]


def listed(words: Iterable[str]) -> str:
    """Return words as a sentence lists them.

    Examples
    --------
    >>> listed(["OMP", "SCAD", "STG"]), listed(["OMP"])
    ('OMP, SCAD and STG', 'OMP')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def tied(text: str) -> str:
    """Return text whose short formulas do not break over lines.

    Examples
    --------
    >>> tied("σ = 1 and 90 % in Figure 1").replace("\u00a0", "~")
    'σ~=~1 and 90~% in Figure~1'
    """
    text = re.sub(r" ([=→±<>≤]) ", "\u00a0\\1\u00a0", text).replace(" %", "\u00a0%")
    return re.sub(r"\b(Figure|Theorem|Corollary|section) (?=\d)", "\\1\u00a0", text)
