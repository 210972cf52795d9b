"""What is asked of a batch of tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays.backend import Array, namespace
from ..gates.gate_fit import GateOptions

__all__ = ["DECISIONS", "Options"]

DECISIONS = ("likeliest", "median")
"""The likeliest support, or what is likelier to belong than not: a column, or one of a group."""


@dataclass(frozen=True)
class Options:
    """What to look for and how."""

    n_selected: int | None = None
    alpha: float | Array | None = None
    """λ, one for all tables or one for each, (B,); None is the paper's rule."""
    alpha_scale: float = 0.2
    noise_std: float | None = None
    gates: GateOptions = field(default_factory=GateOptions)
    refine: bool = False
    criterion: str = "common-size"
    n_starts: int | None = None
    decision: str = "likeliest"
    """Which columns "auto" selects by their probabilities, one of ``DECISIONS``."""
    probabilities: bool = True
    """Whether a search says how sure it is; for that it scores the supports around its answer."""
    always: tuple[int, ...] = ()
    """Columns that must be selected."""

    def of(self, problems: np.ndarray) -> Options:
        """Return what is asked of some of the tables."""
        alpha = self.alpha
        if not getattr(alpha, "ndim", 0):
            return self
        xp = namespace(alpha)
        return replace(self, alpha=xp.take(alpha, xp.asarray(problems), axis=0))

    @property
    def has_search(self) -> bool:
        """Whether a search decides; otherwise the gates do."""
        return self.refine and self.n_selected is not None
