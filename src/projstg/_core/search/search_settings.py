"""The numbers that steer a search: one record, each field with its reason.

Most decide only how long a search goes on. All together are measured by ``benchmarks/search.py
cells`` (docs/search.md has the tables): the search fails in 0.2 % of the problems with K ≤ 12 and
in 1.1 % of those with K ≥ 14. A reason without a measurement is an argument.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SEARCH", "SearchSettings"]


@dataclass(frozen=True)
class SearchSettings:
    """How far a search for the best support goes."""

    # How much is searched.
    n_enumerable: int = 10_000
    """So few supports are all scored: the answer is then certain. That takes up to 0.2 s under a
    common size, 20 µs each, where a search takes a few milliseconds."""
    starts_if_enumerated: int = 6
    """All supports are scored: a round of starts only says how easy it was to find the best."""
    fewest_starts: int = 60
    """The budget where K is small."""
    most_starts: int = 300
    """The budget where K is large; with K from 14 to 20 and N = 40 the search fails in 1.1 %."""
    starts_per_exchange: float = 0.9
    """Between these two the budget is 0.9K²: it grows as the number of pairs of members does."""
    most_columns: int = 1200
    """Of more columns only a working set is searched: their Gram matrix has 12 MB here, and a
    table of exchanges K·D entries."""
    working_set: int = 600
    """The columns of a working set at first; it grows by a quarter of that."""
    n_single_walks: int = 4
    """So often a working set grows after a single walk each, before the whole budget is spent."""

    # When it stops.
    clear_lead: float = 6.0
    """The best support leads clearly from this difference of scores on: odds of twenty to one."""
    first_agreement: int = 5
    """So many of the six starts of the first round must agree, with a clear lead: where they do,
    0.99 is recovered that a hundred starts recover as 1.00 (docs/search.md, σ = 0.5, N = 40)."""
    clear_agreement: int = 2
    """So many starts of later rounds, with a clear lead: a wrong support hardly ever leads."""
    agreement: int = 8
    """So many starts without a clear lead, and at least ``common_share`` of all starts."""
    common_share: float = 0.4
    """Without a clear lead a wrong support may draw many starts, but not so large a share."""
    wide: int = 256
    """Among more columns a wrong support seldom draws several starts …"""
    wide_agreement: int = 4
    """… and so many that agree are enough."""

    # Rounds of starts.
    first_round: int = 6
    """Straight descents. They settle an easy problem: 3.4 ms at σ = 0.5, N = 40, K = 10, where 9 ms
    are spent at N = 30 on the rounds that follow (docs/search.md)."""
    second_round: int = 16
    """Walks. Eight of them are challenges, one for each member of a support of eight."""
    later_rounds: int = 80
    """The larger a round, the less Python costs; a budget of 300 is six rounds."""
    n_rests: int = 3
    """So many local optima of a walk are scored, the lowest at its own ridge: at one ridge the best
    under the criterion need not be the lowest."""
    walk_length: int = 3
    """A walk makes so many exchanges for each member, and two more: all members can leave and
    return."""
    fractions: tuple[float, ...] = (0.3, 0.05, 0.02, 0.2, 0.1, 0.01, 0.05, 0.1)
    """The f of κ = fK, the starts in turn (see :mod:`.multistart`)."""
    tight_fractions: tuple[float, ...] = (0.3, 1e-3, 0.02, 1e-5, 0.1, 1e-4, 0.01, 1e-3)
    """The same with few rows to spare, where a fit leaves next to no residual."""
    tight: int = 8
    """So few degrees of freedom beyond K are few. The whole budget is spent then: many supports fit
    nearly without error, and agreement says little."""
    table_entries: int = 100_000
    """Tables of so many entries at once, 0.4 MB in single precision, stay in the cache. Changes no
    answer."""

    # Steps of a walk.
    excluded_for: int = 5
    """A column that left is excluded for so many steps: without that a walk goes back at once."""
    locked_for: int = 2
    """A column that came is locked for so many steps, for the same reason."""
    refresh: int = 40
    """After so many updates of rank two the tableau is computed anew; walks of no refresh and of
    one at each step rest at the same supports (tests/_core/search)."""
    mild: float = 1e-3
    """From this κ/n on single precision has digits enough, at about half the cost."""
    delicate: float = 1e-6
    """Below this κ/n an update loses too many digits, and every step takes a fresh inverse."""
    single_rounding: float = 3e-6
    """A change of the score below this, times ν + 10, is rounding in single precision, some 25
    units in the last place."""
    double_rounding: float = 1e-9
    """The same in double precision, where H may have a condition of 10⁶."""
    most_steps: int = 20
    """A descent ends after so many exchanges for each of K + 10 members. None takes so many; it
    ends what rounding might keep going in a circle."""

    # The last exchanges.
    most_exchanges: int = 50
    """Exchanges under the criterion itself. A few are usual; this ends a circle, too."""
    most_one_by_one: int = 4000
    """So many exchanges are scored one by one where a tableau has too few digits, each some
    hundredths of a millisecond: a step stays below a tenth of a second."""
    near_duplicate: float = 0.9999
    """Columns with a larger correlation are told as equivalent: they share four digits."""

    def n_starts(self, K: int) -> int:
        """Return the budget of starts for K columns."""
        return min(max(self.fewest_starts, int(self.starts_per_exchange * K * K)), self.most_starts)

    def n_steps(self, K: int) -> int:
        """Return the length of a walk."""
        return self.walk_length * K + 2


SEARCH = SearchSettings()
