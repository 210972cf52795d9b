"""The gates of a whole batch, joined from its parts; fitted at once or on demand.

Tables of a batch may have been solved separately (:mod:`.solution`): their gates are joined here,
and columns that were taken out get a closed gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..arrays.backend import Array, namespace, put_along, taken_together
from ..data.original_units import in_range
from ..data.standard_table import StandardTable
from ..gates.gate_fit import GateFit, GateOptions, among_all
from ..gates.moments import gated_coefficients
from .gate_question import GateQuestion, fitted

__all__ = ["BatchGates", "GateAnswer", "KeptGates", "joined_gates", "one_batch"]


class GateAnswer(NamedTuple):
    """The fitted gates of all columns of each table."""

    fit: GateFit
    """Its value is in the units of the data, its coefficients are of standardised columns."""
    coef: Array
    """θ ⊙ clip(μ, 0, 1) in the units of the data, (B, D)."""


class _Part(NamedTuple):
    """Tables that were solved together."""

    found: GateFit | GateQuestion
    """The gates, or what it takes to fit them."""
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

    def without_source(self) -> _Part:
        if not isinstance(self.found, GateQuestion):
            return self
        return self._replace(found=self.found.without_source())

    def without_rows(self) -> _Part:
        if not isinstance(self.found, GateQuestion):
            return self
        return self._replace(found=self.found.without_rows())

    @property
    def waits(self) -> bool:
        return isinstance(self.found, GateQuestion)


class BatchGates(NamedTuple):
    """The gates of each table of a batch, in parts."""

    parts: tuple[_Part, ...]
    places: np.ndarray
    """Problem i of the batch is number ``places[i]`` when all parts are joined, (B,)."""
    options: GateOptions

    @property
    def wait(self) -> bool:
        """Whether some gates are not fitted yet, because a search gave the answer."""
        return any(part.waits for part in self.parts)

    def answer(self) -> GateAnswer:
        """Return the fitted gates, and fit those that are not fitted yet."""
        answers = [part.answer() for part in self.parts]
        if len(answers) == 1 and np.array_equal(self.places, np.arange(self.places.size)):
            return answers[0]
        fits = zip(*(one.fit for one in answers), strict=True)
        return GateAnswer(
            GateFit(*(taken_together(fields, self.places) for fields in fits)),
            taken_together([one.coef for one in answers], self.places),
        )

    def without_source(self) -> BatchGates:
        """Return the same gates without the rows that the tables came from."""
        return self._replace(parts=tuple(part.without_source() for part in self.parts))

    def without_rows(self) -> BatchGates:
        """Return the same gates without rows: only inner products of the columns are kept."""
        return self._replace(parts=tuple(part.without_rows() for part in self.parts))

    def among(self, kept: np.ndarray, n_features: int) -> BatchGates:
        """Return the gates of tables with more columns, of which these are ``kept``."""
        parts = (part._replace(kept=kept[part.kept], n_features=n_features) for part in self.parts)
        return self._replace(parts=tuple(parts))


def one_batch(
    found: GateFit | GateQuestion, table: StandardTable, options: GateOptions
) -> BatchGates:
    """Return the gates of tables that were solved together."""
    n_problems, n_features = table.scale.shape
    part = _Part(found, table.scale, table.y_scale, np.arange(n_features), n_features)
    return BatchGates((part,), np.arange(n_problems), options)


def joined_gates(batches: Sequence[BatchGates], order: np.ndarray) -> BatchGates:
    """Return several batches as one; its problem i is number ``order[i]`` of theirs."""
    first = np.cumsum([0, *(batch.places.size for batch in batches)])
    places = [start + batch.places for start, batch in zip(first, batches, strict=False)]
    parts = tuple(part for batch in batches for part in batch.parts)
    return BatchGates(parts, np.concatenate(places)[order], batches[0].options)


class KeptGates:
    """Gates, fitted or with what is needed to fit them; a pickle of them has no rows of a table."""

    def __init__(self, gates: BatchGates) -> None:
        self.options = gates.options
        self._gates: BatchGates | None = gates.without_source()
        self._answer: GateAnswer | None = None
        if not gates.wait:
            self.answer()

    def __getstate__(self) -> dict[str, Any]:
        gates = self._gates
        return self.__dict__ | {"_gates": None if gates is None else gates.without_rows()}

    @property
    def wait(self) -> bool:
        """Whether they are not fitted yet."""
        return self._answer is None

    def answer(self) -> GateAnswer:
        """Return the fitted gates; what was kept to fit them is dropped."""
        gates = self._gates  # read once: another thread may set it to None
        if self._answer is None and gates is not None:
            self._answer = gates.without_rows().answer()  # the same digits as from a pickle
            self._gates = None
        return self._answer  # type: ignore[return-value]
