"""The numbers that steer a posterior: one record, each field with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["POSTERIOR", "PosteriorSettings"]


@dataclass(frozen=True)
class PosteriorSettings:
    """How a posterior is computed, and how far it goes."""

    # All supports.
    most_enumerated: int = 5000
    """Up to this many supports all are scored, some 20 µs each: a table of twelve columns."""

    # The likeliest supports.
    most_columns: tuple[int, int] = (300, 1500)
    """Of more columns some stand for others: a neighbourhood has (K + 1)·D supports at each ridge
    …"""
    most_around: float = 15_000.0
    """… so as many are looked at as have so many of (K + 1)²·D, between these two."""
    fewest_cells: int = 100
    """Beside the members of the best supports at least so many represent all others."""
    most_compared: tuple[int, int] = (2, 4)
    """What columns promise is what they add to the best supports of so many sizes. The first is for
    a very wide problem, where each takes a pass over X …"""
    far_behind: float = 20.0
    """… and only those whose cost is higher than the least by so much at the most: a support that
    far behind weighs e⁻¹⁰ of the likeliest."""
    n_leaders: int = 30
    """The best supports of a search, this many of each size, decide which ridges and which of many
    columns are used."""
    useless_ridge: float = 1e-4
    """A ridge with less than this share of the evidence of the leaders, of each size, is left out,
    and a neighbourhood costs as much less. With K given eight of 21 stay (N = 40, D = 64, K = 10),
    with K from the data nearly all: small supports need others than large ones."""
    most_looks: int = 12
    """At most this many neighbourhoods are looked at; a chain goes on from there."""
    at_once: int = 8
    """Neighbourhoods in one batch: Python costs as much for one as for all."""
    settled: float = 0.01
    """The sum has stopped growing when the supports that come next, ``at_once`` of them, weigh less
    than this share of it."""
    negligible: float = 45.0
    """A neighbour whose cost is higher than the lowest by this counts as impossible: its weight is
    2·10⁻¹⁰ of the best one's."""
    negligible_of_many: float = 25.0
    """Among more columns than ``most_columns`` it does where it is higher by this: they are so many
    that chains say enough of them."""
    most_one_by_one: int = 1000
    """At most this many neighbours are scored one by one where a tableau has too few digits,
    each some hundredths of a millisecond."""
    n_best: int = 10
    """This many supports are listed with their probabilities (``alternatives_``)."""

    # The chain.
    n_chains: int = 32
    """Python costs as much for one chain as for all. Their spread is the Monte Carlo error."""
    steps_at_a_ridge: int = 5
    """A ridge is drawn after this many steps; a draw costs as much as a step or two."""
    first_steps: int = 32
    """The first steps. They are enough where hardly anything lies outside what was counted …"""
    is_covered: float = 0.99
    """… that is, if that has more than this share. Otherwise they are discarded."""
    is_far: float = 0.6
    """With K from the data, if it has less than this, ``steps`` more are discarded."""
    cooling_steps: int = 60
    """With K given, this many more are discarded, in which the chains forget where they began."""
    hottest: float = 3.0
    """The temperature at which these begin: a chain at one stays near the best supports found where
    rows are few, and overstates their columns. Not measured by a benchmark of its own; only this
    value was tried. With K from the data hot chains would only grow."""
    cooling: float = 0.7
    """The share of these steps after which the temperature is one."""
    steps: int = 40
    """Steps between two looks at the error."""
    fewest_steps: int = 80
    """Where the budget is spent, at least this many steps are not discarded …"""
    most_steps: int = 320
    """… and at most this many; between them …"""
    most_entries: int = 26_000
    """… as many as have this many entries, of D columns times K members, for each chain."""
    more_if_given: float = 1.5
    """With K given so many times as many: sizes, which are known exactly, do not help there. All
    these are for the errors of benchmarks/posterior_accuracy.py."""
    most_work: float = 4e7
    """Chains take fewer steps of each kind where the shortest run would have more than this many
    entries, D·K² for each step. The errors that are stated become larger …"""
    fewest_of_a_kind: int = 8
    """… but not fewer than these: errors come from the spread of chains, which must have moved."""
    tolerance: float = 0.012
    """The chain ends when the Monte Carlo error of every inclusion probability is below this."""
    coarse: float = 0.05
    """Where it is above this when the budget is spent, …"""
    if_coarse: int = 400
    """… so many steps are made at the most."""
    most_error: float = 0.25
    """Where it is above this in the end, the probabilities are not accurate."""
    others_share: float = 1e-4
    """Chains at a support whose neighbours have less than this share leave it in one of ten
    thousand steps, and say nothing that has not been counted: none is run."""
    least_error: float = 0.002
    """No Monte Carlo error is stated below this: chains may agree by chance."""
    averaged_share: float = 0.999
    """Coefficients are averaged over the likeliest supports, each beside its backgrounds, that have
    this share of all."""
    far_less_likely: float = 0.01
    """The columns that are likelier than not, one by one, are not selected together where they are
    so many times less likely than the likeliest support. Not measured by a benchmark of its own;
    without it there are tables of few factors where the fit is lost."""
    background: float = 0.5
    """For prediction alone, the prior probability of a background of small effects …"""
    background_strengths: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0)
    """… whose variance is so many times the noise's, in equal parts: from hardly to be seen to much
    more than the noise. Neither was tuned by a benchmark that is kept."""
    most_directions: int = 2000
    """A background is looked for where the smaller of rows and columns is not larger than this: a
    decomposition takes a few seconds …"""
    most_stored: int = 4_000_000
    """… and where the table, or its sums, has not more than this many numbers: 32 MB in a model."""
    least_doubt: float = 0.05
    """Added to 1 − P(column), as counted, for how often a member is taken out: none is sure."""

    def paced(self, n_columns: int, size: float) -> PosteriorSettings:
        """Return the settings for chains of supports of about this size among so many columns."""
        steps = self.first_steps + self.cooling_steps + self.more_if_given * self.fewest_steps
        share = self.most_work / max(n_columns * size * size * steps, 1.0)
        if share >= 1.0:
            return self

        def fewer(steps: int) -> int:
            return max(int(share * steps), self.fewest_of_a_kind)

        return replace(
            self,
            first_steps=fewer(self.first_steps),
            cooling_steps=fewer(self.cooling_steps),
            steps=fewer(self.steps),
            fewest_steps=fewer(self.fewest_steps),
            if_coarse=fewer(self.if_coarse),
        )

    def budget(self, n_columns: int, size: float, *, is_given: bool) -> int:
        """Return the most steps for supports of about this size among so many columns."""
        steps = int(self.most_entries / (n_columns * (size + 1.0)))
        steps = min(max(steps, self.fewest_steps), self.most_steps)
        return int(steps * self.more_if_given) if is_given else steps


POSTERIOR = PosteriorSettings()
