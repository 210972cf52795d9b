"""Gates in the columns and units of the data: fitted, or what it takes to fit them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import taken_together
from ..gates.gate_fit import GateFit
from .gate_problem import GateProblem, fitted, in_data

__all__ = ["Groups", "in_order", "without_rows"]

Groups = Sequence[tuple[np.ndarray, GateFit | GateProblem]]
"""Gates of tables of one shape, or what it takes to fit them, with the numbers of the tables."""


def without_rows(groups: Groups) -> Groups:
    """Return the same with only inner products of the columns."""
    return [
        (numbers, one.without_rows() if isinstance(one, GateProblem) else one)
        for numbers, one in groups
    ]


def in_order(groups: Groups) -> GateFit:
    """Return the fitted gates of all tables, as :func:`.in_data`."""
    numbers, found = zip(*groups, strict=True)
    fits = [in_data(one, fitted(one)) if isinstance(one, GateProblem) else one for one in found]
    if len(fits) == 1:
        return fits[0]
    places = np.argsort(np.concatenate(numbers))
    fields = zip(*fits, strict=True)
    return GateFit(*(taken_together(field, places) for field in fields))
