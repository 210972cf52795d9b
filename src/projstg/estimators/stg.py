"""The original stochastic gates, for comparison."""

from __future__ import annotations

from ._base import GateSelector, Seed
from .gate_options import JOINT, Gates


class STG(GateSelector):
    r"""Choose the columns a response depends on, by the original stochastic gates.

    The method of Yamada et al. for the linear model. Each column d carries a gate
    z_d = clip(μ_d + δ_d, 0, 1) with δ_d ~ N(0, τ²), and coefficients θ and gates μ descend side by
    side, by stochastic gradient with sampled gates, on

    .. math:: E_z \|y - X(\theta \odot z)\|^2 / n + \lambda \sum_d \Phi(\mu_d / \tau).

    :class:`ProjectedSTG` minimises the same objective with θ at its best for the gates. Then the K
    columns with the largest
    :math:`|\theta_d\,\mathrm{clip}(\mu_d, 0, 1)| \cdot \|x_d\|` are selected, and ``predict`` is
    least squares on them.

    Its gates are always sampled, and take all their steps. Where ``Gates`` has None, the values are
    the best of a grid over step rule, rate, λ, number of steps and number of sampled gates. The
    grid used other problems than the comparisons do (``benchmarks/stg_grid.py``).

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        K. Exactly K columns are selected. None selects the columns whose gate is open, μ > 0.
    gates : Gates or None, default=None
        How the gates are fitted: λ, τ, sampled gates, steps. None is ``Gates()``. A value
        that only exact gates use (``expectation="exact"``, ``warm_up``, ``tol``) raises.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by subtracting the means of the columns and of y.
    random_state : int, RandomState instance or None, default=0
        The seed of the sampled gates.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    coef_ : ndarray of shape (n_features_in_,)
        Least squares on the selected columns, zero elsewhere.
    intercept_ : float
    gated_coef_ : ndarray of shape (n_features_in_,)
        θ ⊙ clip(μ, 0, 1), in the units of the table.
    gate_mean_ : ndarray of shape (n_features_in_,)
        E[z_d]: how far open each gate is. Not a probability that the column matters.
    mu_ : ndarray of shape (n_features_in_,)
        The gates' locations.
    alpha_ : float
        The λ used.
    noise_std_ : float or None
        The σ used in the rule for λ; None where λ was given.
    risk_ : float
        The objective at these coefficients and gates, its expectation exact.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    Y. Yamada, O. Lindenbaum, S. Negahban, Y. Kluger, "Feature selection using stochastic gates",
    ICML 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import STG
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> STG(n_features_to_select=2, random_state=0).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    gate_family = JOINT

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        gates: Gates | None = None,
        fit_intercept: bool = True,
        random_state: Seed = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gates = gates
        self.fit_intercept = fit_intercept
        self.random_state = random_state
