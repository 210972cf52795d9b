"""How well a choice predicts rows it has not seen, and whether other rows would choose the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..prepare.prepared import Folds, Part, SquaredErrors

__all__ = ["Checked", "checked"]


class Checked(NamedTuple):
    """What the folds say."""

    r2: float
    """Over all rows, each predicted by the fit that did not see it."""
    r2_folds: list[float]
    stability: np.ndarray
    """(D,), share of the folds that chose a column."""


class _Left(NamedTuple):
    """What one fold says."""

    support: np.ndarray
    errors: SquaredErrors


def checked(
    folds: Folds, n_folds: int, asked: Sequence[dict], step: Callable[[], None] | None = None
) -> list[Checked | ValueError]:
    """Choose and predict in folds, with a new choice in each, for several questions.

    Parameters
    ----------
    folds : Folds
    n_folds : int
    asked : sequence of dict
        Parameters of :class:`ProjectedSTG`. One fold serves all of them before the next is made.
    step : callable or None
        Called after each fit.

    Returns
    -------
    checks : list
        For each question what the folds say, or why one of them has no answer: too few columns
        may vary in it.
    """
    found: list[list[_Left] | ValueError] = [[] for _ in asked]
    for i in range(n_folds):
        part = folds.part(i)
        for place, params in enumerate(asked):
            so_far = found[place]
            if isinstance(so_far, list):
                try:
                    so_far.append(_left(part, params))
                except ValueError as error:
                    found[place] = error
            if step is not None:
                step()
    return [one if isinstance(one, ValueError) else _together(one) for one in found]


def _left(part: Part, params: dict) -> _Left:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = part.fitted(params)
    return _Left(model.support_, part.errors(model.coef_, float(model.intercept_)))


def _together(parts: list[_Left]) -> Checked:
    errors = [one.errors for one in parts]
    whole = SquaredErrors(*(sum(side) for side in zip(*errors, strict=True)))
    stability = np.mean([one.support for one in parts], axis=0)
    return Checked(whole.r_squared, [one.r_squared for one in errors], stability)
