r"""Minimising the exact risk over the gates by alternation.

Given the gates, the best coefficients are a projection
(Theorem 1); given the coefficients, the best gates are a look-up, one column at a time
(:mod:`.concave_penalty`). Alternating the two never raises the risk and has no step size:

    β ← argmin ‖y − Xβ‖² + n Σ ρ_d β_d²,     ρ_d ← g'(β_d²/λ).

It needs far fewer rounds than gradient steps. For most columns the minimum is at μ = ±∞, and such a
gate gets there in one step. The rule for stopping looks at β, which converges for these gates too.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, clip, namespace
from ..data.batch import Batch
from ..kernel import library
from ..kernel.library import Record
from ..kernel.twin import answered_by, definition_of
from ..progress import Report, steps_of
from .concave_penalty import REACH, GatePenalty, gate_penalty
from .gate_settings import GATES
from .moments import open_slope
from .projection import project
from .risk import residual_sum_of_squares

__all__ = [
    "Optimum",
    "Status",
    "alternate",
    "common_steps",
    "response_scale",
    "steps_record",
    "warm_up_coefficients",
]


class Status(IntEnum):
    """How an optimisation ended."""

    CONVERGED = 0
    MAX_ITER = 1
    STOPPED = 2
    DIVERGED = 3


class Optimum(NamedTuple):
    """Where the alternation ended; every field has the batch's leading axis."""

    mu: Array
    beta: Array
    """θ ⊙ E[z] in units of the standardised columns."""
    value: Array
    n_iter: Array
    criterion: Array
    """The largest last change of a coefficient, relative to the root mean square of y."""
    status: Array


def alternate(
    problem: Batch,
    alpha: Array,
    tau: float,
    *,
    start: Array | None = None,
    warm_up: bool = False,
    max_iter: int = 1000,
    tol: float = 1e-4,
    report: Report | None = None,
) -> Optimum:
    """Return a local minimum of the exact risk for each of a batch of problems with one axis.

    Parameters
    ----------
    problem : standardised, with fields of shape (B, ...)
    alpha : λ, shape (B,)
    start : coefficients (B, D) to begin from; by default the projection at μ = 1/2
    warm_up : take a few steps of :func:`common_steps` first, which leads to better minima
    max_iter, tol : when to stop, by the criterion of :class:`Optimum`
    """
    xp = namespace(problem.b)
    penalty, step = gate_penalty(tau), steps_of(report, "gates", max_iter)
    if start is None and warm_up:
        start = warm_up_coefficients(problem, alpha, tau)
    elif start is None:
        start = common_steps(problem, alpha, penalty, 0, GATES.warm_up_size)
    ridge, n_iter, criterion, status = _settle(problem, alpha, penalty, start, max_iter, tol, step)
    beta = project(problem, ridge)
    t = beta * beta / _positive(alpha)
    rss = residual_sum_of_squares(problem, ridge, beta)
    value = rss / problem.n + alpha * xp.sum(penalty(t), axis=-1)
    return Optimum(penalty.best_gate(t), beta, value, n_iter, criterion, status)


def warm_up_coefficients(
    problem: Batch, alpha: Array, tau: float, report: Report | None = None
) -> Array:
    """Return the coefficients (B, D) after the gates' first steps, :func:`common_steps`."""
    steps = GATES.warm_up_steps, GATES.warm_up_size
    return common_steps(problem, alpha, gate_penalty(tau), *steps, report)


@lru_cache(maxsize=64)
def steps_record(
    tau: float, n_steps: int = GATES.warm_up_steps, size: float = GATES.warm_up_size
) -> Record:
    """Return how gates take their first steps, as the compiled kernel takes it."""
    table = gate_penalty(tau).log_ratio
    return library.StepsRecord.of(
        tau=tau,
        n_cubics=len(table.cubics),
        cubics=table.cubics,
        first=table.first,
        step=table.step,
        reach=REACH,
        n_steps=n_steps,
        size=size,
        floor=float(np.finfo(float).eps ** 0.5),
    )


def _is_for_kernel(problem: Batch, *_: Any, **__: Any) -> bool:
    """Return whether the compiled kernel takes less time: matrices are small."""
    return problem.smaller_side <= GATES.most_compiled and problem.is_double


def _by_kernel(
    problem: Batch,
    alpha: Array,
    penalty: GatePenalty,
    n_steps: int,
    size: float,
    report: Report | None = None,
) -> Array:
    """Return what :func:`common_steps` returns, by the compiled kernel."""
    steps, (n_problems, n_columns) = steps_record(penalty.tau, n_steps, size), problem.b.shape
    beta, by_rows = np.empty((n_problems, n_columns)), problem.smaller_side < n_columns
    matrices: Any = problem.X if by_rows else problem.G
    sides: Any = problem.y if by_rows else problem.b
    for i in range(n_problems):
        matrix, side = np.ascontiguousarray(matrices[i]), np.ascontiguousarray(sides[i])
        one = library.GateProblemRecord.of(
            N=len(matrix),
            D=n_columns,
            X=matrix if by_rows else None,
            y=side if by_rows else None,
            G=None if by_rows else matrix,
            b=None if by_rows else side,
            n=float(problem.n[i]),
            alpha=float(alpha[i]),
            beta=beta[i],
        )
        status = library.KERNEL.projstg_first_steps(steps, one)
        if status < 0:
            raise MemoryError(f"no memory for the gates of {n_columns} columns")
        if status > 0:  # a matrix is not positive definite up to rounding
            return definition_of(common_steps)(problem, alpha, penalty, n_steps, size, report)
    return beta


@answered_by(_by_kernel, where=_is_for_kernel)
def common_steps(
    problem: Batch,
    alpha: Array,
    penalty: GatePenalty,
    n_steps: int,
    size: float,
    report: Report | None = None,
) -> Array:
    """Return the coefficients after gradient steps in μ from 1/2, one step size for all gates.

    A step moves the gates by ``size`` in root mean square, each in proportion to its own
    gradient: the columns with the clearest effect move most, the others less, and then the
    gradient is computed again. Adam moves every gate by the same length instead, unless the
    gradient is noisy.
    """
    xp = namespace(problem.b)
    mu, step = xp.full_like(problem.b, 0.5), steps_of(report, "gates", n_steps)
    ridge, slope = penalty.ridge_and_slope(mu)
    beta = project(problem, ridge, refine=False)
    tiny = xp.finfo(mu.dtype).smallest_normal
    for _ in range(n_steps):
        gradient = beta * beta * slope + alpha[:, None] * open_slope(mu, penalty.tau)
        square = xp.sum(gradient * gradient, axis=-1, keepdims=True)
        mu = mu - gradient * (size / (xp.sqrt(square / mu.shape[-1]) + tiny))
        ridge, slope = penalty.ridge_and_slope(mu)
        beta = project(problem, ridge, refine=False)
        if step():
            break
    return beta


def _settle(
    problem: Batch,
    alpha: Array,
    penalty: GatePenalty,
    beta: Array,
    max_iter: int,
    tol: float,
    step: Callable[[], bool],
) -> tuple[Array, ...]:
    """Alternate until no coefficient moves, or ``step`` returns True; ends are set aside.

    Returned are ρ, (B, D), and n_iter, criterion and status of :class:`Optimum`.
    """
    xp = namespace(beta)
    place, price = xp.arange(beta.shape[0], device=beta.device), _positive(alpha)
    unit = response_scale(problem)
    finished: list[tuple[Array, ...]] = []
    for iteration in range(1, max_iter + 1):
        ridge = penalty.noise_ratio(beta * beta / price)
        last, beta = beta, project(problem, ridge, refine=False)
        criterion = xp.max(xp.abs(beta - last), axis=-1) / unit
        converged = criterion <= tol
        is_stopped = step()
        stops = converged | (is_stopped or iteration == max_iter)
        if not xp.any(stops):
            continue
        n_iter = xp.full_like(place, iteration)
        reason = Status.STOPPED if is_stopped else Status.MAX_ITER
        status = xp.where(converged, xp.zeros_like(place), xp.full_like(place, int(reason)))
        state = (ridge, n_iter, criterion, status)
        if not finished and xp.all(stops):
            return state
        finished.append(_members((*state, place), stops))
        if xp.all(stops):
            break
        place, beta, price, unit = _members((place, beta, price, unit), ~stops)
        problem = problem.problems(xp.nonzero(~stops)[0])
    *fields, places = (xp.concat(parts) for parts in zip(*finished, strict=True))
    order = xp.argsort(places)
    return tuple(xp.take(field, order, axis=0) for field in fields)


def _positive(alpha: Array) -> Array:
    """Return λ as (B, 1), at least a tiny number: at λ = 0 every gate is open."""
    return clip(alpha, low=namespace(alpha).finfo(alpha.dtype).smallest_normal ** 0.5)[:, None]


def response_scale(problem: Batch) -> Array:
    """Return the root mean square of y, (B,), or one where y is zero."""
    xp = namespace(problem.b)
    unit = xp.sqrt(problem.yy / problem.n)
    return xp.where(unit > 0.0, unit, xp.ones_like(unit))


def _members(fields: tuple[Array, ...], chosen: Array) -> tuple[Array, ...]:
    xp = namespace(chosen)
    indices = xp.nonzero(chosen)[0]
    return tuple(xp.take(field, indices, axis=0) for field in fields)
