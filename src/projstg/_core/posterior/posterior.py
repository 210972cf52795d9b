r"""How likely each support, column and size is, given the data: exact, or counted and sampled.

With a prior over supports the evidence is a posterior, P(S | data) ∝ prior(S)·exp(−score(S)/2).

* Where there are few supports all are scored (:mod:`.enumeration`), and the posterior is exact.
* Otherwise the likeliest supports E are counted with their exact weights (:mod:`.best_first`), and
  chains (:mod:`.chain`) draw supports from the posterior. The chains say which share P(E) of it was
  counted, and what the rest is like. Any probability is then P(E) times its share within E, plus
  the chains' average over supports outside E (:mod:`.combined`, also for the Monte Carlo error).

A :class:`Posterior` is a value: :mod:`.exploration` makes it of what a search has found,
:mod:`.drawing` returns it with draws, and what it says of a support is read off it. Of very many
columns some stand for others (:mod:`.represented`).
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
from .counted import Counted, by_size, levelled, support_keys
from .credible_groups import likely_columns
from .likelier_than_not import likelier_than_not
from .probabilities import Accuracy, JointSource, Probabilities
from .represented import Represented
from .target import Target

__all__ = ["Posterior"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """The posterior of one problem, as far as it is known."""

    target: Target
    counted: Counted
    """Over the columns looked at; what these stand for is in the costs."""
    among: Represented
    """The columns looked at, and for which others they stand."""
    around: BestFirst | None = None
    """How the supports were counted; None where all were scored."""
    found: tuple[RankedSupports, ...] = ()
    """The supports of searches that it began from."""
    sample: Sample | None = None
    """The draws; None where there are none."""
    visited: Counted | None = None
    """Where chains have been, with costs without what columns stand for."""
    is_settled: bool = False
    """Whether one support is beyond doubt, so that no draws are needed."""

    @property
    def columns(self) -> np.ndarray:
        """Those looked at, (W,), in increasing order."""
        return self.among.columns

    @property
    def has_draws(self) -> bool:
        """Whether draws are there, or it is settled that none are needed."""
        return self.is_settled or self.sample is not None

    @property
    def largest_error(self) -> float:
        """The largest Monte Carlo error of an inclusion probability."""
        return float(np.max(self.combined.inclusion().error))

    @cached_property
    def combined(self) -> Combined:
        """What was counted and what was drawn, together."""
        return Combined(self._known, self.sample, self.target.settings.least_error)

    @property
    def likeliest(self) -> np.ndarray:
        """The likeliest support that is known, its members in increasing order.

        Of equal ones it is the first in lexicographic order: which of two copies is selected shall
        not depend on rounding.
        """
        return self.columns[self._ranked.masks[0]]

    def best_of(self, counted: Counted, n: int) -> Counted:
        """Return the best supports, with their costs without what their columns stand for."""
        # That makes them larger, and they come in order.
        cost, size = self.among.cost, n
        while True:
            masks = counted.masks[:size]
            own = counted.costs[:size] - masks @ cost
            order = np.argsort(own, kind="stable")[:n]
            if size >= counted.costs.size or counted.costs[size] > own[order[-1]]:
                return Counted(masks[order], own[order])
            size *= 4

    @property
    def lowest(self) -> float:
        """The lowest cost of a support that was counted, without what its columns stand for."""
        return float(self.best_of(self.counted, 1).costs[0])

    @cached_property
    def _known(self) -> Counted:
        """What was counted, and the best supports that chains have been at."""
        been, n = self.visited, self.target.settings.n_best
        if been is None:
            return self.counted
        worst = self.best_of(self.counted, n).costs[-1]
        better = np.flatnonzero(been.costs < worst - slack(worst))
        best = better[np.argsort(been.costs[better], kind="stable")][:n]
        return self._with(self.counted, been.masks[best])

    def _with(self, counted: Counted, masks: np.ndarray) -> Counted:
        """Return what was counted and more supports, (M, W), as far as they are independent."""
        around = self.around
        if around is None or not len(masks):
            return counted
        new = masks[~np.isin(support_keys(masks), counted.keys)]
        costs = np.empty(len(new))
        for places, supports in by_size(new):
            costs[places] = around.cost(supports)
        new, costs = new[np.isfinite(costs)], costs[np.isfinite(costs)]
        if not costs.size:
            return counted
        return levelled(
            Counted(np.concatenate([counted.masks, new]), np.append(counted.costs, costs))
        )

    @cached_property
    def _ranked(self) -> Counted:
        """The best supports that are known, with their costs without what their columns stand for.

        Those equal to the best are in lexicographic order.
        """
        best = self.best_of(self._known, self.target.settings.n_best)
        return _in_order(best.masks, best.costs)

    def median(self, preferred: np.ndarray) -> np.ndarray:
        """Return the columns that are likelier to belong than not, and those that must be selected.

        Of columns that stand for each other one is selected (:mod:`.likelier_than_not`). A column
        that depends on likelier ones is left out. Columns that are right one by one need not be so
        together: where they are far less likely than the ``preferred`` support, that is returned.
        """
        always, target = np.flatnonzero(self.target.always), self.target
        known = self.combined.inclusion()
        is_likely = likely_columns(known.mean) & self.among.is_alone
        joint = self.combined.joint(np.flatnonzero(is_likely))
        likely = self.columns[likelier_than_not(joint, known, np.isin(self.columns, preferred))]
        others = np.setdiff1d(likely, always, assume_unique=True)
        chosen = _largest_possible(target, always, others)
        gap = target.cost(chosen) - target.cost(preferred)
        return preferred if gap > -2.0 * np.log(target.settings.far_less_likely) else chosen

    def about(self, support: np.ndarray, agree: bool = True) -> Probabilities:
        """Return what is known, and what is said of one support, members in increasing order.

        All of it is read off one distribution. ``agree`` says whether searches with draws of their
        own do.
        """
        target, among, best = self.target, self.among, self._ranked
        mask = np.zeros((1, self.columns.size), dtype=bool)
        mask[0, among.cell[support]] = True
        combined = self.combined
        if self.around is not None and not combined.has_counted(mask).all():
            counted = self._with(self._known, mask)
            combined = Combined(counted, self.sample, target.settings.least_error)
        inclusion, D, own = combined.inclusion(), target.always.size, among.share_of(support)
        accuracy = self._accuracy(inclusion, agree)
        error = np.full(D, accuracy.largest_error)
        if accuracy.method in ("enumerated", "sampled"):
            error = np.where(among.share > 0.0, inclusion.error[among.cell], 0.0)
        supports = [self.columns[one] for one in best.masks]
        likeliest = float(combined.probabilities(best.masks[:1])[0]) * among.share_of(supports[0])
        return Probabilities(
            supports=supports,
            probabilities=likeliest * np.exp(-0.5 * (best.costs - best.costs[0])),
            inclusion=among.spread(inclusion.mean),
            inclusion_error=error,
            sizes=combined.sizes(target.cost_of_size.size).mean,
            exactly=float(combined.probabilities(mask)[0]) * own,
            all_belong=float(combined.holding(among.cell[support]).mean[0]) * own,
            together=JointSource(combined, among),
            averaging=_averaging(self, combined, support),
            accuracy=accuracy,
        )

    def _accuracy(self, inclusion: Estimate, agree: bool) -> Accuracy:
        settings, n_counted = self.target.settings, len(self.counted.costs)
        if self.around is None:
            return Accuracy("enumerated", self.target.n_supports, 0, 0.0, True)
        if self.is_settled:
            return Accuracy("settled", n_counted, 0, settings.least_error, agree)
        if self.sample is None:
            return Accuracy("counted", n_counted, 0, float("nan"), False)
        error, n_draws = float(np.max(inclusion.error)), self.sample.blocks.size
        is_accurate = agree and error <= settings.most_error
        return Accuracy("sampled", n_counted, n_draws, error, is_accurate)


def _in_order(masks: np.ndarray, costs: np.ndarray) -> Counted:
    """Return supports, best first, with those equal to the best in lexicographic order."""
    n_equal = int(np.sum(costs <= costs[0] + slack(costs[0])))
    first = np.lexsort((~masks[:n_equal]).T[::-1])
    costs = np.append(np.full(n_equal, costs[0]), costs[n_equal:])
    return Counted(np.concatenate([masks[first], masks[n_equal:]]), costs)


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


def _averaging(known: Posterior, combined: Combined, support: np.ndarray) -> Averaging:
    """Return what averaged coefficients need, and those of one support."""
    target, settings = known.target, known.target.settings
    strengths = settings.background_strengths if _may_have_background(target) else ()
    masks, weights = combined.supports()
    used: np.ndarray = np.any(masks, axis=0)
    used[known.among.cell[support]] = True
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
