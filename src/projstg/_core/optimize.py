r"""Minimising the risk over the gates: small state in, small state out.

:func:`alternate` is for the exact risk. Given the gates, the best coefficients are a projection
(Theorem 1); given the coefficients, the best gates are a look-up, one column at a time
(:mod:`projstg._core.penalty`). Alternating the two never raises the risk and has no step size:

    β ← argmin ‖y − Xβ‖² + n Σ ρ_d β_d²,     ρ_d ← g'(β_d²/λ).

It settles in ten to thirty rounds where gradient steps take thousands. A gate that runs off to
±∞ (which is where the minimum is for most columns) arrives there in one step: the rule for
stopping looks at β, where such a gate is as converged as any other.

:class:`Adam` is the optimiser of the paper's section 4, for risks that are only sampled.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from .backend import Array, namespace
from .gates import noise_ratio
from .penalty import gate_penalty
from .projection import project
from .risk import residual_sum_of_squares
from .statistics import GramQuadratic, RowQuadratic

__all__ = ["Adam", "Optimum", "Status", "alternate"]

_START_MU = 0.5  # Algorithm 1: "Initialize μ_d = 0.5"


class Status(IntEnum):
    """How an optimisation ended."""

    CONVERGED = 0
    MAX_ITER = 1


class Optimum(NamedTuple):
    """Where the gates came to rest; every field has the batch's leading axis."""

    mu: Array
    beta: Array
    """θ ⊙ E[z] in units of the standardised columns."""
    value: Array
    n_iter: Array
    criterion: Array
    """The largest last change of a coefficient, relative to the root mean square of y."""
    status: Array


def alternate(
    problem: GramQuadratic | RowQuadratic,
    alpha: Array,
    tau: float,
    *,
    start: Array | None = None,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> Optimum:
    """Minimise the exact risk for a batch of problems with one leading axis.

    Parameters
    ----------
    problem : standardised, with fields of shape (B, ...)
    alpha : λ, shape (B,)
    start : coefficients (B, D) to go on from; by default the projection at μ = 1/2
    """
    xp = namespace(problem.b)
    whole, whole_alpha = problem, alpha
    penalty = gate_penalty(tau)
    if start is None:
        start = project(problem, noise_ratio(xp.full_like(problem.b, _START_MU), tau))
    beta = start
    moving = xp.arange(beta.shape[0], device=beta.device)
    finished: list[tuple[Array, ...]] = []
    for iteration in range(1, max_iter + 1):
        ridge = penalty.noise_ratio(_sizes(beta, alpha))
        last, beta = beta, project(problem, ridge)
        criterion = xp.max(xp.abs(beta - last), axis=-1) / _unit(problem)
        converged = criterion <= tol
        stops = converged if iteration < max_iter else xp.ones_like(converged)
        if not xp.any(stops):
            continue
        n_iter = xp.full_like(moving, iteration)
        status = xp.where(converged, n_iter * 0, n_iter * 0 + int(Status.MAX_ITER))
        state = (moving, beta, ridge, n_iter, criterion, status)
        finished.append(_members(state, stops))
        if xp.all(stops):
            break
        go_on = ~stops
        moving, beta, alpha = _members((moving, beta, alpha), go_on)
        problem = problem.problems(xp.nonzero(go_on)[0])
    _, beta, ridge, n_iter, criterion, status = _in_order(finished)
    t = _sizes(beta, whole_alpha)
    rss = residual_sum_of_squares(whole, ridge, beta)
    value = rss / whole.n + whole_alpha * xp.sum(penalty(t), axis=-1)
    return Optimum(penalty.best_gate(t), beta, value, n_iter, criterion, status)


def _sizes(beta: Array, alpha: Array) -> Array:
    """Return t = β²/λ, (B, D): infinite, an open gate, where being open is free."""
    xp = namespace(beta)
    price = xp.where(alpha > 0.0, alpha, xp.ones_like(alpha))[:, None]
    return xp.where((alpha > 0.0)[:, None], beta * beta / price, xp.full_like(beta, xp.inf))


def _unit(problem: GramQuadratic | RowQuadratic) -> Array:
    """Return the root mean square of y, or one where y is zero."""
    xp = namespace(problem.b)
    unit = xp.sqrt(problem.yy / problem.n)
    return xp.where(unit > 0.0, unit, xp.ones_like(unit))


def _members(fields: tuple[Array, ...], chosen: Array) -> tuple[Array, ...]:
    xp = namespace(chosen)
    indices = xp.nonzero(chosen)[0]
    return tuple(xp.take(field, indices, axis=0) for field in fields)


def _in_order(finished: list[tuple[Array, ...]]) -> tuple[Array, ...]:
    """Join what finished at different times; the first field is the place in the batch."""
    xp = namespace(finished[0][0])
    fields = [xp.concat([part[i] for part in finished]) for i in range(len(finished[0]))]
    order = xp.argsort(fields[0])
    return tuple(xp.take(field, order, axis=0) for field in fields)


class Adam(NamedTuple):
    """Adam's running moments (Kingma and Ba); each step returns the next state.

    Examples
    --------
    >>> import numpy as np
    >>> x, state = np.asarray([3.0]), Adam.at(np.zeros(1))
    >>> for _ in range(400):
    ...     x, state = state.step(x, 2.0 * x, 0.05)
    >>> bool(abs(x[0]) < 1e-2)
    True
    """

    mean: Array
    square: Array
    n_steps: int

    @classmethod
    def at(cls, x: Array) -> Adam:
        """Return the state before the first step, for parameters like ``x``."""
        zero = namespace(x).zeros_like(x)
        return cls(zero, zero, 0)

    def step(self, x: Array, gradient: Array, learning_rate: float) -> tuple[Array, Adam]:
        """Return the parameters after one step, and the next state."""
        xp = namespace(x)
        k = self.n_steps + 1
        mean = 0.9 * self.mean + 0.1 * gradient
        square = 0.999 * self.square + 0.001 * (gradient * gradient)
        size = xp.sqrt(square / (1.0 - 0.999**k)) + 1e-8
        return x - (learning_rate / (1.0 - 0.9**k)) * mean / size, Adam(mean, square, k)
