r"""How likely each support, column and size is, given the data: exact, or counted and sampled.

With a prior over supports the evidence is a posterior, P(S | data) ∝ prior(S)·exp(−score(S)/2).

* Where there are few supports all are scored (:mod:`.enumeration`), and the posterior is exact.
* Otherwise the likeliest supports E are counted with their exact weights (:mod:`.best_first`), and
  chains (:mod:`.chain`) draw supports from the posterior. The chains say which share P(E) of it was
  counted, and what the rest is like. Any probability is then P(E) times its share within E, plus
  the chains' average over supports outside E (:mod:`.combined`, also for the Monte Carlo error).

A :class:`Posterior` is a value: :mod:`.exploration` makes it of what a search has found,
:mod:`.drawing` returns it with draws, and what it says of a support is read off it. Among more
columns than it looked at, the others have estimates (:func:`_with_others`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..search.record import RankedSupports, slack
from .averaging import Averaging
from .best_first import BestFirst
from .chain import Sample
from .combined import Combined, Estimate
from .counted import Counted, support_keys
from .credible_groups import LEAST_PROBABILITY
from .likelier_than_not import likelier_than_not
from .posterior_settings import PosteriorSettings
from .probabilities import Accuracy, JointSource, Probabilities
from .target import Target

__all__ = ["Posterior"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of one problem, as far as it is known."""

    target: Target
    counted: Counted
    """Over the columns looked at."""
    columns: np.ndarray
    """Those looked at, (W,), in increasing order."""
    around: BestFirst | None = None
    """How the supports were counted; None where all were scored."""
    found: tuple[RankedSupports, ...] = ()
    """The supports of searches that it began from."""
    promise: np.ndarray | None = None
    """Of columns (D,): minus the least that an exchange adds to the score; None where all columns
    are looked at."""
    sample: Sample | None = None
    """The draws; None where there are none."""
    visited: Counted | None = None
    """Where chains have been."""
    is_settled: bool = False
    """Whether one support is beyond doubt, so that no draws are needed."""

    @property
    def has_draws(self) -> bool:
        """Whether draws are there, or it is settled that none are needed."""
        return self.is_settled or self.sample is not None

    @property
    def is_accurate(self) -> bool:
        """Whether the Monte Carlo error of every inclusion probability is below the tolerance."""
        return bool(np.max(self.combined.inclusion().error) <= self.target.settings.tolerance)

    @cached_property
    def combined(self) -> Combined:
        """What was counted and what was drawn, together."""
        return Combined(self.counted, self.sample, self.target.settings.least_error)

    def is_looked_at(self, supports: np.ndarray) -> np.ndarray:
        """Return which of the columns, of any shape, are among those looked at."""
        mask = np.zeros(self.target.always.size, dtype=bool)
        mask[self.columns] = True
        return mask[supports]

    @property
    def likeliest(self) -> np.ndarray:
        """The likeliest support that is known, its members in increasing order.

        Of equal ones it is the first in lexicographic order: which of two copies is selected shall
        not depend on rounding.
        """
        return self.columns[self._ranked.masks[0]]

    @cached_property
    def _ranked(self) -> Counted:
        """The best supports that were counted or that chains have been at.

        Those equal to the best are in lexicographic order.
        """
        n = self.target.settings.n_best
        masks, costs, been = self.counted.masks[:n], self.counted.costs[:n], self.visited
        if been is not None and (better := been.costs < costs[-1] - slack(costs[-1])).any():
            masks = np.concatenate([masks, been.masks[better]])
            costs = np.concatenate([costs, been.costs[better]])
            _, first = np.unique(support_keys(masks), return_index=True)
            order = first[np.argsort(costs[first], kind="stable")][:n]
            masks, costs = masks[order], costs[order]
        return _in_order(masks, costs)

    def median(self, preferred: np.ndarray) -> np.ndarray:
        """Return the columns that are likelier to belong than not, and those that must be selected.

        Of columns that stand for each other one is selected (:mod:`.likelier_than_not`). A column
        that depends on likelier ones is left out. Columns that are right one by one need not be so
        together: where they are far less likely than the ``preferred`` support, that is returned.
        """
        always, target = np.flatnonzero(self.target.always), self.target
        known = self.combined.inclusion()
        joint = self.combined.joint(_likely(known.mean))
        likely = self.columns[likelier_than_not(joint, known, np.isin(self.columns, preferred))]
        others = np.setdiff1d(likely, always, assume_unique=True)
        chosen = _largest_possible(target, always, others)
        gap = target.cost(chosen) - target.cost(preferred)
        return preferred if gap > -2.0 * np.log(target.settings.far_less_likely) else chosen

    def about(self, support: np.ndarray) -> Probabilities:
        """Return what is known, and what is said of one support, members in increasing order."""
        target, combined, best = self.target, self.combined, self._ranked
        inclusion, D = combined.inclusion(), target.always.size
        accuracy = self._accuracy(inclusion)
        error = np.full(D, accuracy.largest_error)
        if accuracy.method in ("enumerated", "sampled"):
            error = np.full(D, np.nan)
            error[self.columns] = inclusion.error
        all_belong = 0.0
        if self.is_looked_at(support).all():
            places = np.searchsorted(self.columns, support)
            all_belong = float(combined.holding(places).mean[0])
        listed = _listed(inclusion.mean, target.settings)
        return Probabilities(
            supports=[self.columns[mask] for mask in best.masks],
            probabilities=combined.probability(best.costs),
            inclusion=_with_others(self, inclusion.mean),
            inclusion_error=error,
            sizes=combined.sizes(target.cost_of_size.size).mean,
            exactly=float(combined.probability(self._cost(support))),
            all_belong=all_belong,
            together=JointSource(combined, listed, self.columns[listed]),
            averaging=_averaging(self, support),
            accuracy=accuracy,
        )

    def _cost(self, support: np.ndarray) -> float:
        """Return the cost of a support; where all were scored, the one that was counted.

        Scored again it may differ by rounding, and be likelier than its own columns.
        """
        if self.around is None:
            mask = np.isin(self.columns, support)
            places = np.flatnonzero(np.all(self.counted.masks == mask, axis=1))
            if places.size:
                return float(self.counted.costs[places[0]])
        return self.target.cost(support)

    def _accuracy(self, inclusion: Estimate) -> Accuracy:
        settings, n_counted = self.target.settings, len(self.counted.costs)
        if self.around is None:
            return Accuracy("enumerated", self.target.n_supports, 0, 0.0, True)
        if self.is_settled:
            return Accuracy("settled", n_counted, 0, settings.least_error, True)
        if self.sample is None:
            return Accuracy("counted", n_counted, 0, float("nan"), False)
        error = float(np.max(inclusion.error))
        n_draws = self.sample.blocks.size
        return Accuracy("sampled", n_counted, n_draws, error, error <= settings.tolerance)


def _in_order(masks: np.ndarray, costs: np.ndarray) -> Counted:
    """Return supports, best first, with those equal to the best in lexicographic order.

    Costs stay in their order: between equal ones they differ by rounding.
    """
    n_equal = int(np.sum(costs <= costs[0] + slack(costs[0])))
    if n_equal > 1:
        first = np.lexsort((~masks[:n_equal]).T[::-1])
        masks = np.concatenate([masks[first], masks[n_equal:]])
    return Counted(masks, costs)


def _likely(inclusion: np.ndarray) -> np.ndarray:
    """Return the columns that may be in a group."""
    return np.flatnonzero(inclusion >= LEAST_PROBABILITY)


def _listed(inclusion: np.ndarray, settings: PosteriorSettings) -> np.ndarray:
    """Return the columns of which the joint posterior is kept: all, where they are few."""
    is_small = inclusion.size <= settings.most_kept_jointly
    return np.arange(inclusion.size) if is_small else _likely(inclusion)


def _largest_possible(target: Target, always: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return these columns, the first ones first, as far as a support can have them all."""
    most = target.cost_of_size.size - 1 - always.size
    chosen = np.union1d(always, others[:most])
    if np.isfinite(target.cost(chosen)):
        return chosen
    chosen = always
    for column in others:
        larger = np.union1d(chosen, [column])
        if larger.size < target.cost_of_size.size and np.isfinite(target.cost(larger)):
            chosen = larger
    return chosen


def _with_others(known: Posterior, inside: np.ndarray) -> np.ndarray:
    """Return the inclusion of all columns, (D,), from that of the columns looked at.

    What an exchange for a column adds to the score at least, a, says how its inclusion compares
    with that of others: as exp(−a/2). How large it is comes from the columns looked at, the less
    promising half of them.
    """
    whole, promise = np.zeros(known.target.always.size), known.promise
    if promise is not None:
        is_compared, looked_at = np.isfinite(promise), promise[known.columns]
        few = is_compared[known.columns] & (looked_at <= np.median(looked_at))
        if few.any():
            least = looked_at[few].max()
            weight = np.exp(0.5 * np.where(is_compared, promise - least, -np.inf))
            share = np.sum(inside[few]) / np.sum(weight[known.columns][few])
            whole = np.minimum(share * weight, 1.0)
    whole[known.columns] = inside
    return whole


def _averaging(known: Posterior, support: np.ndarray) -> Averaging:
    """Return what averaged coefficients need, and those of one support."""
    target, settings = known.target, known.target.settings
    strengths = settings.background_strengths if _may_have_background(target) else ()
    masks, weights = known.combined.supports()
    used: np.ndarray = np.any(masks, axis=0)
    used[np.searchsorted(known.columns, support[known.is_looked_at(support)])] = True
    members = known.columns[used]
    columns = members
    if strengths:
        columns = np.flatnonzero((target.problem.diagonal > 0.0) | target.always)
    whole = target.problem.without_source()
    return Averaging(
        columns=columns,
        problem=whole if columns.size == target.always.size else whole.subset(columns),  # type: ignore[arg-type]
        always=target.always[columns],
        members=np.searchsorted(columns, members),
        masks=masks[:, used],
        weights=weights,
        judge=target.judge,
        n_redundant=target.n_redundant,
        strengths=strengths,
        settings=settings,
    )


def _may_have_background(target: Target) -> bool:
    """Return whether columns outside a support may have small effects: not if K is given.

    The problem is part of what is kept, so it must not be too large.
    """
    problem, settings, n_columns = target.problem, target.settings, target.always.size
    if target.has_one_size or problem.is_wide:
        return False
    few = min(problem.height, n_columns)
    return few <= settings.most_directions and few * n_columns <= settings.most_stored
