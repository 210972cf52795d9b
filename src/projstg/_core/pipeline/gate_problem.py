"""The gates of tables of one shape: their λ, their first steps, and the fitted gates.

A search needs from the gates only a start, and their first six steps give as good a start as
fitted gates do (``benchmarks/gates_before_search.py``). So gates that do not decide the answer
are fitted only when they are asked for: a :class:`GateProblem` has all that is needed for that.

If there are many columns and a search over all of them follows, only the likeliest get gates. The
part of forced columns is taken out first, and their own gates are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along
from ..data.batch import Batch
from ..data.frame import Frame, in_range
from ..data.least_squares import largest
from ..data.partial_out import ForcedColumns, forced_columns, partialled
from ..data.problem import DenseProblem, Problem
from ..data.standard_table import StandardTables
from ..gates.alternate import warm_up_coefficients
from ..gates.gate_fit import GateFit, fit_gates
from ..gates.theory_lambda import given_alpha, rule_alpha
from ..progress import Report
from .options import Options
from .pipeline_settings import PIPELINE

__all__ = ["GateProblem", "can_wait", "first_steps", "fitted", "gate_problem", "in_data"]


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
    frame: Frame
    """What leads back to the data."""
    columns: Array | None = None
    """The columns that get gates, (B, W), forced ones first; None is all, in their order."""
    forced: ForcedColumns | None = None
    """Where ``places`` are among the columns that get gates."""

    def alone(self, i: int) -> GateProblem:
        """Return problem i of those of which all columns get gates and none is forced."""
        own = slice(i, i + 1)
        return self._replace(
            batch=self.batch.problems(np.asarray([i])),
            alpha=self.alpha[own],
            noise_std=None if self.noise_std is None else self.noise_std[own],
            seeds=self.seeds[own],
            frame=self.frame.each(lambda one: one[own]),
        )

    def without_rows(self) -> GateProblem:
        """Return the same with only the inner products of the columns."""
        return self._replace(batch=self.batch.without_rows())


def gate_problem(tables: StandardTables, options: Options, seeds: Sequence[int]) -> GateProblem:
    """Return what is needed to fit the gates: the columns that get gates, and λ."""
    frame, batch, n_columns = tables.units, tables.batch, tables.columns.size
    columns, forced = None, None
    is_some = options.has_search and n_columns > PIPELINE.most_gates
    if batch is None or is_some or options.always:
        xp, device = namespace(frame.scale), frame.scale.device

        def stacked(arrays: Sequence[np.ndarray]) -> Array:
            return xp.asarray(np.stack(arrays), device=device)

        parts = [_part(tables.problem(i), options, is_some) for i in range(len(tables))]
        batch = Batch.of([rest for rest, _, _ in parts])
        batch = batch.each(lambda one: None if one is None else xp.asarray(one, device=device))
        if is_some:
            columns = stacked([likeliest for _, likeliest, _ in parts])
        if options.always:
            taken_out = [own for _, _, own in parts if own is not None]
            forced = ForcedColumns(*map(stacked, zip(*taken_out, strict=True)))
    alpha, noise_std = _alpha_and_noise(batch, n_columns, frame.y_scale, options)
    return GateProblem(
        batch=batch,
        alpha=alpha,
        noise_std=noise_std,
        options=options,
        seeds=tuple(seeds),
        frame=frame,
        columns=columns,
        forced=forced,
    )


def _part(
    problem: Problem, options: Options, is_some: bool
) -> tuple[DenseProblem, np.ndarray, ForcedColumns | None]:
    """Return what gates are fitted to, the columns that get gates, (W,), and what was taken out."""
    must, columns = np.asarray(options.always, dtype=np.int64), np.arange(problem.b.size)
    if is_some:
        columns = _likeliest(problem, options, must)
        problem, must = problem.subset(columns), np.arange(must.size)
    if not must.size:
        return problem, columns, None  # type: ignore[return-value] # a wide one is a subset
    rest, scale = partialled(problem, must)
    return rest, columns, forced_columns(problem, must, scale)


def _likeliest(problem: Problem, options: Options, must: np.ndarray) -> np.ndarray:
    """Return the columns that get gates, (W,), forced ones first."""
    wanted = max(PIPELINE.likeliest, 4 * ((options.n_selected or 0) - must.size))
    size = np.abs((partialled(problem, must)[0] if must.size else problem).b)
    size[must] = -1.0
    likely = largest(size[None], 0.0 * size[None], min(wanted, size.size - must.size))
    return np.concatenate([must, likely[0]])


def can_wait(problem: GateProblem) -> bool:
    """Return whether the first steps are enough, and the gates can be fitted when asked for.

    Not if the gates decide the answer, are sampled or have no first steps, nor if so many columns
    get gates that keeping the problem would take too much memory.
    """
    gates = problem.options.gates
    is_small = problem.batch.b.shape[-1] <= PIPELINE.most_gates
    return problem.options.has_search and gates.warm_up and is_small and not gates.is_sampled


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
    return put_along(beta, problem.columns, problem.frame.columns.size, 0.0)


def fitted(problem: GateProblem, report: Report | None = None) -> GateFit:
    """Return the fitted gates of all columns of the tables; those that get no gates are closed."""
    of = (problem.batch, problem.alpha, problem.options.gates, problem.seeds)
    gates = fit_gates(*of, report=report)
    if problem.forced is not None:
        gates = _with_forced(gates, problem.alpha, problem.forced)
    if problem.columns is None:
        return gates
    return gates.among(problem.columns, problem.frame.columns.size)


def in_data(problem: GateProblem, gates: GateFit) -> GateFit:
    """Return fitted gates of all columns of the data, with coef and value in its units."""
    frame = problem.frame
    coef = in_range(gates.coef, frame.scale, frame.y_scale[:, None])
    gates = gates._replace(coef=coef, value=gates.value * frame.y_scale**2)
    if frame.columns.size == frame.n_features:
        return gates
    columns = np.tile(frame.columns, (coef.shape[0], 1))
    columns = namespace(coef).asarray(columns, device=coef.device)
    return gates.among(columns, frame.n_features)


def _with_forced(gates: GateFit, alpha: Array, forced: ForcedColumns) -> GateFit:
    """Return the gates of all W columns: as fitted, and open where forced."""
    xp, (n_forced, n_columns) = namespace(forced.shift), forced.shift.shape[1:]
    others = gates.coef / forced.unit
    own = forced.alone - (forced.shift @ others[:, :, None])[:, :, 0]
    is_forced = put_along(xp.ones_like(own), forced.places, n_columns, 0.0) > 0.0
    own = put_along(own, forced.places, n_columns, 0.0)
    return gates._replace(
        mu=xp.where(is_forced, xp.full_like(gates.mu, xp.inf), gates.mu),
        mean=xp.where(is_forced, xp.ones_like(gates.mean), gates.mean),
        coef=xp.where(is_forced, own, others),
        beta=xp.where(is_forced, own, gates.beta / forced.unit),
        value=gates.value + n_forced * alpha,
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
