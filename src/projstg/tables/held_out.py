"""How well a choice predicts rows it has not seen, and whether other rows would choose the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..estimators.batch import fit_many
from ..estimators.projected_stg import ProjectedSTG
from .design_matrix import Prepared

__all__ = [
    "Checked",
    "checked",
    "deviation",
    "r_squared",
    "residual_deviation",
    "weighted_mean",
]

# The most numbers that the rows of all folds may have together; above it, one fold at a time.
_MOST_NUMBERS = 50_000_000


class Checked(NamedTuple):
    """What the folds say."""

    r2: float
    """Over all rows, each predicted by the fit that did not see it."""
    r2_folds: list[float]
    stability: np.ndarray
    """(D,), share of the folds that chose a column."""


def weighted_mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the mean of values, with weights or None."""
    return float(np.average(values, weights=weights))


def deviation(values: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the standard deviation of values, whatever their unit."""
    size = float(np.max(np.abs(values))) or 1.0
    scaled = values / size
    centred = scaled - weighted_mean(scaled, weights)
    return size * float(np.sqrt(weighted_mean(centred**2, weights)))


def r_squared(
    y: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None, mean: np.ndarray | float
) -> float:
    """Return 1 − Σ w (y − ŷ)² / Σ w (y − mean)²."""
    w = np.ones_like(y) if weights is None else weights
    total = float(np.sum(w * (y - mean) ** 2))
    return 1.0 - float(np.sum(w * (y - predicted) ** 2)) / total if total > 0.0 else float("nan")


def checked(data: Prepared, params: dict, n_folds: int, seed: int) -> Checked:
    """Choose and predict in folds, with a new choice in each.

    ``params`` are those of :class:`ProjectedSTG`. All training sets have one size, so that the
    folds are one batch; a larger training set loses a row.
    """
    order = np.random.default_rng([seed, n_folds]).permutation(len(data.y))
    tests = np.array_split(order, n_folds)
    size = len(order) - len(tests[0])
    trains = [np.sort(np.setdiff1d(order, test))[:size] for test in tests]
    support, coef, intercept = _fitted(data, params, trains)
    predicted, mean = np.empty_like(data.y), np.empty_like(data.y)
    folds = []
    for i, (train, test) in enumerate(zip(trains, tests, strict=True)):
        weights = _at(data.weights, test)
        predicted[test] = data.X[test] @ coef[i] + intercept[i]
        mean[test] = weighted_mean(data.y[train], _at(data.weights, train))
        folds.append(r_squared(data.y[test], predicted[test], weights, mean[test]))
    r2 = r_squared(data.y, predicted, data.weights, mean)
    return Checked(r2, folds, support.mean(axis=0))


def _at(weights: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weights is None else weights[rows]


def _fitted(
    data: Prepared, params: dict, trains: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return supports, coefficients and intercepts of fits to those rows."""
    params = dict(params)
    k = params.pop("n_features_to_select")
    is_small = len(trains) * trains[0].size * data.X.shape[1] <= _MOST_NUMBERS
    if k is not None and is_small and data.weights is None:
        fits = fit_many(
            np.stack([data.X[rows] for rows in trains]),
            np.stack([data.y[rows] for rows in trains]),
            k,
            **params,
        )
        return fits.support, fits.coef, fits.intercept
    models = [
        ProjectedSTG(k, **params).fit(data.X[rows], data.y[rows], _at(data.weights, rows))
        for rows in trains
    ]
    return (
        np.stack([model.support_ for model in models]),
        np.stack([model.coef_ for model in models]),
        np.array([model.intercept_ for model in models]),
    )


def residual_deviation(
    residuals: np.ndarray, weights: np.ndarray | None, n_columns: int
) -> float | None:
    """Return the residual standard deviation beside an intercept; None where no rows are left."""
    w = np.ones_like(residuals) if weights is None else weights
    freedom = float(w.sum()) - n_columns - 1.0
    return float(np.sqrt(np.sum(w * residuals**2) / freedom)) if freedom > 0.0 else None
