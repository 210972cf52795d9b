"""What a fitted model says of several columns at once: credible groups, and whether any belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._core.posterior.credible_groups import credible_groups
from .._core.posterior.joint import Joint

__all__ = ["CredibleGroup", "any_belongs", "each_belongs", "named_groups"]


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


def any_belongs(joint: Joint, inclusion: np.ndarray, chosen: np.ndarray) -> float:
    """Return P(at least one of the columns ``chosen``, a mask (D,), belongs).

    Of columns that the joint posterior is not kept of only the ``inclusion``, (D,), is known. They
    count as independent: each is unlikely, so that together they can be wrong by little.
    """
    others = chosen.copy()
    others[joint.columns] = False
    without = 1.0 - joint.any_of(chosen[joint.columns])
    return 1.0 - without * float(np.prod(1.0 - inclusion[others]))


def each_belongs(joint: Joint, groups: Sequence[np.ndarray]) -> float:
    """Return P(each of the groups, masks (D,), has a column that belongs).

    Columns that the joint posterior is not kept of are unlikely, and do not count.
    """
    kept = [group[joint.columns] for group in groups]
    return joint.each_of(np.array(kept, dtype=bool).reshape(len(kept), joint.columns.size))


def named_groups(
    joint: Joint, correlations: np.ndarray, names: np.ndarray, level: float
) -> list[CredibleGroup]:
    """Return the groups; ``correlations`` are those of the joint's columns, ``names`` of all."""
    inclusion, found = joint.inclusion(), []
    for columns, probability in credible_groups(joint, level):
        places = np.searchsorted(joint.columns, columns)
        shares = inclusion[places] / inclusion[places].sum()
        weakest = np.min(np.abs(correlations[np.ix_(places, places)]))
        features = names[columns].tolist()
        found.append(
            CredibleGroup(features, probability, shares.tolist(), min(float(weakest), 1.0))
        )
    return found
