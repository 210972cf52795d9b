"""Which columns are selected again and again, on different halves of the rows?"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from .._compat import Interval, fit_context
from ..estimators._base import Seed, seed_from
from ..estimators._validation import validated
from ..sources.as_doubles import check_unmasked
from ..sources.gather import check_is_table
from .stability_bounds import false_selections
from .subsampling import HalfRows, complementary_halves, fit_to_halves

# What a selector may call the number of columns it selects.
_SIZE_NAMES = ("n_features_to_select", "n_nonzero_coefs", "k")


class StabilitySelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Select the columns that a selector selects in most halves of the rows.

    The rows are split at random into two halves, ``n_pairs`` times over, and the selector is fitted
    to every half (complementary pairs stability selection). A column that is selected in at least
    a share ``threshold`` of the fits is kept. With B pairs, D columns, q selected on average and π
    the threshold, there are three bounds on the expected number of kept columns that one fit to a
    half selects with probability at most q/D (as a choice of q columns at random would):

    ==============  =======================================  =====================================
    bound           value                                    assumes
    ==============  =======================================  =====================================
    ``worst_case``  :math:`q^2 / ((2\pi - 1) D)`             nothing
    ``unimodal``    about half of that for π ≤ 3/4, and      that the share of pairs whose halves
                    4(1 − π) q²/D beyond                     agree has one mode
    ``r_concave``   less again, found numerically            that this share is −1/2-concave, the
                                                             share of fits −1/4-concave
    ==============  =======================================  =====================================

    The columns counted are *seldom selected*; they need not be the columns without effect. The
    first number bounds the columns without effect (Meinshausen and Bühlmann) only if the selector
    treats all of these alike and does no worse than guessing.

    Parameters
    ----------
    estimator : estimator
        Any estimator that has ``get_support`` or ``coef_`` after ``fit`` (columns whose ``coef_``
        is not zero are selected). Of a pipeline the last step counts, and it must see every column.
        It should select few columns: the bounds grow with q². Of :class:`ProjectedSTG` with a
        number of columns only these count, and ``probabilities=False`` saves time.
    n_pairs : int, default=50
        B; the estimator is fitted 2B times. :class:`ProjectedSTG` is fitted in one batch.
    threshold : float, default=0.8
        π, the least share of the fits. At 0.5 and below only the last of the bounds says anything.
    n_features_to_select : int or None, default=None
        Select this number of columns, those with the largest shares; ``threshold`` is then ignored.
        The bounds use the smallest share among them as π, as if it had been fixed beforehand.
    sizes : sequence of int or None, default=None
        Also fit the estimator with each of these numbers of columns (its parameter
        ``n_features_to_select``, ``n_nonzero_coefs`` or ``k``), to the same halves, for
        ``stability_path_``. What is selected does not depend on it.
    n_jobs : int or None, default=None
        How many processes share the fits; nothing but time depends on it.
    random_state : int, RandomState instance or None, default=0
        The seed of the halves, and of each fit if the estimator takes a seed.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    selection_probability_ : ndarray of shape (n_features_in_,)
        The share of the 2B fits that selected each column.
    simultaneous_probability_ : ndarray of shape (n_features_in_,)
        The share of the B pairs of which both fits selected each column.
    threshold_ : float
        The least share with which a column is selected: ``threshold`` rounded up to a multiple of
        1/2B or, with ``n_features_to_select``, the smallest share among the selected columns.
    mean_selected_ : float
        q, the average number of columns that a fit selected.
    expected_false_selections_ : FalseSelections
        The bounds above, by name.
    stability_path_ : ndarray of shape (n_sizes, n_features_in_) or None
        The shares for each of ``sizes``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    R. D. Shah, R. J. Samworth, "Variable selection with error control: another look at stability
    selection", J. R. Statist. Soc. B 75, 2013. N. Meinshausen, P. Bühlmann, "Stability selection",
    J. R. Statist. Soc. B 72, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import ProjectedSTG, StabilitySelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + rng.standard_normal(60)
    >>> four = ProjectedSTG(n_features_to_select=4, probabilities=False)
    >>> selector = StabilitySelector(four).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 3, 17])
    >>> round(selector.expected_false_selections_.unimodal, 2)
    0.26
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "estimator": "no_validation",  # fit says what it must have
        "n_pairs": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "sizes": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }
    # Groups say how to split, and are for this class whenever they are passed.
    __metadata_request__fit = {"groups": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        n_pairs: int = 50,
        threshold: float = 0.8,
        n_features_to_select: int | None = None,
        sizes: Any = None,
        n_jobs: int | None = None,
        random_state: Seed = 0,
    ) -> None:
        self.estimator = estimator
        self.n_pairs = n_pairs
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.sizes = sizes
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> Self:
        """Fit the estimator to every half and count.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        groups : array-like of shape (n_samples,) or None
            Rows of one group stay together: groups are split into halves, not rows.
        **params : dict
            Other arguments of ``fit`` of the estimator, such as ``sample_weight``; an argument with
            a value for each row is split with the rows. With metadata routing, what the estimator
            requests.

        Returns
        -------
        self : object
        """
        check_is_table("StabilitySelector", X, y)
        for name, values in params.items():
            check_unmasked(values, name)
        data = HalfRows(*self._validated(X, y), self._for_estimator(params))
        for_halves, for_fits = np.random.SeedSequence(seed_from(self.random_state)).spawn(2)
        rng = np.random.default_rng(for_halves)
        halves = complementary_halves(data.X.shape[0], self.n_pairs, rng, groups)
        seeds = [int(seed) for seed in for_fits.generate_state(len(halves))]
        selected = self._selected(self.estimator, data, halves, seeds)
        self.stability_path_ = None
        if self.sizes is not None:
            of_size = [_with_size(self.estimator, size) for size in self.sizes]
            paths = [self._selected(each, data, halves, seeds).mean(axis=0) for each in of_size]
            self.stability_path_ = np.stack(paths)
        self._store(selected)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata go to the estimator's ``fit``."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=to_fit)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if hasattr(self.estimator, "fit"):
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def _validated(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise TypeError(
                f"estimator={self.estimator!r} has no fit; give a selector such as "
                "ProjectedSTG(n_features_to_select=5)."
            )
        accepted = get_tags(self).input_tags
        checked, y = validated(
            self,
            X,
            y,
            accept_sparse="csr" if accepted.sparse else False,
            ensure_all_finite="allow-nan" if accepted.allow_nan else True,
            multi_output=True,
            ensure_min_samples=4,  # two in each half
        )
        k = self.n_features_to_select
        if k is not None and k > self.n_features_in_:
            raise ValueError(
                f"n_features_to_select={k} is more than the {self.n_features_in_} columns of X; "
                f"ask for at most {self.n_features_in_}, or pass None to select by threshold."
            )
        # A table with names goes to the estimator as it is.
        return (X if hasattr(X, "iloc") else checked), y

    def _for_estimator(self, params: dict[str, Any]) -> dict[str, Any]:
        if not get_config()["enable_metadata_routing"]:
            return params
        return process_routing(self, "fit", **params).estimator.fit

    def _selected(
        self, estimator: Any, data: HalfRows, halves: list[np.ndarray], seeds: list[int]
    ) -> np.ndarray:
        """Return what the fit to each half selected, (2B, D)."""
        n_blocks = min(effective_n_jobs(self.n_jobs), len(halves))
        names = getattr(self, "feature_names_in_", None)
        masks = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_to_halves)(estimator, data, [(halves[i], seeds[i]) for i in block], names)
            for block in np.array_split(np.arange(len(halves)), n_blocks)
        )
        return np.concatenate(masks)

    def _store(self, selected: np.ndarray) -> None:
        pairs = selected.reshape(self.n_pairs, 2, -1)
        self.selection_probability_ = selected.mean(axis=0)
        self.simultaneous_probability_ = pairs.all(axis=1).mean(axis=0)
        self.mean_selected_ = float(selected.sum(axis=1).mean())
        counts = selected.sum(axis=0)
        if self.n_features_to_select is None:
            least = int(np.ceil(self.threshold * len(selected) - 1e-9))
            self.support_ = counts >= least
        else:
            order = np.lexsort((-self.simultaneous_probability_, -counts))
            self.support_ = np.zeros(counts.size, dtype=bool)
            self.support_[order[: self.n_features_to_select]] = True
            least = int(counts[self.support_].min())
        self.threshold_ = least / len(selected)
        self.expected_false_selections_ = false_selections(
            counts.size, self.mean_selected_, self.threshold_, self.n_pairs
        )


def _with_size(estimator: Any, size: int) -> Any:
    names = [name for name in _SIZE_NAMES if name in estimator.get_params(deep=False)]
    if not names:
        raise ValueError(
            f"sizes={size!r}, … needs a parameter {' or '.join(_SIZE_NAMES)}, which "
            f"{type(estimator).__name__} does not have; pass sizes=None."
        )
    return clone(estimator).set_params(**{names[0]: int(size)})
