"""Problems and judges as the compiled kernel takes them (:mod:`..kernel`).

What a record points at must live as long as the record: each function returns both.
"""

from __future__ import annotations

import ctypes

import numpy as np

from ..data.quadratic import Problem, RowQuadratic
from ..kernel import library
from ..kernel.library import Kept
from .criterion import Judge
from .score_settings import SCORE
from .tableau import Field

__all__ = ["field_record", "generator_address", "judge_record", "row_record"]

_capsule = ctypes.pythonapi["PyCapsule_GetPointer"]  # one of our own: its types are set here
_capsule.restype, _capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _contiguous(array: np.ndarray, dtype: type = np.float64) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=dtype)


def field_record(field: Field, i: int) -> Kept:
    """Return problem i of a field."""
    G, b = _contiguous(field.G[i]), _contiguous(field.b[i])
    excluded, locked = _contiguous(field.excluded[i], bool), _contiguous(field.locked[i], bool)
    yy = float(field.yy[i])
    floor = SCORE.residual_floor * yy if yy > 0.0 else 1.0
    arrays = (G, b, excluded, locked)
    places = [library.address(one) for one in arrays]
    record = library.FieldRecord(
        b.size, *places[:2], yy, float(field.dof[i]), float(field.n[i]), floor, *places[2:]
    )
    return Kept(record, arrays)


def judge_record(judge: Judge, i: int) -> Kept:
    """Return the judge of problem i."""
    volume = _contiguous(judge.volume_of_size[i])
    arrays = (*(_contiguous(one) for one in judge.ridges), volume)
    places = [library.address(one) for one in arrays]
    record = library.JudgeRecord(
        arrays[0].size,
        *places[:3],
        volume.shape[1],
        places[3],
        SCORE.repeated,
        SCORE.decades_of_size,
        judge.counts_volume,
        judge.has_common_size,
        judge.is_diluted,
    )
    return Kept(record, arrays)


def row_record(problem: Problem, i: int, columns: np.ndarray, *, fetch: bool) -> Kept | None:
    """Return the rows of problem i with some of its columns, or None.

    Rows that are not in memory as the problem has them are fetched only if asked for: that takes a
    pass over the table.
    """
    if problem.rows_at is None or not (fetch or isinstance(problem, RowQuadratic)):
        return None
    is_whole = isinstance(problem, RowQuadratic) and columns.size == problem.b.shape[1]
    whole = (problem.X[min(i, len(problem.X) - 1)], problem.y[i]) if is_whole else None  # type: ignore[union-attr]
    X, y = (_contiguous(one) for one in whole or problem.rows_at(i, columns))
    record = library.RowsRecord(*X.shape, library.address(X), library.address(y))
    return Kept(record, (X, y))


def generator_address(generator: np.random.Generator) -> int:
    """Return where the functions of a generator are, in C."""
    return _capsule(generator.bit_generator.capsule, b"BitGenerator")
