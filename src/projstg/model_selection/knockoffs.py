"""A choice of columns of which at most a given share is wrong, on average: knockoffs.

A knockoff of a column is an artificial column: it has the same correlations with the other columns
as the original, but is made without looking at y. A model is fitted to originals and knockoffs
together, and W is the importance of the original less that of its knockoff. For a column without
effect W is positive as often as it is negative, so the number of negative W estimates the number of
false positive ones, and the threshold on W keeps their share below the false discovery rate.

The model must treat the two columns of a pair alike: swap them, and only the sign of W may change.
A search that has a fixed start, draws at random or breaks ties by index does not. Therefore each
pair is given to the model in an order that depends on the values of the two columns and not on
which of them is the original: the model sees the same table before and after a swap.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import product
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._compat import Interval, fit_context
from .._extras import extra
from ..estimators._base import Seed, seed_from
from ..estimators._validation import validated
from ..estimators.gate_options import Gates
from ..estimators.projected_stg import ProjectedSTG
from ..sources.gather import check_is_table
from .subsampling import fitted_clone

# τ, and C in the rule for λ, over which importances are averaged; no single pair has the power of
# all. Chosen on problems apart from those of benchmarks/fdr.py.
_GATES = tuple(product((0.5, 1.0), (0.1, 0.14, 0.2, 0.28, 0.4, 0.56)))


class KnockoffSelector(SelectorMixin, BaseEstimator):
    r"""Select columns with a bound on the false discovery rate.

    Gaussian model-X knockoffs X̃ are drawn (``hidimstat``, extra ``fdr``), an estimator is fitted to
    [X, X̃], and with W_d the importance of column d less that of its knockoff the columns with
    W_d ≥ T are selected, where

    .. math:: T = \min \{ t > 0 : (1 + \#\{W_d \le -t\}) / \#\{W_d \ge t\} \le \mathrm{fdr} \}.

    The expected share of selected columns on which y does not depend, given the others, is then at
    most ``fdr``, for any y and any estimator. This requires that the rows of X are Gaussian, with a
    covariance that is known or well estimated.

    With the defaults either none or at least 1/fdr columns are selected: at 0.1, none or at least
    ten.

    Parameters
    ----------
    estimator : estimator or None, default=None
        What is fitted to the columns and their knockoffs, all standardised. None is the gates of
        :class:`ProjectedSTG` alone: the average of its estimates
        :math:`|\theta_d\,\mathrm{clip}(\mu_d, 0, 1)|` over six values of λ and two of τ.
    fdr : float, default=0.1
        The false discovery rate.
    offset : {0, 1}, default=1
        The 1 in the formula. With 0 more columns are selected, and only the expected value of
        (false discoveries) / (discoveries + 1/fdr) is bounded.
    importance_getter : str or callable, default="auto"
        Where a fitted estimator has its importances, of which absolute values are compared: the
        name of an attribute, or a function of the estimator. "auto" is ``coef_``, or else
        ``feature_importances_``.
    covariance : array of shape (n_features, n_features), estimator or None, default=None
        The covariance of the columns if it is known, or a scikit-learn estimator of it. None is
        ``sklearn.covariance.LedoitWolf``.
    n_draws : int, default=1
        With more than one, knockoffs are drawn so many times, and the draws are averaged (as
        e-values), which makes the answer depend less on the seed. Each costs one fit.
    random_state : int, RandomState instance or None, default=0
        The seed of the knockoffs, and of an estimator that takes a seed.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    statistic_ : ndarray of shape (n_draws, n_features_in_)
        W; zero for columns that do not vary.
    threshold_ : ndarray of shape (n_draws,)
        T; infinite where nothing is selected.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high dimensional
    controlled variable selection", J. R. Statist. Soc. B 80, 2018. Z. Ren, R. F. Barber,
    "Derandomised knockoffs: leveraging e-values for false discovery rate control", J. R. Statist.
    Soc. B 86, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import KnockoffSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 60))
    >>> y = X[:, :15] @ np.ones(15) + rng.standard_normal(200)
    >>> KnockoffSelector(fdr=0.1).fit(X, y).get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 58])
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "estimator": "no_validation",  # fit says what it must have
        "fdr": [Interval(Real, 0, 1, closed="neither")],
        "offset": [Interval(Integral, 0, 1, closed="both")],
        "importance_getter": [str, callable],
        "covariance": "no_validation",
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        fdr: float = 0.1,
        offset: int = 1,
        importance_getter: str | Callable[[Any], Any] = "auto",
        covariance: Any = None,
        n_draws: int = 1,
        random_state: Seed = 0,
    ) -> None:
        self.estimator = estimator
        self.fdr = fdr
        self.offset = offset
        self.importance_getter = importance_getter
        self.covariance = covariance
        self.n_draws = n_draws
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw knockoffs and choose the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : object
        """
        check_is_table("KnockoffSelector", X, y)
        X, y = validated(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=3)
        if self.n_draws > 1 and self.offset == 0:
            raise ValueError("offset=0 goes with one draw; pass n_draws=1, or offset=1.")
        if self.estimator is None and self.importance_getter != "auto":
            raise ValueError(
                f"importance_getter={self.importance_getter!r} is for an estimator of yours, and "
                "estimator=None has its own importances; leave it out, or pass an estimator."
            )
        varies = np.ptp(X, axis=0) > 0.0
        columns, covariance = _standardised(X, varies, self.covariance)
        # Spawned, so that noise is never that of a simulated X with the same seed.
        for_draws, for_fits = np.random.SeedSequence(seed_from(self.random_state)).spawn(2)
        rng, seed = np.random.default_rng(for_draws), int(for_fits.generate_state(1)[0])
        self.statistic_ = np.zeros((self.n_draws, X.shape[1]))
        if varies.any():
            for W, forged in zip(
                self.statistic_, knockoffs(columns, covariance, self.n_draws, rng), strict=True
            ):
                W[varies] = paired_difference(self._importance, columns, forged, y, seed)
        level = self.fdr if self.n_draws == 1 else self.fdr / 2.0
        self.threshold_ = np.asarray(
            [knockoff_threshold(W, level, self.offset) for W in self.statistic_]
        )
        if self.n_draws == 1:
            self.support_ = self.statistic_[0] >= self.threshold_[0]
        else:
            self.support_ = largest_e_values(e_values(self.statistic_, self.threshold_), self.fdr)
        return self

    def _importance(self, X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        if self.estimator is None:
            return _gate_importance(X, y)
        found = _importances(fitted_clone(self.estimator, seed, X, y), self.importance_getter)
        if found.shape != (X.shape[1],) or not np.all(np.isfinite(found)):
            raise ValueError(
                f"{np.sum(np.isfinite(found))} finite importances for the {X.shape[1]} columns of "
                "[X, knockoffs]; give an estimator and an importance_getter with one for each."
            )
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_


class _Known(BaseEstimator):
    """A covariance that needs no estimate."""

    def __init__(self, covariance: np.ndarray) -> None:
        self.covariance = covariance

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        self.covariance_, self.n_features_in_ = self.covariance, X.shape[1]
        return self


def _standardised(X: np.ndarray, varies: np.ndarray, covariance: Any) -> tuple[np.ndarray, Any]:
    """Return the columns that vary, standardised, and the estimator of their covariance."""
    columns = X[:, varies] - X[:, varies].mean(axis=0)
    if covariance is None or hasattr(covariance, "fit"):
        return columns / columns.std(axis=0), covariance
    covariance = np.asarray(covariance, dtype=np.float64)
    if covariance.shape != (X.shape[1],) * 2:
        raise ValueError(
            f"covariance has shape {covariance.shape}, but X has {X.shape[1]} columns; give a "
            "square array with a row for each, or None to estimate it."
        )
    covariance = covariance[np.ix_(varies, varies)]
    scale = np.sqrt(np.diag(covariance))
    return columns / scale, _Known(covariance / np.outer(scale, scale))


def knockoffs(
    X: np.ndarray, covariance: Any, n_draws: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield draws of second-order Gaussian knockoffs of centred columns.

    Their mean given X and the factor L of their covariance given X, LLᵀ, are hidimstat's
    (equicorrelated construction). The draws are not: hidimstat 0.4 multiplies rows of noise by L,
    which gives them covariance LᵀL.
    """
    sampler = extra("hidimstat.samplers", "fdr").GaussianKnockoffs(cov_estimator=covariance)
    with warnings.catch_warnings():
        # hidimstat warns of changes in the last digits whenever the smallest eigenvalue is active.
        warnings.filterwarnings("ignore", "The .* matrix for knockoffs is not positive")
        sampler.fit(X)
    for _ in range(n_draws):
        noise = rng.standard_normal(X.shape)
        yield sampler.mu_tilde_ + noise @ sampler.sigma_tilde_decompose_.T


def paired_difference(
    importance: Callable[..., np.ndarray],
    X: np.ndarray,
    forged: np.ndarray,
    y: np.ndarray,
    *args: Any,
) -> np.ndarray:
    """Return W: the importances of the columns less those of their knockoffs.

    ``importance([first, second], y, *args)`` sees of each pair first the column that is larger
    where the two first differ. Swap a column with its knockoff and ``importance`` sees the same
    table, so that W only changes its sign, to the last digit.
    """
    rows = np.argmax(X != forged, axis=0)
    places = np.arange(X.shape[1])
    mine, other = X[rows, places], forged[rows, places]
    is_second = mine < other
    first, second = np.where(is_second, forged, X), np.where(is_second, X, forged)
    found = importance(np.hstack([first, second]), y, *args)
    difference = found[: X.shape[1]] - found[X.shape[1] :]
    return np.where(mine == other, 0.0, np.where(is_second, -difference, difference))


def _gate_importance(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    models = [ProjectedSTG(None, gates=Gates(tau=tau, alpha_scale=c)) for tau, c in _GATES]
    size = X.std(axis=0)
    return np.mean([np.abs(model.fit(X, y).gated_coef_) * size for model in models], axis=0)


def _importances(model: Any, getter: str | Callable[[Any], Any]) -> np.ndarray:
    """Return what a fitted estimator says of each column."""
    if callable(getter):
        return np.abs(np.ravel(getter(model)))
    names = ("coef_", "feature_importances_") if getter == "auto" else (getter,)
    for name in names:
        if hasattr(model, name):
            return np.abs(np.ravel(getattr(model, name)))
    raise TypeError(
        f"{type(model).__name__} has no {' or '.join(names)} after fit; say in importance_getter "
        "where its importances are, or give another estimator."
    )


def knockoff_threshold(W: np.ndarray, fdr: float, offset: int = 1) -> float:
    """Return the least t with (offset + #{W ≤ −t}) / #{W ≥ t} ≤ fdr, or infinity.

    Examples
    --------
    >>> knockoff_threshold(np.asarray([5.0, 4.0, 3.0, -2.0, 1.0]), 0.4)
    3.0
    """
    for t in np.unique(np.abs(W[W != 0.0])):
        if offset + np.sum(W <= -t) <= fdr * np.sum(W >= t):
            return float(t)
    return np.inf


def e_values(W: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """Return the average over draws of D·1{W ≥ T} / (1 + #{W ≤ −T}); W is (n_draws, D)."""
    T = threshold[:, None]
    n_losses = np.sum(W <= -T, axis=1, keepdims=True)
    return np.mean(W.shape[1] * (W >= T) / (1.0 + n_losses), axis=0)


def largest_e_values(e: np.ndarray, fdr: float) -> np.ndarray:
    """Return the mask of the k largest, for the largest k whose k-th is at least D/(fdr·k)."""
    ranked = np.sort(e)[::-1]
    enough = np.flatnonzero(ranked * np.arange(1, e.size + 1) * fdr >= e.size * (1.0 - 1e-12))
    return e >= ranked[enough[-1]] if enough.size else np.zeros(e.size, dtype=bool)
