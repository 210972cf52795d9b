"""The numbers that steer a posterior: one record, each field with its reason."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["POSTERIOR", "PosteriorSettings"]


@dataclass(frozen=True)
class PosteriorSettings:
    """How far the sum over supports goes."""

    # Where it begins.
    most_columns: int = 300
    """With more columns some are left out: a neighbourhood has (K + 1)·D supports at each ridge."""
    most_found: int = 200
    """At most this many supports of each size from a search are counted at the beginning."""
    n_leaders: int = 30
    """The best of them, this many, decide which ridges and which of many columns are used."""
    useless_ridge: float = 1e-4
    """A ridge with less than this share of the evidence of the leaders, of each size, is left out,
    and a neighbourhood costs as much less. With K given eight of 21 stay (N = 40, D = 64, K = 10),
    with K from the data nearly all: small supports need others than large ones."""

    # How far it goes.
    most_looks: int = 64
    """At most this many neighbourhoods. Four times as many change little (docs/how_sure.md)."""
    at_once: int = 8
    """Neighbourhoods in one batch: Python costs as much for one as for all."""
    settled: float = 0.01
    """The sum has stopped growing when the supports that come next, ``at_once`` of them, weigh less
    than this share of it."""
    negligible: float = 45.0
    """A neighbour whose cost is higher than the lowest by this counts as impossible: its weight is
    2·10⁻¹⁰ of the best one's."""
    n_next: int = 64
    """The likeliest neighbours of a support, this many, may have their own neighbours scored later.
    More are never needed, because of ``most_looks``."""
    most_one_by_one: int = 1000
    """At most this many neighbours are scored one by one where a tableau has too few digits,
    each some hundredths of a millisecond."""
    n_best: int = 10
    """This many supports are listed with their probabilities (``alternatives_``)."""


POSTERIOR = PosteriorSettings()
