"""The same question for other sizes: the best columns of each number, and how good they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core.pipeline.information_criteria import size_penalty
from ...estimators.projected_stg import ProjectedSTG
from ..prepare.prepared import Part, Prepared, SquaredErrors
from ..selection.result import Tried
from ..words.argument_names import fitting
from .held_out import Checked

__all__ = ["known_at", "sizes_around", "tried", "with_size"]

# So far beyond the answer a curve of R² over the sizes shows that it has become flat.
_BEYOND = 5
# Each size is fitted in every fold: with more, trying sizes takes far longer than the answer.
_MOST_SIZES = 15


def sizes_around(k: int, least: int, most: int) -> list[int]:
    """Return sizes from ``least`` to a little beyond k, with k among them and not too many.

    Examples
    --------
    >>> sizes_around(3, 1, 10)
    [1, 2, 3, 4, 5, 6, 7, 8]
    >>> sizes_around(40, 1, 60)
    [1, 4, 7, 10, 14, 17, 20, 23, 26, 29, 32, 36, 39, 40, 42, 45]
    """
    last = max(min(max(k + _BEYOND, 8), most), least)
    if last - least < _MOST_SIZES:
        return list(range(least, last + 1))
    spread = np.linspace(least, last, _MOST_SIZES).round().astype(int).tolist()
    return sorted({*spread, k} if k >= least else spread)


def with_size(params: dict, k: int) -> dict:
    """Return the parameters of a fit with k columns, without probabilities: they take longer."""
    return {**params, "n_features_to_select": k, "probabilities": False}


def tried(
    data: Prepared,
    rows: Part,
    params: dict,
    check: Checked | None,
    size_probability: Sequence[float] | None,
) -> Tried:
    """Return the columns of one size, fitted to all rows, and how good they are.

    Parameters
    ----------
    data : Prepared
    rows : Part
        All rows.
    params : dict
        Those of :func:`with_size`.
    check : Checked or None
        What the folds say of that size.
    size_probability : sequence of float or None
        How likely each number of columns is, where that is known.
    """
    with fitting(data.names):
        model = rows.fitted(params)
    k, errors = int(model.support_.sum()), rows.errors(model.coef_, float(model.intercept_))
    return Tried(
        k=k,
        columns=_by_effect(data, model),
        r2_in_sample=errors.r_squared,
        r2_adjusted=_adjusted(errors.r_squared, data.weight_sum, k),
        bic=_criterion("bic", errors, data, k),
        ebic=_criterion("ebic", errors, data, k),
        r2_out_of_sample=None if check is None else check.r2,
        probability=known_at(size_probability, k),
    )


def _by_effect(data: Prepared, model: ProjectedSTG) -> list[str]:
    places = np.flatnonzero(model.support_).tolist()
    effects = {place: abs(model.coef_[place]) * data.deviation(place) for place in places}
    return [data.names[place] for place in sorted(places, key=lambda place: -effects[place])]


def _adjusted(r_squared: float, n: float, k: int) -> float | None:
    """Return R² that charges for each column; it goes up only if a column helps beyond chance."""
    freedom = n - k - 1.0
    return 1.0 - (1.0 - r_squared) * (n - 1.0) / freedom if freedom > 0.0 else None


def _criterion(name: str, errors: SquaredErrors, data: Prepared, k: int) -> float | None:
    """Return an information criterion; None where nothing is left to explain."""
    nu, n_always = data.weight_sum - 1.0, int(data.always.sum())
    if not errors.error > 0.0 or nu <= 1.0:
        return None
    penalty = size_penalty(name, k - n_always, nu, len(data.names) - n_always)
    return float(nu * np.log(errors.error / nu) + penalty)


def known_at(values: Any, place: int) -> float | None:
    """Return one of some values; None where they are not known, or not so many."""
    return None if values is None or place >= len(values) else float(values[place])
