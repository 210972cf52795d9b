"""How gates are fitted: the paper's parameters in one object that estimators share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Literal

from sklearn.base import BaseEstimator

from .._compat import Interval, StrOptions
from .._core.gates.gate_fit import GateOptions
from .._core.pipeline.options import Options
from ._validation import changed, check_parameters

__all__ = ["JOINT", "PROJECTED", "GateFamily", "Gates", "price_and_gates"]


class Gates(BaseEstimator):
    r"""How stochastic gates are fitted, for ``gates=`` of :class:`ProjectedSTG` and :class:`STG`.

    Each column d has a gate z_d = clip(μ_d + δ_d, 0, 1) with δ_d ~ N(0, τ²). The gates minimise

    .. math:: E_z \|y - X(\theta \odot z)\|^2 / n + \lambda \sum_d \Phi(\mu_d / \tau).

    An estimator with ``gates=None`` uses ``Gates()``. Where a default is None, each estimator has
    its own value. The values are checked in ``fit`` of the estimator; a value that would not be
    used, whatever K is, raises there.

    Before a search, exact gates with ``warm_up`` take only their first six steps in ``fit``. They
    take the other steps, up to ``max_iter`` and ``tol``, when an attribute such as ``gate_mean_``
    is read. All other gates are fitted in ``fit``.

    Parameters
    ----------
    alpha : float or "theory", default="theory"
        λ, the price of an open gate, in units of y². "theory" is the paper's rule

        .. math:: \lambda = C \sqrt{2 \sigma^2 \log(D-K) \log(K) / n}

        with C = ``alpha_scale``, both logarithms of at least two, and K as given or chosen; with
        ``n_features_to_select=None`` the paper's nominal :math:`K = \lceil 0.4 D^{0.75} \rceil` (at
        most a quarter of n).
    alpha_scale : float or None, default=None
        C in the rule above; the paper chooses it by cross-validation in [0.1, 10]. None is 0.2,
        in :class:`STG` 0.1.
    noise_std : float or None, default=None
        σ in the rule above. With a number the rule is exactly the paper's, which assumes that
        coefficients of standardised columns have size one. None estimates both σ and that size
        from a greedy fit of K columns, so that λ follows the units of y. With fewer than 2D rows
        the estimate of σ is too large where the greedy fit misses true columns, and too small where
        K exceeds the truth; it is never below one percent of the root mean square of y.
    tau : float, default=0.5
        Standard deviation of the gates' noise, from 0.01 to 100.
    expectation : {"exact", "monte-carlo"} or None, default=None
        "exact" uses the gates' moments in closed form. "monte-carlo" samples gates: in
        :class:`ProjectedSTG` that is Algorithm 1 of the paper as written. None is "exact", in
        :class:`STG` "monte-carlo", the only value it takes.
    warm_up : bool, default=True
        Exact gates: whether to begin with six gradient steps of one size for all gates, in which
        the gates of the clearest columns open first. This recovers far more supports than False.
    n_gate_samples : int, pair of int or None, default=None
        Sampled gates: how many are sampled in each step. A pair is M for the projection and L for
        the gradient; one number is both. None is 20 for both. :class:`STG` has no projection and
        takes one number; there None is 1.
    optimizer : {"adam", "fixed"} or None, default=None
        Sampled gates: Adam as in the paper's section 4, or the fixed step γ of Algorithm 1. None
        is "adam", in :class:`STG` "fixed", which recovers more supports there.
    learning_rate : float or None, default=None
        Sampled gates: the step size, for a y of mean square one. None is 0.001, in :class:`STG`
        0.5. In :class:`STG` a fixed step is in units of the inverse of the largest eigenvalue of
        XᵀX/n, columns standardised, and below one the descent in θ is stable for every table; Adam
        needs far less there, about 0.01.
    max_iter : int or None, default=None
        The most steps, not counting those of ``warm_up``. None is 1000 for exact gates and 4000 for
        sampled ones, in :class:`STG` 8000. Sampled gates take all of these steps.
    tol : float, default=1e-4
        Exact gates: stop when no coefficient of a standardised column changes by more than ``tol``
        times the root mean square of y.

    Examples
    --------
    Algorithm 1 of the paper, for five columns:

    >>> from projstg import Gates, ProjectedSTG
    >>> model = ProjectedSTG(5, refine=False, gates=Gates(expectation="monte-carlo"))

    Its parameters can be set, and searched, through the estimator:

    >>> model.set_params(gates__tau=0.3).gates.tau
    0.3
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"theory"})],
        "alpha_scale": [Interval(Real, 0, None, closed="left"), None],
        "noise_std": [Interval(Real, 0, None, closed="left"), None],
        "tau": [Interval(Real, 0.01, 100, closed="both")],
        "expectation": [StrOptions({"exact", "monte-carlo"}), None],
        "warm_up": ["boolean"],
        "n_gate_samples": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "optimizer": [StrOptions({"adam", "fixed"}), None],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: float | Literal["theory"] = "theory",
        alpha_scale: float | None = None,
        noise_std: float | None = None,
        tau: float = 0.5,
        expectation: Literal["exact", "monte-carlo"] | None = None,
        warm_up: bool = True,
        n_gate_samples: int | Sequence[int] | None = None,
        optimizer: Literal["adam", "fixed"] | None = None,
        learning_rate: float | None = None,
        max_iter: int | None = None,
        tol: float = 1e-4,
    ) -> None:
        self.alpha = alpha
        self.alpha_scale = alpha_scale
        self.noise_std = noise_std
        self.tau = tau
        self.expectation = expectation
        self.warm_up = warm_up
        self.n_gate_samples = n_gate_samples
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol


@dataclass(frozen=True)
class GateFamily:
    """A way to fit gates, with its own values where :class:`Gates` has None."""

    estimator: str
    """For messages."""
    coefficients: str
    """As in the core: "projected" or "joint"."""
    expectation: str
    alpha_scale: float
    n_gate_samples: int
    optimizer: str
    learning_rate: float
    max_iter: int | None


# M = L = 20 and Adam are the paper's; C, rate and steps are close to those of its public code.
PROJECTED = GateFamily("ProjectedSTG", "projected", "exact", 0.2, 20, "adam", 1e-3, None)
# The best of a grid, on other problems than the comparisons use: benchmarks/stg_grid.py.
JOINT = GateFamily("STG", "joint", "monte-carlo", 0.1, 1, "fixed", 0.5, 8000)


def price_and_gates(gates: Gates | None, family: GateFamily) -> Options:
    """Return the core's options with what ``gates`` say; raise where a value cannot be used."""
    return _usual_options(family) if gates is None else _options(gates, family)


@lru_cache(maxsize=8)
def _usual_options(family: GateFamily) -> Options:
    return _options(Gates(), family)


def _options(gates: Gates, family: GateFamily) -> Options:
    check_parameters(gates)
    _check_all_used(gates, family)
    n_projection, n_gradient = _samples(gates, family)
    return Options(
        alpha=None if isinstance(gates.alpha, str) else float(gates.alpha),
        alpha_scale=_own(gates, family, "alpha_scale"),
        noise_std=gates.noise_std,
        gates=GateOptions(
            tau=float(gates.tau),
            coefficients=family.coefficients,
            expectation=_own(gates, family, "expectation"),
            warm_up=gates.warm_up,
            n_projection_samples=n_projection,
            n_gradient_samples=n_gradient,
            optimizer=_own(gates, family, "optimizer"),
            learning_rate=_own(gates, family, "learning_rate"),
            max_iter=_own(gates, family, "max_iter"),
            tol=gates.tol,
        ),
    )


def _own(gates: Gates, family: GateFamily, name: str) -> Any:
    """Return a parameter, or the family's value where it is None."""
    value = getattr(gates, name)
    return getattr(family, name) if value is None else value


def _samples(gates: Gates, family: GateFamily) -> tuple[int, int]:
    """Return the numbers of gates sampled for the projection and for the gradient."""
    samples = _own(gates, family, "n_gate_samples")
    if family.coefficients == "joint":
        if not isinstance(samples, Integral):
            raise ValueError(
                f"n_gate_samples={samples!r}; {family.estimator} has no projection: give one number"
                " of gates for a step."
            )
        return 0, int(samples)
    pair = (samples, samples) if isinstance(samples, Integral) else tuple(samples)
    if len(pair) != 2 or not all(isinstance(m, Integral) and int(m) >= 1 for m in pair):
        raise ValueError(
            f"n_gate_samples={samples!r}; give one number for both M and L, or a pair (M, L)."
        )
    return int(pair[0]), int(pair[1])


def _check_all_used(gates: Gates, family: GateFamily) -> None:
    """Raise where a value was given that would change nothing."""
    if family.expectation == "monte-carlo" and gates.expectation == "exact":
        raise ValueError(
            f'expectation="exact"; {family.estimator} samples its gates: leave it out, or use '
            "ProjectedSTG."
        )
    if not isinstance(gates.alpha, str):
        for name in changed(gates, ("alpha_scale", "noise_std")):
            raise ValueError(
                f'{name}={getattr(gates, name)!r} is part of the rule alpha="theory", but alpha='
                f"{gates.alpha!r} was given; leave one of them out."
            )
    if _own(gates, family, "expectation") == "exact":
        for name in changed(gates, ("n_gate_samples", "optimizer", "learning_rate")):
            raise ValueError(
                f"{name}={getattr(gates, name)!r} is for sampled gates, and these are exact; leave "
                'it out, or pass expectation="monte-carlo".'
            )
        return
    other = "" if family.expectation == "monte-carlo" else ', or pass expectation="exact"'
    for name in changed(gates, ("warm_up", "tol")):
        raise ValueError(
            f"{name}={getattr(gates, name)!r} is for exact gates, and these are sampled; leave it "
            f"out{other}."
        )
