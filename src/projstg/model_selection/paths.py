"""Every answer along a grid of prices, or for every number of columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Integral
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning

from .._core.data.batch import Batch
from .._core.data.frame import Frame, in_range
from .._core.data.least_squares import least_squares
from .._core.gates.alternate import Status
from .._core.gates.gate_path import gate_path, largest_alpha
from .._core.pipeline.kept_gates import in_order, without_rows
from .._core.pipeline.solve import solve
from ..estimators._base import seed_from
from ..estimators._validation import (
    batch_of_one,
    changed,
    check_coefficients,
    check_parameters,
    check_smallest,
    check_sums,
    checked_rows,
)
from ..estimators.gate_options import Gates
from ..estimators.projected_stg import ProjectedSTG
from ..estimators.questions import Question, fit_of, prepare, prepare_sums, request_of
from ..sources.gather import gathered, is_table

# The smallest λ of the default grid, as a part of the largest.
_RANGE = 1e-3
# Tables have been tried with so many columns; a list of far more sizes fills the memory.
_MOST_SIZES = 1_000_000


@dataclass(frozen=True, eq=False)
class SupportPath:
    """What :func:`projected_stg_path` found; point i of the path is row i of every array."""

    over: str
    """"alpha" or "size": what the path is over."""
    alphas: np.ndarray
    """λ at each point, (n_points,): decreasing; along sizes, what the rule for λ gave for each."""
    sizes: np.ndarray
    """The number of selected columns, (n_points,)."""
    support_path_: np.ndarray
    """Masks of the selected columns, (n_points, n_features)."""
    coef_path_: np.ndarray
    """Least squares on the selected columns, (n_points, n_features), in the units of the table."""
    intercept_path_: np.ndarray
    """(n_points,)"""
    gated_coef_path_: np.ndarray
    """θ ⊙ clip(μ, 0, 1) at each point, (n_points, n_features)."""
    gate_mean_path_: np.ndarray
    """E[z], (n_points, n_features)."""
    objective_path_: np.ndarray
    """(n_points,): along λ the risk of the gates, along sizes the score of the support (the risk
    with ``refine=False``); lower is better. Only along sizes can points be compared."""
    alpha_max: float
    """The λ from which on no single gate is worth opening."""
    feature_std_: np.ndarray
    """Standard deviation of each column, (n_features,): the root of its mean square, less the mean
    where there is an intercept; zero for columns that cannot be selected."""
    feature_names_in_: np.ndarray | None = None
    """Names of the columns, (n_features,); None for arrays."""

    def predict(self, X: Any) -> np.ndarray:
        """Predict with every point of the path, (n_points, n_samples)."""
        return self.coef_path_ @ np.asarray(X, dtype=float).T + self.intercept_path_[:, None]


def projected_stg_path(
    X: Any,
    y: Any = None,
    alphas: Any = None,
    *,
    n_alphas: int = 30,
    sizes: Any = None,
    sample_weight: Any = None,
    **params: Any,
) -> SupportPath:
    r"""Return the answers along λ, or for each number of columns.

    **Along λ** the gates with exact expectations are fitted at each λ, started at the answer of the
    λ beside it, once down the grid and once up; the answer with the lower risk is kept. At each
    point opening or shutting any single gate, with the others fixed, would not lower the risk. The
    columns with an open gate, μ > 0, are selected. A single fit at one λ starts elsewhere and may
    find another minimum, most often a higher one. The default grid begins at

    .. math:: \lambda_{\max} = \max_d (x_d^\top y)^2 / (n \|x_d\|^2)

    (means subtracted), the most by which any column alone lowers the mean squared residual. Above
    λ_max no single gate is worth its price; below it, all gates closed is not the best answer.
    (Below half of it, all gates closed is not even a local minimum.) Above λ_max nothing is
    selected in an orthogonal design; in others several columns together may still be.

    **Along sizes** each K is solved on its own and is exactly ``ProjectedSTG(K).fit(X, y)``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or a source of rows
        Sources are those of ``ProjectedSTG.fit``.
    y : array-like of shape (n_samples,), or the name of the target in a source
    alphas : array-like of shape (n_points,) or None, default=None
        λ in units of y², all positive; they are put in decreasing order. None takes ``n_alphas``
        values from λ_max down to a thousandth of it, evenly spaced in the logarithm.
    n_alphas : int, default=30
    sizes : int, sequence of int or None, default=None
        Make the path over these numbers of columns instead; one number K means 1, 2, …, K.
    sample_weight : array-like of shape (n_samples,), or a name in a source, or None
        A row of weight k counts as k rows.
    **params
        Other parameters of :class:`ProjectedSTG`. Along λ only ``never_select``, ``fit_intercept``
        and ``gates=Gates(…)`` with ``tau``, ``max_iter`` and ``tol`` are allowed; others raise.

    Returns
    -------
    path : SupportPath

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import projected_stg_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 50))
    >>> y = 2 * X[:, 3] - X[:, 17] + 0.1 * rng.standard_normal(30)
    >>> path = projected_stg_path(X, y, n_alphas=5)
    >>> path.sizes
    array([0, 1, 2, 2, 2])
    >>> [np.flatnonzero(s).tolist() for s in projected_stg_path(X, y, sizes=3).support_path_]
    [[3], [3, 17], [3, 17, 46]]
    """
    if sizes is None:
        _check_along_alpha(params)
        model, question = _prepared(X, y, sample_weight, None, params)
        path = _along_alpha(question, alphas, n_alphas)
    elif alphas is not None:
        raise ValueError(
            "alphas and sizes were both given; a path is over one of them. For one λ at every size "
            "pass gates=Gates(alpha=…)."
        )
    else:
        counts = check_sizes(sizes)
        model, question = _prepared(X, y, sample_weight, counts, params)
        if question.warning is not None:
            warnings.warn(question.warning, DataDimensionalityWarning, stacklevel=2)
        check_smallest(min(counts), len(question.groups[0].options.always))
        path = _along_sizes(question, counts, seed_from(model.random_state))
    check_coefficients(path.coef_path_, question.names)
    return path


def check_sizes(sizes: Any) -> list[int]:
    """Return numbers of columns in increasing order; K stands for 1, …, K."""
    wanted = range(1, int(sizes) + 1) if isinstance(sizes, Integral) else sizes
    known = list(islice(wanted, _MOST_SIZES + 1))
    is_few = 0 < len(known) <= _MOST_SIZES
    if not (is_few and all(isinstance(k, Integral) and int(k) >= 1 for k in known)):
        raise ValueError(
            f"sizes={short_repr(sizes)}; give whole numbers of columns from 1 on, such as "
            f"range(1, 21), or one number K for 1, …, K; at most {_MOST_SIZES} of them."
        )
    return sorted({int(k) for k in known})


def _check_along_alpha(params: Mapping[str, Any]) -> None:
    """Raise where a parameter is given that has no meaning along λ."""
    others = sorted(set(params) - {"gates", "never_select", "fit_intercept"})
    gates = params.get("gates")
    if isinstance(gates, Gates):
        names = [name for name in gates.get_params() if name not in ("tau", "max_iter", "tol")]
        others += [f"gates__{name}" for name in changed(gates, names)]
    if others:
        raise TypeError(
            f"{', '.join(others)} has no meaning along λ, which takes never_select, fit_intercept "
            "and gates=Gates(…) with tau, max_iter and tol; leave it out, or pass sizes= for a "
            "path over K."
        )


def _prepared(
    X: Any, y: Any, sample_weight: Any, sizes: Sequence[int] | None, params: Mapping[str, Any]
) -> tuple[ProjectedSTG, Question]:
    """Return a model that has seen the table, and the table with the largest K asked of it."""
    model = ProjectedSTG(None if sizes is None else max(sizes), **params)
    check_parameters(model)
    request = request_of(model)
    if not is_table(X, y):
        statistics = gathered(X, y, sample_weight)
        check_sums(statistics.sums)
        return model, prepare_sums(request, statistics.sums, statistics.feature_names)
    table = batch_of_one(*checked_rows(model, X, y, sample_weight))
    return model, prepare(request, *table, getattr(model, "feature_names_in_", None))


def _along_alpha(question: Question, alphas: Any, n_alphas: int) -> SupportPath:
    (group,) = question.groups
    frame, problem = group.tables.frame(0), group.tables.problem(0)
    batch: Batch = group.tables.batch  # type: ignore[assignment] # no path takes wide tables
    unit = frame.y_scale**2
    most = float(largest_alpha(batch)[0]) * unit
    grid = _grid(alphas, n_alphas, most)
    gates = gate_path(batch, grid[None] / unit, group.options.gates)
    _warn_of(gates.status[0], grid)
    supports = [np.flatnonzero(mask) for mask in (gates.mu[0] > 0.0) & group.tables.varies[0]]
    coef = np.stack([frame.coef(one, least_squares(problem, one)) for one in supports])
    return SupportPath(
        over="alpha",
        alphas=grid,
        sizes=np.asarray([support.size for support in supports]),
        support_path_=np.stack([frame.mask(support) for support in supports]),
        coef_path_=coef,
        intercept_path_=frame.intercept(coef),
        gated_coef_path_=_spread(in_range(gates.coef[0], frame.scale, frame.y_scale), frame),
        gate_mean_path_=_spread(gates.mean[0], frame),
        objective_path_=gates.value[0] * unit,
        alpha_max=most,
        feature_std_=frame.spread(frame.scale),
        feature_names_in_=question.names,
    )


def _spread(values: np.ndarray, frame: Frame) -> np.ndarray:
    """Return values (n_points, W) of the columns that may be selected for all, (n_points, D)."""
    return np.stack([frame.spread(row) for row in values])


def _grid(alphas: Any, n_alphas: int, most: float) -> np.ndarray:
    if alphas is None:
        is_whole = isinstance(n_alphas, Integral)
        if not is_whole or n_alphas < 1:
            raise ValueError(f"n_alphas={n_alphas!r}; give a whole number from 1 on.")
        # Where y does not vary every λ gives the same answer.
        return (most or 1.0) * np.geomspace(1.0, _RANGE, n_alphas)
    grid = np.sort(np.asarray(alphas, dtype=float).ravel())[::-1]
    if not grid.size or not np.all(np.isfinite(grid) & (grid > 0.0)):
        raise ValueError(
            f"alphas={alphas!r}; give positive numbers, or None for a grid from λ_max."
        )
    return grid


def _warn_of(status: np.ndarray, grid: np.ndarray) -> None:
    unfinished = grid[status != int(Status.CONVERGED)]
    if unfinished.size:
        warnings.warn(
            f"the gates still moved at {unfinished.size} of {grid.size} values of λ (the largest "
            f"{unfinished[0]:.3g}); raise max_iter or tol of gates=Gates(…).",
            ConvergenceWarning,
            stacklevel=4,
        )


def _along_sizes(question: Question, sizes: list[int], seed: int) -> SupportPath:
    (group,) = question.groups
    tables = group.tables
    found = [solve(tables, group.options.of_size(size), [seed]) for size in sizes]
    fits = [fit_of(tables, solution, 0, question.names) for solution in found]
    # Without rows, as a single fit has them.
    gates = [in_order(without_rows([(group.numbers, one.gates)])) for one in found]
    objective = [
        own.value[0] if fit.objective is None else fit.objective
        for fit, own in zip(fits, gates, strict=True)
    ]
    frame, most = tables.frame(0), largest_alpha(tables.batch)  # type: ignore[arg-type]
    coef = np.stack([fit.coef for fit in fits])
    return SupportPath(
        over="size",
        alphas=np.asarray([fit.alpha for fit in fits]),
        sizes=np.asarray(sizes),
        support_path_=np.stack([frame.mask(fit.answer.support) for fit in fits]),
        coef_path_=coef,
        intercept_path_=frame.intercept(coef),
        gated_coef_path_=np.concatenate([own.coef for own in gates]),
        gate_mean_path_=np.concatenate([own.mean for own in gates]),
        objective_path_=np.asarray(objective, dtype=float),
        alpha_max=float(most[0]) * frame.y_scale**2,
        feature_std_=frame.spread(frame.scale),
        feature_names_in_=question.names,
    )
