"""Calls in processes of this machine.

Worker processes apply the limits to themselves and have one BLAS thread each. One that died is
replaced; all end with this process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import IO, Any

from ..limits import Limits
from ..messages import one_line
from .calls import Call, Lost

__all__ = ["ProcessPool"]

# A worker that died closes its connection. If a process that a method started keeps the connection
# open, the death is noticed after this many seconds.
_POLL_SECONDS = 1.0

# With -P nothing is imported from the current folder before the parent's path is set.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    f"from {__package__}.worker_process import work; work(*map(int, sys.argv[2:]))"
)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ProcessPool:
    """A number of processes, started when there is something to do and replaced when they die."""

    def __init__(self, jobs: int, limits: Limits) -> None:
        self.jobs, self.limits = jobs, limits
        self.idle: list[_Worker] = []
        self.busy: dict[Any, _Worker] = {}

    def answers(self, calls: Iterable[Call], one_at_a_time: bool) -> Iterator[tuple[str, Any]]:
        """Do calls, as many at once as there are processes."""
        waiting, jobs = iter(calls), 1 if one_at_a_time else self.jobs
        while True:
            while len(self.busy) < jobs and (call := next(waiting, None)) is not None:
                self._begin(call)
            if not self.busy:
                return
            for worker in self._ready():
                yield worker.name, self._end(worker)

    def _begin(self, call: Call) -> None:
        """Send a call to an idle worker, or to a new one."""
        worker = self.idle.pop() if self.idle else _Worker(self.limits)
        worker.send_call(*call)
        self.busy[worker.connection] = worker

    def _end(self, worker: _Worker) -> Any:
        """Return the answer of a worker; one that died or takes too much memory is ended."""
        del self.busy[worker.connection]
        answer, is_spent = worker.answer()
        if is_spent:
            worker.end()
        else:
            self.idle.append(worker)
        return answer

    def _ready(self) -> list[_Worker]:
        """Wait for at least one worker that answered or died, and return all of them."""
        while True:
            found = [self.busy[connection] for connection in wait(list(self.busy), _POLL_SECONDS)]
            found = found or [w for w in self.busy.values() if w.process.poll() is not None]
            if found:
                return found

    def close(self) -> None:
        """End all processes; calls under way are lost."""
        for worker in [*self.idle, *self.busy.values()]:
            worker.end()


class _Worker:
    """One process, the name of its call, the connection to it and the file for its crash."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.name = limits, ""
        self.crash_log: IO[bytes] = tempfile.TemporaryFile()
        self.connection, other = Pipe()
        handles = (other.fileno(), self.crash_log.fileno())
        numbers = map(str, (os.getpid(), *handles))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), *numbers],
            stdin=subprocess.DEVNULL,
            stdout=2,  # what a method prints must not mix with the output of the command
            env=os.environ | _ONE_THREAD,
            pass_fds=handles,
            process_group=0,  # Ctrl-C reaches only this process, which then ends the workers
        )
        other.close()
        self._send(limits)

    def send_call(self, name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Send a call."""
        self.name = name
        self._send((function, *args))

    def _send(self, message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError:
            pass  # it died; ``answer`` says so

    def answer(self) -> tuple[Any, bool]:
        """Return the answer to the call, and whether the process is not to be used again."""
        try:
            if self.process.poll() is None or self.connection.poll():
                return self.connection.recv()
        except Exception:  # the message is incomplete, or a method wrote to the connection
            pass
        return Lost(self._cause_of_death()), True

    def end(self) -> None:
        """End the process and all that it started, and close the files."""
        self._kill()
        self.connection.close()
        self.crash_log.close()

    def _kill(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:  # no process of the group is left
            self.process.kill()
        self.process.wait()

    def _cause_of_death(self) -> str:
        """Return in words how the process ended."""
        try:
            self.process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
        self.crash_log.seek(0)
        cause = self.crash_log.read(200).decode("utf-8", "replace").partition("\n")[0]
        status = self.process.returncode
        if cause.startswith("Timeout"):
            return f"TimeLimit: no answer within {self.limits.seconds:g} s, and none to a signal"
        how = signal.strsignal(-status) if status < 0 else f"exit status {status}"
        return one_line(f"the worker process died: {cause or how}")
