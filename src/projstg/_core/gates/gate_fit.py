"""One function that fits gates to a batch of problems, in the mode of its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, is_torch, namespace, put_along
from ..data.batch import Batch
from ..progress import Report
from .algorithm1 import Noise, algorithm1, numpy_noise, torch_noise
from .alternate import Optimum, Status, alternate
from .joint_descent import balanced, joint_descent
from .moments import gate_mean, gated_coefficients
from .risk import joint_risk, profiled_risk

__all__ = ["GateFit", "GateOptions", "fit_gates"]


@dataclass(frozen=True)
class GateOptions:
    """What a caller may set; exact expectation and warm-up are not the paper's, the others are."""

    tau: float = 0.5
    coefficients: str = "projected"
    """"projected": the best for the gates; "joint": gradient steps in θ and μ together."""
    expectation: str = "exact"
    warm_up: bool = True
    n_projection_samples: int = 20
    n_gradient_samples: int = 20
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    max_iter: int | None = None
    tol: float = 1e-4

    @property
    def n_steps(self) -> int:
        """The most steps that will be taken."""
        return self.max_iter or (1000 if self.expectation == "exact" else 4000)

    @property
    def is_sampled(self) -> bool:
        """Whether steps draw gates; otherwise the risk is exact."""
        return self.coefficients == "joint" or self.expectation != "exact"


class GateFit(NamedTuple):
    """Fitted gates; every field has the batch's leading axis."""

    mu: Array
    mean: Array
    """E[z]."""
    coef: Array
    """θ ⊙ clip(μ, 0, 1), the paper's estimate, in units of the standardised columns."""
    beta: Array
    """θ ⊙ E[z] in the same units."""
    value: Array
    """The exact risk at these gates, with the best coefficients or, if joint, with these θ."""
    n_iter: Array
    criterion: Array
    """Exact: as in :class:`~.alternate.Optimum`. Sampled: the largest |gradient| in μ."""
    status: Array
    """A :class:`~.alternate.Status`."""

    @classmethod
    def at(cls, end: Optimum, tau: float) -> GateFit:
        """Return the gates where an alternation ended."""
        xp, q = namespace(end.mu), gate_mean(end.mu, tau)
        coef = gated_coefficients(end.mu, end.beta / xp.where(q > 0.0, q, xp.ones_like(q)))
        return cls(end.mu, q, coef, end.beta, end.value, end.n_iter, end.criterion, end.status)

    def among(self, columns: Array, n_features: int) -> GateFit:
        """Return gates of ``columns``, (B, W), as gates of all D columns: the others are closed."""
        return self._replace(
            mu=put_along(self.mu, columns, n_features, -float("inf")),
            mean=put_along(self.mean, columns, n_features, 0.0),
            coef=put_along(self.coef, columns, n_features, 0.0),
            beta=put_along(self.beta, columns, n_features, 0.0),
        )


def fit_gates(
    problem: Batch,
    alpha: Array,
    options: GateOptions,
    seeds: Sequence[int],
    *,
    report: Report | None = None,
) -> GateFit:
    """Fit the gates of a batch of standardised problems at λ = ``alpha``, shape (B,).

    With NumPy each problem draws from its own seed, so a batch gives what its members give
    alone; with torch one generator on the device serves them all.
    """
    if options.is_sampled:
        return _sampled(problem, alpha, options, seeds, report)
    end = alternate(
        problem,
        alpha,
        options.tau,
        warm_up=options.warm_up,
        max_iter=options.n_steps,
        tol=options.tol,
        report=report,
    )
    return GateFit.at(end, options.tau)


def _sampled(
    problem: Batch,
    alpha: Array,
    options: GateOptions,
    seeds: Sequence[int],
    report: Report | None,
) -> GateFit:
    """Return the gates after sampled steps; they count as converged if all steps were taken."""
    xp, tau, noise = namespace(alpha), options.tau, _noise(problem, options, seeds)
    steps: dict[str, Any] = {
        "learning_rate": options.learning_rate,
        "max_iter": options.n_steps,
        "optimizer": options.optimizer,
        "report": report,
    }
    if options.coefficients == "joint":
        ready, price, unit = balanced(problem, alpha)
        end = joint_descent(ready, price, tau, noise, **steps)
        mu, theta, n_iter = end.mu, end.theta * unit[:, None], end.n_iter
        risk = joint_risk(problem, theta, mu, tau, alpha)
    else:
        M = options.n_projection_samples
        mu, theta, n_iter = algorithm1(problem, alpha, tau, noise, n_projection_samples=M, **steps)
        risk = profiled_risk(problem, mu, tau, alpha)
    q, whole = gate_mean(mu, tau), xp.zeros_like(risk.value, dtype=xp.int64)
    ended = Status.CONVERGED if n_iter == options.n_steps else Status.STOPPED
    is_finite = xp.isfinite(risk.value) & xp.all(xp.isfinite(theta), axis=-1)
    return GateFit(
        mu=mu,
        mean=q,
        coef=gated_coefficients(mu, theta),
        beta=theta * q,
        value=risk.value,
        n_iter=whole + n_iter,
        criterion=xp.max(xp.abs(risk.gradient), axis=-1),
        status=xp.where(is_finite, whole + int(ended), whole + int(Status.DIVERGED)),
    )


def _noise(problem: Batch, options: GateOptions, seeds: Sequence[int]) -> Noise:
    n_draws = options.n_projection_samples + options.n_gradient_samples
    if is_torch(namespace(problem.b)):
        seed = int(np.random.SeedSequence(list(seeds)).generate_state(1)[0])
        return torch_noise(problem.b, n_draws, seed)
    # SFC64 is the fastest of NumPy's generators, and drawing takes a large part of the time.
    generators = [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]
    return numpy_noise(generators, n_draws, problem.b)
