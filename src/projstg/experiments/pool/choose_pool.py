"""The pool that a run asks for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..limits import Limits
from .calls import Call, Pool, answer_of
from .dask_pool import cluster_answers, dask_client
from .process_pool import ProcessPool

__all__ = ["Workers", "pool"]

# A worker that has loaded all libraries, a compiler included, takes a fifth of this.
_LEAST_MEMORY = 2**31


@dataclass(frozen=True)
class Workers:
    """Who does the work, and what they may use."""

    jobs: int | None = None
    """How many processes; None: this process alone, without limits."""
    backend: str = "processes"
    """"processes" of this machine, or a "dask" cluster, which has limits of its own."""
    scheduler: str | None = None
    """The address of Dask's scheduler; None: a cluster on this machine."""
    device: str = "cpu"
    """Where gates are fitted, "cpu" or a device of torch such as "cuda"."""
    limits: Limits = field(default_factory=Limits)
    """Of each process. Where no memory limit is given, each has an equal share of the machine's."""


@contextmanager
def pool(workers: Workers) -> Iterator[Pool]:
    """Give the function that does calls; its processes end with the block."""
    if workers.backend not in ("processes", "dask"):
        raise ValueError(f"there is no backend {workers.backend!r}; use 'processes' or 'dask'.")
    if workers.backend == "dask":
        with dask_client(workers.jobs, workers.scheduler) as client:
            yield lambda calls, _: cluster_answers(client, calls)
    elif workers.jobs is None or sys.platform == "win32":  # no file handles or groups to pass on
        yield lambda calls, _: _answers_here(calls)
    else:
        jobs = 1 if workers.device != "cpu" else workers.jobs
        processes = ProcessPool(jobs, _with_memory(workers.limits, jobs))
        try:
            yield processes.answers
        finally:
            processes.close()


def _with_memory(limits: Limits, jobs: int) -> Limits:
    """Return the limits with an equal share of the machine's memory where none is given."""
    if limits.memory is not None or not hasattr(os, "sysconf"):
        return limits
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return replace(limits, memory=max(whole // jobs, _LEAST_MEMORY))


def _answers_here(calls: Iterable[Call]) -> Iterator[tuple[str, Any]]:
    """Do calls in this process, one after the other."""
    for name, function, args in calls:
        yield name, answer_of(function, *args)
