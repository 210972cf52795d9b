"""Dask arrays and data frames, block by block: sums on the workers, merged in a fixed order.

Each block of rows is one task, with one BLAS thread, and blocks are merged in pairs, by their
places: so the bits depend on the blocks alone, not on how many workers there are, nor on one that
was killed and whose tasks another took over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits

from .._did_you_mean import did_you_mean
from .._extras import extra
from .._printable import shortened
from .batches import check_columns, unreadable

__all__ = ["dask_sums", "frame_sides", "in_pairs", "lacking_columns_named", "one_blas_thread"]

# Rows of a data frame's partitions are numbered from multiples of this: their lengths are unknown.
_PARTITION = 1 << 40


class _Limit:
    """A limit on the threads of a whole process: the first task sets it, the last one lifts it."""

    lock, n_tasks, limits = Lock(), 0, None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS have one thread, in all tasks of this process that are in here."""
    with _Limit.lock:
        if not _Limit.n_tasks:
            _Limit.limits = threadpool_limits(1, user_api="blas")
        _Limit.n_tasks += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.n_tasks -= 1
            if not _Limit.n_tasks:
                _Limit.limits.restore_original_limits()  # type: ignore[attr-defined]


@contextmanager
def lacking_columns_named(X: Any) -> Iterator[None]:
    """Say which block of a data frame lacks a column, where that is why something failed."""
    try:
        yield
    except KeyError as error:
        with suppress(KeyError):  # X cannot be made itself, or another frame lacks the column
            _check_blocks(X)
        raise ValueError(unreadable("a block", repr(error))) from error


def _check_blocks(X: Any) -> None:
    """Raise where a partition of X, if it is a data frame, lacks a column."""
    dask = extra("dask", "dask")
    parts = X.to_delayed() if hasattr(X, "columns") else []
    check = dask.delayed(_check_block)
    dask.compute([check(part, list(X.columns), f"block {i}") for i, part in enumerate(parts, 1)])


def _check_block(frame: Any, names: list[Any], place: str) -> None:
    check_columns(names, list(frame.columns), place)


def dask_sums(X: Any, y: Any, weights: Any, of_block: Callable[..., Any]) -> Any:
    """Return the merged results of ``of_block(X, y, weights, first, place)`` over blocks of rows.

    ``first`` is the number of the block's first row, ``place`` what a message calls it. X is a Dask
    array, or a data frame of which y and weights may be names.
    """
    dask = extra("dask", "dask")
    if y is None:
        raise TypeError("say which is the target: y, or the name of a column of a data frame.")
    blocks = _of_frame(X, y, weights) if hasattr(X, "columns") else _of_array(X, y, weights)
    make, merge = dask.delayed(of_block, pure=True), dask.delayed(_merged, pure=True)
    made = [make(*block, f"block {i}") for i, block in enumerate(blocks, start=1)]
    return in_pairs(made, merge).compute()


def in_pairs(level: list[Any], merge: Callable[..., Any]) -> Any:
    """Return all parts merged: neighbours, then neighbours of these, and so on."""
    while len(level) > 1:
        pairs = [merge(*level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def _merged(one: Any, other: Any) -> Any:
    return one + other


def _of_array(X: Any, y: Any, weights: Any) -> list[tuple[Any, ...]]:
    if isinstance(y, str) or isinstance(weights, str):
        raise TypeError("an array has no names; give y and sample_weight as arrays.")
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; give rows and columns.")
    array = extra("dask.array", "dask")
    X = X.rechunk({1: -1})
    rows = X.chunks[0]
    if any(n != n for n in rows):  # not a number
        raise ValueError("the numbers of rows of X's blocks are unknown; X.compute_chunk_sizes().")
    sides = [
        _in_rows(array, side, X, rows, what)
        for side, what in ((y, "y"), (weights, "sample_weight"))
    ]
    firsts = [sum(rows[:i]) for i in range(len(rows))]
    delayed = [None if one is None else one.to_delayed().ravel() for one in (X, *sides)]
    return [(*_at(delayed, i), first) for i, first in enumerate(firsts)]


def _at(sides: list[Any], i: int) -> list[Any]:
    return [None if side is None else side[i] for side in sides]


def _in_rows(array: Any, side: Any, X: Any, rows: tuple[int, ...], what: str) -> Any:
    """Return y or weights in the blocks of X, or None."""
    if side is None:
        return None
    side = array.asarray(side)
    if side.shape[0] != X.shape[0]:
        raise ValueError(
            f"{what} has {side.shape[0]} rows, and X has {X.shape[0]}; give one a row."
        )
    return side.rechunk({0: rows} | ({1: -1} if side.ndim == 2 else {}))


def frame_sides(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the columns of a data frame that may be selected, and y and weights as series."""
    check_columns(X.columns, list(X.columns), "the data frame")
    names = [one for one in (y, weights) if isinstance(one, str)]
    for name in names:
        if name not in list(X.columns):
            hint = did_you_mean(name, list(X.columns))
            raise ValueError(f"there is no column '{shortened(name)}' in the data frame; {hint}")
    left = X[[name for name in X.columns if name not in names]]
    sides = [X[one] if isinstance(one, str) else one for one in (y, weights)]
    for side in sides:
        if side is not None and getattr(side, "npartitions", None) != left.npartitions:
            raise ValueError(
                f"y and sample_weight are names of columns of X, or series with its "
                f"{left.npartitions} partitions."
            )
    return left, *sides


def _of_frame(X: Any, y: Any, weights: Any) -> list[tuple[Any, ...]]:
    left, *sides = frame_sides(X, y, weights)
    parts = [None if one is None else one.to_delayed() for one in (left, *sides)]
    return [(*_at(parts, i), i * _PARTITION) for i in range(left.npartitions)]
