"""The whole job for a batch of tables: λ, gates, search, least squares.

``ProjectedSTG`` is :func:`solve` on one table, ``fit_many`` on many. Gates propose columns, a
search goes on from there by exchanges, its criterion decides and says how sure it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import Array, namespace, to_numpy
from ..data.least_squares import largest, spread
from ..data.partial_out import coefficients_of, forced_mask, partialled
from ..data.quadratic import Problem, on_host
from ..data.refit import columns_of, refit
from ..data.standard_table import StandardTable
from ..gates.alternate import Hook
from ..gates.gate_fit import GateFit, among_all, fit_gates
from ..gates.moments import gated_coefficients
from ..gates.theory_lambda import given_alpha, rule_alpha
from ..greedy.matching_pursuit import largest_correlation, matching_pursuits
from ..posterior.confidence import confidence, criterion_with_volume
from ..posterior.support_probabilities import Posterior
from ..score.criterion import CRITERIA, support_scores
from ..score.prior import uniform_prior
from ..search.best_support import Refined, refine
from ..search.record import slack
from .pipeline_settings import PIPELINE
from .solution import Options, Solution, joined, parts, restored

__all__ = ["always_mask", "solve"]


def solve(
    table: StandardTable, options: Options, seeds: Sequence[int], on_step: Hook | None = None
) -> Solution:
    """Choose the columns of each table; problem i draws from seeds[i]."""
    answers, order = [], []
    for part in parts(table, options):
        own = [seeds[i] for i in part.problems]
        answer = _solved(part.table, part.options, own, on_step)
        answers.append(restored(answer, part.kept, table.scale.shape[-1]))
        order.append(part.problems)
    return joined(answers, np.argsort(np.concatenate(order)))


def _solved(
    table: StandardTable, options: Options, seeds: Sequence[int], on_step: Hook | None
) -> Solution:
    """Choose among columns that may all be selected."""
    gates, alpha, noise_std = _gates(table, options, seeds, on_step)
    support, counts = _proposal(table, gates, options)
    search, known = None, None
    if options.refine and options.n_selected is not None:
        search, known = _search(table, support, options, seeds)
        support = namespace(support).asarray(search.support, device=support.device)
    fit = refit(table, support, counts)
    return Solution(
        support=fit.support,
        coef=fit.coef,
        intercept=fit.intercept,
        gated_coef=table.in_range(gated_coefficients(gates.mu, gates.theta)),
        gates=gates._replace(value=gates.value * table.y_scale**2),
        alpha=alpha * table.y_scale**2 if options.alpha is None else 0.0 * alpha + options.alpha,
        noise_std=None if noise_std is None else noise_std * table.y_scale,
        search=search,
        posterior=known,
    )


def _gates(
    table: StandardTable, options: Options, seeds: Sequence[int], on_step: Hook | None
) -> tuple[GateFit, Array, Array | None]:
    """Return fitted gates, λ and σ; forced columns are partialled out and their gates are open."""
    problem, n_forced = table.problem, len(options.always)
    if not n_forced:
        return _screened_gates(problem, table.y_scale, options, options.n_selected, seeds, on_step)
    xp = namespace(problem.b)
    forced = xp.asarray(options.always, device=problem.b.device)
    rest, scale = partialled(problem, forced)
    k = None if options.n_selected is None else options.n_selected - n_forced
    gates, alpha, noise_std = _screened_gates(rest, table.y_scale, options, k, seeds, on_step)
    gates = gates._replace(value=gates.value + n_forced * alpha)
    return _with_forced(problem, gates, scale, forced), alpha, noise_std


def _screened_gates(
    problem: Problem,
    y_scale: Array,
    options: Options,
    k: int | None,
    seeds: Sequence[int],
    on_step: Hook | None,
) -> tuple[GateFit, Array, Array | None]:
    """Return gates, λ and σ; of many columns only the likeliest, if a search over all follows."""
    n_features = problem.b.shape[-1]
    is_screened = options.refine and k is not None and n_features > 2 * PIPELINE.most_gates
    if not is_screened:
        alpha, noise_std = _alpha(problem, n_features, y_scale, options, k)
        gates = fit_gates(problem, alpha, options.gates, seeds, on_step=on_step)
        return gates, alpha, noise_std
    xp = namespace(problem.b)
    n_likely = max(PIPELINE.most_gates, 4 * (k or 1))
    likely = largest(xp.abs(problem.b), xp.zeros_like(problem.b), n_likely)
    few = problem.columns(likely)
    alpha, noise_std = _alpha(few, n_features, y_scale, options, k)
    gates = fit_gates(few, alpha, options.gates, seeds, on_step=on_step)
    return among_all(gates, likely, n_features), alpha, noise_std


def _with_forced(problem: Problem, gates: GateFit, scale: Array, forced: Array) -> GateFit:
    """Return gates of the whole problem: as fitted to the rest, and open where forced."""
    xp = namespace(scale)
    is_forced = forced_mask(forced, scale.shape[-1])
    unit = xp.where(scale > 0.0, scale, xp.ones_like(scale))
    gated = gated_coefficients(gates.mu, gates.theta / unit)
    own = spread(
        coefficients_of(problem, forced, gated),
        xp.broadcast_to(forced, (scale.shape[0], forced.shape[0])),
        scale.shape[-1],
    )

    def put(value: Array, others: Array) -> Array:
        return xp.where(is_forced, value, others)

    return gates._replace(
        mu=put(xp.full_like(gates.mu, xp.inf), gates.mu),
        mean=put(xp.ones_like(gates.mean), gates.mean),
        theta=put(own, gates.theta / unit),
        beta=put(own, gates.beta / unit),
    )


def _alpha(
    problem: Problem, n_features: int, y_scale: Array, options: Options, k: int | None
) -> tuple[Array, Array | None]:
    """Return λ and the σ it came from, in units of the scaled y; no σ where λ is given."""
    if options.alpha is not None:
        return given_alpha(options.alpha, y_scale), None
    return rule_alpha(
        problem,
        y_scale,
        factor=options.alpha_scale,
        noise_std=options.noise_std,
        n_features=n_features,
        n_selected=k,
    )


def _proposal(table: StandardTable, gates: GateFit, options: Options) -> tuple[Array, Array]:
    """Return the gates' columns, (B, k), and which places of that array count.

    With K given all do; of open gates there may be a different number in each problem.
    """
    xp = namespace(gates.mu)
    if options.n_selected is not None:
        # Columns are standardised: |coefficient| is |coefficient|·‖x_d‖ times a constant.
        size = xp.abs(gated_coefficients(gates.mu, gates.theta))
        score = xp.where(table.varies, size, -xp.ones_like(size))
        for column in options.always:
            score[:, column] = xp.inf
        support = largest(score, xp.abs(gates.beta), options.n_selected)
        return support, support >= 0
    return columns_of((gates.mu > 0.0) & table.varies, gates.mu.dtype)


def _search(
    table: StandardTable, support: Array, options: Options, seeds: Sequence[int]
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
        criterion=options.criterion,
        n_starts=options.n_starts,
        always=always,
        never=never,
    )
    known = None
    if options.probabilities:
        known = _posteriors(problem, found, options.criterion, always, never)
        if CRITERIA[options.criterion].counts_volume:
            found = _improved(problem, found, known, options.criterion)
    # n log(rss) in the units of the data; what is compared does not change.
    shift = 2.0 * to_numpy(table.problem.degrees_of_freedom) * np.log(to_numpy(table.y_scale))
    optima_in_units = [
        own._replace(scores=own.scores + by) for own, by in zip(found.optima, shift, strict=True)
    ]
    return found._replace(objective=found.objective + shift, optima=optima_in_units), known


def _starts(problem: Problem, support: Array, options: Options) -> np.ndarray:
    """Return the gates' columns and those of orthogonal matching pursuit, (B, S, K).

    Among very many columns the gates' alone: a pursuit is a pass over X for each of its columns.
    """
    proposed = to_numpy(support)[:, None, :]
    n_steps = support.shape[-1] - len(options.always)
    if problem.b.shape[-1] > 2 * PIPELINE.most_gates or n_steps == 0:
        return proposed
    xp = namespace(problem.b)
    if options.always:
        forced = xp.asarray(options.always, device=problem.b.device)
        problem, _ = partialled(problem, forced)
    greedy = matching_pursuits(problem, n_steps, 1, largest_correlation)
    found = np.tile(np.asarray(options.always, dtype=np.int64), (len(proposed), 1))
    found = np.sort(np.concatenate([found, to_numpy(greedy.order)], axis=1), axis=1)
    # A pursuit has no answer where all columns left depend on those taken.
    is_whole = to_numpy(xp.all(greedy.counts, axis=-1))[:, None]
    return np.stack([proposed[:, 0], np.where(is_whole, found, proposed[:, 0])], axis=1)


def _posteriors(
    problem: Problem, found: Refined, criterion: str, always: np.ndarray, never: np.ndarray
) -> list[Posterior]:
    """Return what the data say of the supports of each problem, all of the size that was found."""
    k = found.support.shape[1]
    with_volume, prior = CRITERIA[criterion_with_volume(criterion)], uniform_prior(k, k)
    return [
        confidence(
            problem.problems(np.asarray([i])),
            [optima],
            with_volume,
            prior,
            always=always,
            never=never[i],
        )
        for i, optima in enumerate(found.optima)
    ]


def always_mask(table: StandardTable, options: Options) -> np.ndarray:
    """Return the mask (D,) of the columns that must be selected."""
    always = np.zeros(table.scale.shape[-1], dtype=bool)
    always[list(options.always)] = True
    return always


def _improved(problem: Problem, found: Refined, known: list[Posterior], criterion: str) -> Refined:
    """Return what was found, or the likeliest support of the posterior where that is better."""
    likeliest = np.stack([one.supports[0] for one in known])
    scores = support_scores(problem, likeliest[:, None], CRITERIA[criterion])[:, 0]
    better = scores < found.objective - slack(found.objective)
    return found._replace(
        support=np.where(better[:, None], likeliest, found.support),
        objective=np.where(better, scores, found.objective),
        n_agreeing_starts=np.where(better, 0, found.n_agreeing_starts),
    )
