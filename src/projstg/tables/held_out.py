"""How well a choice predicts rows it has not seen, and whether other rows would choose the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .prepared import Prepared, SquaredErrors

__all__ = ["Checked", "checked"]


class Checked(NamedTuple):
    """What the folds say."""

    r2: float
    """Over all rows, each predicted by the fit that did not see it."""
    r2_folds: list[float]
    stability: np.ndarray
    """(D,), share of the folds that chose a column."""


def checked(data: Prepared, params: dict, n_folds: int, seed: int) -> Checked:
    """Choose and predict in folds, with a new choice in each.

    ``params`` are those of :class:`ProjectedSTG`.
    """
    folds = data.folds(n_folds, seed)
    fits = folds.fits(params)
    errors = [folds.errors(i, fits.coef[i], float(fits.intercept[i])) for i in range(n_folds)]
    whole = SquaredErrors(*(sum(side) for side in zip(*errors, strict=True)))
    return Checked(whole.r_squared, [one.r_squared for one in errors], fits.support.mean(axis=0))
