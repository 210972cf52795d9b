"""How supports are scored: a grid of ridges, and switches; for a table, a judge.

A :class:`Criterion` says what counts in a score (:mod:`.evidence` has the formula): least squares
is the grid {0} without volume and without dilution, which leaves ν log(rss). The prior of a support
depends on the other columns of the table, too (:mod:`.prior`), so a criterion is made into a
:class:`Judge` of certain problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..data.problem import Problem
from .prior import volumes
from .score_settings import SCORE

__all__ = ["CRITERIA", "Criterion", "Judge", "Ridges"]


class Ridges(NamedTuple):
    """Values of κ, and what each costs: −2 log of its prior, for either prior of the effects."""

    kappa: np.ndarray
    zero_cost: np.ndarray
    """Of κ with effects around zero; infinite where that has no weight."""
    size_cost: np.ndarray
    """Of κ with effects around a common size; likewise."""

    def at(self, index: np.ndarray) -> Ridges:
        """Return the chosen ridges: an index array or a mask."""
        return Ridges(*(field[index] for field in self))

    def beside(self, n_axes: int) -> Ridges:
        """Return fields (C, 1, …) with so many more axes."""
        axes = (slice(None), *(None,) * n_axes)
        return Ridges(*(field[axes] for field in self))

    def tiled(self, n: int) -> Ridges:
        """Return the ridges n times over."""
        return Ridges(*(np.tile(field, n) for field in self))


@dataclass(frozen=True, eq=False)
class Criterion:
    """How supports are scored: by their evidence over ``ridges``, and by their prior."""

    ridges: Ridges
    """The grid of κ, fields (R,)."""
    counts_volume: bool
    """Whether the volume is part of the score."""
    is_diluted: bool
    """Whether dilution is part of the score."""

    @cached_property
    def has_common_size(self) -> bool:
        """Whether the effects may scatter around a common size."""
        return bool(np.any(np.isfinite(self.ridges.size_cost)))

    def judges(
        self, problems: Sequence[Problem], most: int | None = None, always: np.ndarray | None = None
    ) -> list[Judge]:
        """Return the criterion for problems of one shape.

        Supports have up to ``most`` columns, by default D, and contain the columns of ``always``, a
        mask (D,).
        """
        n_columns, kappa = problems[0].b.size, self.ridges.kappa
        most = n_columns if most is None else most
        # Neighbours of a support have one column more.
        tables = [np.zeros((kappa.size, most + 2))] * len(problems)
        if self.counts_volume:
            must = np.zeros(n_columns, dtype=bool) if always is None else always
            tables = volumes(problems, kappa, most + 1, must)
        of = (self.ridges, self.counts_volume, self.is_diluted)
        return [Judge(*of, np.ascontiguousarray(table)) for table in tables]

    def judge(
        self, problem: Problem, most: int | None = None, always: np.ndarray | None = None
    ) -> Judge:
        """Return the same for one problem."""
        return self.judges([problem], most, always)[0]


@dataclass(frozen=True, eq=False)
class Judge(Criterion):
    """A criterion for one problem: the prior of a support depends on the other columns, too."""

    volume_of_size: np.ndarray
    """What so many columns cost, (R, K_max + 2) (:func:`~.prior.volumes`), or zero."""

    def at(self, ridges: np.ndarray) -> Judge:
        """Return the judge with some of its ridges, a mask or an index array."""
        few = self.volume_of_size[ridges]
        return replace(self, ridges=self.ridges.at(ridges), volume_of_size=few)

    def around_zero(self) -> Judge:
        """Return the judge of effects around zero alone, over the ridges these may have, or all."""
        if not self.has_common_size:
            return self
        finite = np.isfinite(self.ridges.zero_cost)
        found = self.at(finite if finite.any() else ~finite)
        zeros = np.zeros_like(found.ridges.kappa)
        return replace(found, ridges=Ridges(found.ridges.kappa, zeros, zeros + np.inf))

    def volume(self, sizes: np.ndarray | int) -> np.ndarray:
        """Return what so many columns, (...), cost at each ridge, (..., R)."""
        return self.volume_of_size.T[sizes]


def _costs(n_ridges: int, n_first: int, weight: float) -> np.ndarray:
    """Return −2 log of a prior of ridges: the first ones have this weight in equal parts."""
    with np.errstate(divide="ignore"):
        shares = np.where(np.arange(n_ridges) < n_first, weight / n_first, 0.0)
        return -2.0 * np.log(shares)


def _grid(kappa: np.ndarray, n_zero: int, common_size: float) -> Ridges:
    """Return ridges, of which the first ones may have effects around zero."""
    zero = _costs(kappa.size, n_zero, 1.0 - common_size)
    return Ridges(kappa, zero, _costs(kappa.size, kappa.size, common_size))


# Half decades, 10⁻⁶ … 10⁴, and for effects around zero … 10². A narrow grid around the truth looks
# better on simulations and fails elsewhere: at σ = 0.001 it loses to least squares.
_RIDGES = 10.0 ** (np.arange(21) / 2.0 - 6.0)
CRITERIA = {
    "common-size": Criterion(_grid(_RIDGES, 17, SCORE.common_size), True, True),
    "evidence": Criterion(_grid(_RIDGES[:17], 17, 0.0), True, True),
    "least-squares": Criterion(_grid(np.zeros(1), 1, 0.0), False, False),
}
