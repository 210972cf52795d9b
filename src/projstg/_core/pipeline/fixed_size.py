"""The columns of tables where K is given, or the gates decide: λ, gates, search, least squares.

The gates' first steps propose columns, and so does a greedy pursuit. A search goes on from both by
exchanges; its criterion decides the answer, and the posterior says how sure it is. Without a search
the fitted gates decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays.backend import Array, namespace, to_numpy
from ..data.least_squares import largest
from ..data.partial_out import partialled
from ..data.quadratic import Problem, in_memory, on_host
from ..data.refit import Refit, columns_of, refit
from ..data.standard_table import StandardTable
from ..gates.moments import gated_coefficients
from ..gates.theory_lambda import fits_all
from ..greedy.matching_pursuit import pursued_columns
from ..kernel.twin import answered_by, definition_of
from ..posterior.posterior import Posterior
from ..posterior.probabilities import Probabilities
from ..progress import Report
from ..score.criterion import Judge
from ..search.best_support import Refined, refine
from ..search.record import RankedSupports
from .answer_posterior import always_mask, with_posteriors
from .batch_gates import BatchGates, one_batch
from .compiled_fit import Answered, PenaltyAndNoise, answer_small, is_small
from .gate_question import (
    GateQuestion,
    alpha_and_noise,
    can_wait,
    first_steps,
    fitted,
    gate_question,
    plain_question,
)
from .options import Options
from .pipeline_settings import PIPELINE
from .solution import Solution, joined

__all__ = ["solve", "solve_known"]


def _is_for_kernel(table: StandardTable, options: Options, *_: Any, **__: Any) -> bool:
    return can_wait(options, table.scale.shape[-1]) and is_small(table.problem, options)


def _solved_small(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    report: Report | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Return the answer for small tables, by one call of the kernel.

    Tables for which that has too few digits are solved step by step.
    """
    if report is not None:
        report("search", 0, None)
    answered = answer_small(table, options, seeds, _penalty_and_noise(table, options), judge)
    done, left = np.flatnonzero(answered.is_done), np.flatnonzero(~answered.is_done)
    if not left.size:
        return _small_answer(table, options, seeds, report, answered)
    every, answers = np.arange(table.scale.shape[-1]), []
    for problems in (one for one in (done, left) if one.size):
        part, own = table.restricted(problems, every), options.of(problems)
        few = [seeds[i] for i in problems.tolist()]
        if problems is done:
            answers.append(_small_answer(part, own, few, report, answered.some(done)))
        else:
            by = None if judge is None else judge.problems(left)
            answers.append(definition_of(solve)(part, own, few, report, by))
    return joined(answers, np.argsort(np.concatenate([done, left])))


def _penalty_and_noise(table: StandardTable, options: Options) -> PenaltyAndNoise:
    """Return λ and σ of small tables as far as they are given, or come from all columns."""
    problem = table.problem
    alpha, noise_std = np.full((2, len(problem.b)), np.nan)
    is_known = fits_all(in_memory(problem))
    if options.alpha is not None or options.noise_std is not None:
        is_known = np.ones_like(is_known)
    if is_known.any():
        places = np.flatnonzero(is_known)
        some = problem if places.size == len(problem.b) else problem.problems(places)
        own = options.of(places)
        penalty = alpha_and_noise(some, problem.b.shape[-1], table.y_scale[places], own)
        alpha[places] = penalty[0]
        if penalty[1] is not None:
            noise_std[places] = penalty[1]
    return PenaltyAndNoise(alpha, noise_std)


def _small_answer(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    report: Report | None,
    answered: Answered,
) -> Solution:
    noise_std = None if options.alpha is not None else answered.penalty.noise_std
    question = plain_question(table, options, answered.penalty.alpha, noise_std, seeds)
    search, known = with_posteriors(table, answered.search, options, seeds, report)
    fit, pairs = answered.fitted, zip(search, answered.search, strict=True)
    is_other = [not np.array_equal(one.support, before.support) for one, before in pairs]
    if any(is_other):  # the posterior knew a better support
        places = np.flatnonzero(is_other)
        support = np.stack([search[i].support for i in places.tolist()])
        part = table.restricted(places, np.arange(table.scale.shape[-1]))
        for field, new in zip(fit, refit(part, support, support >= 0), strict=True):
            field[places] = new
    gates = one_batch(question, table, options.gates)
    return _answer(table, question, fit, gates)._replace(search=search, posterior=known)


@answered_by(_solved_small, where=_is_for_kernel)
def solve(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    report: Report | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Return the answer for tables whose columns may all be selected; i draws from seeds[i].

    ``judge`` is that of the tables by their criterion, for supports of K columns and more; None
    makes it.
    """
    question = gate_question(table, options, seeds)
    support, counts, gates = _proposal(table, question, report)
    search, known = None, None
    if options.has_search:
        search, known = _search(table, support, options, seeds, report, judge)
        chosen = np.stack([one.support for one in search])
        support = namespace(support).asarray(chosen, device=support.device)
    fitted = refit(table, support, counts)
    return _answer(table, question, fitted, gates)._replace(search=search, posterior=known)


def _answer(
    table: StandardTable, question: GateQuestion, fitted: Refit, gates: BatchGates
) -> Solution:
    """Return the answer without what a search knows of it."""
    options, alpha, unit = question.options, question.alpha, table.y_scale
    return Solution(
        **fitted._asdict(),
        gates=gates,
        alpha=alpha * unit**2 if options.alpha is None else 0.0 * alpha + options.alpha,
        noise_std=_noise_std(question, unit),
        search=None,
        posterior=None,
    )


def _noise_std(question: GateQuestion, unit: Array) -> Array | None:
    """Return σ in the units of the data, as it was given or from the data; None with λ given."""
    noise, given = question.noise_std, question.options.noise_std
    if noise is None or given is None:
        return None if noise is None else noise * unit
    return 0.0 * noise + given


def solve_known(
    table: StandardTable, options: Options, posterior: Posterior, seed: int, report: Report | None
) -> Solution:
    """Return the likeliest support of one table, all that weigh anything having been scored.

    Gates need not propose anything, and no search is made.
    """
    support = posterior.likeliest
    options = replace(options, n_selected=support.size)
    question = gate_question(table, options, [seed])
    if _can_wait(question):
        gates = one_batch(question, table, options.gates)
    else:
        gates = _proposal(table, question, report)[2]
    columns = namespace(question.alpha).asarray(support[None], device=question.alpha.device)
    score = posterior.target.score(support)
    found = Refined(
        support=support,
        objective=score,
        n_starts=0,
        n_agreeing_starts=0,
        n_iter=0,
        is_complete=True,
        n_redundant=posterior.target.n_redundant,
        n_columns=table.scale.shape[-1],
        judge=posterior.target.judge,
        ranked=RankedSupports(support[None], np.full(1, score)),
    )
    answer = _answer(table, question, refit(table, columns, columns >= 0), gates)
    return answer._replace(search=[found])


def _proposal(
    table: StandardTable, question: GateQuestion, report: Report | None
) -> tuple[Array, Array, BatchGates]:
    """Return the gates' columns, (B, k), which places of that array count, and the gates.

    With K given all count; of open gates there may be a different number in each problem.
    """
    xp, options = namespace(question.alpha), question.options
    if _can_wait(question):
        size = xp.abs(first_steps(question, report))
        support = _largest(table, size, size, options)
        return support, support >= 0, one_batch(question, table, options.gates)
    found = fitted(question, report)
    gates = one_batch(found, table, options.gates)
    if options.n_selected is None:
        is_open = (found.mu > 0.0) & table.varies
        return *columns_of(is_open, found.mu.dtype), gates
    size = xp.abs(gated_coefficients(found.mu, found.theta))
    support = _largest(table, size, xp.abs(found.beta), options)
    return support, support >= 0, gates


def _can_wait(question: GateQuestion) -> bool:
    return can_wait(question.options, question.problem.b.shape[-1])


def _largest(table: StandardTable, size: Array, tie: Array, options: Options) -> Array:
    """Return the K columns with the largest coefficients, (B, K), forced ones among them.

    Columns are standardised: |coefficient| is |coefficient|·‖x_d‖ times a constant.
    """
    xp = namespace(size)
    score = xp.where(table.varies, size, -xp.ones_like(size))
    for column in options.always:
        score[:, column] = xp.inf
    return largest(score, tie, options.n_selected or 0)


def _search(
    table: StandardTable,
    support: Array,
    options: Options,
    seeds: Sequence[int],
    report: Report | None,
    judge: Judge | None,
) -> tuple[list[Refined], list[Probabilities] | None]:
    """Search from the gates' proposal and the greedy one; the draws depend on (seed, K) alone."""
    k, problem = support.shape[-1], on_host(table.problem)
    if report is not None:
        report("search", 0, None)
    starts, never = _starts(table.problem, support, options), ~to_numpy(table.varies)
    found = []
    for i, seed in enumerate(seeds):
        own, is_alone = np.asarray([i]), len(seeds) == 1  # then it keeps its Gram matrix
        one = refine(
            problem if is_alone else problem.problems(own),
            k,
            starts=starts[i],
            generator=np.random.default_rng([seed, k]),
            criterion=options.criterion if judge is None else judge.problems(own),
            n_starts=options.n_starts,
            always=always_mask(table, options),
            never=never[i],
            report=report,
        )
        found.append(one)
    return with_posteriors(table, found, options, seeds, report)


def _starts(problem: Problem, support: Array, options: Options) -> np.ndarray:
    """Return the gates' columns and those of orthogonal matching pursuit, (B, S, K).

    Among very many columns only those of the gates: a pursuit needs a pass over X for each column.
    """
    proposed = to_numpy(support)[:, None, :]
    n_steps = support.shape[-1] - len(options.always)
    if problem.b.shape[-1] > PIPELINE.most_for_pursuit or n_steps == 0:
        return proposed
    xp = namespace(problem.b)
    if options.always:
        forced = xp.asarray(options.always, device=problem.b.device)
        problem, _ = partialled(in_memory(problem), forced)
    order, counts = pursued_columns(problem, n_steps)
    found = np.tile(np.asarray(options.always, dtype=np.int64), (len(proposed), 1))
    found = np.sort(np.concatenate([found, to_numpy(order)], axis=1), axis=1)
    # A pursuit ends early where all other columns depend on those taken.
    is_whole = to_numpy(xp.all(counts, axis=-1))[:, None]
    return np.stack([proposed[:, 0], np.where(is_whole, found, proposed[:, 0])], axis=1)
