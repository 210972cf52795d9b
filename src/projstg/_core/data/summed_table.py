"""From sums over rows to a standardised problem: what :mod:`.standard_table` does with the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .centred_sums import CentredSums
from .standard_table import ROUNDING, StandardTable
from .standardize import standardized

__all__ = ["table_of_sums"]

_EPS = float(np.finfo(np.float64).eps)


def table_of_sums(sums: CentredSums, *, centre: bool = True, never: np.ndarray) -> StandardTable:
    """Return one problem for each response of sums that share one X (:mod:`.shared_sums`).

    G is one array for all of them, and not copied. ``never``, a mask (D,), are columns that count
    as columns that do not vary.
    """
    n_problems = len(sums.b)
    x_mean, y_mean = sums.x_mean, sums.y_mean
    found = sums.quadratic(centre=centre, never=never)
    if not centre:
        x_mean, y_mean = np.zeros_like(x_mean), np.zeros_like(y_mean)
    varies, y_scale = _size(found.yy / sums.n, sums.y_mean if centre else y_mean)
    b = np.where(varies[:, None], found.b / y_scale[:, None], 0.0)
    yy = np.where(varies, found.yy / y_scale**2, 0.0)
    smallest = np.where(never, np.inf, (ROUNDING * _EPS * x_mean) ** 2)
    one = replace(found, b=b[:1], yy=yy[:1])
    scaled, scale = standardized(one, smallest)
    factor = np.where(scale > 0.0, 1.0 / np.where(scale > 0.0, scale, 1.0), 0.0)

    def of_all(field: np.ndarray) -> np.ndarray:
        return np.broadcast_to(field, (n_problems, *field.shape[1:]))

    G, n, freedom = (of_all(one) for one in (scaled.gram.G, sums.n, found.degrees_of_freedom))
    problem = replace(found, G=G, b=b * factor, yy=yy, n=n, degrees_of_freedom=freedom)
    return StandardTable(problem, of_all(scale), of_all(x_mean), y_mean, y_scale, None)


def _size(mean_square: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether responses vary by more than rounding, and their root mean square, or one."""
    varies = mean_square > (ROUNDING * _EPS * mean) ** 2
    return varies, np.sqrt(np.where(varies, mean_square, 1.0))
