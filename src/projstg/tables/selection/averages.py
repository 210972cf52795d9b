"""An averaged prediction written down as plain numbers, and made of them again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...estimators._new_response import NewResponse
from ...estimators.projected_stg import ProjectedSTG
from ..prepare.recipe import Averages
from ..words.notes import TableError

__all__ = ["MOST_WITH_INTERVALS", "averages_of", "check_averages", "response_of"]

MOST_WITH_INTERVALS = 200
"""Intervals need the square of so many numbers; half a megabyte of JSON, and not more."""
# Of a covariance the least eigenvalue may be below zero by this part of the largest: rounding.
_ROUNDING = 1e-8


def averages_of(model: ProjectedSTG, names: Sequence[str]) -> Averages | None:
    """Return the averaged prediction as plain numbers.

    None where there is none, for the columns have no probabilities, or not all are finite.
    """
    if model.alternatives_ is None:
        return None
    fit, frame = model._averaged.value()
    known, columns = NewResponse.of(fit, frame), frame.columns
    has_spread = len(columns) <= MOST_WITH_INTERVALS
    covariance = fit.covariance() if has_spread else np.zeros((0, 0))
    numbers = [*known[:-1], covariance]
    if not all(np.isfinite(one).all() for one in numbers):
        return None
    return {
        "columns": [names[place] for place in columns],
        "means": known.mean.tolist(),
        "scales": known.scale.tolist(),
        "coefficients": known.coef.tolist(),
        "target_mean": known.y_mean,
        "target_scale": known.y_scale,
        "noise": known.noise,
        "degrees_of_freedom": known.degrees_of_freedom,
        "covariance": (
            [row[: place + 1].tolist() for place, row in enumerate(covariance)]
            if has_spread
            else None
        ),
    }


def check_averages(averages: Averages) -> None:
    """Raise where these are no numbers that :func:`averages_of` can have written down."""
    n_columns, rows = len(averages["columns"]), averages["covariance"]
    lists = [averages["means"], averages["scales"], averages["coefficients"]]
    is_whole = rows is None or [len(row) for row in rows] == list(range(1, n_columns + 1))
    if not is_whole or any(len(one) != n_columns for one in lists):
        raise TableError("this is no whole selection: the parts of averages differ in length.")
    positive = [*averages["scales"], averages["target_scale"], averages["degrees_of_freedom"]]
    if min(positive) <= 0.0 or averages["noise"] < 0.0:
        raise TableError(
            "this is no selection: averages has a scale, or degrees of freedom, that is not "
            "positive, or a negative noise."
        )
    covariance = _covariance(averages)
    values = np.linalg.eigvalsh(covariance / (np.max(np.abs(covariance), initial=0.0) or 1.0))
    if np.min(values, initial=0.0) < -_ROUNDING * np.max(np.abs(values), initial=0.0):
        raise TableError("this is no selection: averages.covariance is no covariance.")


def _covariance(averages: Averages) -> np.ndarray:
    rows = averages["covariance"] or []
    covariance = np.zeros((len(rows), len(rows)))
    for place, row in enumerate(rows):
        covariance[place, : place + 1] = covariance[: place + 1, place] = row
    return covariance


def response_of(averages: Averages) -> NewResponse:
    """Return the averaged prediction that :func:`averages_of` wrote down."""
    covariance = _covariance(averages)
    lists = (averages["means"], averages["scales"], averages["coefficients"])
    means, scales, coefficients = (np.array(one, dtype=np.float64) for one in lists)
    return NewResponse(
        means,
        scales,
        averages["target_mean"],
        averages["target_scale"],
        coefficients,
        averages["noise"],
        averages["degrees_of_freedom"],
        lambda Z: np.einsum("ij,ij->i", Z @ covariance, Z),
    )
