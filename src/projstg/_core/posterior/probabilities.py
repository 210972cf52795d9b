r"""How likely each support, column and size is, given the data: exact, or counted and sampled.

With a prior over supports the evidence is a posterior, P(S | data) ∝ prior(S)·exp(−score(S)/2).

* Where there are few supports all are scored (:mod:`.enumeration`), and the posterior is exact.
* Otherwise the likeliest supports E are counted with their exact weights (:mod:`.best_first`), and
  chains (:mod:`.chain`) draw supports from the posterior. The chains say which share P(E) of it was
  counted, and what the rest is like. Any probability is then P(E) times its share within E, plus
  the chains' average over supports outside E (:mod:`.combined`, also for the Monte Carlo error).

The columns that may be visited are all up to a few hundred. With more, they are the members of the
best supports the search has found, and the columns that come closest to improving the best support.
A column left out gets the probability zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data.quadratic import Problem, RowQuadratic, WideQuadratic, on_host
from ..data.redundant_columns import redundant_forced
from ..kernel import library
from ..progress import Report, counted
from ..score.criterion import CRITERIA, Criterion, Judge
from ..score.dilution import is_dependent
from ..score.evidence import total_score
from ..score.prior import costs_of_sizes, n_selectable
from ..score.tableau import has_enough_digits, tableau
from ..search.record import Optima, slack
from ..search.working_set import least_changes
from .averaging import Averaging
from .best_first import BestFirst
from .chain import Chains, Sample, Visited
from .combined import Combined, Estimate
from .compiled_chain import CompiledChains
from .counted import Counted, support_keys
from .credible_groups import LEAST_PROBABILITY
from .enumeration import enumerated, n_supports
from .exact_scores import ExactScores
from .likelier_than_not import Doubt, likelier_than_not
from .posterior_record import Accuracy, JointSource, Posterior
from .posterior_settings import POSTERIOR, PosteriorSettings
from .weighted_supports import WeightedSupports

__all__ = ["Beliefs", "criterion_with_volume"]

# The draws of a chain are none of a search's, nor of a generator with the same seed.
_TAG = 14


def criterion_with_volume(name: str) -> str:
    """Return the criterion that probabilities come from: least squares alone gives none."""
    return name if CRITERIA[name].counts_volume else "common-size"


class Beliefs:
    """The posterior of one problem (a batch of one), while it is computed.

    Where only dependent supports are known it does without dilution. A judge must be that of the
    problem, for supports of up to K_max columns.

    ``always`` and ``never`` are masks (D,); ``log_prior`` has one entry for each size 0 … K_max, −∞
    for sizes not asked for.
    """

    def __init__(
        self,
        problem: Problem,
        criterion: Criterion,
        log_prior: np.ndarray,
        *,
        always: np.ndarray,
        never: np.ndarray,
        settings: PosteriorSettings = POSTERIOR,
    ) -> None:
        self.problem, self.settings = problem, settings
        self.criterion: Judge
        if isinstance(criterion, Judge):
            self.criterion = criterion
        else:
            self.criterion = criterion.judge(problem, log_prior.size - 1, always)
        self.always, self.never = always, never
        n_free, n_locked = n_selectable(always, never), int(always.sum())
        self.cost_of_size = costs_of_sizes(log_prior, n_free, n_locked)
        self.columns = np.arange(always.size)
        self.n_redundant = redundant_forced(problem, always)
        self.counted: Counted
        self._found: list[Optima] = []
        self._looked: BestFirst | None = None
        self._sample: Sample | None = None
        self._is_settled = False
        self._visited: Visited | None = None
        self._made: Combined | None = None
        self._promise: np.ndarray | None = None
        """Of columns (D,): minus the least that an exchange adds to the score; if not all are
        looked at."""
        self._scores = ExactScores(problem, always, never, self.n_redundant, settings.most_columns)

    @property
    def is_enumerable(self) -> bool:
        """Whether there are so few supports that all can be scored."""
        few = n_supports(self.cost_of_size, self.always, self.never)
        return few <= self.settings.most_enumerated

    def enumerate(self) -> None:
        """Score every support that may weigh anything."""
        limits = (self.cost_of_size, self.always, self.never)
        n_open = int(np.sum(~self.always & ~self.never))
        bound = self._bounds if 2**n_open <= 2 * self.settings.most_enumerated else None
        negligible = self.settings.negligible
        counted = enumerated(self._exact_scores, *limits, bound, negligible)
        if not counted.costs.size:
            self.criterion = replace(self.criterion, is_diluted=False)
            counted = enumerated(self._exact_scores, *limits, bound, negligible)
        self.counted = counted

    def _bounds(self, locked: np.ndarray, open_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._scores.bounds(locked, open_, self.criterion, self.cost_of_size)

    def _exact_scores(self, supports: np.ndarray, ridges: np.ndarray | None = None) -> np.ndarray:
        return self._scores.total(supports, self.criterion, ridges)

    def take(self, every: Optima) -> None:
        """Take the supports and scores of a search that has scored every support of one size."""
        masks = np.zeros((len(every.supports), self.always.size), dtype=bool)
        np.put_along_axis(masks, every.supports, True, axis=1)
        self.counted = Counted(masks, every.scores + self.cost_of_size[every.supports.shape[1]])

    def count(self, found: Sequence[Optima]) -> None:
        """Count the supports of searches, grouped by size, and those around the likeliest.

        Scores are computed anew, by the criterion. Called again it goes on from what it has, unless
        one of the best supports has a column that was not looked at: then it begins again.
        """
        self._found += found
        self._is_settled = False  # by what was counted before
        leaders = [one.supports[: self.settings.n_leaders] for one in found]
        if not all(self._is_looked_at(own).all() for own in leaders):
            self._looked, found = None, self._found
            self._forget_draws()
        by_ridge = [self._scores.by_ridge(one.supports, self.criterion) for one in found]
        if self._looked is None and not any(np.isfinite(one).any() for one in by_ridge):
            self.criterion = replace(self.criterion, is_diluted=False)
            by_ridge = [self._scores.by_ridge(one.supports, self.criterion) for one in found]
        if self._looked is None:
            self._looked = self._begin([one.supports for one in found], by_ridge)
        looked = self._looked
        places = np.searchsorted(self.criterion.ridges.kappa, looked.criterion.ridges.kappa)
        useful = np.zeros(self.criterion.ridges.kappa.size, dtype=bool)
        useful[places] = True
        for one, scores in zip(found, by_ridge, strict=True):
            inside = self._is_looked_at(one.supports).all(axis=1)
            masks = np.zeros((int(inside.sum()), self.columns.size), dtype=bool)
            places = np.searchsorted(self.columns, one.supports[inside])
            np.put_along_axis(masks, places, True, axis=1)
            costs = total_score(scores[inside][:, useful])
            looked.count(masks, costs + looked.cost_of_size[one.supports.shape[1]])
        looked.look_around(self.settings.most_looks)
        self.counted = looked.counted

    def sample(self, seed: int, report: Report | None = None) -> None:
        """Draw supports, after :meth:`count`, until inclusion probabilities are accurate enough.

        Chains that have been at a far likelier support than any that was counted began elsewhere:
        it is counted, and they begin again.
        """
        self._draw(seed, report)
        been = self._visited
        if been is None:
            return
        place = int(np.argmin(been.costs))
        lead = float(self.counted.costs[0] - been.costs[place])
        if lead > -2.0 * np.log(self.settings.far_less_likely):
            support = self.columns[been.masks[place]]
            self.count([Optima(support[None], np.full(1, self.score(support)))])
            self._draw(seed, report)

    @property
    def has_draws(self) -> bool:
        """Whether draws are there, for what was counted, or it is settled that none are needed."""
        return self._is_settled or self._sample is not None

    def _forget_draws(self) -> None:
        self._sample, self._visited, self._is_settled = None, None, False

    def _draw(self, seed: int, report: Report | None) -> None:
        looked, settings = self._looked, self.settings
        self._forget_draws()
        if looked is None or not self._has_digits(looked):
            return
        if looked.is_around_best and 1.0 - self.counted.weights[0] < settings.others_share:
            self._is_settled = True
            return
        generator, weights = np.random.default_rng([seed, _TAG]), self.counted.weights
        size = float(weights @ self.counted.sizes)
        settings = settings.paced(self.columns.size, size)
        begin = generator.choice(weights.size, settings.n_chains, p=weights)
        if any(self._is_dependent(looked, place) for place in np.unique(begin)):
            return
        is_compiled = library.KERNEL is not None and not looked.field.redundant.any()
        chains = (CompiledChains if is_compiled else Chains)(
            looked.field,
            looked.criterion,
            looked.cost_of_size,
            self.counted.masks[begin],
            1.0 - weights @ self.counted.masks + settings.least_doubt,
            generator,
            settings,
        )
        is_one_size = int(np.isfinite(self.cost_of_size).sum()) == 1
        most_steps = settings.budget(self.columns.size, size, is_given=is_one_size)
        # Runs: the first, one that is not kept, and those of the budget.
        ran = counted(report, "draws", 2 + -(-most_steps // settings.steps))
        self._sample = chains.run(settings.first_steps)
        is_stopped, covered = ran(), self._combined().covered
        if covered < settings.is_covered:
            if is_one_size:
                chains.cool_down(settings.cooling_steps)
                ran()
            elif covered < settings.is_far:
                chains.run(settings.steps)
                ran()
            self._sample = chains.run(settings.steps)
            is_stopped = ran()
        while len(self._sample.blocks) < most_steps and not (is_stopped or self._is_accurate()):
            self._sample = chains.run(settings.steps).after(self._sample)
            is_stopped = ran()
        self._visited = chains.visited

    def _is_looked_at(self, supports: np.ndarray) -> np.ndarray:
        """Return which of the columns, of any shape, are among those that may be visited."""
        mask = np.zeros(self.always.size, dtype=bool)
        mask[self.columns] = True
        return mask[supports]

    @property
    def likeliest(self) -> np.ndarray:
        """The likeliest support that is known, its members in increasing order.

        Of equal ones it is the first in lexicographic order: which of two copies is selected shall
        not depend on rounding.
        """
        return self.columns[self._ranked(self.settings.n_best).masks[0]]

    def median(self, preferred: np.ndarray) -> np.ndarray:
        """Return the columns that are likelier to belong than not, and those that must be selected.

        Of columns that stand for each other one is selected (:mod:`.likelier_than_not`). A column
        that depends on likelier ones is left out. Columns that are right one by one need not be so
        together: where they are far less likely than the ``preferred`` support, that is returned.
        """
        combined, always = self._combined(), np.flatnonzero(self.always)
        known = Doubt(*combined.inclusion())
        joint, wanted = combined.joint(_likely(known.inclusion)), np.isin(self.columns, preferred)
        likely = self.columns[likelier_than_not(joint, known, wanted)]
        chosen = self._possible(always, np.setdiff1d(likely, always, assume_unique=True))
        gap = self._cost(chosen) - self._cost(preferred)
        return preferred if gap > -2.0 * np.log(self.settings.far_less_likely) else chosen

    def _possible(self, always: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Return these columns, the first ones first, as far as a support can have them all."""
        most = self.cost_of_size.size - 1 - always.size
        chosen = np.union1d(always, others[:most])
        if np.isfinite(self._cost(chosen)):
            return chosen
        chosen = always
        for column in others:
            larger = np.union1d(chosen, [column])
            if larger.size < self.cost_of_size.size and np.isfinite(self._cost(larger)):
                chosen = larger
        return chosen

    def _cost(self, support: np.ndarray) -> float:
        return self.score(support) + float(self.cost_of_size[support.size])

    def score(self, support: np.ndarray) -> float:
        """Return the exact score of a support by the criterion."""
        return float(self._exact_scores(support[None])[0])

    def about(self, support: np.ndarray) -> Posterior:
        """Return the posterior, and what it says of one support, members in increasing order."""
        combined, best = self._combined(), self._ranked(self.settings.n_best)
        inclusion = combined.inclusion()
        listed = _listed(inclusion.mean, self.settings)
        inside = self._is_looked_at(support).all()
        holding = combined.holding(np.searchsorted(self.columns, support)) if inside else None

        def among_all(values: np.ndarray) -> np.ndarray:
            whole = np.zeros(self.always.size)
            whole[self.columns] = values
            return whole

        accuracy = self._accuracy(inclusion)
        error = np.full(self.always.size, accuracy.largest_error)
        if accuracy.method in ("enumerated", "sampled"):
            error = among_all(inclusion.error)
            outside = np.ones(self.always.size, dtype=bool)
            outside[self.columns] = False
            error[outside] = np.nan
        return Posterior(
            [self.columns[mask] for mask in best.masks],
            self._probability(best.costs, combined),
            self._with_others(inclusion.mean),
            error,
            combined.sizes(self.cost_of_size.size).mean,
            float(self._probability(self._cost(support), combined)),
            0.0 if holding is None else float(holding.mean[0]),
            JointSource(combined, listed, self.columns[listed]),
            self._averaging(combined.supports(), support),
            accuracy,
        )

    def _averaging(self, supports: WeightedSupports, support: np.ndarray) -> Averaging:
        """Return what averaged coefficients need, and those of one support."""
        strengths = self.settings.background_strengths if self._may_have_background else ()
        used: np.ndarray = np.any(supports.masks, axis=0)
        used[np.searchsorted(self.columns, support[self._is_looked_at(support)])] = True
        members = self.columns[used]
        columns = np.flatnonzero(~self.never) if strengths else members
        few = self.problem
        if columns.size < self.always.size:
            few = few.columns(columns[None])
        return Averaging(
            columns,
            on_host(few).with_source(None),
            self.always[columns],
            np.searchsorted(columns, members),
            supports._replace(masks=supports.masks[:, used]),
            self.criterion,
            self.n_redundant,
            strengths,
            self.settings,
        )

    @property
    def _may_have_background(self) -> bool:
        """Whether columns outside a support may have small effects: not if their number is given.

        The problem is part of what is kept, so it must not be too large.
        """
        is_given = np.isfinite(self.cost_of_size).sum() == 1
        n_columns, n_rows = self.always.size, self.always.size
        if isinstance(self.problem, WideQuadratic):
            return False
        if isinstance(self.problem, RowQuadratic):
            n_rows = self.problem.X.shape[-2]
        few = min(n_rows, n_columns)
        is_small = few <= self.settings.most_directions
        return is_small and few * n_columns <= self.settings.most_stored and not is_given

    def _combined(self) -> Combined:
        """Return what is known together; computed once for what was counted and drawn."""
        made = self._made
        if made is None or made.counted is not self.counted or made.sample is not self._sample:
            self._made = Combined(self.counted, self._sample, self.settings.least_error)
        return self._made  # type: ignore[return-value] # made above

    def _is_accurate(self) -> bool:
        return bool(np.max(self._combined().inclusion().error) <= self.settings.tolerance)

    @staticmethod
    def _probability(costs: np.ndarray | float, combined: Combined) -> np.ndarray:
        return np.minimum(np.exp(-0.5 * (costs - combined.total)), 1.0)

    def _accuracy(self, inclusion: Estimate) -> Accuracy:
        if self._looked is None:
            every = n_supports(self.cost_of_size, self.always, self.never)
            return Accuracy("enumerated", every, 0, 0.0, True)
        n_counted = len(self.counted.costs)
        if self._is_settled:
            return Accuracy("settled", n_counted, 0, self.settings.least_error, True)
        if self._sample is None:
            return Accuracy("counted", n_counted, 0, float("nan"), False)
        error = float(np.max(inclusion.error))
        n_draws = self._sample.blocks.size
        return Accuracy("sampled", n_counted, n_draws, error, error <= self.settings.tolerance)

    def _ranked(self, n: int) -> Counted:
        """Return the best supports that were counted or that chains have been at.

        Those equal to the best are in lexicographic order.
        """
        masks, costs = self.counted.masks[:n], self.counted.costs[:n]
        been = self._visited
        if been is None:
            return _in_order(masks, costs)
        better = been.costs < costs[-1] - slack(costs[-1])
        if not better.any():
            return _in_order(masks, costs)
        masks = np.concatenate([masks, been.masks[better]])
        costs = np.concatenate([costs, been.costs[better]])
        _, first = np.unique(support_keys(masks), return_index=True)
        order = first[np.argsort(costs[first], kind="stable")][:n]
        return _in_order(masks[order], costs[order])

    def _begin(self, groups: Sequence[np.ndarray], by_ridge: Sequence[np.ndarray]) -> BestFirst:
        """Return the count before anything was counted: its columns and ridges are chosen."""
        useful = _useful_ridges(groups, by_ridge, self.settings)
        totals = [total_score(one[:, useful]) for one in by_ridge]
        self.columns = self._columns(groups, totals)
        few = self.criterion.at(useful)
        # The ridges left out have no evidence, but the empty support has the same at every ridge.
        ridges = few.ridges
        kept = np.sum(np.exp(-0.5 * ridges.zero_cost) + np.exp(-0.5 * ridges.size_cost))
        cost_of_size = self.cost_of_size.copy()
        cost_of_size[0] += 2.0 * np.log(kept)
        field, _ = self._scores.field_of(self.columns)

        # Of this object itself nothing is kept: it would live until a cycle is looked for.
        scores, columns, criterion = self._scores, self.columns, self.criterion

        def score(supports: np.ndarray) -> np.ndarray:
            return scores.total(columns[supports], criterion, useful)

        return BestFirst(field, few, cost_of_size, score, self.settings)

    def _columns(self, groups: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> np.ndarray:
        """Return the columns that may be visited, in increasing order."""
        n_columns, settings = self.always.size, self.settings
        if n_columns <= settings.most_columns:
            return np.arange(n_columns)
        wanted = self.always.copy()
        for supports in groups:
            wanted[supports[: settings.n_leaders].ravel()] = True
        promise = np.full(n_columns, -np.inf)
        never, always = self.never[None], self.always[None]
        for best, behind in self._compared(groups, scores):
            change = least_changes(self.problem, best[None], never, always, self.criterion)
            promise = np.maximum(promise, -change - behind)
        self._promise = np.where(wanted, np.inf, promise)
        size = max(settings.most_columns, int(wanted.sum()))
        return np.sort(np.argpartition(-self._promise, size - 1)[:size])

    def _compared(
        self, groups: Sequence[np.ndarray], scores: Sequence[np.ndarray]
    ) -> list[tuple[np.ndarray, float]]:
        """Return the best support of each size, and by how much it is behind the likeliest.

        Columns are compared around these. In a very wide problem each takes a pass over X: there
        only the likeliest are returned. In others none is behind.
        """
        every = zip(groups, scores, strict=True)
        best = [(one[np.argmin(own)], float(np.min(own))) for one, own in every if one.shape[1]]
        if not isinstance(self.problem, WideQuadratic):
            return [(support, 0.0) for support, _ in best]
        best.sort(key=lambda one: one[1])
        of_size = {support.size: (support, score) for support, score in reversed(best)}
        costs = {k: score + float(self.cost_of_size[k]) for k, (_, score) in of_size.items()}
        lowest = min(costs.values(), default=0.0)
        near = [k for k in costs if costs[k] <= lowest + self.settings.far_behind]
        near.sort(key=lambda k: costs[k])
        return [(of_size[k][0], costs[k] - lowest) for k in near[: self.settings.most_compared]]

    def _with_others(self, inside: np.ndarray) -> np.ndarray:
        """Return the inclusion of all columns, (D,), from that of the columns looked at.

        What an exchange for a column adds to the score at least, a, says how its inclusion compares
        with that of others: as exp(−a/2). How large it is comes from the columns looked at, the
        less promising half of them.
        """
        whole = np.zeros(self.always.size)
        if self._promise is not None:
            is_compared = np.isfinite(self._promise)
            known = self._promise[self.columns]
            few = is_compared[self.columns] & (known <= np.median(known))
            if few.any():
                weight = np.exp(
                    0.5 * np.where(is_compared, self._promise - known[few].max(), -np.inf)
                )
                share = np.sum(inside[few]) / np.sum(weight[self.columns][few])
                whole = np.minimum(share * weight, 1.0)
        whole[self.columns] = inside
        return whole

    def _has_digits(self, looked: BestFirst) -> bool:
        """Return whether the closed forms around the best support have digits enough."""
        members = np.flatnonzero(self.counted.masks[0])[None]
        problem = np.zeros(1, dtype=np.int64)
        least = np.min(looked.criterion.ridges.kappa, keepdims=True)  # has the fewest
        state = tableau(looked.field, problem, members, least)
        return bool(has_enough_digits(looked.field, problem, state)[0])

    def _is_dependent(self, looked: BestFirst, place: int) -> bool:
        """Return whether a counted support is dependent by its sums, though not by its rows."""
        members = np.flatnonzero(self.counted.masks[place])
        return looked.criterion.is_diluted and is_dependent(looked.field, 0, members)


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


def _useful_ridges(
    groups: Sequence[np.ndarray], scores: Sequence[np.ndarray], settings: PosteriorSettings
) -> np.ndarray:
    """Return a mask (R,) of the ridges with a share in the evidence of the leaders of any size.

    ``scores`` has, for each group, the scores of its supports at each ridge, (M, R).
    """
    useful = np.zeros(scores[0].shape[1], dtype=bool)
    for supports, own in zip(groups, scores, strict=True):
        total = total_score(own)
        if supports.shape[1] and np.isfinite(total).any():
            leaders = own[np.argsort(total, kind="stable")[: settings.n_leaders]]
            weight = np.exp(-0.5 * (leaders - np.min(leaders)))
            useful |= weight.sum(axis=0) > settings.useless_ridge * weight.sum()
    return useful if useful.any() else ~useful
