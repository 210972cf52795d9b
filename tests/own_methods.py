"""Methods from outside the package, as a researcher would write them."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, f_regression

from projstg.experiments.registry import Method


def marginal(known):
    return SelectKBest(f_regression, k=known.n_features_to_select)


def broken(known):
    raise RuntimeError("always")


class Moody:
    """Raises on some problems, warns on some, answers on all others."""

    def __init__(self, known):
        self.k = known.n_features_to_select

    def fit(self, X, y):
        self.order = np.argsort(-np.abs(X.T @ y))
        if y[0] > 1.0:
            raise RuntimeError("a bad\nday")
        if y[0] < -1.0:
            warnings.warn("not there yet", ConvergenceWarning, stacklevel=2)
        return self

    def get_support(self):
        return np.isin(np.arange(len(self.order)), self.order[: self.k])


def wrong_size(known):
    return SelectKBest(f_regression, k=known.n_features_to_select + 1)


def _many(X, y, known):
    correlations = np.abs(np.einsum("bnd,bn->bd", X, y))
    ranks = np.argsort(np.argsort(-correlations, axis=1), axis=1)
    return ranks < known[0].n_features_to_select, correlations


many = Method("own-many", "many at once", Moody, fit_many=_many)
missing = Method(
    "own-missing", "not installed", marginal, needs="peers", modules=("no_such_module",)
)
