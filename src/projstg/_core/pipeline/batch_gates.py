"""The gates of a whole batch in the units of the data, fitted already or once they are asked for.

Tables of a batch may have been solved apart (:mod:`.solution`): their gates are put together here,
and columns that were taken out have a closed gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along
from ..data.original_units import in_range
from ..data.standard_table import StandardTable
from ..gates.gate_fit import GateFit, GateOptions, among_all
from ..gates.moments import gated_coefficients
from .gate_question import GateQuestion, fitted

__all__ = ["BatchGates", "GateAnswer", "at_once", "joined_gates", "later"]


class GateAnswer(NamedTuple):
    """Gates at rest of all columns of each table, in the units of the data."""

    fit: GateFit
    coef: Array
    """θ ⊙ clip(μ, 0, 1), (B, D)."""


class _Part(NamedTuple):
    """Tables that were solved together."""

    found: GateFit | GateQuestion
    scale: Array
    y_scale: Array
    kept: np.ndarray
    """Which of all columns they have, in increasing order."""
    n_features: int

    def answer(self) -> GateAnswer:
        found, unit = self.found, self.y_scale
        fit = fitted(found) if isinstance(found, GateQuestion) else found
        coef = in_range(gated_coefficients(fit.mu, fit.theta), self.scale, unit)
        fit = fit._replace(value=fit.value * unit**2)
        if self.kept.size < self.n_features:
            xp = namespace(coef)
            columns = xp.asarray(np.tile(self.kept, (coef.shape[0], 1)), device=coef.device)
            fit = among_all(fit, columns, self.n_features)
            coef = put_along(coef, columns, self.n_features, 0.0)
        return GateAnswer(fit, coef)


class BatchGates:
    """The gates of each table of a batch."""

    def __init__(self, parts: Sequence[_Part], places: np.ndarray, options: GateOptions) -> None:
        self.options = options
        self._parts, self._places = tuple(parts), places
        self._answer: GateAnswer | None = None

    @property
    def is_fitted(self) -> bool:
        """Whether nothing is left to do."""
        return not any(isinstance(part.found, GateQuestion) for part in self._parts)

    def answer(self) -> GateAnswer:
        """Return the gates; they are fitted the first time."""
        if self._answer is None:
            self._answer = _stacked([part.answer() for part in self._parts], self._places)
            self._parts = ()
        return self._answer

    def among(self, kept: np.ndarray, n_features: int) -> BatchGates:
        """Return the gates of tables with more columns, of which these are ``kept``."""
        parts = [part._replace(kept=kept[part.kept], n_features=n_features) for part in self._parts]
        return BatchGates(parts, self._places, self.options)


def at_once(fit: GateFit, table: StandardTable, options: GateOptions) -> BatchGates:
    """Return gates that were fitted to the table."""
    return _of_one(fit, table, options)


def later(question: GateQuestion, table: StandardTable) -> BatchGates:
    """Return gates that will be fitted when they are asked for."""
    return _of_one(question.to_keep(), table, question.options.gates)


def _of_one(
    found: GateFit | GateQuestion, table: StandardTable, options: GateOptions
) -> BatchGates:
    n_problems, n_features = table.scale.shape
    part = _Part(found, table.scale, table.y_scale, np.arange(n_features), n_features)
    return BatchGates([part], np.arange(n_problems), options)


def joined_gates(batches: Sequence[BatchGates], order: np.ndarray) -> BatchGates:
    """Return the gates of several batches as those of one; its i-th is number ``order[i]``."""
    places, first = [], 0
    for batch in batches:
        places.append(first + batch._places)
        first += batch._places.size
    parts = [part for batch in batches for part in batch._parts]
    return BatchGates(parts, np.concatenate(places)[order], batches[0].options)


def _stacked(answers: Sequence[GateAnswer], places: np.ndarray) -> GateAnswer:
    if len(answers) == 1 and np.array_equal(places, np.arange(places.size)):
        return answers[0]
    xp = namespace(answers[0].coef)
    rows = xp.asarray(places, device=answers[0].coef.device)

    def stacked(fields: Sequence[Array]) -> Array:
        return xp.take(xp.concat(list(fields), axis=0), rows, axis=0)

    fits = zip(*(one.fit for one in answers), strict=True)
    return GateAnswer(
        GateFit(*(stacked(fields) for fields in fits)), stacked([one.coef for one in answers])
    )
