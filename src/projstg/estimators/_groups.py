"""Credible groups of a fitted model, with their names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.posterior.credible_groups import credible_groups
from .._core.posterior.joint import Joint
from ._after_fit import ColumnFacts

__all__ = ["CredibleGroup", "named_groups"]


class CredibleGroup(NamedTuple):
    """Columns that stand for each other, at least one of which belongs."""

    features: list
    """Their names, or indices; the likeliest first."""
    probability: float
    """How likely at least one of them is to be one of the right columns."""
    shares: list[float]
    """How likely each is to be the one, if one of them is; they sum to one."""
    weakest_correlation: float
    """The smallest absolute correlation of two of them; one for a single column."""


def named_groups(facts: ColumnFacts, names: np.ndarray, level: float) -> list[CredibleGroup]:
    """Return the groups, by what a table says of its columns; ``names`` are those of all."""
    joint: Joint = facts.joint  # type: ignore[assignment] # there are probabilities
    found = []
    inclusion = joint.inclusion()
    for columns, probability in credible_groups(joint, level):
        own = inclusion[np.searchsorted(joint.columns, columns)]
        places = np.searchsorted(facts.grouped, columns)
        weakest = np.min(np.abs(facts.correlations[np.ix_(places, places)]))
        features, shares = names[columns].tolist(), (own / own.sum()).tolist()
        found.append(CredibleGroup(features, probability, shares, min(float(weakest), 1.0)))
    return found
