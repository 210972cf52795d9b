"""Gates in the columns and units of the data: fitted, or what it takes to fit them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along, taken_together
from ..data.original_units import in_range
from ..gates.gate_fit import GateFit, GateOptions
from ..gates.moments import gated_coefficients
from .gate_problem import GateProblem, fitted

__all__ = ["GateAnswer", "GroupGates", "in_order"]


class GateAnswer(NamedTuple):
    """The fitted gates of all columns of each table."""

    fit: GateFit
    """Its value is in the units of the data, its coefficients are of standardised columns."""
    coef: Array
    """θ ⊙ clip(μ, 0, 1) in the units of the data, (B, D)."""
    options: GateOptions


class GroupGates(NamedTuple):
    """The gates of tables of one shape."""

    found: GateFit | GateProblem
    """The gates, or what it takes to fit them."""
    scale: Array
    """What each column was divided by, (B, W)."""
    y_scale: Array
    """What y was divided by, (B,)."""
    columns: np.ndarray
    """The columns of the data that the tables have."""
    n_features: int
    options: GateOptions

    @property
    def wait(self) -> bool:
        """Whether they are not fitted yet, because a search gave the answer."""
        return isinstance(self.found, GateProblem)

    def answer(self) -> GateAnswer:
        """Return the fitted gates."""
        fit = fitted(self.found) if isinstance(self.found, GateProblem) else self.found
        coef = gated_coefficients(fit.mu, fit.theta)
        coef = in_range(coef, self.scale, self.y_scale[:, None])
        fit = fit._replace(value=fit.value * self.y_scale**2)
        if self.columns.size < self.n_features:
            columns = np.tile(self.columns, (coef.shape[0], 1))
            columns = namespace(coef).asarray(columns, device=coef.device)
            fit = fit.among(columns, self.n_features)
            coef = put_along(coef, columns, self.n_features, 0.0)
        return GateAnswer(fit, coef, self.options)

    def without_rows(self) -> GroupGates:
        """Return the same with only inner products of the columns."""
        if not isinstance(self.found, GateProblem):
            return self
        return self._replace(found=self.found.without_rows())


def in_order(groups: Sequence[tuple[np.ndarray, GroupGates]]) -> GateAnswer:
    """Return the fitted gates of all tables from groups, each with the numbers of its tables."""
    numbers, answers = zip(*((own, group.answer()) for own, group in groups), strict=True)
    if len(answers) == 1:
        return answers[0]
    places = np.argsort(np.concatenate(numbers))
    fits = zip(*(one.fit for one in answers), strict=True)
    return GateAnswer(
        GateFit(*(taken_together(fields, places) for fields in fits)),
        taken_together([one.coef for one in answers], places),
        answers[0].options,
    )
