"""Other people's methods as selectors: ``fit(X, y)``, then a support.

Those that are told K return exactly K columns; :class:`NonZeros` and :class:`AbessByEBIC` choose
how many themselves.

What a library has is called, not rewritten. A regressor becomes a selector by its K largest
coefficients (:class:`TopK`), the LASSO path by a rule for which of its points to take
(:class:`LassoPath`), and abess, which is GPL, is called at arm's length (:class:`AbessSelector`).
:class:`StrictSCAD` and :class:`StrictMCP` count as the paper's authors do: no point with exactly K
on the path is a failure, and nothing is selected.

None fits an intercept, and ``coef_`` is least squares on the selected columns for all of them, so
that methods differ by their supports alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import lars_path

from .._core.data.least_squares import largest
from .._extras import extra
from ..estimators.mcp import MCP
from ..estimators.scad import SCAD

__all__ = [
    "AbessByEBIC",
    "AbessSelector",
    "LassoPath",
    "NonZeros",
    "StrictMCP",
    "StrictSCAD",
    "TopK",
    "largest_columns",
    "lasso_alpha",
]

# Coefficients along a path that are below so many units in the last place of the largest are zero.
_ROUNDING = 64


class _Rival(BaseEstimator):
    """What all have after ``fit``: a mask ``support_`` and the refit ``coef_``."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Rival:
        """Choose the columns of X (n_samples, n_features)."""
        self.support_ = self._chosen(X, y)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[self.support_] = np.linalg.lstsq(X[:, self.support_], y)[0]
        return self

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Return the selected columns as a mask, or as indices."""
        return np.flatnonzero(self.support_) if indices else self.support_

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class TopK(_Rival):
    """The K largest |coef|·‖x‖ of a regressor, which is free of the columns' units.

    Of equal ones, such as zeros where the regressor has fewer than K, the smaller index comes in.

    Parameters
    ----------
    regressor : any regressor with ``coef_`` after ``fit``; a clone of it is fitted
    n_features_to_select : int

    Attributes
    ----------
    regressor_ : the fitted clone
    support_ : ndarray of shape (n_features,), bool
    coef_ : ndarray of shape (n_features,), least squares on the support

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> X = np.eye(4)[:, :3] * [1.0, 10.0, 1.0]
    >>> TopK(Ridge(alpha=0.1), 1).fit(X, np.array([2.0, 3.0, 1.0, 0.0])).get_support(indices=True)
    array([1])
    """

    def __init__(self, regressor: Any, n_features_to_select: int) -> None:
        self.regressor = regressor
        self.n_features_to_select = n_features_to_select

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        self.regressor_ = clone(self.regressor).fit(X, y)
        return largest_columns(np.ravel(self.regressor_.coef_), X, self.n_features_to_select)


class LassoPath(_Rival):
    """A support of size K on the LASSO's exact path (LARS), with columns at mean square one.

    Sizes change by one along the path, so unless X or y has too low a rank some stretch of it has
    exactly K columns, and often several do, because columns also leave.

    Parameters
    ----------
    n_features_to_select : int
    rule : {"first", "refit"}
        "first" takes the first stretch, coming down from the largest λ, with K columns. "refit"
        takes of all stretches with K columns the one whose least-squares refit has the smallest
        residual: the strongest reading of the LASSO for a known K. Where no stretch has K columns
        both take the K largest coefficients at the end of the path.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,), bool
    coef_ : ndarray of shape (n_features,), least squares on the support
    n_supports_ : int
        How many different supports of size K the path has.
    """

    def __init__(self, n_features_to_select: int, rule: str = "first") -> None:
        self.n_features_to_select = n_features_to_select
        self.rule = rule

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.rule not in ("first", "refit"):
            raise ValueError(f"rule={self.rule!r}; use 'first' or 'refit'.")
        scale = np.sqrt(np.mean(X * X, axis=0))
        X = X / np.where(scale > 0.0, scale, 1.0)
        _, _, path = lars_path(X, y, method="lasso")
        supports = _path_supports(path, self.n_features_to_select)
        self.n_supports_ = len(supports)
        if not supports:
            return largest_columns(path[:, -1], X, self.n_features_to_select)
        if self.rule == "first":
            return supports[0]
        return min(supports, key=lambda support: _residual(X[:, support], y))


class AbessSelector(_Rival):
    """Best subset by splicing: abess's ``LinearRegression`` with ``support_size`` K (extra peers).

    Parameters
    ----------
    n_features_to_select : int
    """

    def __init__(self, n_features_to_select: int) -> None:
        self.n_features_to_select = n_features_to_select

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        abess = extra("abess", "peers")
        model = abess.LinearRegression(support_size=self.n_features_to_select, fit_intercept=False)
        model.fit(X, y)
        return largest_columns(np.ravel(model.coef_), X, self.n_features_to_select)


class NonZeros(_Rival):
    """The columns to which a regressor gives a coefficient, however many those are.

    Parameters
    ----------
    regressor : any regressor with ``coef_`` after ``fit``; a clone of it is fitted
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        self.regressor_ = clone(self.regressor).fit(X, y)
        return np.ravel(self.regressor_.coef_) != 0.0


class AbessByEBIC(_Rival):
    """Best subset by splicing, its size by the extended BIC, as abess has it (extra peers).

    Parameters
    ----------
    max_size : int, the largest size tried
    """

    def __init__(self, max_size: int = 40) -> None:
        self.max_size = max_size

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        abess = extra("abess", "peers")
        sizes = range(min(self.max_size, X.shape[1], len(y) - 2) + 1)
        model = abess.LinearRegression(support_size=sizes, ic_type="ebic", fit_intercept=False)
        model.fit(X, y)
        return np.ravel(model.coef_) != 0.0


class _Strict:
    """Nothing is selected where a path has no point with exactly K non-zeros."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        """Choose K columns of X (n_samples, n_features), or none."""
        super().fit(X, y)  # type: ignore[misc]
        if not self.has_exact_point_:  # type: ignore[attr-defined]
            self.support_ = np.zeros(X.shape[1], dtype=bool)
            self.coef_ = np.zeros(X.shape[1])
        return self


class StrictSCAD(_Strict, SCAD):
    """SCAD by its rule "exact", without the answer it falls back on (extra peers)."""


class StrictMCP(_Strict, MCP):
    """MCP by its rule "exact", without the answer it falls back on (extra peers)."""


def largest_columns(coef: np.ndarray, X: np.ndarray, k: int) -> np.ndarray:
    """Return the mask of the k largest |coef|·‖x‖; of equal ones the smaller index."""
    size = np.abs(coef) * np.linalg.norm(X, axis=0)
    mask = np.zeros(coef.size, dtype=bool)
    mask[largest(size[None], np.zeros_like(size)[None], k)[0]] = True
    return mask


def lasso_alpha(noise_std: float, n_samples: int, n_features: int, n_selected: int) -> float:
    r"""Return the paper's :math:`\lambda = \sqrt{2\sigma^2 \log(D-K) \log(K) / N}` for the LASSO.

    It is the λ of :math:`\|y-X\beta\|^2/(2N) + \lambda\|\beta\|_1`, which is both Wainwright's
    objective, whence the paper takes it, and scikit-learn's ``alpha``. Both logarithms are of at
    least two.
    """
    logs = np.log(max(n_features - n_selected, 2)) * np.log(max(n_selected, 2))
    return float(np.sqrt(2.0 * noise_std**2 * logs / n_samples))


def _path_supports(path: np.ndarray, k: int) -> list[np.ndarray]:
    """Return the different supports of size k between the corners of a path (D, n_corners).

    On a stretch between two corners those columns are in that are non-zero in its middle. One that
    leaves is rounding, not zero, at its lower corner.
    """
    middle = np.abs(path[:, :-1] + path[:, 1:])
    stretches = middle > _ROUNDING * np.finfo(path.dtype).eps * np.max(np.abs(path), initial=0.0)
    of_size = stretches[:, stretches.sum(axis=0) == k].T
    found = {support.tobytes(): support for support in reversed(list(of_size))}
    return list(reversed(list(found.values())))


def _residual(X: np.ndarray, y: np.ndarray) -> float:
    left = y - X @ np.linalg.lstsq(X, y)[0]
    return float(left @ left)
