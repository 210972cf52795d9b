"""MCP, for comparison: skglm's penalty, a path, and K columns from it."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

from .._compat import Interval
from .._extras import extra
from ._folded_concave import FoldedConcaveSelector


class MCP(FoldedConcaveSelector):
    r"""Choose the columns a response depends on, by the minimax concave penalty.

    Zhang's penalty. With columns at mean square one, so that units do not matter, and

    .. math:: p'_{\lambda,\gamma}(t) = (\lambda - t/\gamma)_+, \quad t \ge 0,

    local minima of :math:`\|y - X\beta\|^2 / (2n) + \sum_d p_{\lambda,\gamma}(|\beta_d|)` are
    computed as for :class:`SCAD`, by skglm too (extra ``peers``) and in about the same time.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        K. Exactly K columns are selected. None selects a tenth of the columns, at least one.
    rule : {"exact", "top"}, default="exact"
        How K columns are taken from the path; see :class:`SCAD`.
    gamma : float, default=3
        γ > 1: the penalty is flat from γλ on.
    n_alphas : int, default=100
        Points of the path, λ falling geometrically. It ends sooner where more than 2K + 5
        coefficients are non-zero.
    eps : float, default=0.02
        The smallest λ divided by the largest.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by subtracting the means of the columns and of y.

    Attributes
    ----------
    support_, coef_, intercept_, has_exact_point_, alpha_, alphas_, coef_path_
        As for :class:`SCAD`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    C.-H. Zhang, "Nearly unbiased variable selection under minimax concave penalty", Annals of
    Statistics 38, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import MCP
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> MCP(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        **FoldedConcaveSelector._parameter_constraints,
        "gamma": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        rule: Literal["exact", "top"] = "exact",
        gamma: float = 3.0,
        n_alphas: int = 100,
        eps: float = 0.02,
        fit_intercept: bool = True,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.rule = rule
        self.gamma = gamma
        self.n_alphas = n_alphas
        self.eps = eps
        self.fit_intercept = fit_intercept

    def _penalty(self) -> Any:
        return extra("skglm.penalties", "peers").MCPenalty(1.0, float(self.gamma))
