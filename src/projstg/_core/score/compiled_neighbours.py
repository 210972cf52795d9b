"""The scores of all supports one column away, by the compiled kernel.

:func:`~.neighbours.neighbours` is the definition.
"""

from __future__ import annotations

import numpy as np

from ..kernel import library
from .compiled import field_record, judge_record
from .criterion import Judge
from .neighbours import Neighbours
from .score_settings import SCORE
from .tableau import Field, least_ridge

__all__ = ["neighbours_compiled"]


def neighbours_compiled(
    field: Field, members: np.ndarray, criterion: Judge, *, resize: bool
) -> Neighbours:
    """Return the scores of all neighbours of supports ``members`` (C, K) of a field of one.

    None of the columns may be redundant, and the criterion must count the volume.
    """
    (C, K), n_columns = members.shape, field.b.shape[1]
    of, by = field_record(field, 0), judge_record(criterion, 0)
    members = np.ascontiguousarray(members, dtype=np.int64)
    found = Neighbours(
        np.empty(C),
        np.empty((C, K, n_columns)),
        np.full((C, n_columns), np.inf),
        np.full((C, K), np.inf),
        np.empty(C, dtype=bool),
    )
    least, n_exact = float(least_ridge(field.n)[0]), max(SCORE.n_exact_exchanges, 2 * K)
    for c in range(C):
        around = library.AroundRecord.of(
            K=K,
            n_exact=n_exact,
            least_ridge=least,
            rounding=SCORE.rounding,
            members=members[c],
            present=found.present[c : c + 1],
            exchanged=found.exchanged[c],
            added=found.added[c] if resize else None,
            left_out=found.left_out[c] if resize else None,
        )
        is_clear = library.KERNEL.projstg_neighbours(of, by, around)
        if is_clear < 0:
            raise MemoryError(f"no memory for the neighbours of a support of {K} columns")
        found.has_enough_digits[c] = is_clear
    return found
