"""Gates of fitted models, in the columns and units of the data: fitted at once, or on demand.

Tables of one call may have been solved in groups of one shape; their gates are put together here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along, taken_together
from ..data.frame import in_range
from ..gates.gate_fit import GateFit, GateOptions
from ..gates.moments import gated_coefficients
from .gate_problem import GateProblem, fitted

__all__ = ["GateAnswer", "GroupGates", "KeptGates"]


class GateAnswer(NamedTuple):
    """The fitted gates of all columns of each table."""

    fit: GateFit
    """Its value is in the units of the data, its coefficients are of standardised columns."""
    coef: Array
    """θ ⊙ clip(μ, 0, 1) in the units of the data, (B, D)."""


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
        return GateAnswer(fit, coef)

    def without_rows(self) -> GroupGates:
        """Return the same with only inner products of the columns."""
        if not isinstance(self.found, GateProblem):
            return self
        return self._replace(found=self.found.without_rows())


class KeptGates:
    """Gates, fitted or with what is needed to fit them; a pickle of them has no rows of a table.

    ``groups`` are those of the tables with these numbers.
    """

    def __init__(self, groups: Sequence[tuple[np.ndarray, GroupGates]]) -> None:
        self.options = groups[0][1].options
        self._numbers = [numbers for numbers, _ in groups]
        self._groups: list[GroupGates] | None = [group for _, group in groups]
        self._answer: GateAnswer | None = None
        if not any(group.wait for group in self._groups):
            self.answer()

    def __getstate__(self) -> dict[str, Any]:
        groups = self._groups
        kept = None if groups is None else [group.without_rows() for group in groups]
        return self.__dict__ | {"_groups": kept}

    @property
    def wait(self) -> bool:
        """Whether they are not fitted yet."""
        return self._answer is None

    def answer(self) -> GateAnswer:
        """Return the fitted gates; what was kept to fit them is dropped."""
        groups = self._groups  # read once: another thread may set it to None
        if self._answer is None and groups is not None:
            # Without rows: the same digits as from a pickle.
            self._answer = _joined(
                [group.without_rows().answer() for group in groups], self._numbers
            )
            self._groups = None
        return self._answer  # type: ignore[return-value]


def _joined(answers: Sequence[GateAnswer], numbers: Sequence[np.ndarray]) -> GateAnswer:
    if len(answers) == 1:
        return answers[0]
    places = np.argsort(np.concatenate(numbers))
    fits = zip(*(one.fit for one in answers), strict=True)
    return GateAnswer(
        GateFit(*(taken_together(fields, places) for fields in fits)),
        taken_together([one.coef for one in answers], places),
    )
