"""The price of a gate, or the number of columns, by cross-validation."""

from __future__ import annotations

import warnings
from numbers import Integral

import numpy as np
from sklearn import get_config
from sklearn.callback import with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed

from .._compat import Interval, StrOptions, fit_context
from ..estimators._base import LinearSelector, seed_from
from ..estimators.projected_stg import ProjectedSTG
from .batched_folds import Fold, FoldRows, batch_errors, renumbered
from .paths import check_sizes

# The paper chooses C in [0.1, 10].
_LEAST_SCALE, _MOST_SCALE, _N_SCALES = 0.1, 10.0, 20
# Where only K is chosen, C is what ProjectedSTG takes by itself.
_OWN_SCALE = 0.2
# Numbers in the copies of training folds that one batch holds (a quarter of a gigabyte).
_MOST_NUMBERS = 2**25

# Parameters that mean what they mean to ProjectedSTG.
_SHARED = (
    "noise_std",
    "tau",
    "expectation",
    "warm_up",
    "n_gate_samples",
    "optimizer",
    "learning_rate",
    "max_iter",
    "tol",
    "refine",
    "criterion",
    "n_starts",
    "always_select",
    "never_select",
    "fit_intercept",
)


class ProjectedSTGCV(LinearSelector):
    r""":class:`ProjectedSTG` with K, or the constant C in the price of a gate, by cross-validation.

    There are two searches, and both judge a candidate by the squared error, on rows left out, of
    least squares on the columns it selects:

    ``ProjectedSTGCV(sizes=range(1, 21))``
        chooses K: in every fold ``ProjectedSTG(K)`` searches for the K columns, each K on its own.
    ``ProjectedSTGCV()``
        chooses C of the paper's rule λ = C √(2σ² log(D−K) log(K)/n), in [0.1, 10] as the paper
        does; the columns whose gate is open are selected.

    With both ``sizes`` and ``alpha_scales`` given every pair is a candidate, and ``sizes=[K]``
    chooses C for K known; with ``refine=True`` C then matters little, since the search goes on from
    what the gates propose. Prediction is not selection: ``rule="min"`` tends to keep a few columns
    too many, ``rule="1se"`` takes the sparsest candidate that predicts about as well.

    Parameters
    ----------
    sizes : sequence of int, int or None, default=None
        The numbers of columns to choose from; K stands for 1, …, K. None: open gates.
    alpha_scales : sequence of float, int or None, default=None
        The values of C to choose from, all positive, or how many, evenly spaced in the logarithm
        from 0.1 to 10. None: 20 of them, or, where ``sizes`` are given, C = 0.2 alone.
    rule : {"min", "1se"}, default="min"
        The candidate with the least mean error, or the sparsest one (smallest K, then largest C)
        whose mean is within one standard error of that.
    cv : int, splitter, iterable of splits or None, default=None
        As everywhere in scikit-learn; None is five folds of consecutive rows.
    noise_std, tau, expectation, warm_up, n_gate_samples, optimizer, learning_rate, max_iter, tol, \
    refine, criterion, n_starts, always_select, never_select, fit_intercept
        As in :class:`ProjectedSTG`. Where ``noise_std`` is None every fold estimates its own.
    n_jobs : int or None, default=None
        How many processes share the folds; nothing but time depends on it. One process fits all
        folds in one batch.
    random_state : int, RandomState instance or None, default=0
        The one seed of every fit.

    Attributes
    ----------
    n_features_to_select_ : int or None
        The K chosen; None where open gates were asked for.
    alpha_scale_ : float
        The C chosen.
    best_index_ : int
        The place of both among the candidates.
    sizes_ : ndarray of shape (n_candidates,) or None
        K of each candidate; candidates are in order, the sparsest first.
    alpha_scales_ : ndarray of shape (n_candidates,)
        C of each candidate.
    cv_error_path_ : ndarray of shape (n_candidates, n_folds)
        Mean squared error on the rows of each fold, weighted by ``sample_weight``.
    cv_error_mean_, cv_error_std_ : ndarray of shape (n_candidates,)
        Over the folds; the standard error is the latter divided by √n_folds.
    best_estimator_ : ProjectedSTG
        Fitted to all rows with the choice made. All it has learned is here too: ``support_``,
        ``coef_``, ``intercept_``, ``gate_mean_``, ``alpha_``, ``noise_std_`` and the others.
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

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "sizes": ["array-like", range, Interval(Integral, 1, None, closed="left"), None],
        "alpha_scales": ["array-like", Interval(Integral, 1, None, closed="left"), None],
        "rule": [StrOptions({"min", "1se"})],
        "cv": ["cv_object"],
        **{name: ProjectedSTG._parameter_constraints[name] for name in _SHARED},
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        sizes=None,
        *,
        alpha_scales=None,
        rule="min",
        cv=None,
        noise_std=None,
        tau=0.5,
        expectation="exact",
        warm_up=True,
        n_gate_samples=20,
        optimizer="adam",
        learning_rate=1e-3,
        max_iter=None,
        tol=1e-4,
        refine=True,
        criterion="common-size",
        n_starts=None,
        always_select=None,
        never_select=None,
        fit_intercept=True,
        n_jobs=None,
        random_state=0,
    ):
        self.sizes = sizes
        self.alpha_scales = alpha_scales
        self.rule = rule
        self.cv = cv
        self.noise_std = noise_std
        self.tau = tau
        self.expectation = expectation
        self.warm_up = warm_up
        self.n_gate_samples = n_gate_samples
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.refine = refine
        self.criterion = criterion
        self.n_starts = n_starts
        self.always_select = always_select
        self.never_select = never_select
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, **params):
        """Choose by cross-validation, then fit all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
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
        sizes, scales = self._grid()
        rows = FoldRows(*self._validated(X, y, sample_weight))
        folds = renumbered(check_cv(self.cv).split(X, y, **for_splitter), sample_weight)
        seed = seed_from(self.random_state)
        model = self._model(None if sizes is None else max(sizes), _OWN_SCALE, seed)
        names = ("n_features_in_", "feature_names_in_")
        vars(model).update({name: getattr(self, name) for name in names if hasattr(self, name)})
        errors = self._errors(model, rows, folds, (sizes or [None], scales))
        self._choose(errors, sizes, scales)
        best = self._model(self.n_features_to_select_, self.alpha_scale_, seed)
        self._store(best.fit(X, y, sample_weight))
        context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def get_metadata_routing(self):
        """Say which metadata go to the splitter."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=to_split)

    def _for_splitter(self, params, sample_weight) -> dict:
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

    def _grid(self) -> tuple[list[int] | None, list[float]]:
        """Return sizes, increasing, and values of C, decreasing: the sparsest first."""
        sizes = None if self.sizes is None else check_sizes(self.sizes)
        if self.alpha_scales is None and sizes is not None:
            return sizes, [_OWN_SCALE]
        scales = _N_SCALES if self.alpha_scales is None else self.alpha_scales
        if isinstance(scales, Integral):
            scales = np.geomspace(_LEAST_SCALE, _MOST_SCALE, scales)
        values = np.unique(np.asarray(scales, dtype=float))[::-1]
        if not values.size or not 0.0 < values[-1] <= values[0] < np.inf:
            raise ValueError(
                f"alpha_scales={self.alpha_scales!r}; give positive numbers, or how many between "
                "0.1 and 10."
            )
        return sizes, values.tolist()

    def _model(self, size: int | None, scale: float, seed: int) -> ProjectedSTG:
        shared = {name: getattr(self, name) for name in _SHARED}
        return ProjectedSTG(size, alpha_scale=scale, random_state=seed, **shared)

    def _errors(self, model: ProjectedSTG, rows: FoldRows, folds: list[Fold], grid) -> np.ndarray:
        """Return the errors of all candidates, (n_candidates, n_folds)."""
        longest = max(fold.train.size for fold in folds)
        at_once = max(_MOST_NUMBERS // (longest * rows.X.shape[1]), 1)
        size = at_once if self.n_jobs in (None, 1) else 1
        done = Parallel(n_jobs=self.n_jobs)(
            delayed(batch_errors)(model, rows, folds[first : first + size], longest, grid)
            for first in range(0, len(folds), size)
        )
        errors, unfinished = zip(*done, strict=True)
        if sum(unfinished):
            warnings.warn(
                f"in {sum(unfinished)} of {len(folds) * len(errors[0])} fits to folds the gates "
                "had not come to rest; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return np.concatenate(errors, axis=1)

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
        self.n_features_to_select_ = None if sizes is None else int(self.sizes_[best])

    def _store(self, best: ProjectedSTG) -> None:
        self.best_estimator_ = best
        for name, value in vars(best).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
