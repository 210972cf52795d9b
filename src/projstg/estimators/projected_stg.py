"""The estimator this package is about."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._compat import Interval, StrOptions
from .._core.data.standard_table import StandardTables
from .._core.pipeline.information_criteria import SELECTIONS
from .._core.pipeline.options import DECISIONS
from .._core.posterior.averaging import Averaging, SmallEffects
from .._core.posterior.coefficient_intervals import AveragedCoef, averaged
from .._core.score.criterion import CRITERIA
from ._after_fit import ColumnAttributes, column_facts
from ._base import GateSelector, Seed
from ._first_read import FirstRead
from ._groups import CredibleGroup, named_groups
from ._new_response import NewResponse, averaged_fit
from ._validation import column_mask
from .gate_options import PROJECTED, Gates
from .questions import Fit


class ProjectedSTG(ColumnAttributes, GateSelector):
    r"""Choose the columns a response depends on, by projected stochastic gates.

    Each column d carries a gate z_d = clip(μ_d + δ_d, 0, 1) with δ_d ~ N(0, τ²). The gates minimise

    .. math:: E_z \|y - X(\theta \odot z)\|^2 / n + \lambda \sum_d \Phi(\mu_d / \tau),

    with the coefficients θ at their best for the gates (Theorem 1 of the paper). The gates' answer
    (``refine=False``) is the K columns with the largest
    :math:`|\theta_d\,\mathrm{clip}(\mu_d, 0, 1)| \cdot \|x_d\|`. By default the gates take only
    their first steps, which give one of the starts of a search. The search exchanges one column for
    another, for the support with the best score under ``criterion``; without K the probabilities
    of supports of all sizes decide. ``predict`` is least squares on the selected columns. The
    answer does not depend on the units of the columns, nor on
    which other K were asked for before.

    Parameters
    ----------
    n_features_to_select : int, "auto" or None, default="auto"
        K. Exactly K columns are selected. "auto" chooses K from the data, as ``selection`` says;
        K may be zero. None selects the columns whose gate is open, μ > 0.
    always_select, never_select : list of str or int, mask, or None
        Columns that must, or must not, be selected: names, indices, or a mask with one value for
        each column.
    criterion : {"common-size", "evidence", "least-squares"}, default="common-size"
        What makes one support better than another of the same size. "evidence" is the probability
        of the data with the coefficients, their scale and the noise integrated out, where the
        prior of the coefficients (of standardised columns) is centred at zero. "common-size" is
        that probability with a prior of two parts: one is centred at zero, the other, with two
        thirds of the weight, at a common size, with either sign; the data determine its width. In
        both, columns that nearly repeat others have little prior probability, and columns that
        depend on each other have none (dilution). "least-squares" is the residual sum of squares.
    selection : {"evidence", "ebic", "bic", "gic"}, default="evidence"
        How "auto" chooses K. "evidence" chooses by the probabilities of supports of all sizes up to
        200, as ``decision`` says; beforehand sizes have a beta-binomial distribution with a mild
        pull to few columns, and the prior of the supports of one size takes back what correlation
        between columns is worth in the evidence. The others are information criteria.
    decision : {"likeliest", "median"}, default="likeliest"
        Which columns "auto" selects by the evidence: those of the likeliest support, or all that
        are likelier to belong than not and, of columns that stand for each other
        (:meth:`credible_groups`), the likeliest, if one of them is likelier to belong than not. The
        likeliest support may have a column that hardly belongs, or leave out one that is likelier
        than not; where one support has more than one half, both are the same. Columns that depend
        on each other are never selected together, nor are columns that are right one by one but far
        less likely together than the likeliest support: then that is selected. The likeliest
        support is exactly right more often; "median" has more of the right columns, one by one
        (docs/prediction.md). With criterion="least-squares" it is the best support of the likeliest
        size.
    refine : bool, default=True
        Whether to search, with K given or "auto". The search exchanges one column for another,
        from the first steps of the gates and from many other starts, until enough starts have
        arrived at the same best support. False takes the gates' answer for K columns, and raises
        with "auto", which needs the search. With None there is no search in any case.
    gates : Gates or None, default=None
        How the gates are fitted: λ, τ, exact or sampled gates, steps. None is ``Gates()``. Before a
        search only their first six steps are taken, unless they are sampled or ``warm_up=False``.
        ``ProjectedSTG(K, refine=False, gates=Gates(expectation="monte-carlo"))`` is the paper's
        Algorithm 1.
    probabilities : bool, default=True
        With K given, whether to compute how sure the answer is. For this all supports are scored
        where they are few; otherwise those around the best ones are, and others are drawn, which
        now and then finds a better one. False saves that time. "auto"
        with ``selection="evidence"`` chooses K by these probabilities, and raises with False.
    n_starts : int or None, default=None
        The most starts the search may take; None is 1.8 K², between 120 and 600, but for very many
        columns no more than take about half a second, at least 30. On easy problems the search
        stops after a few.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by subtracting the means of the columns and of y.
    random_state : int, RandomState instance or None, default=0
        The seed of the search's starts, of the draws for probabilities and of sampled gates. The
        default gives the same answer every time; None does not.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    coef_ : ndarray of shape (n_features_in_,)
        Least squares on the selected columns, zero elsewhere.
    intercept_ : float
    gated_coef_ : ndarray of shape (n_features_in_,)
        The paper's estimate θ ⊙ clip(μ, 0, 1), in the units of the table. Five attributes come
        from the gates: this one, ``gate_mean_``, ``mu_``, ``risk_`` and ``n_iter_``. After a search
        they are computed when the first of them is read, and a warning that the gates did not
        converge comes then. Until then the model keeps the standardised rows, or the inner products
        of the columns, 8·D·min(N, D) bytes (32 MB for 2000 columns), and a copy of a small table
        until ``coef_std_error_`` is read; for averaged prediction without K it keeps the former for
        good, if that is at most 32 MB. A pickled model has no rows.
    gate_mean_ : ndarray of shape (n_features_in_,)
        E[z_d]: how far open each gate is. Not a probability that the column matters.
    mu_ : ndarray of shape (n_features_in_,)
        The gates' locations. ±∞ means a gate that is surely open or closed.
        With more than 2000 columns and a search, gates are fitted to the 1000 columns (or 4 K) most
        correlated with y and the others are closed; the search looks at all columns.
    alpha_ : float
        The λ used.
    noise_std_ : float or None
        The σ used in the rule for λ; None where λ was given.
    risk_ : float
        The objective at these gates with the coefficients at their best.
    n_iter_ : int
        Steps the gates took.
    all_belong_probability_ : float or None
        How likely all selected columns are to be among the right ones, given the table, whatever
        others there are: effects too small to see do not count against it. With K given it is the
        same as the next. This and the attributes down to ``accuracy_`` are computed from the
        evidence; they are None without a search, with ``probabilities=False``, and where rows are
        too few to compare columns: then "auto" selects none, and a warning says so.
    support_probability_ : float or None
        How likely the selected columns are to be exactly the right ones: among supports of all
        sizes if the evidence chose K, otherwise among supports of the same size.
    inclusion_probability_ : ndarray of shape (n_features_in_,) or None
        How likely each column is to be one of the right ones. With more than 300 columns, the
        likeliest 300 are looked at; for the others it is an estimate of the order of magnitude.
    inclusion_error_ : ndarray of shape (n_features_in_,) or None
        Monte Carlo errors of these; zero where all supports were scored, NaN where no error is
        known: for columns that were not looked at, and if ``accuracy_.method`` is "counted".
    size_probability_ : ndarray or None
        How likely each number of columns 0, 1, 2, … is.
    alternatives_ : list of (list, float) or None
        The likeliest supports, by name or index, and their probabilities, best first.
    accuracy_ : Accuracy or None
        How the probabilities were computed: ``method`` ("enumerated", and then exact, "sampled",
        "settled" where one support is beyond doubt, or "counted" where the fit leaves no error to
        speak of), ``n_supports`` scored exactly, ``n_draws``, the ``largest_error`` of an inclusion
        probability, and ``is_accurate``, whether another seed should give the same answer: the
        search came to its end, searches with draws of their own agree, and that error is not large.
    coef_std_error_ : ndarray of shape (n_features_in_,)
        Standard errors of ``coef_`` *as if the columns had been known beforehand*: they ignore that
        the same table chose them. :meth:`averaged_coef` does not.
    objective_ : float or None
        The support's score, lower is better: −2 log evidence up to a constant, or n log(residual
        sum of squares). Only differences between supports of one table mean anything.
    n_starts_, n_agreeing_starts_, n_swaps_ : int
        How many starts the search took, how many of them arrived at the answer (0 where the
        probabilities gave another answer than any start did), and how many exchanges all
        starts made. All are 0 where every support was scored, and no search was needed.
    n_columns_searched_ : int
        How many columns the search went among, some hundred of very many. Before its answer was
        final, one pass over all others found none whose exchange for a selected one improves it.
    equivalent_features_ : dict or None
        For a selected column, the columns it could be exchanged for at no loss (a score that is
        not worse, or a correlation above 0.9999). Columns without such a rival are not in it.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    S. Jana, H. Li, Y. Yamada, O. Lindenbaum, "Support recovery with Projected Stochastic Gates:
    theory and application for linear models".

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import ProjectedSTG
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> ProjectedSTG(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    gate_family = PROJECTED

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        **GateSelector._parameter_constraints,
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
            None,
        ],
        "always_select": ["array-like", None],
        "never_select": ["array-like", None],
        "criterion": [StrOptions(set(CRITERIA))],
        "selection": [StrOptions(set(SELECTIONS))],
        "decision": [StrOptions(set(DECISIONS))],
        "refine": ["boolean"],
        "probabilities": ["boolean"],
        "n_starts": [Interval(Integral, 1, 1_000_000, closed="both"), None],
    }

    def __init__(
        self,
        n_features_to_select: int | Literal["auto"] | None = "auto",
        *,
        always_select: Any = None,
        never_select: Any = None,
        criterion: Literal["common-size", "evidence", "least-squares"] = "common-size",
        selection: Literal["evidence", "ebic", "bic", "gic"] = "evidence",
        decision: Literal["likeliest", "median"] = "likeliest",
        refine: bool = True,
        gates: Gates | None = None,
        probabilities: bool = True,
        n_starts: int | None = None,
        fit_intercept: bool = True,
        random_state: Seed = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.always_select = always_select
        self.never_select = never_select
        self.criterion = criterion
        self.selection = selection
        self.decision = decision
        self.refine = refine
        self.gates = gates
        self.probabilities = probabilities
        self.n_starts = n_starts
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def averaged_coef(self, level: float = 0.9) -> AveragedCoef:
        """Return coefficients averaged over ``alternatives_``, with intervals.

        The distribution of a coefficient is a mixture over the alternatives, weighted by their
        probabilities: the t distribution of least squares on the alternative, or a point mass at
        zero where the column is not in it. So the interval of a column that is only in some
        alternatives reaches to zero, and the interval of a column that is in all of them is hardly
        longer than ``coef_std_error_`` says.

        Parameters
        ----------
        level : float, default=0.9
            The probability of each interval, between the quantiles (1 ± level)/2 of the mixture.

        Returns
        -------
        averaged : AveragedCoef
            ``coef``, ``low``, ``high`` and ``std``, each of shape (n_features_in_,), and
            ``probability``: the sum of the alternatives' probabilities. Other supports are ignored,
            so where this sum is small the intervals are too short.

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((30, 50))
        >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
        >>> found = ProjectedSTG().fit(X, y).averaged_coef()
        >>> bool(found.low[3] < 2 < found.high[3]), float(found.high[5])
        (True, 0.0)
        """
        self._check_level(level, 0.9)
        self._check_probabilities("there are no alternatives to average over")
        probabilities = np.asarray([probability for _, probability in self.alternatives_ or ()])
        return averaged(self._column_facts.alternatives, probabilities, self.n_features_in_, level)

    def predict(self, X: Any, *, averaged: bool = False, return_std: bool = False) -> Any:
        """Predict with the selected columns, or averaged over all supports the data leave possible.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        averaged : bool, default=False
            False is least squares on the selected columns, ``coef_``. True averages over all
            supports that were looked at, by their probabilities, with the coefficients of each
            shrunk as its evidence says, and without K over small effects of all columns beside
            them (:meth:`small_effects`). Where it is in doubt which columns belong it mostly
            predicts better (benchmarks/prediction.py).
        return_std : bool, default=False
            Whether to return standard deviations of new responses, noise included, as well; only
            with ``averaged=True``.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            Only with ``return_std=True``.

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((40, 20))
        >>> y = 2 * X[:, 3] - X[:, 17] + rng.standard_normal(40)
        >>> mean, std = ProjectedSTG().fit(X, y).predict(X, averaged=True, return_std=True)
        >>> bool(np.mean(np.abs(y - mean) < 2 * std) > 0.9)
        True
        """
        if not averaged:
            if return_std:
                raise ValueError("return_std=True is known with averaged=True only; pass both.")
            return super().predict(X)
        response, X = self._new_response(X)
        return (response.predict(X), response.std(X)) if return_std else response.predict(X)

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Return where a new response lies with this probability, around the averaged prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        level : float, default=0.9

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            The lower and the upper end.
        """
        self._check_level(level, 0.9)
        response, X = self._new_response(X)
        return response.interval(X, level)

    def small_effects(self) -> SmallEffects | None:
        """Return how much of y's variance is expected to come from many small effects.

        All columns that are not selected may have an effect, each too small to tell which. The
        evidence for backgrounds of several strengths, and for none, says how likely that is and how
        much of y's variance they have. Where rows are few the answer is mostly the prior's: a
        probability of one half. Where there are such effects the share is rather too small, since
        the columns selected take part of it.

        Returns
        -------
        small_effects : SmallEffects or None
            With ``share`` and ``probability``. None where they are not looked for: where
            ``n_features_to_select`` is a number or chosen by an information criterion, only one
            number is possible, every column is selected, or the table is very large.

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((100, 60))
        >>> small = X @ rng.standard_normal(60) / 8
        >>> y = 2 * X[:, 3] + small + rng.standard_normal(100)
        >>> found = ProjectedSTG().fit(X, y).small_effects()
        >>> f"{np.var(small) / np.var(y):.2f}, {found.share:.2f}, {found.probability:.2f}"
        '0.13, 0.11, 0.97'
        """
        self._check_probabilities("there are no probabilities")
        return self._small_effects.value()

    def _new_response(self, X: Any) -> tuple[NewResponse, Any]:
        """Return the averaged response, and validated rows of the columns that it needs."""
        self._check_probabilities("there are no supports to average over")
        X = self._checked(X)
        fit, frame = self._averaged.value()
        return NewResponse.of(fit, frame), X[:, frame.columns]

    def credible_groups(self, level: float = 0.95) -> list[CredibleGroup]:
        """Return groups of columns of which at least one belongs, though it may be unclear which.

        Of two columns that say nearly the same each may be in doubt while there is none that one of
        them belongs. Columns of a group stand for each other: each is likelier where the others are
        absent. A column that is sure by itself is a group of one. No column is in two groups, and
        columns with effects of their own are in groups of their own, or in none.

        Parameters
        ----------
        level : float, default=0.95
            How likely at least one column of each group must be to belong.

        Returns
        -------
        groups : list of CredibleGroup
            Each with ``features``, ``probability``, ``shares`` and ``weakest_correlation``; the
            smallest first.

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((50, 8))
        >>> X[:, 7] = X[:, 2] + 0.02 * rng.standard_normal(50)
        >>> y = X[:, 2] - X[:, 5] + 0.5 * rng.standard_normal(50)
        >>> [group.features for group in ProjectedSTG().fit(X, y).credible_groups()]
        [[5], [2, 7]]
        """
        self._check_level(level, 0.95)
        self._check_probabilities("there are no probabilities")
        facts = self._column_facts
        return named_groups(facts, self._names, level)

    def any_belong_probability(self, features: Any) -> float:
        """Return how likely at least one of some columns is to be one of the right ones.

        It comes from the joint posterior: of columns that stand for each other each may be in doubt
        while there is none that one of them belongs. Of one column it is its
        ``inclusion_probability_``.

        Parameters
        ----------
        features : array-like of names, indices or bool
            The columns; a mask has one entry for each column. Of none it is zero.

        Returns
        -------
        probability : float

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((50, 8))
        >>> X[:, 7] = X[:, 2] + 0.02 * rng.standard_normal(50)
        >>> model = ProjectedSTG().fit(X, X[:, 2] + 0.5 * rng.standard_normal(50))
        >>> one, either = (model.any_belong_probability(own) for own in ([2], [2, 7]))
        >>> print(f"{one:.1f} {either:.2f}")
        0.6 1.00
        """
        self._check_probabilities("there are no probabilities")
        names = getattr(self, "feature_names_in_", None)
        chosen = column_mask(features, self.n_features_in_, names, "features")
        return self._column_facts.joint.any_of(chosen)  # type: ignore[union-attr]

    def each_belong_probability(self, groups: Any) -> float:
        """Return how likely each of several groups has a column that is one of the right ones.

        Of single columns that are selected it is ``all_belong_probability_``. A column that may be
        exchanged for another counts with it: ``[[2, 7], [5]]``.

        Parameters
        ----------
        groups : sequence of array-like
            The columns of each group, as names, indices or masks.

        Returns
        -------
        probability : float

        Examples
        --------
        >>> import numpy as np
        >>> from projstg import ProjectedSTG
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((50, 8))
        >>> X[:, 7] = X[:, 2] + 0.02 * rng.standard_normal(50)
        >>> y = X[:, 2] - X[:, 5] + 0.5 * rng.standard_normal(50)
        >>> model = ProjectedSTG().fit(X, y)
        >>> one, either = map(model.each_belong_probability, ([[2], [5]], [[2, 7], [5]]))
        >>> one < 0.8 < 0.99 < either
        True
        """
        self._check_probabilities("there are no probabilities")
        names = getattr(self, "feature_names_in_", None)
        found = [column_mask(one, self.n_features_in_, names, "groups") for one in groups]
        masks = np.array(found, dtype=bool).reshape(len(found), self.n_features_in_)
        return self._column_facts.joint.each_of(masks)  # type: ignore[union-attr]

    @staticmethod
    def _check_level(level: float, usual: float) -> None:
        is_number = isinstance(level, Real)
        if not (is_number and 0.0 < level < 1.0):
            raise ValueError(f"level={level!r}; give a number between 0 and 1, such as {usual}.")

    def _check_probabilities(self, lacking: str) -> None:
        """Raise unless the model is fitted, with probabilities."""
        check_is_fitted(self)
        if self.alternatives_ is None:
            raise ValueError(
                f"{lacking}; fit with refine=True, "
                'probabilities=True and n_features_to_select="auto" or a number, on enough rows.'
            )

    @property
    def _names(self) -> np.ndarray:
        """The names of the columns, or their indices."""
        return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))

    def _store(self, fit: Fit, tables: StandardTables) -> None:
        super()._store(fit, tables)
        self._store_search(fit)
        self._store_posterior(fit)
        self._after_fit = column_facts(fit, tables.problem(0), tables.size)

    def _store_posterior(self, fit: Fit) -> None:
        known, frame = fit.answer.probabilities, fit.frame
        if known is None:
            self.support_probability_ = self.all_belong_probability_ = None
            self.inclusion_probability_ = self.inclusion_error_ = None
            self.size_probability_ = self.alternatives_ = self.accuracy_ = None
            for name in ("_averaged", "_small_effects"):  # of an earlier fit
                self.__dict__.pop(name, None)
            return
        self.support_probability_ = known.exactly
        self.all_belong_probability_ = known.all_belong
        self.inclusion_probability_ = frame.spread(known.inclusion)
        self.inclusion_error_ = frame.spread(known.inclusion_error)
        self.accuracy_ = known.accuracy
        self.size_probability_ = known.sizes
        sums = FirstRead(Averaging.without_rows, known.averaging)
        beside = partial(Averaging.small_effects, support=fit.answer.support)
        self._averaged = FirstRead(partial(averaged_fit, frame), sums)
        self._small_effects = FirstRead(beside, sums)
        self.alternatives_ = [
            (self._names[frame.columns[members]].tolist(), float(probability))
            for members, probability in zip(known.supports, known.probabilities, strict=True)
        ]

    def _store_search(self, fit: Fit) -> None:
        search, self.objective_ = fit.answer.search, fit.objective
        if search is None:
            self.n_starts_ = self.n_agreeing_starts_ = self.n_swaps_ = 0
            self.n_columns_searched_ = 0
            return
        self.n_starts_, self.n_agreeing_starts_ = search.n_starts, search.n_agreeing_starts
        self.n_swaps_ = search.n_iter
        self.n_columns_searched_ = search.n_columns if fit.answer.has_choice else 0
