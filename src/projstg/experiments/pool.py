"""Who does the work: this process, processes of this machine, or a Dask cluster.

Each takes calls by name and gives back answers as they come, in any order. An answer is what the
call returned, or :class:`~projstg.experiments.worker.Lost` where it raised or its process died;
neither ends the others. Worker processes hold themselves to the limits, have one BLAS thread each,
and end with this one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import IO, Any

from .._extras import extra
from .limits import Limits
from .messages import one_line
from .worker import Lost, tried

__all__ = ["Call", "Lost", "Pool", "Workers", "pool"]

Call = tuple[str, Callable[..., Any], tuple[Any, ...]]
"""A name, a function and its arguments."""

Pool = Callable[[Iterable[Call], bool], Iterator[tuple[str, Any]]]
"""Does calls, on request one at a time, and gives their names with their answers."""

# A worker that died is noticed by its closed connection, or after so many seconds if a process
# that a method started keeps it open.
_LOOK = 1.0

# A worker with all its libraries, and a compiler in one of them, takes a fifth of this.
_LEAST_MEMORY = 2**31

# With -P nothing in the current folder is imported before the parent's path is in place.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from projstg.experiments.worker import work; work(*map(int, sys.argv[2:]))"
)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Workers:
    """Who does the work, and what they may take."""

    jobs: int | None = None
    """How many processes; None: this one alone, without limits."""
    backend: str = "processes"
    """"processes" of this machine, or a "dask" cluster, which has limits of its own."""
    scheduler: str | None = None
    """The address of Dask's scheduler; None: a cluster on this machine."""
    device: str = "cpu"
    """Where gates are fitted, "cpu" or a device of torch's such as "cuda"."""
    limits: Limits = field(default_factory=Limits)
    """Of each process; without a limit of memory each may have an equal share of the machine's."""


@contextmanager
def pool(workers: Workers) -> Iterator[Pool]:
    """Give what does calls."""
    if workers.backend not in ("processes", "dask"):
        raise ValueError(f"there is no backend {workers.backend!r}; use 'processes' or 'dask'.")
    if workers.backend == "dask":
        with _dask_client(workers) as client:
            yield lambda calls, _: _on_cluster(client, calls)
    elif workers.jobs is None or sys.platform == "win32":  # no handles by number, no groups there
        yield lambda calls, _: _here(calls)
    else:
        jobs = 1 if workers.device != "cpu" else workers.jobs
        processes = _Processes(jobs, _with_memory(workers.limits, jobs))
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


def _here(calls: Iterable[Call]) -> Iterator[tuple[str, Any]]:
    for name, function, args in calls:
        yield name, tried(function, *args)


class _Worker:
    """One process, what it was asked, and the two ends through which it speaks."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.name = limits, ""
        self.last_words: IO[bytes] = tempfile.TemporaryFile()
        self.connection, other = Pipe()
        handles = (other.fileno(), self.last_words.fileno())
        numbers = map(str, (os.getpid(), *handles))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), *numbers],
            stdin=subprocess.DEVNULL,
            stdout=2,  # what a method prints is no result of ours
            env=os.environ | _ONE_THREAD,
            pass_fds=handles,
            process_group=0,  # Ctrl-C is for this process alone, which then ends the others
        )
        other.close()
        self._send(limits)

    def ask(self, name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Send a call."""
        self.name = name
        self._send((function, *args))

    def _send(self, message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError:
            pass  # it died; the answer will say so

    def answer(self) -> tuple[Any, bool]:
        """Return the answer to what was asked, and whether the process is not to be used again."""
        try:
            if self.process.poll() is None or self.connection.poll():
                return self.connection.recv()
        except Exception:  # cut short, or something that a method wrote
            pass
        return Lost(self._death()), True

    def end(self) -> None:
        """End the process and whatever it started, and forget it."""
        self._kill()
        self.connection.close()
        self.last_words.close()

    def _kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:  # nobody is left
            self.process.kill()
        self.process.wait()

    def _death(self) -> str:
        """Return how the process ended, in words."""
        try:
            self.process.wait(_LOOK)  # on its own, as it seems
        except subprocess.TimeoutExpired:
            self._kill()
        self.last_words.seek(0)
        said = self.last_words.read(200).decode("utf-8", "replace").partition("\n")[0]
        status = self.process.returncode
        if said.startswith("Timeout"):
            return f"TimeLimit: no answer within {self.limits.seconds:g} s, and none to a signal"
        how = signal.strsignal(-status) if status < 0 else f"exit status {status}"
        return one_line(f"the worker process died: {said or how}")


class _Processes:
    """So many processes, started when there is something to do and replaced when they die."""

    def __init__(self, jobs: int, limits: Limits) -> None:
        self.jobs, self.limits = jobs, limits
        self.idle: list[_Worker] = []
        self.busy: dict[Any, _Worker] = {}

    def answers(self, calls: Iterable[Call], one_at_a_time: bool) -> Iterator[tuple[str, Any]]:
        """Do calls, as many at once as there are processes."""
        waiting, jobs = iter(calls), 1 if one_at_a_time else self.jobs
        while True:
            while len(self.busy) < jobs and (call := next(waiting, None)) is not None:
                worker = self.idle.pop() if self.idle else _Worker(self.limits)
                worker.ask(*call)
                self.busy[worker.connection] = worker
            if not self.busy:
                return
            for worker in self._ready():
                del self.busy[worker.connection]
                answer, is_spent = worker.answer()
                if is_spent:
                    worker.end()
                else:
                    self.idle.append(worker)
                yield worker.name, answer

    def _ready(self) -> list[_Worker]:
        """Return the workers that answered or died, once there is one."""
        while True:
            found = [self.busy[connection] for connection in wait(list(self.busy), _LOOK)]
            found = found or [w for w in self.busy.values() if w.process.poll() is not None]
            if found:
                return found

    def close(self) -> None:
        """End all processes; what they were doing is lost."""
        for worker in [*self.idle, *self.busy.values()]:
            worker.end()


def _on_cluster(client: Any, calls: Iterable[Call]) -> Iterator[tuple[str, Any]]:
    """Do calls on a Dask cluster."""
    distributed = extra("distributed", "dask")
    futures = {
        client.submit(tried, function, *args, pure=False): name for name, function, args in calls
    }
    for future in distributed.as_completed(futures):
        error = future.exception()
        yield futures.pop(future), future.result() if error is None else Lost(repr(error))


def _dask_client(workers: Workers) -> Any:
    distributed = extra("distributed", "dask")
    if workers.scheduler is not None:
        return distributed.Client(workers.scheduler)
    return distributed.Client(
        n_workers=max(workers.jobs or 1, 1), threads_per_worker=1, dashboard_address=None
    )
