"""Orthogonal matching pursuit with random choices, averaged over many runs, for comparison."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from .._compat import Interval
from .._core.arrays.backend import quiet
from .._core.data.frame import in_range
from .._core.data.least_squares import least_squares
from .._core.data.standard_table import as_tables
from .._core.greedy.randomized_pursuit import randomized_omp
from .._core.progress import Report
from ._base import Seed, TableSelector, seed_from
from ._validation import batch_of_one, check_coefficients, check_range, size_or_tenth


class RandomizedOMP(TableSelector):
    r"""Choose the columns a response depends on, by randomised orthogonal matching pursuit.

    The method of Elad and Yavneh. One run takes K columns, one after the other. After each it fits
    y to the columns taken so far by least squares; the next column is drawn with probability

    .. math:: p_d \propto \exp\left( \frac{(x_d^T r)^2}{2 T \|x_d\|^2} \right)

    from the columns not taken yet, where r is the residual. The coefficients of all runs are
    averaged, the K columns with the largest :math:`|\bar\beta_d| \cdot \|x_d\|` are selected, and
    ``predict`` is least squares on them.

    As T falls to zero every run becomes orthogonal matching pursuit on columns of unit norm.
    :class:`sklearn.linear_model.OrthogonalMatchingPursuit` does not scale the columns, and agrees
    where they have one norm.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        K. Exactly K columns are selected. None selects a tenth of the columns, at least one, as
        scikit-learn's pursuit does.
    n_runs : int, default=100
        The number of runs that are averaged.
    temperature : float, default=0.75
        T, in units of y²: multiply y by ten and T by a hundred, and the answer is the same. Zero is
        orthogonal matching pursuit. Elad and Yavneh's value is σ²(1 + σ²/s²), where σ² is the
        variance of the noise and s² the mean square of the coefficients of columns of unit norm.
        The default, 1/T = 4/3, is the constant in the public code of the projected gates' authors,
        who use it at every noise level.
    fit_intercept : bool, default=True
        Whether to fit an intercept, by subtracting the means of the columns and of y.
    random_state : int, RandomState instance or None, default=0
        The seed of the draws.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), bool
        The selected columns; ``get_support(indices=True)`` gives their indices.
    coef_ : ndarray of shape (n_features_in_,)
        Least squares on the selected columns, zero elsewhere.
    intercept_ : float
    mean_coef_ : ndarray of shape (n_features_in_,)
        The average of the coefficients of all runs, in the units of the table.
    selection_frequency_ : ndarray of shape (n_features_in_,)
        The share of runs that took the column. Not a probability that the column matters.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, for a table with names

    References
    ----------
    M. Elad, I. Yavneh, "A plurality of sparse representations is better than the sparsest one
    alone", IEEE Transactions on Information Theory 55, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import RandomizedOMP
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> RandomizedOMP(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([ 3, 17])
    """

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "n_runs": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        n_runs: int = 100,
        temperature: float = 0.75,
        fit_intercept: bool = True,
        random_state: Seed = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_runs = n_runs
        self.temperature = temperature
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(
        self,
        request: Any,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None,
        report: Report | None,
    ) -> None:
        tables = as_tables(*batch_of_one(X, y, weights), centre=self.fit_intercept)
        check_range(tables.units.y_scale)
        names, frame = getattr(self, "feature_names_in_", None), tables.frame(0)
        n_selected = size_or_tenth(self.n_features_to_select, tables.varies[0], names)
        with quiet():  # T may be infinite in units of a tiny y: all columns are equally likely
            temperature = float(self.temperature) / tables.units.y_scale / tables.units.y_scale
        of = (n_selected, temperature, int(self.n_runs), [seed_from(self.random_state)])
        (support,), runs = randomized_omp(tables.batch, *of)  # type: ignore[arg-type] # not wide
        self.coef_ = frame.coef(support, least_squares(tables.problem(0), support))
        check_coefficients(self.coef_, names)
        self.support_, self.intercept_ = frame.mask(support), float(frame.intercept(self.coef_))
        self.mean_coef_ = in_range(runs.mean_coef[0], frame.scale, frame.y_scale)
        self.selection_frequency_ = runs.frequency[0]
