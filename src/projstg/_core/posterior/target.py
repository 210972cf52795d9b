r"""The posterior of one problem up to a constant: what any support costs.

The *cost* of a support is its score by the judge plus −2 log of the prior of its size, so that
P(S | data) ∝ exp(−cost(S)/2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np

from ..data.problem import Problem
from ..data.redundant_columns import redundant_forced
from ..score.criterion import CRITERIA, Criterion, Judge
from ..score.prior import costs_of_sizes
from ..score.scored_supports import Scores, scores_of
from ..score.tableau import Field
from .posterior_settings import POSTERIOR, PosteriorSettings

__all__ = ["Target", "criterion_with_volume", "target"]


def criterion_with_volume(name: str) -> str:
    """Return the criterion that probabilities come from: least squares alone gives none."""
    return name if CRITERIA[name].counts_volume else "common-size"


@dataclass(frozen=True, eq=False)
class Target:
    """What the posterior of one problem is proportional to."""

    problem: Problem
    judge: Judge
    """That of the problem, for supports of up to K_max columns."""
    cost_of_size: np.ndarray
    """Of each size 0 … K_max, infinite for sizes not asked for."""
    always: np.ndarray
    """Columns that must be selected, a mask (D,)."""
    settings: PosteriorSettings = POSTERIOR

    @cached_property
    def is_open(self) -> np.ndarray:
        """Columns that may be selected or not, a mask (D,): all others that vary."""
        return (self.problem.diagonal > 0.0) & ~self.always

    @cached_property
    def n_redundant(self) -> int:
        """How many of the columns that must be selected depend on others that must be."""
        return redundant_forced(self.problem, self.always)

    @property
    def n_supports(self) -> int:
        """How many supports there are of the sizes asked for, within the constraints."""
        n_locked, n_open = int(self.always.sum()), int(self.is_open.sum())
        sizes = np.flatnonzero(np.isfinite(self.cost_of_size)).tolist()
        return sum(comb(n_open, size - n_locked) for size in sizes)

    @property
    def is_enumerable(self) -> bool:
        """Whether there are so few supports that all can be scored."""
        return self.n_supports <= self.settings.most_enumerated

    @property
    def has_one_size(self) -> bool:
        """Whether K is given."""
        return int(np.isfinite(self.cost_of_size).sum()) == 1

    def undiluted(self) -> Target:
        """Return the same without dilution, for where all supports are dependent."""
        return replace(self, judge=replace(self.judge, is_diluted=False))

    def cost(self, support: np.ndarray) -> float:
        """Return the cost of a support, (K,)."""
        return self.score(support) + float(self.cost_of_size[support.size])

    def score(self, support: np.ndarray) -> float:
        """Return the score of a support, (K,)."""
        return float(self.scores(support[None])[0])

    def scores(self, supports: np.ndarray, ridges: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of supports (M, K), over all ridges or those of a mask (R,)."""
        return self._scored(supports, self.judge if ridges is None else self.judge.at(ridges)).total

    def scores_by_ridge(self, supports: np.ndarray) -> np.ndarray:
        """Return the scores of supports (M, K) at each ridge, (M, R)."""
        return self._scored(supports, self.judge).by_ridge

    def field_of(self, supports: np.ndarray) -> tuple[Field, np.ndarray]:
        """Return the sums of the columns of some supports, or of all if these are not too many."""
        if self.always.size > self.settings.most_columns[0]:
            columns = np.unique(supports)
            return Field.of(self.problem, self.always, columns), columns
        return self._field, np.arange(self.always.size)

    @cached_property
    def _field(self) -> Field:
        return Field.of(self.problem, self.always)

    def _scored(self, supports: np.ndarray, judge: Judge) -> Scores:
        field, columns = self.field_of(supports)
        is_whole = columns.size == self.always.size
        places = supports if is_whole else columns.searchsorted(supports)
        return scores_of(self.problem, field, columns, places, judge, field.n_redundant)


def target(
    problem: Problem,
    criterion: Criterion,
    log_prior: np.ndarray,
    *,
    always: np.ndarray,
    settings: PosteriorSettings = POSTERIOR,
) -> Target:
    """Return what the posterior of one problem is proportional to.

    A judge must be that of the problem, for supports of up to K_max columns. ``log_prior`` has one
    entry for each size 0 … K_max, −∞ for sizes not asked for; ``always`` is a mask (D,).
    """
    judge = criterion
    if not isinstance(judge, Judge):
        judge = criterion.judge(problem, log_prior.size - 1, always)
    n_free = int(np.sum((problem.diagonal > 0.0) | always))
    costs = costs_of_sizes(log_prior, n_free, int(always.sum()))
    return Target(problem, judge, costs, always, settings)
