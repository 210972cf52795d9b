"""The estimator this package is about."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

from sklearn.base import _fit_context
from sklearn.callback import with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from .._core.fit import GateOptions
from .._core.optimize import Status
from .._core.solve import Options, Solution, solve
from .._core.table import as_table
from ._base import LinearSelector, Progress, check_n_selected, seed_from


class ProjectedSTG(LinearSelector):
    r"""Choose the columns a response depends on, by projected stochastic gates.

    Each column d carries a gate z_d = clip(μ_d + δ_d, 0, 1) with δ_d ~ N(0, τ²). The gates minimise

    .. math:: E_z \|y - X(\theta \odot z)\|^2 / n + \lambda \sum_d \Phi(\mu_d / \tau),

    with the coefficients θ at their best for the gates (Theorem 1 of the paper), and the K columns
    with the largest :math:`|\theta_d\,\mathrm{clip}(\mu_d, 0, 1)| \cdot \|x_d\|` are selected.
    ``predict`` is least squares on them. The units of the columns make no difference.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        K. Exactly so many columns come back. None selects the columns whose gate is open, μ > 0.
    alpha : float or "theory", default="theory"
        λ, the price of an open gate, in units of y². "theory" is the paper's rule

        .. math:: \lambda = C \sqrt{2 \sigma^2 \log(D-K) \log(K) / n}

        with C = ``alpha_scale``, both logarithms of at least two, and, where K is not given, the
        paper's nominal :math:`K = \lceil 0.4 D^{0.75} \rceil` (at most a quarter of n).
    alpha_scale : float, default=0.2
        C in the rule above; the paper chooses it by cross-validation in [0.1, 10].
    noise_std : float or None, default=None
        σ in the rule above, which is then the paper's to the letter and takes coefficients of
        standardised columns to be of size one. None estimates both σ and that size from a greedy
        fit of K columns, which makes λ follow the units of y. With fewer than 2D rows the estimate
        is too large where the greedy fit misses true columns, and too small where K exceeds the
        truth; it is never below one percent of the root mean square of y.
    tau : float, default=0.5
        Standard deviation of the gates' noise.
    expectation : {"exact", "monte-carlo"}, default="exact"
        "exact" uses the gates' moments in closed form. "monte-carlo" is Algorithm 1 of the paper
        as written, with sampled gates.
    anneal : bool, default=True
        Exact mode: fit gates sixteen times as noisy first and start from where they come to rest,
        which recovers far more supports. False starts from μ = 1/2, as the paper does.
    n_gate_samples : int or pair of int, default=20
        Monte Carlo mode: the number of gates sampled in each step, M for the projection and L for
        the gradient.
    optimizer : {"adam", "fixed"}, default="adam"
        Monte Carlo mode: Adam as in the paper's section 4, or the fixed step γ of Algorithm 1.
    learning_rate : float, default=1e-3
        Monte Carlo mode: the step size.
    max_iter : int or None, default=None
        The most steps; None is 1000 in the exact mode and 4000 in the Monte Carlo mode, where all
        of them are taken.
    tol : float, default=1e-4
        Exact mode: stop when no coefficient of a standardised column changes by more than this part
        of the root mean square of y.
    fit_intercept : bool, default=True
        Whether to take the means out first.
    random_state : int, RandomState instance or None, default=None
        Where the Monte Carlo mode's draws come from; the exact mode has none.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    coef_ : ndarray of shape (n_features_in_,)
        Least squares on the selected columns, zero elsewhere.
    intercept_ : float
    gated_coef_ : ndarray of shape (n_features_in_,)
        The paper's estimate θ ⊙ clip(μ, 0, 1), in the units of the table.
    gate_mean_ : ndarray of shape (n_features_in_,)
        E[z_d]: how far open each gate is. Not a probability that the column matters.
    mu_ : ndarray of shape (n_features_in_,)
        The gates' locations. ±∞ is where the minimum is for a gate that is surely open or shut.
    alpha_ : float
        The λ used.
    noise_std_ : float or None
        The σ used in the rule for λ; None where λ was given.
    risk_ : float
        The objective at these gates with the coefficients at their best.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    S. Jana, H. Li, Y. Yamada, O. Lindenbaum, "Support recovery with Projected Stochastic Gates:
    theory and application for linear models".

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import ProjectedSTG
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> ProjectedSTG(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"theory"})],
        "alpha_scale": [Interval(Real, 0, None, closed="left")],
        "noise_std": [Interval(Real, 0, None, closed="left"), None],
        "tau": [Interval(Real, 0, None, closed="neither")],
        "expectation": [StrOptions({"exact", "monte-carlo"})],
        "anneal": ["boolean"],
        "n_gate_samples": [Interval(Integral, 1, None, closed="left"), tuple, list],
        "optimizer": [StrOptions({"adam", "fixed"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        alpha="theory",
        alpha_scale=0.2,
        noise_std=None,
        tau=0.5,
        expectation="exact",
        anneal=True,
        n_gate_samples=20,
        optimizer="adam",
        learning_rate=1e-3,
        max_iter=None,
        tol=1e-4,
        fit_intercept=True,
        random_state=None,
    ):
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.alpha_scale = alpha_scale
        self.noise_std = noise_std
        self.tau = tau
        self.expectation = expectation
        self.anneal = anneal
        self.n_gate_samples = n_gate_samples
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Choose the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight k counts as k rows.

        Returns
        -------
        self : ProjectedSTG
        """
        options = self._options()
        context = self._init_callback_context(max_subtasks=options.gates.n_steps + 1)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        rows, target, weights = self._validated(X, y, sample_weight)
        weights = None if weights is None else weights[None]
        table = as_table(rows[None], target[None], weights, centre=self.fit_intercept)
        check_n_selected(self.n_features_to_select, table.varies[0], self._named)
        on_step = Progress(self, context, "step") if hasattr(self, "_skl_callbacks") else None
        self._store(solve(table, options, [seed_from(self.random_state)], on_step))
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _options(self) -> Options:
        samples = self.n_gate_samples
        pair = (samples, samples) if isinstance(samples, Integral) else tuple(samples)
        if len(pair) != 2 or not all(isinstance(m, Integral) and m >= 1 for m in pair):
            raise ValueError(
                f"n_gate_samples={samples!r}; give one number for both M and L, or a pair (M, L)."
            )
        gates = GateOptions(
            tau=float(self.tau),
            expectation=self.expectation,
            anneal=self.anneal,
            n_projection_samples=int(pair[0]),
            n_gradient_samples=int(pair[1]),
            optimizer=self.optimizer,
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Options(
            n_selected=self.n_features_to_select,
            alpha=None if self.alpha == "theory" else float(self.alpha),
            alpha_scale=self.alpha_scale,
            noise_std=self.noise_std,
            gates=gates,
        )

    def _store(self, solution: Solution) -> None:
        self.support_ = solution.support[0]
        self.coef_ = solution.coef[0]
        self.intercept_ = float(solution.intercept[0])
        self.gated_coef_ = solution.gated_coef[0]
        self.alpha_ = float(solution.alpha[0])
        self.noise_std_ = None if solution.noise_std is None else float(solution.noise_std[0])
        gates = solution.gates
        self.mu_, self.gate_mean_ = gates.mu[0], gates.mean[0]
        self.risk_, self.n_iter_ = float(gates.value[0]), int(gates.n_iter[0])
        if gates.status[0] == Status.MAX_ITER:
            warnings.warn(
                f"the gates still moved by {gates.criterion[0]:.1e} of y's root mean square after "
                f"{self.n_iter_} steps (tol={self.tol}); raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
