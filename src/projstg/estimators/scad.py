"""SCAD, for comparison: skglm's penalty, a path, and K columns from it."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

from .._compat import Interval
from .._extras import extra
from ._folded_concave import FoldedConcaveSelector


class SCAD(FoldedConcaveSelector):
    r"""Choose the columns a response depends on, by the smoothly clipped absolute deviation.

    The penalty of Fan and Li. With columns at mean square one, so that units do not matter, and

    .. math:: p'_{\lambda,\gamma}(t) = \lambda \min\left\{ 1,
        \frac{(\gamma - t/\lambda)_+}{\gamma - 1} \right\}, \quad t \ge 0,

    local minima of :math:`\|y - X\beta\|^2 / (2n) + \sum_d p_{\lambda,\gamma}(|\beta_d|)` are
    computed by skglm (extra ``peers``), from the λ at which all coefficients are zero downwards,
    each started at the one before. A rule takes K columns from the path, and ``predict`` is least
    squares on them.

    The first fit in a process compiles skglm's solver, which takes seconds; after that a fit with
    64 columns takes some 25 milliseconds.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        K. Exactly K columns are selected. None selects a tenth of the columns, at least one, as
        scikit-learn's pursuit does.
    rule : {"exact", "top"}, default="exact"
        "exact" selects the non-zeros of the last point (the smallest λ) that has exactly K. Where
        no point has exactly K, ``has_exact_point_`` is False, a warning says so, and the answer is
        that of "top". "top" takes at each point with at least K non-zeros the K
        largest :math:`|\beta_d| \cdot \|x_d\|`, and of these supports the one whose least squares
        has the smallest residual.
    gamma : float, default=3.7
        γ > 2: the penalty is flat from γλ on. 3.7 is Fan and Li's; with the rule "exact" and much
        noise 3 recovers more supports.
    n_alphas : int, default=100
        Points of the path, λ falling geometrically. It ends sooner where more than 2K + 5
        coefficients are non-zero.
    eps : float, default=0.02
        The smallest λ divided by the largest.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by subtracting the means of the columns and of y.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    coef_ : ndarray of shape (n_features_in_,)
        Least squares on the selected columns, zero elsewhere.
    intercept_ : float
    has_exact_point_ : bool
        Whether the support is the non-zeros of a point of the path.
    alpha_ : float
        λ at the point the support is from.
    alphas_ : ndarray of shape (n_points,)
        λ at the points of the path, in units of y.
    coef_path_ : ndarray of shape (n_features_in_, n_points)
        The penalised coefficients along the path, in the units of the table.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    J. Fan, R. Li, "Variable selection via nonconcave penalized likelihood and its oracle
    properties", Journal of the American Statistical Association 96, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import SCAD
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> SCAD(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        **FoldedConcaveSelector._parameter_constraints,
        "gamma": [Interval(Real, 2, None, closed="neither")],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        rule: Literal["exact", "top"] = "exact",
        gamma: float = 3.7,
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
        return extra("skglm.penalties", "peers").SCAD(1.0, float(self.gamma))
