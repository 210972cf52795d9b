"""The numbers that steer scores: one record, each field with its reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["SCORE"]


@dataclass(frozen=True)
class ScoreSettings:
    """Fixed numbers in scores and tableaux; ε ≈ 2·10⁻¹⁶ is the rounding of a double."""

    decades_of_size: float = float(np.log(100.0))
    """log a is uniform over an interval of this length, two decades: effects that differ by more
    than a factor of a hundred do not have a common size."""
    n_exact_exchanges: int = 48
    """Under a common size this many exchanges of a support (or 2K, if that is more) are scored, the
    best under the Gaussian prior; the others count as impossible. An exact score costs many times
    its entry in the Gaussian table. With 24 or 96 no support changes (60 problems of
    benchmarks/frozen_answers.py)."""
    common_size: float = 2.0 / 3.0
    """The weight of effects around a common size; those around zero have the rest. With more,
    supports are stated too surely where effects are not alike (benchmarks/bag_reliability.py
    --choosing --common-size 0.75); with less, columns whose effects are alike are found less often
    (benchmarks/paired_recovery.py --common-size 0.5)."""
    repeated: float = 0.1
    """ε: an eigenvalue of the correlations of a support far below it says that a column repeats
    others. With 1 it would take prior from moderately correlated columns, too, which may well be
    right together; with 0.03 a column and its near copy are both chosen more often
    (benchmarks/near_copies.py)."""
    residual_floor: float = 1e-14
    """The smallest residual, as a share of yᵀy: some 50 ε, the rounding of a sum of squares."""
    smallest_share: float = 1e-12
    """The smallest K − κ sᵀPs, as a share of K. It is a sum of positive terms, and zero only where
    all columns are zero; there any positive number will do."""
    least_pivot: float = 1e-13
    """A pivot of correlations below this is their rounding, a few hundred ε. The kernel has its own
    copy of this number and of the next (dilution.c)."""
    clear_trace: float = 1e9
    """Below this trace of the inverse of correlations no eigenvalue is near the rule for rank, a
    share of 10⁻¹² of the largest: the smallest is above 10⁻⁹."""
    relative_ridge: float = 1e-10
    """The smallest κ/n of a tableau. H⁻¹ then keeps six digits where columns are collinear."""
    small_part: float = 0.01
    """What a ridge costs is proportional to it while it is so small a part of a pivot: the next
    term is a hundredth of the first."""
    rounding: float = 1e-12
    """A tableau has enough digits where rounding, some 5 ε, is a thousandth of what a score needs:
    a score is off by at most 10⁻³ then."""

    def n_exact(self, K: int) -> int:
        """Return how many exchanges of a support of K columns are scored under a common size."""
        return max(self.n_exact_exchanges, 2 * K)


SCORE = ScoreSettings()
