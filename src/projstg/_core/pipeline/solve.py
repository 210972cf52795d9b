"""From standardised tables and what is asked of them to the answers."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.standard_table import StandardTables
from ..progress import Report
from .auto_size import solve_auto
from .fixed_size import solve_fixed
from .options import Options
from .solution import Solution

__all__ = ["solve"]


def solve(
    tables: StandardTables, options: Options, seeds: Sequence[int], report: Report | None = None
) -> Solution:
    """Return the answers for tables of one shape, one table where K is chosen from the data.

    Table i draws from seeds[i].
    """
    if options.selection is None:
        return solve_fixed(tables, options, seeds, report)
    (seed,) = seeds
    return solve_auto(tables, options, seed, report)
