"""How well a choice predicts rows it has not seen, and whether other rows would choose the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..._threads import in_threads
from ..prepare.prepared import Folds, Part, SquaredErrors

__all__ = ["Checked", "checked"]


class Checked(NamedTuple):
    """What the folds say."""

    r2: float
    """Over all rows, each predicted by the fit that did not see it."""
    error: float
    """Σ w (y − ŷ)² of these predictions."""
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
        Parameters of :class:`ProjectedSTG`. A fold is made once and serves all of them.
    step : callable or None
        Called after each fit, by any thread.

    Returns
    -------
    checks : list
        For each question what the folds say, or why one of them has no answer: too few columns
        may vary in it.
    """

    def of_fold(i: int) -> list[_Left | ValueError]:
        part = folds.part(i)
        return [_left(part, params, step) for params in asked]

    numbers = range(n_folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = in_threads(of_fold, numbers) if folds.are_small else list(map(of_fold, numbers))
    return [_together(parts) for parts in zip(*found, strict=True)]


def _left(part: Part, params: dict, step: Callable[[], None] | None) -> _Left | ValueError:
    try:
        model = part.fitted(params)
        return _Left(model.support_, part.errors(model.coef_, float(model.intercept_)))
    except ValueError as error:
        return error
    finally:
        if step is not None:
            step()


def _together(found: Sequence[_Left | ValueError]) -> Checked | ValueError:
    """Return what all folds say, or the first error."""
    parts = [one for one in found if isinstance(one, _Left)]
    if len(parts) < len(found):
        return next(one for one in found if isinstance(one, ValueError))
    errors = [one.errors for one in parts]
    whole = SquaredErrors(*(sum(side) for side in zip(*errors, strict=True)))
    stability = np.mean([one.support for one in parts], axis=0)
    return Checked(whole.r_squared, whole.error, [one.r_squared for one in errors], stability)
