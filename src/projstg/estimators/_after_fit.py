"""What a fitted model says of its columns beyond the answer, computed when it is first read.

Standard errors, fits to the alternatives, columns that could be exchanged and the joint posterior
of columns need the table, or all that was drawn, and nothing else needs them. So ``fit`` keeps a
copy of a small table and all draws; where they are large, it computes them at once. In a pickled
model they are computed, and there are no rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core.data.standard_table import StandardTable
from .._core.pipeline.solution import Solution
from .._core.posterior.coefficient_intervals import Estimates, estimates
from .._core.posterior.joint import Joint
from .._core.posterior.probabilities import JointSource
from .._core.search.best_support import Refined, equivalent_features
from ._groups import correlations_of

__all__ = ["AfterFit", "ColumnAttributes"]

# Up to this many numbers (2 MB) of a table and of draws are kept.
_MOST_KEPT = 250_000


class AfterFit:
    """The table and the answer, until what is computed from them is asked for."""

    def __init__(self, table: StandardTable, solution: Solution) -> None:
        self._found: _ColumnFacts | None = None
        search = None if solution.search is None else solution.search[0]
        known = None if solution.posterior is None else solution.posterior[0]
        others = [] if known is None else known.supports
        supports = [np.flatnonzero(solution.support[0]), *others]
        together = None if known is None else known.together
        is_small = table.size + (together.size if together else 0) <= _MOST_KEPT
        self._asked: _AskedLater | None = _AskedLater(
            table.owned() if is_small else table, supports, search, together
        )
        if not is_small:
            self.found()

    def __getstate__(self) -> dict[str, Any]:
        return {"_found": self.found(), "_asked": None}

    def found(self) -> _ColumnFacts:
        """Return what the table says; then it is dropped."""
        asked = self._asked  # read once: another thread may set it to None
        if self._found is None and asked is not None:
            self._found = asked.facts()
            self._asked = None
        return self._found  # type: ignore[return-value]


class _ColumnFacts(NamedTuple):
    std_error: np.ndarray
    """Of the coefficients, (D,)."""
    alternatives: Estimates
    equivalent: dict[int, list[int]] | None
    """Columns that a selected one could be exchanged for; None where no search was made."""
    joint: Joint | None
    """The joint posterior of columns; None without probabilities."""
    correlations: np.ndarray
    """Of these columns, (M, M)."""


class _AskedLater(NamedTuple):
    table: StandardTable
    supports: list[np.ndarray]
    """The answer, and its alternatives."""
    search: Refined | None
    together: JointSource | None

    def facts(self) -> _ColumnFacts:
        fits = estimates(self.table, self.supports)
        std_error = np.zeros(self.table.scale.shape[-1])
        std_error[fits.columns] = fits.std_error[0]
        others = Estimates(fits.columns, *(field[1:] for field in fits[1:]))
        joint = None if self.together is None else self.together.joint()
        columns = np.arange(0) if joint is None else joint.columns
        correlations = correlations_of(self.table.problem, columns)
        return _ColumnFacts(std_error, others, self._equivalent(), joint, correlations)

    def _equivalent(self) -> dict[int, list[int]] | None:
        search = self.search
        if search is None:
            return None
        of = (search.support, search.judge, search.n_redundant)
        found = equivalent_features(self.table.problem, *of)
        return {member: others for member, others in found.items() if others}


class ColumnAttributes:
    """Attributes of a model whose ``fit`` sets ``_after_fit``."""

    _after_fit: AfterFit

    @property
    def coef_std_error_(self) -> np.ndarray:
        """Standard errors of ``coef_`` as if the columns had been known, (n_features_in_,)."""
        return self._column_facts.std_error

    @property
    def equivalent_features_(self) -> dict[Any, list[Any]] | None:
        """The columns that a selected one could be exchanged for at no loss."""
        found = self._column_facts.equivalent
        if found is None:
            return None
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return found
        return {names[one]: [names[other] for other in others] for one, others in found.items()}

    @property
    def _column_facts(self) -> _ColumnFacts:
        check_is_fitted(self, "_after_fit")
        return self._after_fit.found()
