"""What every selector here shares: validation, prediction, seeds, progress."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data


class LinearSelector(CallbackSupportMixin, SelectorMixin, RegressorMixin, BaseEstimator):
    """A selector that is also the least-squares regressor on what it selected."""

    def predict(self, X):
        """Predict with least squares on the selected columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.coef_ + self.intercept_

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _validated(self, X, y, sample_weight):
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=X.dtype, ensure_non_negative=True
            )
            X, y, sample_weight = _with_weight(X, y, sample_weight)
        return X, np.asarray(y, dtype=np.float64), sample_weight

    def _named(self, chosen: np.ndarray) -> str:
        """Return the names of a few columns, for a message."""
        names = getattr(self, "feature_names_in_", np.arange(chosen.size))[chosen]
        return ", ".join(str(name) for name in names[:5]) + (", …" if names.size > 5 else "")


def _with_weight(X, y, sample_weight):
    """Leave out the rows that weigh nothing; there must be two left."""
    weighs = sample_weight > 0.0
    if weighs.sum() < 2:
        raise ValueError(
            f"sample_weight is zero for {(~weighs).sum()} of {weighs.size} rows; give at least two "
            "rows a positive weight."
        )
    return (X, y, sample_weight) if weighs.all() else (X[weighs], y[weighs], sample_weight[weighs])


def check_n_selected(k, varies, named) -> int | None:
    """Return K, or raise and say what could be asked for."""
    n_features, n_varying = varies.size, int(varies.sum())
    if k is None:
        return None
    if k > n_features:
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_features} columns of X; ask for at "
            f"most {n_features}, or pass None to choose from the data."
        )
    if k > n_varying:
        raise ValueError(
            f"n_features_to_select={k} is more than the {n_varying} columns of X that vary "
            f"(constant: {named(~varies)}); ask for at most {n_varying}, or drop the constants."
        )
    return int(k)


def seed_from(random_state) -> int:
    """Return one integer that stands for ``random_state``; None asks the system for one."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


class Progress:
    """Tells callbacks of each step of a fit; a fit without callbacks has none."""

    def __init__(self, estimator, context, task_name):
        self._estimator, self._context, self._task_name = estimator, context, task_name
        self._begin()

    def _begin(self):
        self._step = self._context.subcontext(task_name=self._task_name)
        self._step.call_on_fit_task_begin(estimator=self._estimator)

    def __call__(self, step: int) -> bool:
        """Close one step and open the next; return whether a callback asks to stop."""
        stop = bool(self._step.call_on_fit_task_end(estimator=self._estimator))
        self._begin()
        return stop
