r"""Gates along a grid of λ, from the largest useful λ down and back up.

Closed gates are a corner of the risk: λ g(β²/λ) rises like 2√(2λ)·|β| at 0, so that with
standardised columns they are a *local* minimum for every λ ≥ max_d b_d²/(2n²). As λ falls they stop
being the *global* minimum before that. A gate is in [0, 1], hence by Cauchy and Schwarz
E[z]² ≤ E[z²]·P(open), that is ρ ≥ 1/P(open) − 1, and for t ≤ 1 and any τ

    2√t − t ≤ g(t) ≤ 1{t > 0}.

With the bound on the left as the penalty (the continuous exact ℓ0 penalty of Soubies, Blanc-Féraud
and Aubert) the risk is linear in |β_d| up to t = 1, so a minimum can be moved at no cost to t = 0
or t ≥ 1, where this penalty equals 1{t > 0}. The risk of the gates lies between this risk and that
of best subsets, and so has the minimum of ‖y − Xβ‖²/n + λ‖β‖₀, for any X. For one column, or
orthogonal ones, that is hard thresholding: open if and only if (b_d/n)² > λ. Hence λ_max = max_d
(b_d/n)² (:func:`largest_alpha`): below it one open gate has a lower risk than none; above it no
single open gate has, though several together may, where columns are correlated.

The alternation (:mod:`.alternate`) cannot open a closed gate (its ridge is huge) and is slow to
close an open one. So between its runs each column is tested against the same threshold, with the
others fixed. Let u_d be its least-squares coefficient: a gate that is not open with u_d² > λ is
opened, an open one with u_d² < λ is closed. Both lower the risk, and at the end no change of a
single gate does. One sweep goes down from λ_max, and each λ begins from the answer at the λ before.
A second sweep goes back up, and at each λ the answer with the lower risk is kept.
"""

from __future__ import annotations

from ..arrays.backend import Array, namespace
from ..data.batch import Batch
from .alternate import Optimum, alternate
from .gate_fit import GateFit, GateOptions
from .gate_settings import GATES

__all__ = ["gate_path", "largest_alpha"]


def largest_alpha(problem: Batch) -> Array:
    """Return λ_max, (B,): from there on no single open gate lowers the risk; any column scale.

    Below half of it closed gates are not even a local minimum.
    """
    xp = namespace(problem.b)
    square = problem.diagonal
    square = xp.where(square > 0.0, square, xp.ones_like(square))
    return xp.max(problem.b * problem.b / square, axis=-1) / problem.n


def gate_path(problem: Batch, alphas: Array, options: GateOptions) -> GateFit:
    """Fit exact gates along ``alphas``, (B, A), each row decreasing; fields are (B, A, ...).

    ``problem`` is standardised with one batch axis. n_iter counts all iterations at one λ.
    """
    xp = namespace(problem.b)
    prices = [alphas[:, i] for i in range(alphas.shape[1])]
    ends: list[Optimum] = []
    beta = xp.zeros_like(problem.b)
    for price in prices:
        ends.append(_at_rest(problem, price, beta, options))
        beta = ends[-1].beta
    for i in range(len(ends) - 2, -1, -1):
        back = _at_rest(problem, prices[i], ends[i + 1].beta, options)
        ends[i], _ = _lower(back, ends[i], prices[i], prices[i] > 0.0)
    path = Optimum(*(xp.stack(list(field), axis=1) for field in zip(*ends, strict=True)))
    return GateFit.at(path, options.tau)


def _at_rest(problem: Batch, alpha: Array, start: Array, options: GateOptions) -> Optimum:
    """Alternate from ``start`` until opening or closing one gate does not lower the risk."""
    xp = namespace(start)
    end = _alternated(problem, alpha, start, options)
    # Moves that lower the risk one by one may raise it together: then only the best is made.
    is_single = xp.zeros_like(alpha, dtype=xp.bool)
    is_done = is_single
    for _ in range(GATES.most_rounds):
        target, gain = _moves(problem, alpha, end)
        most = xp.max(gain, axis=-1)
        is_done = is_done | (most <= GATES.smallest_gain * alpha)
        if xp.all(is_done):
            break
        least = xp.where(is_single, most, GATES.smallest_gain * alpha)
        is_moved = (gain >= least[:, None]) & ~is_done[:, None]
        trial = _alternated(problem, alpha, xp.where(is_moved, target, end.beta), options)
        end, is_better = _lower(trial, end, alpha, ~is_done)
        is_done, is_single = is_done | (is_single & ~is_better), ~is_better
    return end


def _moves(problem: Batch, alpha: Array, end: Optimum) -> tuple[Array, Array]:
    """Return each coefficient after its gate is opened or closed, and the gain, (B, D) both."""
    xp = namespace(alpha)
    alone = end.beta + _pull(problem, end.beta) / problem.n[:, None]
    is_open, gain = end.mu == xp.inf, alone * alone - alpha[:, None]
    target = xp.where(is_open, xp.zeros_like(alone), alone)
    return target, xp.where(is_open, -gain, gain)


def _pull(problem: Batch, beta: Array) -> Array:
    """Return Xᵀ(y − Xβ), (B, D)."""
    if problem.X is not None:
        left = problem.y - (problem.X @ beta[:, :, None])[:, :, 0]
        return (namespace(beta).matrix_transpose(problem.X) @ left[:, :, None])[:, :, 0]
    return problem.b - (problem.G @ beta[:, :, None])[:, :, 0]


def _alternated(problem: Batch, alpha: Array, start: Array, options: GateOptions) -> Optimum:
    return alternate(
        problem, alpha, options.tau, start=start, max_iter=options.n_steps, tol=options.tol
    )


def _lower(new: Optimum, old: Optimum, alpha: Array, counts: Array) -> tuple[Optimum, Array]:
    """Return, problem by problem, the optimum of lower risk, and where it is the new one, (B,).

    Where a problem does not count, the old one is kept, with its iterations.
    """
    xp = namespace(new.value)
    is_better = (new.value < old.value - GATES.smallest_gain * alpha) & counts
    n_iter = old.n_iter + xp.where(counts, new.n_iter, xp.zeros_like(new.n_iter))
    chosen = [
        xp.where(is_better[:, None] if field.ndim == 2 else is_better, field, other)
        for field, other in zip(new, old, strict=True)
    ]
    return Optimum(*chosen)._replace(n_iter=n_iter), is_better
