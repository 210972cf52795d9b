"""Several calls at once: the kernel, BLAS and LAPACK let other threads go on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs

__all__ = ["in_threads"]

Given = TypeVar("Given")
Found = TypeVar("Found")


def in_threads(function: Callable[[Given], Found], given: Iterable[Given]) -> list[Found]:
    """Return what a function returns for each, by as many threads as there are cores.

    Filters of warnings are shared by all threads: whoever wants to leave warnings out does so
    around the call, not in the function.

    Examples
    --------
    >>> in_threads(abs, [-1, 2])
    [1, 2]
    """
    calls = (delayed(function)(one) for one in given)
    return list(Parallel(effective_n_jobs(-1), require="sharedmem")(calls))
