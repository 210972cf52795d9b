"""The gates of tables of one shape: their λ, their first steps, and the fitted gates.

A search needs from the gates only a start, and their first six steps give as good a start as
fitted gates do (``benchmarks/gates_before_search.py``). So gates that do not decide the answer
are fitted only when they are asked for: a :class:`GateProblem` has all that is needed for that.

If there are many columns and a search over all of them follows, only the likeliest get gates. The
part of forced columns is taken out first, and their own gates are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along
from ..data.batch import Batch
from ..data.least_squares import largest
from ..data.partial_out import forced_coefficients, partialled
from ..data.problem import DenseProblem, Problem
from ..data.standard_table import StandardTables
from ..gates.alternate import warm_up_coefficients
from ..gates.gate_fit import GateFit, fit_gates
from ..gates.moments import gated_coefficients
from ..gates.theory_lambda import given_alpha, rule_alpha
from ..progress import Report
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = ["GateProblem", "can_wait", "first_steps", "fitted", "gate_problem"]


@dataclass(frozen=True, eq=False)
class _Forced:
    """Forced columns, taken out of B problems, and what gives their coefficients back."""

    places: Array
    """Where they are among the columns that get gates, (F,)."""
    alone: Array
    """Their coefficients where all others are zero, (B, F)."""
    shift: Array
    """What one unit of another coefficient subtracts from them, (B, F, W)."""
    unit: Array
    """A coefficient of the problems divided by this, (B, W), is one of standardised columns."""


class GateProblem(NamedTuple):
    """All that is needed to fit the gates of B tables."""

    batch: Batch
    """The W columns that get gates, without the part of forced columns."""
    alpha: Array
    """λ in units of the scaled y, (B,)."""
    noise_std: Array | None
    """σ in units of the scaled y, (B,); None where λ is given."""
    options: Options
    seeds: tuple[int, ...]
    n_columns: int
    """The number of all columns."""
    columns: Array | None = None
    """The columns that get gates, (B, W), forced ones first; None is all, in their order."""
    forced: _Forced | None = None

    def alone(self, i: int) -> GateProblem:
        """Return problem i of those of which all columns get gates and none is forced."""
        noise_std = None if self.noise_std is None else self.noise_std[i : i + 1]
        return self._replace(
            batch=self.batch.problems(np.asarray([i])),
            alpha=self.alpha[i : i + 1],
            noise_std=noise_std,
            seeds=self.seeds[i : i + 1],
        )

    def without_rows(self) -> GateProblem:
        """Return the same with only the inner products of the columns."""
        return self._replace(batch=self.batch.without_rows())


def gate_problem(tables: StandardTables, options: Options, seeds: Sequence[int]) -> GateProblem:
    """Return what is needed to fit the gates: the columns that get gates, and λ."""
    n_columns, batch = tables.columns.size, tables.batch
    columns, forced = None, None
    is_some = options.has_search and n_columns > PIPELINE.most_gates
    if batch is None or is_some or options.always:
        like = np.empty(0) if batch is None else batch.b
        parts = [_part(tables.problem(i), options, is_some) for i in range(len(tables))]
        batch = _like(Batch.of([part.rest for part in parts]), like)
        if is_some:
            columns = _array(np.stack([part.columns for part in parts]), like)
        if options.always:
            sides = [np.stack(side) for side in zip(*(part.forced for part in parts), strict=True)]
            places = np.arange(len(options.always)) if is_some else np.asarray(options.always)
            forced = _Forced(*(_array(one, like) for one in (places, *sides)))
    alpha, noise_std = _alpha_and_noise(batch, n_columns, tables.units.y_scale, options)
    return GateProblem(batch, alpha, noise_std, options, tuple(seeds), n_columns, columns, forced)


@dataclass(frozen=True, eq=False)
class _Part:
    """What gates are fitted to of one problem."""

    rest: DenseProblem
    columns: np.ndarray
    """The columns that get gates, (W,), forced ones first."""
    forced: tuple[np.ndarray, ...] | None
    """``alone``, ``shift`` and ``unit`` of :class:`_Forced`."""


def _part(problem: Problem, options: Options, is_some: bool) -> _Part:
    must, columns = np.asarray(options.always, dtype=np.int64), np.arange(problem.b.size)
    if is_some:
        columns = _likeliest(problem, options, must)
        problem, must = problem.subset(columns), np.arange(must.size)
    if not must.size:
        return _Part(problem, columns, None)  # type: ignore[arg-type] # a wide one is a subset
    rest, scale = partialled(problem, must)
    unit = np.where(scale > 0.0, scale, 1.0)
    return _Part(rest, columns, (*forced_coefficients(problem, must), unit))


def _likeliest(problem: Problem, options: Options, must: np.ndarray) -> np.ndarray:
    """Return the columns that get gates, (W,), forced ones first."""
    wanted = max(PIPELINE.likeliest, 4 * ((options.n_selected or 0) - must.size))
    size = np.abs((partialled(problem, must)[0] if must.size else problem).b)
    size[must] = -1.0
    likely = largest(size[None], 0.0 * size[None], min(wanted, size.size - must.size))
    return np.concatenate([must, likely[0]])


def _like(batch: Batch, like: Array) -> Batch:
    """Return a batch as arrays of the kind of another one, on its device."""
    return batch.each(lambda one: None if one is None else _array(one, like))


def _array(values: np.ndarray, like: Array) -> Any:
    return namespace(like).asarray(values, device=like.device)


def can_wait(problem: GateProblem) -> bool:
    """Return whether the first steps are enough, and the gates can be fitted when asked for.

    Not if the gates decide the answer, are sampled or have no first steps, nor if so many columns
    get gates that keeping the problem would take too much memory.
    """
    gates = problem.options.gates
    is_exact = gates.coefficients == "projected" and gates.expectation == "exact"
    is_small = problem.batch.b.shape[-1] <= PIPELINE.most_gates
    return problem.options.has_search and is_exact and gates.warm_up and is_small


def first_steps(problem: GateProblem, report: Report | None = None) -> Array:
    """Return coefficients (B, D) of standardised columns after the gates' first steps.

    Of many columns only those most correlated with y take part; the others have the coefficient
    zero.
    """
    batch, tau = problem.batch, problem.options.gates.tau
    xp, n_columns = namespace(batch.b), batch.b.shape[-1]
    if n_columns > PIPELINE.most_first_steps:
        few = largest(xp.abs(batch.b), xp.zeros_like(batch.b), PIPELINE.most_first_steps)
        beta = warm_up_coefficients(batch.columns(few), problem.alpha, tau, report)
        beta = put_along(beta, few, n_columns, 0.0)
    else:
        beta = warm_up_coefficients(batch, problem.alpha, tau, report)
    beta = beta if problem.forced is None else beta / problem.forced.unit
    if problem.columns is None:
        return beta
    return put_along(beta, problem.columns, problem.n_columns, 0.0)


def fitted(problem: GateProblem, report: Report | None = None) -> GateFit:
    """Return the fitted gates of all columns; those that get no gates are closed."""
    of = (problem.batch, problem.alpha, problem.options.gates, problem.seeds)
    gates = fit_gates(*of, report=report)
    if problem.forced is not None:
        gates = _with_forced(gates, problem.alpha, problem.forced)
    if problem.columns is None:
        return gates
    return gates.among(problem.columns, problem.n_columns)


def _with_forced(gates: GateFit, alpha: Array, forced: _Forced) -> GateFit:
    """Return the gates of all W columns: as fitted, and open where forced."""
    xp, unit, places = namespace(forced.unit), forced.unit, forced.places
    n_columns, theta = unit.shape[1], gates.theta / unit
    others = gated_coefficients(gates.mu, theta)
    coef = forced.alone - (forced.shift @ others[:, :, None])[:, :, 0]
    own = put_along(coef, xp.broadcast_to(places, coef.shape), n_columns, 0.0)
    is_forced = xp.any(xp.arange(n_columns, device=places.device)[:, None] == places, axis=-1)

    def put(value: Array, others: Array) -> Array:
        return xp.where(is_forced, value, others)

    return gates._replace(
        mu=put(xp.full_like(gates.mu, xp.inf), gates.mu),
        mean=put(xp.ones_like(gates.mean), gates.mean),
        theta=put(own, theta),
        beta=put(own, gates.beta / unit),
        value=gates.value + places.shape[0] * alpha,
    )


def _alpha_and_noise(
    rest: Batch, n_columns: int, y_scale: Array, options: Options
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
        n_features=n_columns,
        n_selected=k,
    )
