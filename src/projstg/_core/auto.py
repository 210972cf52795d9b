"""K chosen from the data, then everything as if it had been given.

A size is proposed (:mod:`projstg._core.sizes`) and the whole job is done for it
(:mod:`projstg._core.solve`). The posterior over supports of all sizes, begun from that answer too,
either agrees on the size or names another, and the job is done for that one. So the answer is the
one K would have had, and the probabilities are over all sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .backend import Array, namespace, to_numpy
from .confidence import confidence, judge_of
from .evidence import CRITERIA
from .fit import GateFit
from .optimize import Hook
from .posterior import Posterior, n_selectable, uniform_prior
from .refine import Refined, refine
from .sizes import information_size, ladder, largest_size
from .solve import Options, Solution, always_mask, solve
from .statistics import Problem, on_host
from .table import Table

__all__ = ["solve_auto"]

_MOST_PROPOSALS = 4


class _Question(NamedTuple):
    """One table, and what may be selected from it."""

    table: Table
    problem: Problem
    always: np.ndarray
    never: np.ndarray
    k_min: int
    k_max: int

    @property
    def limits(self) -> dict[str, np.ndarray]:
        return {"always": self.always, "never": self.never}


def solve_auto(
    table: Table,
    options: Options,
    selection: str,
    seeds: Sequence[int],
    on_step: Hook | None = None,
) -> Solution:
    """Choose K for each table of the batch, and its columns, as :func:`solve` does for K given."""
    answers = []
    for i, seed in enumerate(seeds):
        asked = _question(table.part(i), options)
        if selection == "evidence":
            answers.append(_by_evidence(asked, options, seed, on_step))
        else:
            answers.append(_by_information(asked, options, selection, seed, on_step))
    return answers[0] if len(answers) == 1 else _joined(answers)


def _question(table: Table, options: Options) -> _Question:
    problem, always = on_host(table.problem), always_mask(table, options)
    never, k_min = ~to_numpy(table.varies)[0], int(always.sum())
    k_max = max(largest_size(problem, n_selectable(always, never)), k_min)
    return _Question(table, problem, always, never, k_min, k_max)


def _by_evidence(asked: _Question, options: Options, seed: int, on_step: Hook | None) -> Solution:
    """Propose the size of the likeliest support, and solve for it, until it stays."""
    criterion, prior = judge_of(options.criterion), uniform_prior(asked.k_min, asked.k_max)
    judge = CRITERIA[criterion]
    found = ladder(asked.problem, criterion, asked.k_max, **asked.limits, seed=seed)
    known = confidence(asked.problem, found, judge, prior, **asked.limits)
    answers: dict[int, Solution] = {}
    for _ in range(_MOST_PROPOSALS):
        k = known.supports[0].size
        if k in answers:
            break
        answers[k] = solve(asked.table, replace(options, n_selected=k), [seed], on_step)
        search = answers[k].search
        if search is None:
            break
        found = [*found, search.optima[0]]
        known = confidence(asked.problem, found, judge, prior, **asked.limits)
    answer = answers.get(known.supports[0].size, answers[k])
    return answer._replace(posterior=[known])


def _by_information(
    asked: _Question, options: Options, selection: str, seed: int, on_step: Hook | None
) -> Solution:
    """Search every size and solve for the one with the lowest criterion."""

    def search(k: int) -> np.ndarray:
        return refine(
            asked.problem,
            k,
            generators=[np.random.default_rng([seed, k])],
            criterion=options.criterion,
            n_starts=options.n_starts,
            **asked.limits,
        ).support[0]

    n_free = n_selectable(asked.always, asked.never)
    k = information_size(asked.problem, selection, search, asked.k_min, asked.k_max, n_free)
    return solve(asked.table, replace(options, n_selected=k), [seed], on_step)


def _joined(answers: Sequence[Solution]) -> Solution:
    """Return the answers of single problems as those of a batch."""
    xp = namespace(answers[0].coef)

    def stacked(parts: Sequence[Array]) -> Array:
        return xp.concat(list(parts), axis=0)

    gates = [stacked(parts) for parts in zip(*(one.gates for one in answers), strict=True)]
    search = [one.search for one in answers if one.search is not None]
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
        search=_joined_search(search) if search else None,
        posterior=known if len(known) == len(answers) else None,
    )


def _joined_search(searches: Sequence[Refined]) -> Refined:
    """Return what the searches found; sizes differ, so −1 stands where a support has ended."""
    widest = max(one.support.shape[1] for one in searches)
    support = np.full((len(searches), widest), -1)
    for row, one in zip(support, searches, strict=True):
        row[: one.support.shape[1]] = one.support[0]
    return Refined(
        support,
        np.concatenate([one.objective for one in searches]),
        np.concatenate([one.n_starts for one in searches]),
        np.concatenate([one.n_agreeing_starts for one in searches]),
        np.concatenate([one.n_iter for one in searches]),
        [one.optima[0] for one in searches],
    )
