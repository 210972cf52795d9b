"""What is asked of tables: how many columns, and how they are to be found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..gates.gate_fit import GateOptions

__all__ = ["DECISIONS", "Options"]

DECISIONS = ("likeliest", "median")
"""The likeliest support, or what is likelier to belong than not: a column, or one of a group."""


@dataclass(frozen=True)
class Options:
    """What to look for and how."""

    n_selected: int | None = None
    """K; None where it is chosen from the data, or open gates are selected."""
    selection: str | None = None
    """How K is chosen from the data; None where it is not."""
    alpha: float | np.ndarray | None = None
    """λ, one for all tables or one for each, (B,); None is the paper's rule."""
    alpha_scale: float = 0.2
    noise_std: float | None = None
    gates: GateOptions = field(default_factory=GateOptions)
    refine: bool = False
    criterion: str = "common-size"
    n_starts: int | None = None
    decision: str = "likeliest"
    """Which columns are selected by their probabilities, one of ``DECISIONS``."""
    probabilities: bool = True
    """Whether a search says how sure it is; for that it scores the supports around its answer."""
    always: tuple[int, ...] = ()
    """Columns that must be selected."""

    def of(self, problems: np.ndarray) -> Options:
        """Return what is asked of some of the tables."""
        if not isinstance(self.alpha, np.ndarray):
            return self
        return replace(self, alpha=self.alpha[problems])

    def of_size(self, k: int, **other: Any) -> Options:
        """Return the same for a size that is known, with ``other`` options."""
        return replace(self, n_selected=k, selection=None, **other)

    def must(self, n_columns: int) -> np.ndarray:
        """Return the mask (D,) of the columns that must be selected."""
        mask = np.zeros(n_columns, dtype=bool)
        mask[list(self.always)] = True
        return mask

    @property
    def has_search(self) -> bool:
        """Whether a search decides; otherwise the gates do."""
        return self.refine and (self.n_selected is not None or self.selection is not None)
