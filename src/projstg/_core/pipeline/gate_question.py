"""The gates of a batch of tables: their λ, their first steps, and the fitted gates.

A search needs from the gates only a start, and their first six steps give as good a start as
fitted gates do (``benchmarks/gates_before_search.py``). So gates that do not decide the answer
are fitted only when they are asked for: a :class:`GateQuestion` has all that is needed for that.

If there are many columns and a search over all of them follows, only the likeliest get gates. The
part of forced columns is taken out first, and their own gates are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..arrays.backend import Array, namespace, put_along
from ..data.least_squares import largest, spread
from ..data.partial_out import ForcedCoefficients, forced_coefficients, forced_mask, partialled
from ..data.quadratic import Problem, in_memory, without_rows
from ..data.standard_table import StandardTable
from ..gates.alternate import warm_up_coefficients
from ..gates.gate_fit import GateFit, among_all, fit_gates
from ..gates.moments import gated_coefficients
from ..gates.theory_lambda import given_alpha, rule_alpha
from ..progress import Report
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = [
    "GateQuestion",
    "alpha_and_noise",
    "can_wait",
    "first_steps",
    "fitted",
    "gate_question",
    "plain_question",
]


@dataclass(frozen=True, eq=False)
class GateQuestion:
    """All that is needed to fit the gates of a batch of tables."""

    problem: Problem
    """The W columns that get gates, without the part of forced columns."""
    unit: Array
    """A coefficient of ``problem`` divided by this, (B, W), is one of standardised columns."""
    forced: _Forced | None
    columns: Array | None
    """The columns that get gates, (B, W), forced ones first; None is all, in their order."""
    n_features: int
    """The number of all columns."""
    options: Options
    alpha: Array
    """λ in units of the scaled y, (B,)."""
    noise_std: Array | None
    """σ in units of the scaled y, (B,); None where λ is given."""
    seeds: tuple[int, ...]

    def without_source(self) -> GateQuestion:
        """Return the same question without the rows that it came from."""
        problem = self.problem.with_source(None)
        return self if problem is self.problem else replace(self, problem=problem)

    def without_rows(self) -> GateQuestion:
        """Return the same question with only the inner products of the columns."""
        return replace(self, problem=without_rows(self.problem))


@dataclass(frozen=True, eq=False)
class _Forced:
    """Forced columns of a question."""

    places: Array
    """Where they are among the columns that get gates, (F,)."""
    coefficients: ForcedCoefficients


def gate_question(table: StandardTable, options: Options, seeds: Sequence[int]) -> GateQuestion:
    """Return what is needed to fit the gates: the columns that get gates, and λ."""
    problem, columns = table.problem, None
    xp, n_features = namespace(problem.b), table.scale.shape[-1]
    always = xp.asarray(options.always, dtype=xp.int64, device=problem.b.device)
    if options.has_search and n_features > PIPELINE.most_gates:
        columns = _likeliest(problem, options, always)
        problem = problem.columns(columns)
        always = xp.arange(len(options.always), device=problem.b.device)
    forced, unit, rest = None, xp.ones_like(problem.b), problem
    if options.always:
        forced = _Forced(always, forced_coefficients(in_memory(problem), always))
        rest, scale = partialled(in_memory(problem), always)
        unit = xp.where(scale > 0.0, scale, unit)
    alpha, noise_std = alpha_and_noise(rest, n_features, table.y_scale, options)
    return GateQuestion(
        rest, unit, forced, columns, n_features, options, alpha, noise_std, tuple(seeds)
    )


def plain_question(
    table: StandardTable,
    options: Options,
    alpha: Array,
    noise_std: Array | None,
    seeds: Sequence[int],
) -> GateQuestion:
    """Return what :func:`gate_question` returns where all columns get gates and none is forced."""
    problem = table.problem.with_source(None)
    unit, n_features = namespace(problem.b).ones_like(problem.b), problem.b.shape[-1]
    return GateQuestion(
        problem, unit, None, None, n_features, options, alpha, noise_std, tuple(seeds)
    )


def can_wait(options: Options, n_columns: int) -> bool:
    """Return whether the first steps are enough, and the gates can be fitted when asked for.

    Not if the gates decide the answer, are sampled or have no first steps, nor if so many columns
    get gates that keeping the question would take too much memory.
    """
    gates = options.gates
    is_exact = gates.coefficients == "projected" and gates.expectation == "exact"
    is_small = n_columns <= PIPELINE.most_gates
    return options.has_search and is_exact and gates.warm_up and is_small


def first_steps(question: GateQuestion, report: Report | None = None) -> Array:
    """Return coefficients (B, D) of standardised columns after the gates' first steps.

    Of many columns only those most correlated with y take part; the others have the coefficient
    zero.
    """
    tau, problem = question.options.gates.tau, question.problem
    xp, n_columns = namespace(problem.b), problem.b.shape[-1]
    if n_columns > PIPELINE.most_first_steps:
        few = largest(xp.abs(problem.b), xp.zeros_like(problem.b), PIPELINE.most_first_steps)
        beta = warm_up_coefficients(problem.columns(few), question.alpha, tau, report)
        beta = put_along(beta, few, n_columns, 0.0) / question.unit
    else:
        own = in_memory(problem)
        beta = warm_up_coefficients(own, question.alpha, tau, report) / question.unit
    if question.columns is None:
        return beta
    return put_along(beta, question.columns, question.n_features, 0.0)


def fitted(question: GateQuestion, report: Report | None = None) -> GateFit:
    """Return the fitted gates of all columns."""
    gates = fit_gates(
        in_memory(question.problem),
        question.alpha,
        question.options.gates,
        question.seeds,
        report=report,
    )
    if question.forced is not None:
        gates = _with_forced(gates, question.unit, question.alpha, question.forced)
    if question.columns is None:
        return gates
    return among_all(gates, question.columns, question.n_features)


def _likeliest(problem: Problem, options: Options, always: Array) -> Array:
    """Return the columns that get gates, (B, W), forced ones first."""
    xp, n_features, n_forced = namespace(problem.b), problem.b.shape[-1], len(options.always)
    wanted = max(PIPELINE.likeliest, 4 * ((options.n_selected or 0) - n_forced))
    rest = partialled(in_memory(problem), always)[0] if n_forced else problem
    size = xp.where(forced_mask(always, n_features), -xp.ones_like(rest.b), xp.abs(rest.b))
    likely = largest(size, xp.zeros_like(size), min(wanted, n_features - n_forced))
    first = xp.broadcast_to(always, (size.shape[0], n_forced))
    return xp.concat([first, likely], axis=-1)


def _with_forced(gates: GateFit, unit: Array, alpha: Array, forced: _Forced) -> GateFit:
    """Return the gates of all W columns: as fitted, and open where forced."""
    xp, (n_problems, n_columns) = namespace(unit), unit.shape
    places, theta = forced.places, gates.theta / unit
    own = spread(
        forced.coefficients.beside(gated_coefficients(gates.mu, theta)),
        xp.broadcast_to(places, (n_problems, places.shape[0])),
        n_columns,
    )
    is_forced = forced_mask(places, n_columns)

    def put(value: Array, others: Array) -> Array:
        return xp.where(is_forced, value, others)

    return gates._replace(
        mu=put(xp.full_like(gates.mu, xp.inf), gates.mu),
        mean=put(xp.ones_like(gates.mean), gates.mean),
        theta=put(own, theta),
        beta=put(own, gates.beta / unit),
        value=gates.value + places.shape[0] * alpha,
    )


def alpha_and_noise(
    rest: Problem, n_features: int, y_scale: Array, options: Options
) -> tuple[Array, Array | None]:
    """Return λ and the σ it came from, in units of the scaled y; no σ where λ is given."""
    if options.alpha is not None:
        return given_alpha(options.alpha, y_scale), None
    k = None if options.n_selected is None else options.n_selected - len(options.always)
    return rule_alpha(
        in_memory(rest),
        y_scale,
        factor=options.alpha_scale,
        noise_std=options.noise_std,
        n_features=n_features,
        n_selected=k,
    )
