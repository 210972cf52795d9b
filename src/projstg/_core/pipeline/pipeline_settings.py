"""The numbers that steer the choice of a size and the order of work: each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..data.wide_problem import MANY_COLUMNS
from ..search.search_settings import SEARCH

__all__ = ["PIPELINE", "QUICK", "PipelineSettings"]


@dataclass(frozen=True)
class PipelineSettings:
    """How sizes are tried, and how many columns get gates."""

    # Gates before a search.
    most_gates: int = MANY_COLUMNS
    """Up to this many columns all get gates. A solve costs the cube of their number (where X is
    wide, that number times the square of the rows), and what is kept to fit them later is a Gram
    matrix of 32 MB at the most."""
    likeliest: int = 1000
    """With more columns this many get gates, or 4 K if that is more: those most correlated with y.
    Gates are one start among others. The search looks at all columns, and found all true ones among
    10⁵ (docs/search.md)."""
    most_first_steps: int = 300
    """Up to this many columns take part in the first steps of gates that only give a start: their
    time grows with this number, and the search looks at all columns."""
    most_for_pursuit: int = 2000
    """Up to this many columns a greedy pursuit is another start: it needs a pass over X for each
    column it takes."""

    # The ladder of sizes.
    first_rungs: tuple[int, ...] = (1, 3, 5, 8, 10, 12, 15)
    """The sizes that are tried. The posterior goes on to the sizes between them, so that they may
    be two or three apart …"""
    rung_growth: float = 1.3
    """… and larger ones by this factor."""
    rung_starts: int = 22
    """One search: its first three rounds (6 + 8 + 8 starts). A rung only has to come close."""
    far_worse: float = 20.0
    """After a worse rung, one whose first round (``size_starts``) ends so far above the best is not
    searched on: e⁻¹⁰ is what its supports would weigh, and more starts find a few units more. Such
    rungs took most of the time, since no start agrees with another."""
    rows_a_column: int = 5
    """Where there are many columns for each row (``MANY_A_ROW``), sizes up to a column for so many
    rows are tried whatever the small ones cost: the first of several effects cost more than they
    explain, and a support that holds the right one and others leads to it when columns are left
    out one by one."""
    clearly_better: float = 50.0
    """Not, however, where a cost is lower than that of the smallest size by so much, or …"""
    clearly_better_a_row: float = 0.8
    """… by so much for each row."""
    most_quick: int = 400
    """Among more columns walks go among those of a working set, which grows after each search …"""
    most_set: int = 700
    """… to this many columns."""
    rows_from_above: tuple[float, ...] = (6.0, 8.0, 6.0, 5.0)
    """Where nothing is clear then, supports of a column for so many rows are searched thoroughly,
    the first of them among the working set, the others among all columns, …"""
    most_from_above: int = 30
    """… but not more columns than this: where rows are many only very many effects can hide, …"""
    widest: int = 2400
    """… or this many, if there are more, …"""
    thorough_entries: float = 3e8
    """… from as many starts as look at so many exchanges (a third of a second), …"""
    thorough_starts: int = 1000
    """… but not from more, …"""
    thorough_agreement: int = 24
    """… until so many agree."""
    rung_kept: int = 10
    """The posterior begins from this many supports of each rung, the best."""
    most_worse: int = 3
    """The ladder ends after this many rungs in a row that are no better than the best: the cost has
    one minimum, apart from the noise of quick searches."""
    most_proposals: int = 4
    """At most this many sizes are searched in full. The posterior agrees with the first in 159 of
    160 problems (N = 40, D = 64); the limit ends a loop."""

    # Quick searches of a very wide problem. In 66 problems of 20 000 columns (independent,
    # correlated, with common factors) all fits take 507 passes over X together, with a pass for
    # each step 14 598; 34 answers are right instead of 32, and their costs add up to 56 948.7
    # instead of 57 117.7.
    first_candidates: int = 600
    """They go among this many columns most correlated with y, and those that join."""
    candidate_passes: int = 1
    """So often columns join at first: a pass over X each time."""
    joining_candidates: int = 320
    """So many join for each residual, of eight or so. With 40, effects of differences between
    correlated columns are missed: 1 of 8 problems of 6000 columns is right, with 320 5 of 8."""
    most_worse_wide: int = 4
    """Instead of ``most_worse``: among very many columns the first of many effects of one size cost
    more than they explain, and only more of them together pay. With 3 one answer fewer is right."""
    times_again: int = 2
    """So often sizes are tried again, with columns that promise most beside what was found."""

    # Information criteria.
    rows_for_each: int = 3
    """A column needs at least this many rows. Information criteria assume many rows for each
    column, and choose ever more columns where few rows are to spare."""
    size_starts: int = 6
    """One search: its first round. The size that is chosen is searched in full."""
    patience: int = 12
    """The search of sizes ends when the best is this many sizes back. It ends after ``most_worse``
    sizes if the last is worse by ``far_worse``."""

    # The largest size.
    most_columns: int = 200
    """No more columns than this are considered: a longer list is of little use, and the time of a
    search grows with the square of K."""
    no_error: float = 1e-10
    """A residual below this share of yᵀy is a fit without error: rounding is some 10⁻¹⁴."""


PIPELINE = PipelineSettings()

QUICK = replace(SEARCH, most_exchanges=0, working_set=PIPELINE.most_quick)
"""Quick searches. The last exchanges, a table for each ridge, would take longer than all walks."""
