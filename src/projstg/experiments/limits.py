"""What a fit may take: seconds, and the memory of the process it runs in.

A worker process holds itself to them (:meth:`Limits.impose`). Python code that takes too long is
interrupted by a signal, and :class:`TimeLimit` is raised in the middle of it. Compiled code does
not see a signal before it returns; a thread that needs no interpreter then ends the process, and
whoever waits for the answer finds the worker dead. More memory than allowed is a ``MemoryError``.

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

__all__ = ["Limits", "TimeLimit", "memory_is_short", "timed"]


class TimeLimit(BaseException):
    """A fit took too long; no ``Exception``, so that a method's own handlers let it pass."""


@dataclass(frozen=True)
class Limits:
    """What one fit and one worker may take."""

    seconds: float | None = 600.0
    """Of one fit; None: no limit. The longest fit of the paper's settings takes minutes."""
    memory: int | None = None
    """Bytes of one worker; None: no limit."""
    grace: float = 5.0
    """Seconds after which code that does not answer a signal is ended with its process."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise ValueError(f"a time limit of {self.seconds} s; give seconds, or 0 for none.")

    def impose(self, last_words: int) -> None:
        """Hold this process to the limits; why it ended goes to the file ``last_words``."""
        _imposed.update(limits=self, last_words=last_words)
        faulthandler.enable(last_words)
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, _raise)
        if self.memory is not None:
            _limit_memory(self.memory)


_imposed: dict[str, Any] = {"limits": Limits(seconds=None), "last_words": 2}


def _raise(*_: Any) -> None:
    seconds = _imposed["limits"].seconds
    raise TimeLimit(f"no answer within {seconds:g} s")


@contextmanager
def timed(n_fits: int = 1) -> Iterator[None]:
    """Raise :class:`TimeLimit` if the block takes longer than so many fits may."""
    limits, last_words = _imposed["limits"], _imposed["last_words"]
    if limits.seconds is None:
        yield
        return
    seconds = n_fits * limits.seconds
    faulthandler.dump_traceback_later(seconds + limits.grace, exit=True, file=last_words)
    _alarm(seconds)
    try:
        yield
    finally:
        _alarm(0.0)
        faulthandler.cancel_dump_traceback_later()


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows, where the thread alone is left
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(size: int) -> None:
    """Let this process have so many bytes of its own; shared libraries do not count."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    size = size if most == resource.RLIM_INFINITY else min(size, most)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))


def memory_is_short() -> bool:
    """Return whether more than half of what this process may have is taken.

    After a fit that is a sign that something was not given back; another process had better go on.
    """
    limit = _imposed["limits"].memory
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (OSError, ValueError, IndexError):  # not Linux
        return False
    return limit is not None and 2 * pages * os.sysconf("SC_PAGE_SIZE") > limit
