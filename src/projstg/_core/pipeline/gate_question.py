"""The gates of a batch of tables: their λ, where a search begins, and gates at rest.

A search needs of the gates only where to begin, and their first six steps tell it as well as gates
that came to rest (``benchmarks/gates_before_search.py``). So gates that do not decide are fitted
when they are asked for: a :class:`GateQuestion` has all that it takes, and no row of the data.

Of many columns only those likeliest to matter get gates, if a search over all columns follows. The
part of forced columns is taken out before, and their own gates are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..arrays.backend import Array, namespace, put_along
from ..data.least_squares import largest, spread
from ..data.partial_out import coefficients_of, forced_mask, partialled
from ..data.quadratic import Problem, without_rows
from ..data.standard_table import StandardTable
from ..gates.alternate import Hook, warm_up_coefficients
from ..gates.gate_fit import GateFit, among_all, fit_gates
from ..gates.moments import gated_coefficients
from ..gates.theory_lambda import given_alpha, rule_alpha
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = ["GateQuestion", "begins_quickly", "first_steps", "fitted", "gate_question"]


@dataclass(frozen=True, eq=False)
class GateQuestion:
    """All that a fit of gates takes, for a batch of tables."""

    problem: Problem
    columns: Array | None
    """The columns that get gates, (B, W), forced ones first; None is all, in their order."""
    n_features: int
    """The number of all columns."""
    options: Options
    """``always`` are places among the columns that get gates."""
    alpha: Array
    """λ in units of the scaled y, (B,)."""
    noise_std: Array | None
    """σ likewise, (B,); None where λ is given."""
    seeds: tuple[int, ...]

    def to_keep(self) -> GateQuestion:
        """Return the same without rows of the data."""
        return replace(self, problem=without_rows(self.problem))


def gate_question(table: StandardTable, options: Options, seeds: Sequence[int]) -> GateQuestion:
    """Return the question with the columns that get gates, and λ."""
    problem, n_features, columns = table.problem, table.scale.shape[-1], None
    if options.refine and options.n_selected is not None and n_features > 2 * PIPELINE.most_gates:
        columns = _likeliest(problem, options)
        problem = problem.columns(columns)
        options = replace(options, always=tuple(range(len(options.always))))
    rest, _ = _without_forced(problem, options.always)
    alpha, noise_std = _alpha(rest, n_features, table.y_scale, options)
    return GateQuestion(problem, columns, n_features, options, alpha, noise_std, tuple(seeds))


def begins_quickly(question: GateQuestion) -> bool:
    """Return whether the first steps are enough, and the rest can wait until it is asked for.

    Gates that decide alone, that are sampled or have no first steps are fitted at once; so are
    gates of so many columns that the question would take too much memory to keep.
    """
    options, gates = question.options, question.options.gates
    decides_alone = not options.refine or options.n_selected is None
    has_steps = gates.coefficients == "projected" and gates.expectation == "exact" and gates.warm_up
    fits = question.problem.b.shape[-1] <= 2 * PIPELINE.most_gates
    return has_steps and fits and not decides_alone


def first_steps(question: GateQuestion, on_step: Hook | None = None) -> Array:
    """Return coefficients (B, D) of standardised columns after the gates' first steps."""
    rest, unit = _without_forced(question.problem, question.options.always)
    tau = question.options.gates.tau
    beta = warm_up_coefficients(rest, question.alpha, tau, on_step) / unit
    if question.columns is None:
        return beta
    return put_along(beta, question.columns, question.n_features, 0.0)


def fitted(question: GateQuestion, on_step: Hook | None = None) -> GateFit:
    """Return gates at rest, of all columns."""
    problem, options, alpha = question.problem, question.options, question.alpha
    rest, unit = _without_forced(problem, options.always)
    gates = fit_gates(rest, alpha, options.gates, question.seeds, on_step=on_step)
    if options.always:
        gates = gates._replace(value=gates.value + len(options.always) * alpha)
        forced = namespace(unit).asarray(options.always, device=unit.device)
        gates = _with_forced(problem, gates, unit, forced)
    if question.columns is None:
        return gates
    return among_all(gates, question.columns, question.n_features)


def _likeliest(problem: Problem, options: Options) -> Array:
    """Return the columns that get gates, (B, W), those forced first."""
    xp, n_features, n_forced = namespace(problem.b), problem.b.shape[-1], len(options.always)
    rest, _ = _without_forced(problem, options.always)
    wanted = max(PIPELINE.most_gates, 4 * ((options.n_selected or 0) - n_forced))
    size = xp.abs(rest.b)
    if not n_forced:
        return largest(size, xp.zeros_like(size), min(wanted, n_features))
    forced = xp.asarray(options.always, device=size.device)
    size = xp.where(forced_mask(forced, n_features), -xp.ones_like(size), size)
    likely = largest(size, xp.zeros_like(size), min(wanted, n_features - n_forced))
    first = xp.broadcast_to(forced, (size.shape[0], n_forced))
    return xp.concat([first, likely], axis=-1)


def _without_forced(problem: Problem, always: tuple[int, ...]) -> tuple[Problem, Array]:
    """Return what forced columns leave, and the scales (B, D), one for a column that is zero."""
    xp = namespace(problem.b)
    if not always:
        return problem, xp.ones_like(problem.b)
    rest, scale = partialled(problem, xp.asarray(always, device=problem.b.device))
    return rest, xp.where(scale > 0.0, scale, xp.ones_like(scale))


def _with_forced(problem: Problem, gates: GateFit, unit: Array, forced: Array) -> GateFit:
    """Return gates of the whole problem: as fitted to the rest, and open where forced."""
    xp = namespace(unit)
    is_forced = forced_mask(forced, unit.shape[-1])
    gated = gated_coefficients(gates.mu, gates.theta / unit)
    own = spread(
        coefficients_of(problem, forced, gated),
        xp.broadcast_to(forced, (unit.shape[0], forced.shape[0])),
        unit.shape[-1],
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
    rest: Problem, n_features: int, y_scale: Array, options: Options
) -> tuple[Array, Array | None]:
    """Return λ and the σ it came from, in units of the scaled y; no σ where λ is given."""
    if options.alpha is not None:
        return given_alpha(options.alpha, y_scale), None
    k = None if options.n_selected is None else options.n_selected - len(options.always)
    return rule_alpha(
        rest,
        y_scale,
        factor=options.alpha_scale,
        noise_std=options.noise_std,
        n_features=n_features,
        n_selected=k,
    )
