"""What every selector here shares: validation, prediction, seeds, progress."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._core.fit import GateOptions
from .._core.solve import Options, Solution, solve
from .._core.table import Table, as_table
from ._columns import check_selection, column_mask


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


class GateSelector(LinearSelector):
    """A selector by stochastic gates: a subclass says how they are fitted, in ``_options``."""

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"theory"})],
        "alpha_scale": [Interval(Real, 0, None, closed="left")],
        "noise_std": [Interval(Real, 0, None, closed="left"), None],
        "tau": [Interval(Real, 0, None, closed="neither")],
        "optimizer": [StrOptions({"adam", "fixed"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

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
        self : object
        """
        options = self._options()
        context = self._init_callback_context(max_subtasks=options.gates.n_steps + 1)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        rows, target, weights = self._validated(X, y, sample_weight)
        weights = None if weights is None else weights[None]
        always, never = self._constraints()
        table = as_table(rows[None], target[None], weights, centre=self.fit_intercept, never=never)
        check_selection(self.n_features_to_select, table.varies[0], always, never, self._named)
        options = replace(options, always=tuple(np.flatnonzero(always).tolist()))
        on_step = Progress(self, context, "step") if hasattr(self, "_skl_callbacks") else None
        self._store(table, solve(table, options, [seed_from(self.random_state)], on_step))
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _constraints(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the masks of columns that must and must not be selected."""
        names = getattr(self, "feature_names_in_", None)
        always, never = (
            column_mask(getattr(self, name, None), self.n_features_in_, names, name)
            for name in ("always_select", "never_select")
        )
        return always, never

    def _options_with(self, search=None, **gates) -> Options:
        """Return what all gates have in common, and what is said of these and of a search."""
        return Options(
            n_selected=self.n_features_to_select,
            alpha=None if self.alpha == "theory" else float(self.alpha),
            alpha_scale=self.alpha_scale,
            noise_std=self.noise_std,
            **(search or {}),
            gates=GateOptions(
                tau=float(self.tau),
                optimizer=self.optimizer,
                learning_rate=self.learning_rate,
                max_iter=self.max_iter,
                **gates,
            ),
        )

    def _store(self, table: Table, solution: Solution) -> None:
        self.support_ = solution.support[0]
        self.coef_ = solution.coef[0]
        self.intercept_ = float(solution.intercept[0])
        self.gated_coef_ = solution.gated_coef[0]
        self.alpha_ = float(solution.alpha[0])
        self.noise_std_ = None if solution.noise_std is None else float(solution.noise_std[0])
        gates = solution.gates
        self.mu_, self.gate_mean_ = gates.mu[0], gates.mean[0]
        self.risk_, self.n_iter_ = float(gates.value[0]), int(gates.n_iter[0])


def _with_weight(X, y, sample_weight):
    """Leave out the rows that weigh nothing; there must be two left."""
    weighs = sample_weight > 0.0
    if weighs.sum() < 2:
        raise ValueError(
            f"sample_weight is zero for {(~weighs).sum()} of {weighs.size} rows; give at least two "
            "rows a positive weight."
        )
    return (X, y, sample_weight) if weighs.all() else (X[weighs], y[weighs], sample_weight[weighs])


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
