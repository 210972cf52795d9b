r"""An independent support for a search that has met only dependent ones.

Walks do not see the prior of a support, and among copies of a column they may end at dependent
supports alone, which have infinite scores. From such a support its locked members are kept, and of
the others those that do not depend on the ones before. Then the best columns enter one at a time.
"""

from __future__ import annotations

import numpy as np

from ..score.dilution import entering_costs, is_dependent
from ..score.tableau import Field

__all__ = ["independent_support"]

# Instead of zero under a division.
_TINY = 1e-300


def independent_support(field: Field, members: np.ndarray) -> np.ndarray | None:
    """Return an independent support of as many columns as ``members`` (K,), or None.

    None means that no column enters any more: with the members that are locked there is no such
    support.
    """
    G, diagonal = field.G, np.diagonal(field.G)
    is_redundant, is_locked = field.redundant, field.locked
    redundant, wanted = members[is_redundant[members]], members[~is_locked[members]]
    chosen = members[is_locked[members] & ~is_redundant[members]]
    none = np.zeros_like(is_locked)
    while chosen.size + redundant.size < members.size:
        try:
            cost, in_doubt = entering_costs(G[chosen][None], chosen[None], diagonal, field.n, none)
        except np.linalg.LinAlgError:  # what was chosen is dependent to the last digit
            return None
        may_enter = np.isfinite(cost[0]) & ~field.excluded
        may_enter[chosen] = may_enter[redundant] = False
        for j in np.flatnonzero(may_enter & in_doubt[0]):
            may_enter[j] = not is_dependent(field, np.append(chosen, j))
        first = wanted[may_enter[wanted]]
        if first.size:
            entering = int(first[0])
        elif may_enter.any():
            entering = int(np.argmax(np.where(may_enter, _gains(field, chosen), -1.0)))
        else:
            return None
        chosen = np.append(chosen, entering)
    chosen = np.sort(np.concatenate([chosen, redundant]))
    return None if is_dependent(field, chosen) else chosen


def _gains(field: Field, chosen: np.ndarray) -> np.ndarray:
    """Return what each column more takes off the residual of least squares on ``chosen``, (D,)."""
    G, b = field.G, field.b
    on_chosen = np.linalg.solve(G[np.ix_(chosen, chosen)], G[chosen])
    left = np.diagonal(G) - np.sum(G[chosen] * on_chosen, axis=0)
    return (b - b[chosen] @ on_chosen) ** 2 / np.maximum(left, _TINY)
