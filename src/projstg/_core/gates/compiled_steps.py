"""The gates' first steps by the compiled kernel, one problem of a batch in NumPy after another.

:func:`~.alternate.common_steps` is the definition.
"""

from __future__ import annotations

from ctypes import byref

import numpy as np

from ..arrays.cubic_table import CubicTable
from ..data.quadratic import RowQuadratic, SmallProblem
from ..kernel import library
from ..kernel.library import Kept

__all__ = ["common_steps_compiled", "steps_record"]


def steps_record(
    tau: float, log_ratio: CubicTable, reach: float, n_steps: int, size: float
) -> Kept:
    """Return how gates take their steps, as the kernel takes it.

    ``log_ratio`` is that of any gate, up to ``reach`` standard deviations beyond its stops.
    """
    cubics, floor = log_ratio.cubics, float(np.finfo(float).eps ** 0.5)
    table = (len(cubics), library.address(cubics), log_ratio.first, log_ratio.step)
    return Kept(library.StepsRecord(tau, *table, reach, n_steps, size, floor), (cubics,))


def common_steps_compiled(
    problem: SmallProblem, alpha: np.ndarray, steps: Kept
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
        pair = (library.address(matrix), library.address(side))
        nothing = (None, None)
        status = library.KERNEL.projstg_first_steps(
            byref(steps.record),
            len(matrix),
            n_columns,
            *(pair if by_rows else nothing),
            *(nothing if by_rows else pair),
            float(problem.n[min(i, len(problem.n) - 1)]),
            float(alpha[i]),
            library.address(found[i]),
        )
        if status < 0:
            raise MemoryError(f"no memory for the gates of {n_columns} columns")
        if status > 0:
            return None
    return found
