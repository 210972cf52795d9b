"""What selectors share: prediction, display, seeds; and the fit of gate selectors."""

from __future__ import annotations

import warnings
from functools import cache
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from .._compat import Interval, fit_context, with_callbacks
from .._core.data.standard_table import StandardTables
from .._core.progress import STAGES, Report
from ..sources.as_doubles import check_unmasked
from ..sources.gather import check_is_table, gathered, is_table, source_name
from ..sources.statistics import Statistics
from ._fit_tasks import FitTasks
from ._gate_attributes import GateAttributes, kept_gates, unfinished
from ._notebook import answer_html
from ._validation import (
    check_nested,
    check_sums,
    checked_rows,
    validated,
)
from .gate_options import GateFamily, Gates
from .questions import (
    Fit,
    Question,
    Request,
    fit_of,
    prepare_sums,
    prepare_table,
    request_of,
    solve,
)

# What scikit-learn takes for ``random_state``.
Seed = int | np.random.RandomState | None


class LinearSelector(CallbackSupportMixin, SelectorMixin, RegressorMixin, BaseEstimator):
    """A selector that is also the least-squares regressor on what it selected."""

    _takes_any_x = False
    """Whether X may be sparse, too large to copy, or a source of rows."""
    _nested: tuple[str, str] | None = None
    """A parameter that has parameters of its own, and what can be passed for it."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn reads the signature each time it is asked, which is several times in a fit.
        return list(_param_names(cls))  # type: ignore[arg-type] # a class can be hashed

    def _validate_params(self) -> None:
        # Models with the same plain parameters are fitted again and again: they are checked once.
        values = [getattr(self, name) for name in self._get_param_names()]
        key = (type(self), *((type(one), one) for one in values))
        is_plain = all(isinstance(one, str | int | float | None) for one in values)
        if is_plain and key in _VALID:
            return
        super()._validate_params()
        if is_plain:
            if len(_VALID) >= _MOST_VALID:
                _VALID.clear()
            _VALID.add(key)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, such as ``gates__tau`` once ``gates=Gates()`` is given.

        Parameters
        ----------
        **params : dict

        Returns
        -------
        self : object
        """
        if self._nested is not None:
            check_nested(self, params, *self._nested)
        return super().set_params(**params)

    def predict(self, X: Any) -> np.ndarray:
        """Predict with least squares on the selected columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._checked(X)
        return X @ self.coef_ + self.intercept_

    def _checked(self, X: Any) -> Any:
        """Return rows to predict for; sparse ones stay so."""
        accepted = ["csr", "csc"] if self._takes_any_x else False
        return validated(self, X, reset=False, dtype=np.float64, accept_sparse=accepted)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def _html_repr(self) -> str:
        """Return what a notebook shows: once fitted the answer, and scikit-learn's own display."""
        own = super()._html_repr()
        return answer_html(self) + own if hasattr(self, "support_") else own


# Parameters that were found in their ranges, of the classes they belong to; so many at the most,
# that a loop over seeds does not fill the memory.
_VALID: set[tuple[Any, ...]] = set()
_MOST_VALID = 1000


@cache
def _param_names(cls: type[LinearSelector]) -> list[str]:
    return super(LinearSelector, cls)._get_param_names()  # type: ignore[misc]


class TableSelector(LinearSelector):
    """A selector that learns from one table; a subclass says how in ``_learn``."""

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a source of rows
            A source (:class:`Statistics`, a Parquet file or folder, an Arrow stream, an iterator of
            chunks, Dask) is read once, in chunks, by the selectors that need sums alone.
        y : array-like of shape (n_samples,), or the name of the target in a source
        sample_weight : array-like of shape (n_samples,), or a name in a source, or None
            A row of weight k counts as k rows, so weights that sum to one must be multiplied by
            the number of rows.

        Returns
        -------
        self : object
        """
        request = self._request()
        tasks: FitTasks | None = None
        if hasattr(self, "_skl_callbacks"):
            tasks = FitTasks(self, self._stages(request), X, y)
        try:
            any_x = self._takes_any_x
            if not any_x:
                check_is_table(type(self).__name__, X, y)
            if is_table(X, y):
                rows = checked_rows(self, X, y, sample_weight, takes_any_x=any_x)
                self._learn(request, *rows, tasks)
            else:
                self._learn_sums(request, gathered(X, y, sample_weight), tasks)
        finally:
            if tasks is not None:
                tasks.end()
        self.__dict__.pop("_so_far", None)  # of partial_fit
        return self

    def _learn_sums(self, request: Any, statistics: Statistics, report: Report | None) -> None:
        """Learn from sums over the rows; see ``_takes_any_x``."""
        raise NotImplementedError

    def _request(self) -> Any:
        """Return what the parameters ask for; raise where they contradict each other."""

    def _stages(self, request: Any) -> tuple[str, ...]:
        """Return the stages that callbacks hear of."""
        return ()

    def _learn(
        self,
        request: Any,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None,
        report: Report | None,
    ) -> None:
        """Learn from X (N, D), y (N,) and weights (N,) or None.

        ``report`` is told how far it is; None where there are no callbacks.
        """
        raise NotImplementedError


class GateSelector(GateAttributes, TableSelector):
    """A selector by stochastic gates; a subclass names their kind in ``gate_family``."""

    gate_family: GateFamily
    """The kind of gates, with its own values where :class:`Gates` has None."""

    _nested = ("gates", "Gates()")
    _takes_any_x = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "gates": [Gates, None],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    def _request(self) -> Request:
        return request_of(self)

    def _stages(self, request: Request) -> tuple[str, ...]:
        options = request.options
        if not options.has_search:
            return ("gates",)
        stages = STAGES if options.selection is not None else STAGES[1:]
        return stages if options.probabilities else stages[:-1]

    def _learn(
        self,
        request: Request,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None,
        report: Report | None,
    ) -> None:
        names = getattr(self, "feature_names_in_", None)
        self._answer(prepare_table(request, X, y, weights, names), report)

    def _learn_sums(self, request: Request, statistics: Statistics, report: Report | None) -> None:
        sums, names = statistics.sums, statistics.feature_names
        check_sums(sums)
        question = prepare_sums(request, sums, names)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        self.n_features_in_ = statistics.n_features
        if names is not None:
            self.feature_names_in_ = names
        self._answer(question, report)

    def _answer(self, question: Question, report: Report | None) -> None:
        """Solve, store the answer, and warn where there is reason to."""
        (solution,) = solve(question, [seed_from(self.random_state)], report)
        (group,) = question.groups
        self._store(fit_of(group.tables, solution, 0, question.names), group.tables)
        gates = kept_gates([(np.arange(1), solution.gates)])
        self._fitted_gates = gates
        said = unfinished(gates.value(), group.options.gates) if gates.is_read else None
        for text, category in (
            (question.warning_of(solution.answers), DataDimensionalityWarning),
            (said, ConvergenceWarning),
        ):
            if text is not None:
                # The level is that of the caller of fit, past scikit-learn's wrappers.
                warnings.warn(text, category, stacklevel=6)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to those of earlier calls, and choose the columns anew.

        Only sums over the rows are kept (:class:`Statistics`), so that there may be any number of
        calls; each solves the problem of all rows so far, and where that has no answer yet the rows
        are kept. ``fit`` begins anew.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        self : object
        """
        if not is_table(X, y):
            raise TypeError(
                f"partial_fit takes rows, X and y, and got {source_name(X)}; fit takes sources of "
                "rows, and Statistics gathers them."
            )
        request, so_far = self._request(), self.__dict__.get("_so_far")
        X, y = validated(
            self, X, y, dtype=np.float64, y_numeric=True, reset=so_far is None, ensure_min_samples=1
        )
        check_unmasked(sample_weight, "sample_weight")
        chunk = Statistics().update(X, y, sample_weight)
        chunk.feature_names = getattr(self, "feature_names_in_", None)
        self._so_far = chunk if so_far is None else so_far + chunk
        self._learn_sums(request, self._so_far, None)
        return self

    def _store(self, fit: Fit, tables: StandardTables) -> None:
        self.support_ = fit.frame.mask(fit.answer.support)
        self.coef_, self.intercept_ = fit.coef, float(fit.frame.intercept(fit.coef))
        self.alpha_, self.noise_std_ = fit.alpha, fit.noise_std


def check_seed(random_state: Any) -> Seed:
    """Return ``random_state`` if it is one, or raise."""
    is_number = isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32
    if is_number or random_state is None or isinstance(random_state, np.random.RandomState):
        return random_state
    raise ValueError(
        f"random_state={random_state!r}; give a whole number from 0 to 2**32 - 1, or None."
    )


def seed_from(random_state: Seed) -> int:
    """Return one integer that stands for ``random_state``; None asks the system for one."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)
