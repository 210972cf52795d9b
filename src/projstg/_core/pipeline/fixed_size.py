"""The whole job for a batch of tables: λ, gates, search, least squares.

``ProjectedSTG`` is :func:`solve` on one table, ``fit_many`` on many. The gates' first steps propose
columns, and so does a greedy pursuit. A search goes on from both by exchanges; its criterion
decides the answer, and the posterior says how sure it is. Without a search the fitted gates
decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays.backend import Array, namespace, to_numpy
from ..data.least_squares import largest
from ..data.partial_out import partialled
from ..data.quadratic import Problem, on_host
from ..data.refit import Refit, columns_of, refit
from ..data.standard_table import StandardTable
from ..gates.alternate import Hook
from ..gates.moments import gated_coefficients
from ..greedy.matching_pursuit import pursued_columns
from ..posterior.probabilities import Beliefs, Posterior, criterion_with_volume
from ..score.criterion import CRITERIA, Criterion, Judge
from ..search.best_support import Refined, refine
from ..search.record import Optima, slack
from .batch_gates import BatchGates, one_batch
from .gate_question import GateQuestion, can_wait, first_steps, fitted, gate_question
from .options import Options
from .pipeline_settings import PIPELINE
from .solution import Solution, joined, parts, restored

__all__ = ["always_mask", "solve", "solve_known", "with_beliefs"]


def solve(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    on_step: Hook | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Return the answer for each table of the batch; problem i draws from seeds[i].

    ``judge`` is that of the tables by their criterion, for supports of K columns and more; None
    makes it. All columns of a table with a judge must vary.
    """
    answers, order = [], []
    for part in parts(table, options):
        own = [seeds[i] for i in part.problems]
        answer = _solved(part.table, part.options, own, on_step, judge)
        answers.append(restored(answer, part.kept, table.scale.shape[-1]))
        order.append(part.problems)
    return joined(answers, np.argsort(np.concatenate(order)))


def _solved(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    on_step: Hook | None,
    judge: Judge | None,
) -> Solution:
    """Return the answer for tables whose columns may all be selected."""
    question = gate_question(table, options, seeds)
    support, counts, gates = _proposal(table, question, on_step)
    search, known = None, None
    if options.has_search:
        search, known = _search(table, support, options, seeds, judge)
        support = namespace(support).asarray(search.support, device=support.device)
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
        noise_std=None if question.noise_std is None else question.noise_std * unit,
        search=None,
        posterior=None,
    )


def solve_known(table: StandardTable, options: Options, beliefs: Beliefs, seed: int) -> Solution:
    """Return the likeliest support of one table, all that weigh anything having been scored.

    Gates need not propose anything, and no search is made.
    """
    support = beliefs.likeliest
    options = replace(options, n_selected=support.size)
    question = gate_question(table, options, [seed])
    if can_wait(question):
        gates = one_batch(question, table, options.gates)
    else:
        gates = _proposal(table, question, None)[2]
    xp, none = namespace(question.alpha), np.zeros(1, dtype=np.int64)
    columns = xp.asarray(support[None], device=question.alpha.device)
    score = np.full(1, beliefs.score(support))
    found = Refined(
        support=support[None],
        objective=score,
        n_starts=none,
        n_agreeing_starts=none,
        n_iter=none,
        is_diluted=np.full(1, beliefs.criterion.is_diluted),
        is_complete=np.ones(1, dtype=bool),
        n_redundant=np.full(1, beliefs.n_redundant),
        judges=[beliefs.criterion],
        optima=[Optima(support[None], score)],
    )
    answer = _answer(table, question, refit(table, columns, columns >= 0), gates)
    return answer._replace(search=_scores_in_units(found, table, 1.0))


def _proposal(
    table: StandardTable, question: GateQuestion, on_step: Hook | None
) -> tuple[Array, Array, BatchGates]:
    """Return the gates' columns, (B, k), which places of that array count, and the gates.

    With K given all count; of open gates there may be a different number in each problem.
    """
    xp, options = namespace(question.alpha), question.options
    if can_wait(question):
        size = xp.abs(first_steps(question, on_step))
        support = _largest(table, size, size, options)
        return support, support >= 0, one_batch(question, table, options.gates)
    found = fitted(question, on_step)
    gates = one_batch(found, table, options.gates)
    if options.n_selected is None:
        is_open = (found.mu > 0.0) & table.varies
        return *columns_of(is_open, found.mu.dtype), gates
    size = xp.abs(gated_coefficients(found.mu, found.theta))
    support = _largest(table, size, xp.abs(found.beta), options)
    return support, support >= 0, gates


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
    judge: Judge | None,
) -> tuple[Refined, list[Posterior] | None]:
    """Search from the gates' proposal and the greedy one; the draws depend on (seed, K) alone."""
    k = support.shape[-1]
    problem, always, never = (
        on_host(table.problem),
        always_mask(table, options),
        ~to_numpy(table.varies),
    )
    found = refine(
        problem,
        k,
        starts=_starts(table.problem, support, options),
        generators=[np.random.default_rng([seed, k]) for seed in seeds],
        criterion=options.criterion if judge is None else judge,
        n_starts=options.n_starts,
        always=always,
        never=never,
    )
    if not options.probabilities:
        return _scores_in_units(found, table, 1.0), None
    known = []
    for i, seed in enumerate(seeds):
        own = np.asarray([i])
        better, posterior = _with_beliefs(
            problem.problems(own), found.one(i), options, always, never[i], seed
        )
        found = found.put(own, better)
        known.append(posterior)
    return _scores_in_units(found, table, 1.0), known


def _scores_in_units(found: Refined, table: StandardTable, sign: float) -> Refined:
    """Return the result with scores in the units of the data (sign 1) or back again (sign −1).

    ν log(rss) changes by a constant. Scores are compared in units of the scaled y.
    """
    dof, unit = to_numpy(table.problem.degrees_of_freedom), to_numpy(table.y_scale)
    shift = sign * 2.0 * dof * np.log(unit)
    optima = [
        own._replace(scores=own.scores + by) for own, by in zip(found.optima, shift, strict=True)
    ]
    return found._replace(objective=found.objective + shift, optima=optima)


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
        problem, _ = partialled(problem, forced)
    order, counts = pursued_columns(problem, n_steps)
    found = np.tile(np.asarray(options.always, dtype=np.int64), (len(proposed), 1))
    found = np.sort(np.concatenate([found, to_numpy(order)], axis=1), axis=1)
    # A pursuit ends early where all other columns depend on those taken.
    is_whole = to_numpy(xp.all(counts, axis=-1))[:, None]
    return np.stack([proposed[:, 0], np.where(is_whole, found, proposed[:, 0])], axis=1)


def _with_beliefs(
    problem: Problem,
    found: Refined,
    options: Options,
    always: np.ndarray,
    never: np.ndarray,
    seed: int,
) -> tuple[Refined, Posterior]:
    """Return what was found in one problem, or a better support, and its posterior.

    Both are over supports of the size that was found.
    """
    k, optima = found.support.shape[1], found.optima[0]
    criterion = _criterion_of(options.criterion, found)
    prior = np.where(np.arange(k + 1) == k, 0.0, -np.inf)
    beliefs = Beliefs(problem, criterion, prior, always=always, never=never)
    if found.is_complete[0] and CRITERIA[options.criterion].counts_volume:
        beliefs.take(optima)
    elif beliefs.is_enumerable:
        beliefs.enumerate()
    else:
        beliefs.count([optima])
        beliefs.sample(seed)
    found = _improved(found, beliefs, options.criterion)
    return found, beliefs.about(found.support[0])


def _criterion_of(name: str, found: Refined) -> Criterion:
    """Return the criterion that probabilities come from, for what was found in one problem."""
    if not CRITERIA[name].counts_volume:
        return CRITERIA[criterion_with_volume(name)]
    return replace(found.judges[0], is_diluted=bool(found.is_diluted[0]))


def always_mask(table: StandardTable, options: Options) -> np.ndarray:
    """Return the mask (D,) of the columns that must be selected."""
    always = np.zeros(table.scale.shape[-1], dtype=bool)
    always[list(options.always)] = True
    return always


def with_beliefs(
    solution: Solution, beliefs: Beliefs, table: StandardTable, options: Options
) -> Solution:
    """Return the answer for one table with a posterior of supports of all sizes.

    If its likeliest support also has K columns and a better score than the search's, it becomes the
    answer. If the decision is for the columns likelier than not, and the criterion has
    probabilities, these do.
    """
    if solution.search is None:
        raise RuntimeError("K is to be chosen from the data, but no search was run.")
    found = _scores_in_units(solution.search, table, -1.0)
    better = found
    if beliefs.likeliest.size == found.support.shape[1]:
        better = _improved(found, beliefs, options.criterion)
    if options.decision == "median" and CRITERIA[options.criterion].counts_volume:
        better = _replaced(better, beliefs, beliefs.median(better.support[0]))
    if not np.array_equal(better.support, found.support):
        support = namespace(solution.coef).asarray(better.support, device=solution.coef.device)
        solution = solution._replace(
            search=_scores_in_units(better, table, 1.0),
            **refit(table, support, support >= 0)._asdict(),
        )
    return solution._replace(posterior=[beliefs.about(better.support[0])])


def _improved(found: Refined, beliefs: Beliefs, criterion: str) -> Refined:
    """Return what was found in one problem, or the likeliest support where that is better.

    Both have the same number of columns. Under a criterion without probabilities (least squares)
    nothing changes.
    """
    if not CRITERIA[criterion].counts_volume:
        return found
    better = _replaced(found, beliefs, beliefs.likeliest)
    # A search that met only dependent supports has scores of another kind, and is no rival.
    is_rival = bool(found.is_diluted[0]) == beliefs.criterion.is_diluted
    if is_rival and not better.objective[0] < found.objective[0] - slack(found.objective[0]):
        return found
    return better


def _replaced(found: Refined, beliefs: Beliefs, support: np.ndarray) -> Refined:
    """Return what was found in one problem with another support, which no start arrived at."""
    if np.array_equal(support, found.support[0]):
        return found
    nobody, score = np.zeros_like(found.n_agreeing_starts), np.full(1, beliefs.score(support))
    return found._replace(
        support=support[None],
        objective=score,
        n_agreeing_starts=nobody,
        judges=[beliefs.criterion],
    )
