"""Calls on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..._extras import extra
from .calls import Call, Lost, answer_of

__all__ = ["cluster_answers", "dask_client"]


def dask_client(jobs: int | None, scheduler: str | None) -> Any:
    """Return a client of the scheduler at an address; None: of a new cluster on this machine."""
    distributed = extra("distributed", "dask")
    if scheduler is not None:
        return distributed.Client(scheduler)
    return distributed.Client(
        n_workers=max(jobs or 1, 1), threads_per_worker=1, dashboard_address=None
    )


def cluster_answers(client: Any, calls: Iterable[Call]) -> Iterator[tuple[str, Any]]:
    """Do calls on a cluster."""
    distributed = extra("distributed", "dask")
    futures = {
        client.submit(answer_of, function, *args, pure=False): name
        for name, function, args in calls
    }
    for future in distributed.as_completed(futures):
        error = future.exception()
        yield futures.pop(future), future.result() if error is None else Lost(repr(error))
