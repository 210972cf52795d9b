"""Answers along a grid: supports along K, and along the constant C in λ's rule.

Every size is solved on its own: the answer for K does not depend on the other sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..data.standard_table import StandardTable
from .options import Options
from .solution import Solution
from .solve import solve

__all__ = ["scale_path", "size_path"]


def size_path(
    table: StandardTable, options: Options, sizes: Sequence[int], seeds: Sequence[int]
) -> list[Solution]:
    """Return the answer for each K, solved on its own: no size gives a start to another."""
    return [solve(table, replace(options, n_selected=size), seeds) for size in sizes]


def scale_path(
    table: StandardTable, options: Options, scales: Sequence[float], seeds: Sequence[int]
) -> list[Solution]:
    """Return the answer for each C > 0 in the rule for λ, where λ is proportional to C."""
    first = solve(table, replace(options, alpha_scale=scales[0]), seeds)
    rest = (replace(options, alpha=first.alpha * (scale / scales[0])) for scale in scales[1:])
    return [first, *(solve(table, changed, seeds) for changed in rest)]
