"""What a fitted model says of its columns beyond the answer, computed when it is first read.

Standard errors, fits to the alternatives, columns that could be exchanged and the joint posterior
of columns need the table, or all that was drawn, and nothing else needs them. So ``fit`` keeps a
copy of a small table and all draws; where they are large, it computes them at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core.data.problem import Problem
from .._core.posterior.coefficient_intervals import Estimates, estimates
from .._core.posterior.credible_groups import may_be_grouped
from .._core.posterior.joint import Joint
from .._core.search.best_support import equivalent_features
from ._first_read import FirstRead
from .questions import Fit

__all__ = ["ColumnAttributes", "ColumnFacts", "column_facts"]

# Up to this many numbers (2 MB) of a table are kept: to copy more takes longer than to compute what
# they are kept for, about a millisecond. Draws are there already.
_MOST_KEPT, _MOST_DRAWS = 250_000, 2_500_000


class ColumnFacts(NamedTuple):
    """What the table says of the columns."""

    std_error: np.ndarray
    """Of the coefficients, (D,)."""
    alternatives: Estimates
    equivalent: dict[int, list[int]] | None
    """Columns that a selected one could be exchanged for; None where no search was made."""
    joint: Joint | None
    """The joint posterior of columns; None without probabilities."""
    grouped: np.ndarray
    """Columns that may be in a credible group, (M,)."""
    correlations: np.ndarray
    """Of these columns, (M, M)."""


def column_facts(fit: Fit, problem: Problem, size: int) -> FirstRead[ColumnFacts]:
    """Return what a table of so many numbers says of the columns, beside its answer."""
    together = None if fit.answer.probabilities is None else fit.answer.probabilities.together
    is_small = size <= _MOST_KEPT and (together is None or together.size <= _MOST_DRAWS)
    return FirstRead(_facts, (fit, problem.owned() if is_small else problem), wait=is_small)


def _facts(table: tuple[Fit, Problem]) -> ColumnFacts:
    fit, problem = table
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
    joint, grouped, correlations = None, np.empty(0, dtype=np.int64), np.empty((0, 0))
    if known is not None and known.together is not None:
        joint = known.together.joint()
        grouped = joint.columns[may_be_grouped(joint)]
        if grouped.size:
            correlations = problem.products(grouped) / problem.n
        joint, grouped = joint.within(frame.columns, frame.n_features), frame.columns[grouped]
    return ColumnFacts(std_error, alternatives, equivalent, joint, grouped, correlations)


class ColumnAttributes:
    """Attributes of a model whose ``fit`` sets ``_after_fit``."""

    _after_fit: FirstRead[ColumnFacts]

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
    def _column_facts(self) -> ColumnFacts:
        check_is_fitted(self, "_after_fit")
        return self._after_fit.value()
