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

from .._core.data.problem import Problem
from .._core.posterior.coefficient_intervals import Estimates, estimates
from .._core.posterior.joint import Joint
from .._core.search.best_support import equivalent_features
from .questions import Fit

__all__ = ["AfterFit", "ColumnAttributes"]

# Up to this many numbers (2 MB) of a table and of draws are kept.
_MOST_KEPT = 250_000


class AfterFit:
    """The table and the answer, until what is computed from them is asked for."""

    def __init__(self, fit: Fit, problem: Problem, size: int) -> None:
        self._found: _ColumnFacts | None = None
        together = None if fit.answer.probabilities is None else fit.answer.probabilities.together
        is_small = size + (together.size if together else 0) <= _MOST_KEPT
        self._kept: tuple[Fit, Problem] | None = fit, problem.owned() if is_small else problem
        if not is_small:
            self.found()

    def __getstate__(self) -> dict[str, Any]:
        return {"_found": self.found(), "_kept": None}

    def found(self) -> _ColumnFacts:
        """Return what the table says; then it is dropped."""
        kept = self._kept  # read once: another thread may set it to None
        if self._found is None and kept is not None:
            self._found = _facts(*kept)
            self._kept = None
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


def _facts(fit: Fit, problem: Problem) -> _ColumnFacts:
    (support, _, search, known, _), frame = fit.answer, fit.frame
    others = [] if known is None else known.supports
    fits = estimates(problem, frame, [support, *others])
    std_error = np.zeros(frame.n_features)
    std_error[fits.columns] = fits.std_error[0]
    alternatives = Estimates(fits.columns, *(field[1:] for field in fits[1:]))
    equivalent = None
    if search is not None:
        equal = equivalent_features(problem, search.support, search.judge, search.n_redundant)
        names = frame.columns
        equivalent = {int(names[one]): names[same].tolist() for one, same in equal.items() if same}
    joint, correlations = None, np.empty((0, 0))
    if known is not None and known.together is not None:
        joint = known.together.joint()
        few = problem.products(joint.columns) if joint.columns.size else correlations
        joint, correlations = joint._replace(columns=frame.columns[joint.columns]), few / problem.n
    return _ColumnFacts(std_error, alternatives, equivalent, joint, correlations)


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
