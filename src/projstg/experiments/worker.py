"""A process that does one call after the other, as it is told, and ends with whoever told it.

It is started by ``pool``, reads calls from a connection and sends back what they return. What a
call raises is an answer too: :class:`Lost`. When the other end closes there is nothing left to do.
When the parent dies, Linux ends this process at once; elsewhere it ends after the call at hand.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from .limits import memory_is_short
from .messages import of_error

__all__ = ["Lost", "tried", "work"]

_PR_SET_PDEATHSIG = 1


class Lost(NamedTuple):
    """A call that gave no answer."""

    reason: str

    @property
    def is_late(self) -> bool:
        """Whether it took longer than it may."""
        return self.reason.startswith("TimeLimit")


def tried(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a call returns, or :class:`Lost` with what it raised."""
    try:
        return function(*args)
    except Exception as error:
        return Lost(of_error(error))


def work(parent: int, handle: int, last_words: int) -> None:
    """Do the calls that arrive, until the connection ``handle`` is closed."""
    _end_with(parent)
    connection = Connection(handle)
    try:
        connection.recv().impose(last_words)
        while True:
            function, *args = connection.recv()
            answer = tried(function, *args)
            connection.send((answer, memory_is_short()))
    except (EOFError, OSError):
        return


def _end_with(parent: int) -> None:
    """End this process when its parent ends, however that comes about."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this was asked for
        sys.exit(1)
