"""The columns that are likelier to belong than not, one of each group that stands for each other.

Of near copies none may be likelier than not, though one of them surely belongs. So a group of
columns that stand for each other (:mod:`.credible_groups`) counts as one: if one of its columns is
likelier to belong than not, its likeliest column is selected.
"""

from __future__ import annotations

import numpy as np

from .combined import Estimate
from .credible_groups import credible_groups, stands_for
from .joint import Joint

__all__ = ["ONE_HALF", "likelier_than_not"]

ONE_HALF = 0.5 + 1e-9
"""Rounding shall not decide where it is one half exactly."""


def likelier_than_not(joint: Joint, known: Estimate, preferred: np.ndarray) -> np.ndarray:
    """Return the columns, the likeliest first.

    Of columns that stand for each other and are as likely, as far as that is known, it is one of
    the ``preferred``, a mask (D,).
    """
    found: list[int] = []
    for group in credible_groups(joint, ONE_HALF):
        rivals = joint.columns[stands_for(joint, np.isin(joint.columns, group.columns))]
        others = np.setdiff1d(np.flatnonzero(preferred), found)
        candidates = np.intersect1d(others, np.append(group.columns, rivals))
        found.append(_first(int(group.columns[0]), candidates, known))
    chosen = np.unique(np.asarray(found, dtype=np.int64))
    return chosen[np.argsort(-known.mean[chosen], kind="stable")]


def _first(top: int, candidates: np.ndarray, known: Estimate) -> int:
    """Return the likeliest column of a group, or a candidate that is as likely."""
    gap = known.mean[top] - known.mean[candidates]
    noise = np.maximum(known.error[top], known.error[candidates])
    as_likely = candidates[gap <= 2.0 * noise + (ONE_HALF - 0.5)]
    if top in as_likely or not as_likely.size:
        return top
    return int(as_likely[np.argmax(known.mean[as_likely])])
