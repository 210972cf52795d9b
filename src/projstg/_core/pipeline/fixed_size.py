"""The columns of tables where K is given, or the gates decide: λ, gates, search, least squares.

The gates' first steps propose columns, and so does a greedy pursuit. A search goes on from both by
exchanges; its criterion decides the answer, and the posterior says how sure it is. Without a search
the fitted gates decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import Array, namespace, to_numpy
from ..data.least_squares import largest, least_squares, least_squares_of_each
from ..data.problem import Problem
from ..data.standard_table import StandardTables
from ..gates.gate_fit import GateFit
from ..posterior.posterior import Posterior
from ..progress import Report
from ..score.criterion import CRITERIA, Judge
from ..search.best_support import Refined
from ..search.record import RankedSupports
from .answer_posterior import of_given_size
from .best_of_size import best_from, best_of_size
from .gate_problem import GateProblem, can_wait, fitted, gate_problem, in_data
from .options import Options
from .solution import Answer, Solution

__all__ = ["solve_fixed", "solve_known"]


def solve_fixed(
    tables: StandardTables,
    options: Options,
    seeds: Sequence[int],
    report: Report | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Return the answers for tables; table i draws from seeds[i].

    ``judge`` is that of the one table by the criterion, for supports of K columns and more; None
    makes it.
    """
    gates = gate_problem(tables, options, seeds)
    if not options.has_search:
        return _by_gates(tables, gates, fitted(gates, report))
    problems = [tables.problem(i) for i in range(len(tables))]
    must, criterion = options.must(tables.columns.size), CRITERIA[options.criterion]
    judges = [judge] if judge else criterion.judges(problems, options.n_selected, must)
    fit = None if can_wait(gates) else fitted(gates, report)
    if fit is None:
        found = best_of_size(problems, judges, gates, report)
    else:
        proposed = to_numpy(_largest(tables, fit, options))
        found = best_from(problems, judges, proposed, gates, report)
    if options.probabilities:
        found = [
            of_given_size(problem, answer, options, seed, report)
            for problem, answer, seed in zip(problems, found, seeds, strict=True)
        ]
    return _solution(problems, found, gates, fit)


def solve_known(
    tables: StandardTables, options: Options, posterior: Posterior, seed: int, report: Report | None
) -> Solution:
    """Return the likeliest support of one table, all that weigh anything having been scored.

    Gates need not propose anything, and no search is made.
    """
    support, target = posterior.likeliest, posterior.target
    options = options.of_size(support.size)
    gates = gate_problem(tables, options, [seed])
    score = target.score(support)
    found = Refined(
        support=support,
        objective=score,
        n_starts=0,
        n_agreeing_starts=0,
        n_iter=0,
        is_complete=True,
        n_redundant=target.n_redundant,
        n_columns=tables.columns.size,
        judge=target.judge,
        ranked=RankedSupports(support[None], np.full(1, score)),
    )
    answer = Answer(support, least_squares(target.problem, support), found)
    fit = None if can_wait(gates) else fitted(gates, report)
    return _solution([target.problem], [answer], gates, fit)


def _by_gates(tables: StandardTables, gates: GateProblem, fit: GateFit) -> Solution:
    """Return what the gates select: the K largest, or all that are open."""
    if gates.options.n_selected is None:
        is_open = to_numpy(fit.mu > 0.0) & tables.varies
        supports = [np.flatnonzero(mask) for mask in is_open]
        coefs = [least_squares(tables.problem(i), own) for i, own in enumerate(supports)]
    else:
        supports = list(to_numpy(_largest(tables, fit, gates.options)))
        of = (tables.batch, np.stack(supports), tables.problem)
        coefs = list(least_squares_of_each(*of))  # type: ignore[arg-type] # wide tables are searched
    answers = [Answer(*answer) for answer in zip(supports, coefs, strict=True)]
    return _solution([], answers, gates, fit)


def _largest(tables: StandardTables, fit: GateFit, options: Options) -> Array:
    """Return the K columns with the largest coefficients, (B, K), forced ones among them.

    Columns are standardised: |coefficient| is |coefficient|·‖x_d‖ times a constant.
    """
    xp = namespace(fit.mu)
    size = xp.abs(fit.coef)
    size = xp.where(tables.units.scale > 0.0, size, -xp.ones_like(size))
    for column in options.always:
        size[:, column] = xp.inf
    return largest(size, xp.abs(fit.beta), options.n_selected or 0)


def _solution(
    problems: Sequence[Problem], answers: Sequence[Answer], gates: GateProblem, fit: GateFit | None
) -> Solution:
    """Return answers with λ and σ in the units of the data, as they were given or from the data."""
    options, unit = gates.options, gates.frame.y_scale
    alpha, noise_std = gates.alpha * unit**2, gates.noise_std
    if options.alpha is not None:
        alpha = 0.0 * gates.alpha + options.alpha
    if noise_std is not None:
        given = options.noise_std
        noise_std = to_numpy(noise_std * unit if given is None else 0.0 * noise_std + given)
    kept: GateFit | GateProblem
    if fit is None:
        kept = gates._replace(batch=gates.batch.without_products())
    else:
        kept = in_data(gates, fit)
    return Solution(answers, problems, kept, to_numpy(alpha), noise_std)
