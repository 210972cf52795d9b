"""What every selector here shares: validation, prediction, seeds, progress."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._compat import Interval, StrOptions, check_sample_weight, fit_context
from .._core.arrays.backend import namespace, to_numpy
from .._core.data.standardize import StandardTable, as_table
from .._core.gates.alternate import Status
from .._core.gates.gate_fit import GateOptions
from .._core.pipeline.fixed_size import solve
from .._core.pipeline.solution import Options, Solution
from ._validation import check_selection, column_mask


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
            sample_weight = check_sample_weight(
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
        "tau": [Interval(Real, 0.01, 100, closed="both")],
        "optimizer": [StrOptions({"adam", "fixed"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Choose the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight k counts as k rows, so weights that sum to one must be multiplied by
            the number of rows.

        Returns
        -------
        self : object
        """
        options = self._options()
        context = self._init_callback_context(max_subtasks=options.gates.n_steps + 1)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        rows, target, weights = self._validated(X, y, sample_weight)
        weights = None if weights is None else weights[None]
        table, options = self._prepared(rows[None], target[None], weights, options)
        on_step = Progress(self, context, "step") if hasattr(self, "_skl_callbacks") else None
        solution = self._solved(table, options, [seed_from(self.random_state)], on_step)
        check_coefficients(solution.coef, self._named)
        self._store(table, solution)
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _solved(self, table: StandardTable, options: Options, seeds, on_step=None) -> Solution:
        """Return the answer to what was asked."""
        return solve(table, options, seeds, on_step)

    def _prepared(self, X, y, weights, options: Options) -> tuple[StandardTable, Options]:
        """Return the problems of X (B, N, D), y (B, N) and what is asked of them, or raise."""
        always, never = self._constraints()
        on_device = namespace(X).asarray(never, device=X.device)
        table = as_table(X, y, weights, centre=self.fit_intercept, never=on_device)
        check_range(table)
        for varies in to_numpy(table.varies):
            check_selection(self.n_features_to_select, varies, always, never, self._named)
        return table, replace(options, always=tuple(np.flatnonzero(always).tolist()))

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
            n_selected=None if self.n_features_to_select == "auto" else self.n_features_to_select,
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

    def _store(self, table: StandardTable, solution: Solution) -> None:
        self.support_ = solution.support[0]
        self.coef_ = solution.coef[0]
        self.intercept_ = float(solution.intercept[0])
        self.gated_coef_ = solution.gated_coef[0]
        self.alpha_ = float(solution.alpha[0])
        self.noise_std_ = None if solution.noise_std is None else float(solution.noise_std[0])
        gates = solution.gates
        self.mu_, self.gate_mean_ = gates.mu[0], gates.mean[0]
        self.risk_, self.n_iter_ = float(gates.value[0]), int(gates.n_iter[0])
        trouble = {
            Status.MAX_ITER: f"the gates still moved by {gates.criterion[0]:.1e} of y's root mean "
            f"square after {self.n_iter_} steps; raise max_iter or tol.",
            Status.DIVERGED: f"the descent diverged; lower learning_rate={self.learning_rate}.",
        }
        if gates.status[0] in trouble:
            # The level is that of the caller of fit, past scikit-learn's wrappers.
            warnings.warn(trouble[Status(gates.status[0])], ConvergenceWarning, stacklevel=5)


def check_range(table: StandardTable) -> None:
    """Raise where squares of the numbers in y are beyond the range of their type."""
    y_scale = to_numpy(table.y_scale)
    if np.any(y_scale > np.sqrt(np.finfo(y_scale.dtype).max)):
        raise ValueError("the squares of values in y overflow; divide y by a constant.")


def check_coefficients(coef, named) -> None:
    """Raise where a coefficient, (..., D), is beyond the range of numbers in these units."""
    coef = to_numpy(coef)
    is_lost = np.any(~np.isfinite(coef).reshape(-1, coef.shape[-1]), axis=0)
    if is_lost.any():
        raise ValueError(
            f"the coefficient of {named(is_lost)} is too large or too small for a "
            "number in these units; multiply that column of X, or y, by a constant."
        )


# Beyond this a float no longer counts rows one by one.
_MOST_ROWS = 2.0**53


def check_total_weight(total: float, n_rows: int) -> None:
    """Raise where weights cannot be numbers of rows."""
    if not 2.0 <= total <= _MOST_ROWS:
        raise ValueError(
            f"sample_weight sums to {total:.3g}; a weight is a number of rows: multiply by "
            f"{n_rows} / sample_weight.sum(), or pass the numbers themselves."
        )


def _with_weight(X, y, sample_weight):
    """Leave out the rows that weigh nothing; there must be two left."""
    weighs = sample_weight > 0.0
    if weighs.sum() < 2:
        raise ValueError(
            f"sample_weight is zero for {(~weighs).sum()} of {weighs.size} rows; give at least two "
            "rows a positive weight."
        )
    check_total_weight(float(sample_weight.sum()), weighs.size)
    return (X, y, sample_weight) if weighs.all() else (X[weighs], y[weighs], sample_weight[weighs])


def check_seed(random_state):
    """Return ``random_state`` if it is one, or raise."""
    is_number = isinstance(random_state, Integral) and 0 <= random_state < 2**32
    if is_number or random_state is None or isinstance(random_state, np.random.RandomState):
        return random_state
    raise ValueError(
        f"random_state={random_state!r}; give a whole number from 0 to 2**32 - 1, or None."
    )


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
