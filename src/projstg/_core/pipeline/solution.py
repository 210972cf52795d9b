"""The answers for tables of one shape, in standardised columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..data.problem import Problem
from ..gates.gate_fit import GateFit
from ..posterior.probabilities import Probabilities
from ..search.best_support import Refined
from .gate_problem import GateProblem

__all__ = ["Answer", "Solution"]


class Answer(NamedTuple):
    """The answer for one table; columns are those of its problem."""

    support: np.ndarray
    """(K,), in increasing order."""
    coef: np.ndarray
    """Least squares on them, (K,)."""
    search: Refined | None = None
    """What the search found; None where the gates decide alone."""
    probabilities: Probabilities | None = None
    """What the data say of supports; None without a search, where it was not asked for, and where
    rows are too few for one."""
    has_choice: bool = True
    """False where rows were too few to compare columns, and none was looked at."""


class Solution(NamedTuple):
    """The answers for B tables."""

    answers: Sequence[Answer]
    problems: Sequence[Problem]
    """The tables, standardised; none where the gates decide alone."""
    gates: GateFit | GateProblem
    """The gates, as :func:`.in_data`; where a search gave the answer, what it takes to fit them."""
    alpha: np.ndarray
    """λ in the units of the data, (B,)."""
    noise_std: np.ndarray | None
    """The σ in the rule for λ, (B,), in the units of the data; None where λ was given."""
