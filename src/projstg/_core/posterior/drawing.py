"""Chains of draws beside what was counted: begun from it, and run until they say enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..kernel.twin import answered_by
from ..progress import Report, steps_of
from ..score.dilution import is_dependent
from ..score.tableau import Field, has_enough_digits, tableau
from ..search.record import RankedSupports
from .best_first import BestFirst
from .chain import Chains
from .compiled_chain import CompiledChains
from .exploration import with_more
from .posterior import Posterior

__all__ = ["drawn"]

# The draws of a chain are none of a search's, nor of a generator with the same seed.
_TAG = 14


def drawn(posterior: Posterior, seed: int, report: Report | None = None) -> Posterior:
    """Return a counted posterior with draws, until inclusion probabilities are accurate enough.

    Chains that have been at a far likelier support than any that was counted began elsewhere: it
    is counted, and they begin again.
    """
    first = _drawn_once(posterior, seed, report)
    been = first.visited
    if been is None:
        return first
    place, target = int(np.argmin(been.costs)), posterior.target
    lead = first.lowest - float(been.costs[place])
    if lead <= -2.0 * np.log(target.settings.far_less_likely):
        return first
    support = first.columns[been.masks[place]]
    one = RankedSupports(support[None], np.full(1, target.score(support)))
    return _drawn_once(with_more(first, [one]), seed, report)


def _drawn_once(posterior: Posterior, seed: int, report: Report | None) -> Posterior:
    target, counted_, around = posterior.target, posterior.counted, posterior.around
    settings, columns = target.settings, posterior.columns
    posterior = replace(posterior, sample=None, visited=None, is_settled=False)
    if around is None or not _has_digits(posterior, around):
        return posterior
    weights = counted_.weights
    if around.is_around_best and 1.0 - weights[0] < settings.others_share:
        return replace(posterior, is_settled=True)
    generator, size = np.random.default_rng([seed, _TAG]), float(weights @ counted_.sizes)
    settings = settings.paced(columns.size, size)
    begin = generator.choice(weights.size, settings.n_chains, p=weights)
    starts = [np.flatnonzero(mask) for mask in counted_.masks[np.unique(begin)]]
    # Supports that are independent by their rows may be dependent by their sums.
    if around.judge.is_diluted and any(is_dependent(around.field, own) for own in starts):
        return posterior
    chains = _chains(
        around.field,
        around.judge,
        around.cost_of_size,
        counted_.masks[begin],
        1.0 - weights @ counted_.masks + settings.least_doubt,
        generator,
        settings,
        around.cost_of_column,
    )
    most_steps = settings.budget(columns.size, size, is_given=target.has_one_size)
    # Runs: the first, one that is not kept, and those of the budget.
    ran = steps_of(report, "draws", 2 + -(-most_steps // settings.steps))
    sample = chains.run(settings.first_steps)
    posterior = replace(posterior, sample=sample)
    is_stopped, covered = ran(), posterior.combined.covered
    if covered < settings.is_covered:
        if target.has_one_size:
            chains.cool_down(settings.cooling_steps)
            ran()
        elif covered < settings.is_far:
            chains.run(settings.steps)
            ran()
        sample = chains.run(settings.steps)
        posterior = replace(posterior, sample=sample)
        is_stopped = ran()
    while not is_stopped and (left := _more_steps(posterior, len(sample.blocks), most_steps)) > 0:
        sample = chains.run(left).after(sample)
        posterior = replace(posterior, sample=sample)
        is_stopped = ran()
    return replace(posterior, visited=chains.visited)


def _more_steps(posterior: Posterior, n_steps: int, most_steps: int) -> int:
    """Return how many steps are made before the error is looked at again, after so many."""
    settings, error = posterior.target.settings, posterior.largest_error
    if error <= settings.tolerance:
        return 0
    if error > settings.coarse:
        most_steps = max(most_steps, settings.if_coarse)
    return min(max(settings.steps, n_steps // 2), most_steps - n_steps)


def _chains_by_kernel(field: Field, *of: Any) -> Any:
    return CompiledChains(field, *of)


@answered_by(_chains_by_kernel, where=lambda field, *_: not field.redundant.any())
def _chains(field: Field, *of: Any) -> Any:
    return Chains(field, *of)


def _has_digits(posterior: Posterior, around: BestFirst) -> bool:
    """Return whether the closed forms around the best support have digits enough."""
    members = np.flatnonzero(posterior.counted.masks[0])[None]
    least = np.min(around.judge.ridges.kappa, keepdims=True)  # has the fewest
    state = tableau(around.field, members, least)
    return bool(has_enough_digits(around.field, state, 1)[0])
