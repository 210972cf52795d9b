"""The answer for a batch of tables, joined from parts that were solved separately.

Columns that may not be selected are taken out by :func:`parts`, and put back by :func:`restored`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along, taken_together, to_numpy
from ..data.standard_table import StandardTable
from ..posterior.probabilities import Probabilities
from ..search.best_support import Refined
from .batch_gates import BatchGates, joined_gates
from .options import Options

__all__ = ["Solution", "joined", "parts", "restored"]


class Solution(NamedTuple):
    """The answer for each table of the batch, in the units of the data."""

    support: Array
    """A mask, (B, D)."""
    coef: Array
    """(B, D), zero outside the support."""
    intercept: Array
    """(B,)."""
    gates: BatchGates
    """Where a search gave the answer they may be fitted only when asked for."""
    alpha: Array
    noise_std: Array | None
    """The σ in the rule for λ, (B,); None where λ was given."""
    search: Sequence[Refined] | None
    """What the search found in each problem; None where the gates decide alone."""
    posterior: Sequence[Probabilities | None] | None
    """The posterior of each problem, None where its rows are too few for one; None for all without
    a search, or where it was not asked for."""


class BatchPart(NamedTuple):
    """Tables of a batch that have the same columns to select from."""

    table: StandardTable
    options: Options
    problems: np.ndarray
    """Their numbers in the batch."""
    kept: np.ndarray
    """The columns that may be selected, in increasing order."""


def parts(table: StandardTable, options: Options) -> Iterator[BatchPart]:
    """Yield the tables of a batch, in groups, with only the columns that may be selected."""
    varies = to_numpy(table.varies)
    if varies.all():
        yield BatchPart(table, options, *(np.arange(size) for size in varies.shape))
        return
    masks, which = varies[:1], np.zeros(len(varies), dtype=np.int64)
    if np.any(varies != masks):
        masks, which = np.unique(varies, axis=0, return_inverse=True)
    for group, mask in enumerate(masks):
        problems = np.flatnonzero(which.ravel() == group)
        # Where nothing varies one column stays: a table needs one.
        kept = np.flatnonzero(mask) if mask.any() else np.arange(1)
        always = tuple(np.searchsorted(kept, options.always).tolist())
        own = replace(options.of(problems), always=always)
        yield BatchPart(table.restricted(problems, kept), own, problems, kept)


def restored(solution: Solution, kept: np.ndarray, n_features: int) -> Solution:
    """Return the answer for all columns; those that were taken out are not selected."""
    if kept.size == n_features:
        return solution
    xp = namespace(solution.coef)
    columns = xp.asarray(np.tile(kept, (solution.coef.shape[0], 1)), device=solution.coef.device)
    return solution._replace(
        support=put_along(solution.support, columns, n_features, False),
        coef=put_along(solution.coef, columns, n_features, 0.0),
        gates=solution.gates.among(kept, n_features),
        search=solution.search and [one.among(kept) for one in solution.search],
        posterior=solution.posterior
        and [one and _among_all(one, kept, n_features) for one in solution.posterior],
    )


def _among_all(known: Probabilities, kept: np.ndarray, n_features: int) -> Probabilities:
    def among_all(values: np.ndarray) -> np.ndarray:
        whole = np.zeros(n_features)
        whole[kept] = values
        return whole

    return known._replace(
        supports=[kept[own] for own in known.supports],
        inclusion=among_all(known.inclusion),
        inclusion_error=among_all(known.inclusion_error),
        together=known.together and known.together._replace(columns=kept[known.together.columns]),
        averaging=known.averaging._replace(columns=kept[known.averaging.columns]),
    )


def joined(answers: Sequence[Solution], order: np.ndarray | None = None) -> Solution:
    """Return several answers as one batch; its problem i is number ``order[i]`` of theirs."""
    if len(answers) == 1:
        return answers[0]
    places = np.arange(sum(one.coef.shape[0] for one in answers)) if order is None else order

    def stacked(fields: Sequence[Array]) -> Array:
        return taken_together(fields, places)

    searches = [own for one in answers for own in one.search or []]
    known = [own for one in answers for own in one.posterior or [None] * one.coef.shape[0]]
    noise = [one.noise_std for one in answers if one.noise_std is not None]
    return Solution(
        support=stacked([one.support for one in answers]),
        coef=stacked([one.coef for one in answers]),
        intercept=stacked([one.intercept for one in answers]),
        gates=joined_gates([one.gates for one in answers], places),
        alpha=stacked([one.alpha for one in answers]),
        noise_std=stacked(noise) if noise else None,
        search=[searches[i] for i in places] if searches else None,
        posterior=[known[i] for i in places] if any(known) else None,
    )
