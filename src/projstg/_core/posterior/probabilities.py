"""What a posterior says: probabilities, and how they were computed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .averaging import Averaging
from .combined import Combined
from .joint import Joint
from .represented import Represented

__all__ = ["Accuracy", "JointSource", "Probabilities"]


class Accuracy(NamedTuple):
    """How probabilities were computed, and how accurate they are."""

    method: str
    """"enumerated": every support was scored, or has no weight by its residual alone, and the
    probabilities are exact. "sampled": the likeliest were counted, and chains of draws give the
    rest. "settled": one support weighs ten thousand times what all others one column away weigh
    together, and chains would stay at it. "counted": only the likeliest were counted, because the
    fit, or columns that nearly depend on each other, leave too few digits for anything else; no
    error is known."""
    n_supports: int
    """How many supports were scored exactly; if "enumerated", how many there are."""
    n_draws: int
    """How many draws the chains made."""
    largest_error: float
    """The largest Monte Carlo error of an inclusion probability; NaN if "counted"."""
    is_accurate: bool
    """Whether another seed should give the same answer: the search came to its end, searches with
    draws of their own agree on the likeliest support, and the error is not large."""

    @property
    def is_doubtful(self) -> bool:
        """Whether it is not, and not because there are too few digits to say."""
        return not self.is_accurate and self.method != "counted"


class JointSource(NamedTuple):
    """What the joint posterior of columns is computed from, if it is asked for."""

    combined: Combined
    among: Represented
    """The columns looked at, and for which others they stand."""

    @property
    def size(self) -> int:
        """How many numbers it holds, about."""
        sample = self.combined.sample
        return self.combined.counted.masks.size // 8 + (0 if sample is None else sample.shares.size)

    def joint(self) -> Joint:
        """Return what is known of all columns at once."""
        joint = self.combined.joint(np.arange(self.among.columns.size))
        return joint._replace(columns=self.among.columns, among=self.among)


class Probabilities(NamedTuple):
    """What the data say about the supports of one problem."""

    supports: list[np.ndarray]
    """The likeliest, best first, each in increasing order."""
    probabilities: np.ndarray
    """The probability of each of them, (M,)."""
    inclusion: np.ndarray
    """P(column is in the support), (D,)."""
    inclusion_error: np.ndarray
    """Monte Carlo errors of these, (D,); zero where all supports were scored, NaN if unknown."""
    sizes: np.ndarray
    """P(size), (K_max + 1,)."""
    exactly: float
    """P(the support is exactly the one selected)."""
    all_belong: float
    """P(all columns of the one selected are in the support)."""
    together: JointSource | None
    """For what is known of several columns at once."""
    averaging: Averaging | None
    """What coefficients averaged over supports are computed from; None where they are dropped."""
    accuracy: Accuracy
