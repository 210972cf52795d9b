"""What a fit may use: seconds, and the memory of its process.

A worker process sets its limits (:meth:`Limits.impose`); they apply while a method runs
(:func:`limited`). Python code that takes too long is interrupted by a signal, which raises
:class:`TimeLimit`. Compiled code does not see a signal before it returns; then a thread that does
not need the interpreter ends the process, and the parent finds the worker dead. More memory than
allowed raises ``MemoryError``; the code that then reports the error may use more.

In a process that imposed nothing, a notebook for example, nothing is limited.
"""

from __future__ import annotations

import faulthandler
import math
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Limits", "TimeLimit", "limited", "memory_is_short"]


class TimeLimit(BaseException):
    """A fit took too long. Not an ``Exception``, so that a method cannot catch it by accident."""


@dataclass(frozen=True)
class Limits:
    """What one fit and one worker may use."""

    seconds: float | None = 600.0
    """Of one fit; None: no limit. The longest fit of the paper's settings takes minutes."""
    memory: int | None = None
    """Bytes of one worker while a method runs; None: no limit."""
    grace: float = 5.0
    """Seconds after which code that does not react to the signal is ended with its process."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise ValueError(f"a time limit of {self.seconds} s; give seconds, or 0 for none.")

    def impose(self, crash_log: int) -> None:
        """Make these the limits of this process; why it ended goes to the file ``crash_log``."""
        _imposed.update(limits=self, crash_log=crash_log)
        faulthandler.enable(crash_log)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, _raise)


_imposed: dict[str, Any] = {"limits": Limits(seconds=None), "crash_log": 2}


def _raise(*_: Any) -> None:
    seconds = _imposed["limits"].seconds
    raise TimeLimit(f"no answer within {seconds:g} s")


@contextmanager
def limited(n_fits: int = 1) -> Iterator[None]:
    """Let the block use the memory of a process and the time of ``n_fits`` fits, and no more."""
    with _memory_limited(_imposed["limits"].memory), _time_limited(n_fits):
        yield


@contextmanager
def _time_limited(n_fits: int) -> Iterator[None]:
    limits, crash_log = _imposed["limits"], _imposed["crash_log"]
    if limits.seconds is None:
        yield
        return
    seconds = n_fits * limits.seconds
    faulthandler.dump_traceback_later(seconds + limits.grace, exit=True, file=crash_log)
    _alarm(seconds)
    try:
        yield
    finally:
        _alarm(0.0)
        faulthandler.cancel_dump_traceback_later()


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows, where only the thread is left
        signal.setitimer(signal.ITIMER_REAL, seconds)


@contextmanager
def _memory_limited(size: int | None) -> Iterator[None]:
    """Limit the data of this process to ``size`` bytes; shared libraries do not count."""
    try:
        import resource
    except ImportError:  # Windows
        size = None
    if size is None:
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    size = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def memory_is_short() -> bool:
    """Return whether this process uses more than half of its memory limit.

    After a fit this is a sign that memory was not freed; a new process then does the next fit.
    """
    limit = _imposed["limits"].memory
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):  # not Linux
        return False
    return limit is not None and 2 * pages * os.sysconf("SC_PAGE_SIZE") > limit
