"""The numbers that steer a search: one record, each field with its reason.

Most decide only how long a search goes on. ``benchmarks/search.py cells`` measures all of them
together (docs/search.md has the tables): under a common size the search fails in 0.5 % of the
problems with K ≤ 12 and in 12 % of those with K from 14 to 25. A reason without a measurement is an
argument.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SEARCH", "SearchSettings"]


@dataclass(frozen=True)
class SearchSettings:
    """How far a search for the best support goes."""

    # How much is searched.
    n_enumerable: int = 10_000
    """If there are at most this many supports, all are scored, and the answer is certain. That
    takes up to 0.2 s under a common size, 20 µs each; a search takes a few milliseconds."""
    fewest_starts: int = 120
    """The budget where K is small. With half of each of these three the search fails in 12 %
    instead of 9 % at σ = 0.5, N = 25, K = 10 (``benchmarks/search.py cells``)."""
    most_starts: int = 600
    """The budget where K is large."""
    starts_per_exchange: float = 1.8
    """Between these two the budget is 1.8K²: it grows as the number of pairs of members does …"""
    most_entries: float = 3e8
    """… but no more starts are taken than have this many entries of tables, K·D at each step of a
    walk, a nanosecond or two each. It limits searches for more than 50 of 64 columns, or 15 of a
    thousand, which take half a second or so where no start agrees with another …"""
    first_three_rounds: int = 30
    """… but these starts are always allowed."""
    most_columns: int = 1200
    """With more columns only a working set is searched: their Gram matrix has 12 MB here, and a
    table of exchanges K·D entries."""
    working_set: int = 600
    """The columns of a working set at first; it grows by a quarter of that."""
    n_joins: int = 2
    """So often, after the whole budget, columns join a working set: those most correlated with what
    the best supports leave of y. Where a column outside belongs, a support with most of the others
    is among them, though it need not be the best …"""
    joining_supports: int = 12
    """… so this many are asked, …"""
    joining_columns: int = 6
    """… each for this many columns, …"""
    joining_starts: int = 4
    """… and from this many of them the search goes on."""
    paired_columns: int = 200
    """Pairs that explain much together are looked for among so many columns, each with any other
    …"""
    most_paired: int = 2_000_000
    """… or, where nothing is selected yet, among so many pairs."""
    joining_pairs: int = 6
    """So many pairs are tried beside a support."""
    most_known: int = 4
    """Of a very wide problem, what a pass over X has found around so many supports is kept, the
    last ones: two numbers for each column. With K from the data a posterior asks again for those of
    the sizes that were searched, two or three."""

    # When it stops.
    clear_lead: float = 6.0
    """A lead is clear from this difference of scores on: odds of twenty to one."""
    first_agreement: int = 5
    """This many of the six starts of the first round must agree, with a clear lead. Where they do,
    recovery is 0.99, against 1.00 with a hundred starts (docs/search.md, σ = 0.5, N = 40)."""
    clear_agreement: int = 3
    """After later rounds, with a clear lead: a wrong support hardly ever leads clearly."""
    agreement: int = 8
    """Without a clear lead this many must agree, and at least ``common_share`` of all starts."""
    common_share: float = 0.4
    """Without a clear lead many starts may end at a wrong support, but not so large a share."""
    wide: int = 256
    """Among more columns than this several starts seldom end at the same wrong support …"""
    wide_agreement: int = 4
    """… and this many that agree are enough."""

    # Rounds of starts.
    first_round: int = 6
    """Straight descents. They settle an easy problem: 3.4 ms at σ = 0.5, N = 40, K = 10, where 9 ms
    are needed at N = 30, where more rounds follow (docs/search.md)."""
    second_round: int = 8
    """Walks. Four of them are challenges, each of another member of the best support."""
    later_rounds: int = 16
    """A search can end after each round, and with larger ones it goes on where it need not."""
    n_local_optima: int = 3
    """This many local optima of a walk are scored, the lowest at its ridge: the best under the
    criterion need not be the lowest at one ridge."""
    walk_length: int = 3
    """A walk makes this many exchanges for each member, and two more: all members can leave and
    return."""
    fractions: tuple[float, ...] = (0.3, 0.05, 0.02, 0.2, 0.1, 0.01, 0.05, 0.1)
    """The f of κ = fK, the starts in turn (see :mod:`.multistart`)."""
    tight_fractions: tuple[float, ...] = (0.3, 1e-3, 0.02, 1e-5, 0.1, 1e-4, 0.01, 1e-3)
    """The f where few rows are to spare and a fit leaves almost no residual."""
    tight: int = 8
    """Fewer degrees of freedom than this beyond K are few. Then the whole budget is spent: many
    supports fit nearly without error, and agreement says little."""
    table_entries: int = 100_000
    """Tables of this many entries, 0.8 MB, stay in the cache. It changes no
    answer."""

    # Steps of a walk.
    excluded_for: int = 5
    """A column that left is excluded for this many steps: otherwise a walk goes back at once."""
    locked_for: int = 2
    """A column that entered is locked for this many steps, for the same reason."""
    refresh: int = 40
    """After this many updates of rank two the tableau is computed again. Walks without a refresh
    and with one at each step find the same supports (tests/_core/search)."""
    delicate: float = 1e-6
    """Below this κ/n an update loses too many digits, and every step takes a fresh inverse."""
    rounding: float = 1e-9
    """A change of the score below this, times ν + 10, is rounding: H may have a condition of a
    million."""
    most_steps: int = 20
    """A descent ends after this number times K + 10 exchanges. None takes so many; the limit ends a
    loop that rounding might cause."""

    # The last exchanges.
    most_exchanges: int = 50
    """The most exchanges under the criterion itself. A few are usual; this ends a loop, too."""
    most_one_by_one: int = 4000
    """At most this many exchanges are scored one by one where a tableau has too few digits, some
    hundredths of a millisecond each: a step stays below a tenth of a second."""
    near_duplicate: float = 0.9999
    """Columns with a larger correlation are reported as equivalent: they share four digits."""

    def n_starts(self, K: int, n_columns: int) -> int:
        """Return the budget of starts for K of so many columns."""
        wanted = max(self.fewest_starts, int(self.starts_per_exchange * K * K))
        n_searched = n_columns if n_columns <= self.most_columns else self.working_set
        entries = K * n_searched * self.n_steps(K)
        affordable = max(int(self.most_entries / max(entries, 1)), self.first_three_rounds)
        return min(wanted, self.most_starts, affordable)

    def rounding_of_score(self, dof: float) -> float:
        """Return the change of a walk's score up to which it is rounding."""
        return self.rounding * (dof + 10.0)

    def n_steps(self, K: int) -> int:
        """Return the length of a walk."""
        return self.walk_length * K + 2


SEARCH = SearchSettings()
