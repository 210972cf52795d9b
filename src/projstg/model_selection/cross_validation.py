"""The price of a gate, or the number of columns, by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed

from .._compat import Interval, StrOptions, fit_context, with_callbacks
from ..estimators._after_fit import ColumnAttributes
from ..estimators._base import LinearSelector, seed_from
from ..estimators._gate_attributes import GateAttributes
from ..estimators._validation import check_parameters, checked_rows
from ..estimators.gate_options import Gates
from ..estimators.projected_stg import ProjectedSTG
from ..estimators.questions import request_of
from ..sources.gather import is_table
from ..sources.statistics import Statistics
from .batched_folds import FoldCandidates, batch_errors, renumbered
from .paths import check_sizes
from .summed_folds import gathered_folds, summed_errors

# The paper chooses C in [0.1, 10].
_LEAST_SCALE, _MOST_SCALE, _N_SCALES = 0.1, 10.0, 20
# Numbers in the copies of training folds that one batch holds (a quarter of a gigabyte).
_MOST_NUMBERS = 2**25

FoldTask = Callable[[], tuple[np.ndarray, int]]
"""What returns errors (n_candidates, n_folds) of some folds, and how many fits were unfinished."""


class ProjectedSTGCV(ColumnAttributes, GateAttributes, LinearSelector):
    r""":class:`ProjectedSTG` with K, or the constant C in the price of a gate, by cross-validation.

    There are two searches, and both judge a candidate by the squared error, on rows left out, of
    least squares on the columns it selects:

    ``ProjectedSTGCV(sizes=range(1, 21))``
        chooses K: in every fold ``ProjectedSTG(K)`` searches for the K columns, each K on its own.
    ``ProjectedSTGCV()``
        chooses C of the paper's rule λ = C √(2σ² log(D−K) log(K)/n), in [0.1, 10] as the paper
        does; the columns whose gate is open are selected.

    With both ``sizes`` and ``alpha_scales`` given every pair is a candidate, and ``sizes=[K]``
    chooses C for a known K; with ``refine=True`` C then matters little, since the gates are only
    one of the starts of the search. Prediction is not selection: ``rule="min"`` tends to keep a few
    columns too many, ``rule="1se"`` takes the sparsest candidate that predicts about as well.

    Parameters
    ----------
    estimator : ProjectedSTG or None, default=None
        What is fitted; cross-validation sets K and C. None is ``ProjectedSTG()``. Every fit uses
        its ``random_state``. Where ``noise_std`` of its gates is None every fold estimates its own.
        ``probabilities=False`` saves time in every fold.
    sizes : sequence of int, int or None, default=None
        The numbers of columns to choose from; one number K means 1, …, K. None selects the columns
        whose gate is open.
    alpha_scales : sequence of float, int or None, default=None
        The values of C to choose from, all positive, or how many, evenly spaced in the logarithm
        from 0.1 to 10. None means 20 values or, where ``sizes`` are given, only the estimator's C.
    rule : {"min", "1se"}, default="min"
        "min" takes the candidate with the least mean error; "1se" the sparsest one (smallest K,
        then largest C) whose mean error is within one standard error of the least.
    cv : int, splitter, iterable of splits or None, default=None
        As everywhere in scikit-learn; None is five folds of consecutive rows. Splits are pairs of
        row numbers, or of masks. For a source of rows the number of folds.
    n_jobs : int or None, default=None
        How many processes share the folds; nothing but time depends on it. One process fits all
        folds in one batch.

    Attributes
    ----------
    n_features_to_select_ : int or None
        The K chosen; None where open gates were asked for.
    alpha_scale_ : float or None
        The C chosen; None where λ is given.
    best_index_ : int
        The index of the chosen candidate.
    sizes_ : ndarray of shape (n_candidates,) or None
        K of each candidate; candidates are in order, the sparsest first.
    alpha_scales_ : ndarray of shape (n_candidates,) or None
        C of each candidate; None where λ is given.
    cv_error_path_ : ndarray of shape (n_candidates, n_folds)
        Mean squared error on the rows of each fold, weighted by ``sample_weight``.
    cv_error_mean_, cv_error_std_ : ndarray of shape (n_candidates,)
        Mean and standard deviation over the folds; the standard error of the mean is
        ``cv_error_std_`` / √n_folds.
    best_estimator_ : ProjectedSTG
        Fitted to all rows with the chosen K and C. Its fitted attributes are also attributes of
        this object: ``support_``, ``coef_``, ``intercept_``, ``gate_mean_``, ``alpha_``,
        ``noise_std_`` and the others.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    See Also
    --------
    projected_stg_path : Every answer along λ or K, without a choice.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import ProjectedSTGCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.5 * rng.standard_normal(60)
    >>> model = ProjectedSTGCV(sizes=range(1, 6), rule="1se").fit(X, y)
    >>> model.n_features_to_select_, model.get_support(indices=True).tolist()
    (2, [3, 17])
    >>> ProjectedSTGCV(rule="1se").fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    _nested = ("estimator", "ProjectedSTG()")

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "estimator": [ProjectedSTG, None],
        "sizes": ["array-like", range, Interval(Integral, 1, None, closed="left"), None],
        "alpha_scales": ["array-like", Interval(Integral, 1, None, closed="left"), None],
        "rule": [StrOptions({"min", "1se"})],
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
    }

    alpha_scale_: float | None
    alpha_scales_: np.ndarray | None

    def __init__(
        self,
        estimator: ProjectedSTG | None = None,
        *,
        sizes: Any = None,
        alpha_scales: Any = None,
        rule: Literal["min", "1se"] = "min",
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.sizes = sizes
        self.alpha_scales = alpha_scales
        self.rule = rule
        self.cv = cv
        self.n_jobs = n_jobs

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Self:
        """Choose by cross-validation, then fit all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a source of rows
            Sources are those of ``ProjectedSTG.fit``. Their rows are put into folds at random, as
            by ``Statistics(folds=5)``, and ``cv`` is the number of folds; :class:`Statistics` have
            theirs already.
        y : array-like of shape (n_samples,), or the name of the target in a source
        sample_weight : array-like of shape (n_samples,), or a name in a source, or None
            A row of weight k counts as k rows, in the fits and in the errors of each fold; the mean
            over folds is a plain one.
        **params : dict
            What the splitter takes: ``groups``, or with metadata routing what it requests.

        Returns
        -------
        self : object
        """
        context = self._init_callback_context()
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        for_splitter = self._for_splitter(params, sample_weight)
        model = ProjectedSTG() if self.estimator is None else clone(self.estimator)
        sizes = None if self.sizes is None else check_sizes(self.sizes)
        self._check_estimator(model, sizes)
        seed = seed_from(model.random_state)
        largest = None if sizes is None else max(sizes)
        model.set_params(n_features_to_select=largest, random_state=seed)
        request = request_of(model)
        scales = self._scales(sizes, request.options.alpha_scale)
        candidates = FoldCandidates(request, None, sizes or [None], scales, seed)
        if is_table(X, y):
            data = (X, y, sample_weight)
            tasks = self._row_tasks(candidates, data, for_splitter)
        else:
            statistics = self._gathered(X, y, sample_weight, for_splitter)
            data = (statistics, None, None)
            candidates = candidates._replace(names=statistics.feature_names)
            n_folds = statistics.n_folds
            tasks = [partial(summed_errors, candidates, statistics, i) for i in range(n_folds)]
        self._choose(self._errors(tasks), sizes, scales)
        self._store(self._chosen(model).fit(*data))
        if request.options.alpha is not None:
            self.alpha_scale_ = self.alpha_scales_ = None
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata go to the splitter."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=to_split)

    def _for_splitter(self, params: dict[str, Any], sample_weight: Any) -> dict[str, Any]:
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return routed.splitter.split
        others = sorted(set(params) - {"groups"})
        if others:
            raise TypeError(
                f"fit got {', '.join(others)}; without metadata routing it takes X, y, "
                "sample_weight and groups. sklearn.set_config(enable_metadata_routing=True) lets "
                "the splitter ask for more."
            )
        return params

    def _check_estimator(self, model: ProjectedSTG, sizes: list[int] | None) -> None:
        """Raise where a parameter of the estimator would be overruled, or is out of its range."""
        check_parameters(model)
        k, gates = model.n_features_to_select, Gates() if model.gates is None else model.gates
        if k != "auto" and (k is not None or sizes is not None):
            instead = f"pass sizes=[{k}]" if sizes is None else "leave it out"
            raise ValueError(
                f"the estimator has n_features_to_select={k!r}, which cross-validation sets; "
                f"{instead}."
            )
        if sizes is not None and self.alpha_scales is None:
            return
        if gates.alpha_scale is not None:
            raise ValueError(
                f"the gates have alpha_scale={gates.alpha_scale!r}, which cross-validation chooses;"
                f" leave it out, or pass alpha_scales=[{gates.alpha_scale!r}]."
            )
        if not isinstance(gates.alpha, str):
            raise ValueError(
                f"the gates have alpha={gates.alpha!r}, so there is no C to choose; leave it out, "
                "or choose K alone: sizes=range(1, 21)."
            )

    def _scales(self, sizes: list[int] | None, own: float) -> list[float]:
        """Return the values of C, decreasing: the sparsest first."""
        if self.alpha_scales is None and sizes is not None:
            return [own]
        scales = _N_SCALES if self.alpha_scales is None else self.alpha_scales
        if isinstance(scales, Integral):
            scales = np.geomspace(_LEAST_SCALE, _MOST_SCALE, scales)
        values = np.unique(np.asarray(scales, dtype=float))[::-1]
        if not values.size or not 0.0 < values[-1] <= values[0] < np.inf:
            raise ValueError(
                f"alpha_scales={self.alpha_scales!r}; give positive numbers, or how many between "
                "0.1 and 10."
            )
        return values.tolist()

    def _chosen(self, model: ProjectedSTG) -> ProjectedSTG:
        """Return the estimator with the K and the C that were chosen."""
        model.set_params(n_features_to_select=self.n_features_to_select_)
        if self.sizes is not None and self.alpha_scales is None:
            return model  # C is its own
        gates = Gates() if model.gates is None else model.gates
        return model.set_params(gates=gates, gates__alpha_scale=self.alpha_scale_)

    def _row_tasks(
        self, candidates: FoldCandidates, data: tuple[Any, Any, Any], for_splitter: dict[str, Any]
    ) -> list[FoldTask]:
        """Return what makes the errors of some folds each, of a table in memory."""
        X, y, sample_weight = data
        rows = checked_rows(self, X, y, sample_weight)
        is_number = self.cv is None or isinstance(self.cv, Integral)
        splits = self.cv  # not unpacked by scikit-learn: what is no pair is said by fold
        if is_number or hasattr(self.cv, "split"):
            splits = check_cv(self.cv).split(X, y, **for_splitter)
        folds = renumbered(splits, len(np.asarray(y)), sample_weight)
        candidates = candidates._replace(names=getattr(self, "feature_names_in_", None))
        if not folds:
            raise ValueError(
                f"cv={self.cv!r} has no splits; give how many folds there are to be, such as cv=5, "
                "or pairs of rows to fit and rows to judge."
            )
        longest = max(train.size for train, _ in folds)
        at_once = max(_MOST_NUMBERS // (longest * rows[0].shape[1]), 1)
        size = at_once if self.n_jobs in (None, 1) else 1
        return [
            partial(batch_errors, candidates, rows, folds[first : first + size], longest)
            for first in range(0, len(folds), size)
        ]

    def _gathered(
        self, X: Any, y: Any, sample_weight: Any, for_splitter: dict[str, Any]
    ) -> Statistics:
        """Return a source of rows as sums by fold."""
        if for_splitter:
            raise TypeError(
                f"{', '.join(sorted(for_splitter))} is for the splitter of rows in memory, and X "
                "is a source of rows; leave it out, or pass arrays X and y."
            )
        statistics = gathered_folds(X, y, sample_weight, self.cv)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        return statistics

    def _errors(self, tasks: list[FoldTask]) -> np.ndarray:
        """Return the errors of all candidates, (n_candidates, n_folds)."""
        done = Parallel(n_jobs=self.n_jobs)(delayed(task)() for task in tasks)
        parts, unfinished = zip(*done, strict=True)
        errors = np.concatenate(parts, axis=1)
        if sum(unfinished):
            warnings.warn(
                f"in {sum(unfinished)} of {errors.size} fits to folds the gates still moved; raise "
                "max_iter or tol of gates=Gates(…).",
                ConvergenceWarning,
                stacklevel=5,
            )
        return errors

    def _choose(self, errors: np.ndarray, sizes: list[int] | None, scales: list[float]) -> None:
        n_folds = errors.shape[1]
        self.cv_error_path_ = errors
        self.cv_error_mean_ = errors.mean(axis=1)
        self.cv_error_std_ = errors.std(axis=1, ddof=1) if n_folds > 1 else 0.0 * errors[:, 0]
        self.sizes_ = None if sizes is None else np.repeat(sizes, len(scales))
        self.alpha_scales_ = np.tile(scales, 1 if sizes is None else len(sizes))
        best = np.argmin(self.cv_error_mean_)
        if self.rule == "1se":
            limit = self.cv_error_mean_[best] + self.cv_error_std_[best] / np.sqrt(n_folds)
            best = np.argmax(self.cv_error_mean_ <= limit)
        self.best_index_ = int(best)
        self.alpha_scale_ = float(self.alpha_scales_[best])
        self.n_features_to_select_ = None if self.sizes_ is None else int(self.sizes_[best])

    def _store(self, best: ProjectedSTG) -> None:
        self.best_estimator_, self._fitted_gates = best, best._fitted_gates
        self._after_fit = best._after_fit
        for name, value in vars(best).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
