"""The question for a batch of tables and its answer, taken apart and put together again.

A column that does not vary, or may not be selected, must change nothing about the answer. So it is
taken out before anything is fitted or drawn (:func:`parts`), and put back as one that was not
selected (:func:`restored`). Tables of a batch that leave out different columns are solved apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along, to_numpy
from ..data.standard_table import StandardTable
from ..gates.gate_fit import GateFit, GateOptions, among_all
from ..posterior.support_probabilities import Posterior
from ..search.best_support import Refined

__all__ = ["Options", "Solution", "joined", "parts", "restored"]


@dataclass(frozen=True)
class Options:
    """What to look for and how."""

    n_selected: int | None = None
    alpha: float | Array | None = None
    """λ, one for all tables or one for each, (B,); None is the paper's rule."""
    alpha_scale: float = 0.2
    noise_std: float | None = None
    gates: GateOptions = field(default_factory=GateOptions)
    refine: bool = False
    criterion: str = "common-size"
    n_starts: int | None = None
    probabilities: bool = True
    """Whether a search says how sure it is; for that it scores the supports around its answer."""
    always: tuple[int, ...] = ()
    """Columns that must be selected."""


class Solution(NamedTuple):
    """The answer for each table of the batch, in the units of the data."""

    support: Array
    """A mask, (B, D)."""
    coef: Array
    intercept: Array
    gated_coef: Array
    gates: GateFit
    alpha: Array
    noise_std: Array | None
    """The σ in the rule for λ, (B,); None where λ was given."""
    search: Refined | None
    """What the search found; None where the gates decide alone."""
    posterior: list[Posterior] | None
    """What the data say of each problem's supports; None likewise."""


class BatchPart(NamedTuple):
    """Tables of a batch that have the same columns to select from."""

    table: StandardTable
    options: Options
    problems: np.ndarray
    """Which of the batch they are."""
    kept: np.ndarray
    """Their columns that are left, in increasing order."""


def parts(table: StandardTable, options: Options) -> Iterator[BatchPart]:
    """Give the tables of a batch, with only the columns that may be selected."""
    varies = to_numpy(table.varies)
    masks, which = np.unique(varies, axis=0, return_inverse=True)
    for group, mask in enumerate(masks):
        problems = np.flatnonzero(which.ravel() == group)
        # Where nothing varies one column stays: a table needs one.
        kept = np.flatnonzero(mask) if mask.any() else np.arange(1)
        always, alpha = tuple(np.searchsorted(kept, options.always).tolist()), options.alpha
        if getattr(alpha, "ndim", 0):
            alpha = namespace(alpha).take(alpha, namespace(alpha).asarray(problems), axis=0)
        few = table.restricted(problems, kept)
        yield BatchPart(few, replace(options, always=always, alpha=alpha), problems, kept)


def restored(solution: Solution, kept: np.ndarray, n_features: int) -> Solution:
    """Return the answer about all columns, those that were taken out not selected."""
    if kept.size == n_features:
        return solution
    xp = namespace(solution.coef)
    columns = xp.asarray(np.tile(kept, (solution.coef.shape[0], 1)), device=solution.coef.device)

    def spread(values: Array, others: float | bool) -> Array:
        shape = (values.shape[0], n_features)
        whole = xp.full(shape, others, dtype=values.dtype, device=values.device)
        return put_along(whole, columns, values)

    return solution._replace(
        support=spread(solution.support, False),
        coef=spread(solution.coef, 0.0),
        gated_coef=spread(solution.gated_coef, 0.0),
        gates=among_all(solution.gates, columns, n_features),
        search=None if solution.search is None else _named(solution.search, kept),
        posterior=solution.posterior
        and [_among_all(known, kept, n_features) for known in solution.posterior],
    )


def _named(search: Refined, kept: np.ndarray) -> Refined:
    optima = [own._replace(supports=kept[own.supports]) for own in search.optima]
    return search._replace(support=kept[search.support], optima=optima)


def _among_all(known: Posterior, kept: np.ndarray, n_features: int) -> Posterior:
    inclusion = np.zeros(n_features)
    inclusion[kept] = known.inclusion
    return known._replace(supports=[kept[own] for own in known.supports], inclusion=inclusion)


def joined(answers: Sequence[Solution], order: np.ndarray | None = None) -> Solution:
    """Return several answers as that of one batch; its problem i is number ``order[i]`` of theirs.

    Sizes of supports may differ: a shorter one is filled up with −1.
    """
    if len(answers) == 1:
        return answers[0]
    xp = namespace(answers[0].coef)
    places = np.arange(sum(one.coef.shape[0] for one in answers)) if order is None else order
    rows = xp.asarray(places, device=answers[0].coef.device)

    def stacked(fields: Sequence[Array]) -> Array:
        return xp.take(xp.concat(list(fields), axis=0), rows, axis=0)

    gates = [stacked(fields) for fields in zip(*(one.gates for one in answers), strict=True)]
    searches = [one.search for one in answers if one.search is not None]
    known: list[Posterior] = [own for one in answers for own in one.posterior or []]
    noise = [one.noise_std for one in answers if one.noise_std is not None]
    return Solution(
        support=stacked([one.support for one in answers]),
        coef=stacked([one.coef for one in answers]),
        intercept=stacked([one.intercept for one in answers]),
        gated_coef=stacked([one.gated_coef for one in answers]),
        gates=GateFit(*gates),
        alpha=stacked([one.alpha for one in answers]),
        noise_std=stacked(noise) if noise else None,
        search=_joined_searches(searches, places) if searches else None,
        posterior=[known[i] for i in places] if len(known) == places.size else None,
    )


def _joined_searches(searches: Sequence[Refined], places: np.ndarray) -> Refined:
    widest = max(one.support.shape[1] for one in searches)
    supports = [
        np.pad(one.support, ((0, 0), (0, widest - one.support.shape[1])), constant_values=-1)
        for one in searches
    ]
    optima = [own for one in searches for own in one.optima]

    def stacked(fields: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate(fields)[places]

    return Refined(
        support=stacked(supports),
        objective=stacked([one.objective for one in searches]),
        n_starts=stacked([one.n_starts for one in searches]),
        n_agreeing_starts=stacked([one.n_agreeing_starts for one in searches]),
        n_iter=stacked([one.n_iter for one in searches]),
        optima=[optima[i] for i in places],
    )
