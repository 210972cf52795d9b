"""Methods of other libraries as selectors: ``fit(X, y)``, then ``get_support()``.

Methods that are told K return exactly K columns; :class:`NonZeros` and :class:`AbessByEBIC` choose
the number themselves.

A method takes part in a comparison once it is in ``registry/shipped_methods.py``; most need no
class of their own here.

What a library has is called, not rewritten. A regressor becomes a selector by its K largest
coefficients (:class:`TopK`), the LASSO path by a rule that chooses one of its points
(:class:`LassoPath`). abess, whose licence is the GPL, is an optional package that is only called
(:class:`AbessSelector`). :class:`StrictSCAD` and :class:`StrictMCP` follow the paper's authors: if
no point of the path has exactly K columns, the fit failed and nothing is selected.

None fits an intercept, and ``coef_`` is least squares on the selected columns for all of them, so
that methods differ by their supports alone.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import lars_path

from .._core.data.least_squares import largest
from .._extras import extra
from ..estimators.mcp import MCP
from ..estimators.scad import SCAD
from .refit_coef import refit_coef

__all__ = [
    "AbessByEBIC",
    "AbessSelector",
    "LassoPath",
    "NonZeros",
    "StrictMCP",
    "StrictSCAD",
    "TopK",
    "largest_columns",
]

# A coefficient of a path counts as zero below this many machine epsilons of the largest one.
_ROUNDING = 64


class _Competitor(BaseEstimator):
    """A selector with the mask ``support_`` and the refit ``coef_``, both (n_features,)."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> _Competitor:
        """Choose columns of X (n_samples, n_features) for y (n_samples,)."""
        self.support_ = self._chosen(X, y)
        self.coef_ = refit_coef(X, y, np.flatnonzero(self.support_))
        return self

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Return the selected columns as a mask, or as indices."""
        return np.flatnonzero(self.support_) if indices else self.support_

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the mask of the columns to select, (n_features,)."""
        raise NotImplementedError


class TopK(_Competitor):
    """The K columns with the largest |coef|·‖x‖ of a regressor; their units do not matter.

    Among equal values, such as zeros where fewer than K are non-zero, the smaller index is taken.

    Parameters
    ----------
    regressor : any regressor with ``coef_`` after ``fit``; a clone of it is fitted
    n_features_to_select : int
        K.

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


class LassoPath(_Competitor):
    """A support of size K on the LASSO's exact path (LARS), with columns at mean square one.

    The size changes by one along the path, so some segment of it has exactly K columns, unless the
    path ends earlier (the rank of X is below K, or fewer columns fit y without error). Often
    several segments do, because columns also leave.

    Parameters
    ----------
    n_features_to_select : int
    rule : {"first", "refit"}
        "first" takes the first segment with K columns, coming down from the largest λ. "refit"
        takes, of all segments with K columns, the one whose least-squares refit has the smallest
        residual: the best that the LASSO can do with a known K. Where no segment has K columns,
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


class AbessSelector(_Competitor):
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


class NonZeros(_Competitor):
    """The columns to which a regressor gives a non-zero coefficient, however many they are.

    Parameters
    ----------
    regressor : any regressor with ``coef_`` after ``fit``; a clone of it is fitted
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def _chosen(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        self.regressor_ = clone(self.regressor).fit(X, y)
        return np.ravel(self.regressor_.coef_) != 0.0


class AbessByEBIC(_Competitor):
    """Best subset by splicing, its size chosen by abess's extended BIC (extra peers).

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
    """Selects nothing where the path has no point with exactly K non-zeros."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose K columns of X (n_samples, n_features) for y (n_samples,), or none."""
        super().fit(X, y, sample_weight)  # type: ignore[misc]
        if not self.has_exact_point_:  # type: ignore[attr-defined]
            self.support_ = np.zeros(X.shape[1], dtype=bool)
            self.coef_ = np.zeros(X.shape[1])
        return self


class StrictSCAD(_Strict, SCAD):
    """SCAD by its rule "exact", without the answer it falls back on (extra peers)."""


class StrictMCP(_Strict, MCP):
    """MCP by its rule "exact", without the answer it falls back on (extra peers)."""


def largest_columns(coef: np.ndarray, X: np.ndarray, k: int) -> np.ndarray:
    """Return the mask (D,) of the k largest |coef|·‖x‖ for coef (D,) and X (N, D).

    Among equal values the smaller index is taken.
    """
    size = np.abs(coef) * np.linalg.norm(X, axis=0)
    mask = np.zeros(coef.size, dtype=bool)
    mask[largest(size[None], np.zeros_like(size)[None], k)[0]] = True
    return mask


def _path_supports(path: np.ndarray, k: int) -> list[np.ndarray]:
    """Return the different supports of size k between the corners of a path (D, n_corners).

    On the segment between two corners those columns are selected whose coefficient is not zero in
    the middle. At the lower corner a column that leaves has a rounding error instead of a zero.
    """
    middle = np.abs(path[:, :-1] + path[:, 1:])
    segments = middle > _ROUNDING * np.finfo(path.dtype).eps * np.max(np.abs(path), initial=0.0)
    of_size = segments[:, segments.sum(axis=0) == k].T
    found = {support.tobytes(): support for support in reversed(list(of_size))}
    return list(reversed(list(found.values())))


def _residual(X: np.ndarray, y: np.ndarray) -> float:
    """Return the residual sum of squares of least squares on all columns of X."""
    residual = y - X @ np.linalg.lstsq(X, y)[0]
    return float(residual @ residual)
