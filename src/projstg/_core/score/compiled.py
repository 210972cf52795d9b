"""Problems and judges as the compiled kernel takes them (:mod:`..kernel`).

Records keep the arrays they point at.
"""

from __future__ import annotations

import ctypes

import numpy as np

from ..data.quadratic import Problem, RowQuadratic
from ..kernel import library
from ..kernel.library import Record
from .criterion import Judge
from .score_settings import SCORE
from .tableau import Field

__all__ = ["field_record", "generator_address", "judge_record", "row_record"]

_capsule = ctypes.pythonapi["PyCapsule_GetPointer"]  # one of our own: its types are set here
_capsule.restype, _capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _contiguous(array: np.ndarray, dtype: type = np.float64) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=dtype)


def field_record(field: Field, i: int) -> Record:
    """Return problem i of a field."""
    b, yy = _contiguous(field.b[i]), float(field.yy[i])
    return library.FieldRecord.of(
        D=b.size,
        G=_contiguous(field.G[i]),
        b=b,
        yy=yy,
        dof=float(field.dof[i]),
        n=float(field.n[i]),
        floor=SCORE.residual_floor * yy if yy > 0.0 else 1.0,
        excluded=_contiguous(field.excluded[i], bool),
        locked=_contiguous(field.locked[i], bool),
    )


def judge_record(judge: Judge, i: int) -> Record:
    """Return the judge of problem i."""
    ridges, volume = judge.ridges, _contiguous(judge.volume_of_size[i])
    return library.JudgeRecord.of(
        R=ridges.kappa.size,
        kappa=_contiguous(ridges.kappa),
        zero_cost=_contiguous(ridges.zero_cost),
        size_cost=_contiguous(ridges.size_cost),
        n_sizes=volume.shape[1],
        volume=volume,
        repeated=SCORE.repeated,
        decades_of_size=SCORE.decades_of_size,
        counts_volume=judge.counts_volume,
        has_common_size=judge.has_common_size,
        is_diluted=judge.is_diluted,
    )


def row_record(problem: Problem, i: int, columns: np.ndarray, *, fetch: bool) -> Record | None:
    """Return the rows of problem i with some of its columns, or None.

    Rows that are not in memory as the problem has them are fetched only if asked for: that takes a
    pass over the table.
    """
    if problem.rows_at is None or not (fetch or isinstance(problem, RowQuadratic)):
        return None
    is_whole = isinstance(problem, RowQuadratic) and columns.size == problem.b.shape[1]
    whole = (problem.X[min(i, len(problem.X) - 1)], problem.y[i]) if is_whole else None  # type: ignore[union-attr]
    X, y = (_contiguous(one) for one in whole or problem.rows_at(i, columns))
    N, D = X.shape
    return library.RowsRecord.of(N=N, D=D, X=X, y=y)


def generator_address(generator: np.random.Generator) -> int:
    """Return where the functions of a generator are, in C."""
    return _capsule(generator.bit_generator.capsule, b"BitGenerator")
