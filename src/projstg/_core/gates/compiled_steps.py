"""The gates' first steps by the compiled kernel, one problem of a batch in NumPy after another.

:func:`~.alternate.common_steps` is the definition.
"""

from __future__ import annotations

import numpy as np

from ..arrays.cubic_table import CubicTable
from ..data.quadratic import Problem, RowQuadratic
from ..kernel import library

__all__ = ["common_steps_compiled"]


def common_steps_compiled(
    problem: Problem,
    alpha: np.ndarray,
    tau: float,
    log_ratio: CubicTable,
    reach: float,
    n_steps: int,
    size: float,
) -> np.ndarray | None:
    """Return the coefficients (B, D), or None where a matrix is not positive definite.

    ``log_ratio`` is that of any gate, up to ``reach`` standard deviations beyond its stops.
    """
    n_problems, n_columns = problem.b.shape
    found, cubics = np.empty((n_problems, n_columns)), log_ratio.cubics
    if isinstance(problem, RowQuadratic) and problem.X.shape[-2] < n_columns:
        by_rows, matrices, sides = True, problem.X, problem.y
    else:
        by_rows, matrices, sides = False, problem.gram.G, problem.b
    floor = float(np.finfo(float).eps ** 0.5)
    for i in range(n_problems):
        matrix = np.ascontiguousarray(matrices[min(i, len(matrices) - 1)])
        side = np.ascontiguousarray(sides[i])
        pair = (library.address(matrix), library.address(side))
        nothing = (None, None)
        status = library.KERNEL.projstg_first_steps(
            len(matrix),
            n_columns,
            *(pair if by_rows else nothing),
            *(nothing if by_rows else pair),
            float(problem.n[min(i, len(problem.n) - 1)]),
            float(alpha[i]),
            tau,
            len(cubics),
            library.address(cubics),
            log_ratio.first,
            log_ratio.step,
            reach,
            n_steps,
            size,
            floor,
            library.address(found[i]),
        )
        if status < 0:
            raise MemoryError(f"no memory for the gates of {n_columns} columns")
        if status > 0:
            return None
    return found
