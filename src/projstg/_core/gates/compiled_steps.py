"""The gates' first steps by the compiled kernel, one problem of a batch in NumPy after another.

:func:`~.alternate.common_steps` is the definition.
"""

from __future__ import annotations

import numpy as np

from ..arrays.cubic_table import CubicTable
from ..data.quadratic import RowQuadratic, SmallProblem
from ..kernel import library
from ..kernel.library import Record

__all__ = ["common_steps_compiled", "steps_record"]


def steps_record(
    tau: float, log_ratio: CubicTable, reach: float, n_steps: int, size: float
) -> Record:
    """Return how gates take their steps, as the kernel takes it.

    ``log_ratio`` is that of any gate, up to ``reach`` standard deviations beyond its stops.
    """
    return library.StepsRecord.of(
        tau=tau,
        n_cubics=len(log_ratio.cubics),
        cubics=log_ratio.cubics,
        first=log_ratio.first,
        step=log_ratio.step,
        reach=reach,
        n_steps=n_steps,
        size=size,
        floor=float(np.finfo(float).eps ** 0.5),
    )


def common_steps_compiled(
    problem: SmallProblem, alpha: np.ndarray, steps: Record
) -> np.ndarray | None:
    """Return the coefficients (B, D), or None where a matrix is not positive definite."""
    n_problems, n_columns = problem.b.shape
    found = np.empty((n_problems, n_columns))
    if isinstance(problem, RowQuadratic) and problem.X.shape[-2] < n_columns:
        by_rows, matrices, sides = True, problem.X, problem.y
    else:
        by_rows, matrices, sides = False, problem.gram.G, problem.b
    for i in range(n_problems):
        matrix = np.ascontiguousarray(matrices[min(i, len(matrices) - 1)])
        side = np.ascontiguousarray(sides[i])
        one = library.GateProblemRecord.of(
            N=len(matrix),
            D=n_columns,
            X=matrix if by_rows else None,
            y=side if by_rows else None,
            G=None if by_rows else matrix,
            b=None if by_rows else side,
            n=float(problem.n[min(i, len(problem.n) - 1)]),
            alpha=float(alpha[i]),
            beta=found[i],
        )
        status = library.KERNEL.projstg_first_steps(steps, one)
        if status < 0:
            raise MemoryError(f"no memory for the gates of {n_columns} columns")
        if status > 0:
            return None
    return found
