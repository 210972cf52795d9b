"""Greedy pursuits by the compiled kernel, one for each problem of a batch in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.gram_quadratic import GramQuadratic
from ..data.row_quadratic import RowQuadratic
from ..kernel import library

__all__ = ["Factored", "pursue_compiled"]


class Factored(NamedTuple):
    """What :mod:`.matching_pursuit` calls a path."""

    order: np.ndarray
    counts: np.ndarray
    projection: np.ndarray
    found: np.ndarray


def pursue_compiled(
    problem: GramQuadratic | RowQuadratic, n_steps: int, tolerance: float, *, by_gain: bool
) -> Factored:
    """Return the factorisation; a column with at most ``tolerance`` of its norm left is not taken.

    ``by_gain`` takes the column that lowers the residual most, otherwise the one most correlated
    with it.
    """
    n_problems, n_columns = problem.b.shape
    found = Factored(
        np.empty((n_problems, n_steps), dtype=np.int64),
        np.empty((n_problems, n_steps), dtype=bool),
        np.empty((n_problems, n_steps)),
        np.empty((n_problems, n_steps, n_columns)),
    )
    matrices = problem.X if isinstance(problem, RowQuadratic) else problem.G
    for i in range(n_problems):
        matrix = np.ascontiguousarray(matrices[min(i, len(matrices) - 1)])
        left, is_gram = np.array(problem.diagonal[i]), isinstance(problem, GramQuadratic)
        pursuit = library.PursuitRecord.of(
            D=n_columns,
            N=len(matrix),
            G=matrix if is_gram else None,
            X=None if is_gram else matrix,
            n_steps=n_steps,
            by_gain=by_gain,
            correlation=np.array(problem.b[i]),
            left=left,
            norm=np.where(left > 0.0, left, 1.0),
            smallest=left * tolerance,
            **Factored(*(part[i] for part in found))._asdict(),
        )
        library.KERNEL.projstg_pursue(pursuit)
    return found
