"""The program of a worker process: it does one call after the other, and ends with its parent.

It is started by ``process_pool``, reads calls from a connection and sends back their answers. It
ends when the parent closes the connection. When the parent dies, Linux ends it at once; elsewhere
it ends after the current call.
"""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing.connection import Connection

from ..limits import memory_is_short
from .calls import answer_of

__all__ = ["work"]

_PR_SET_PDEATHSIG = 1


def work(parent: int, handle: int, crash_log: int) -> None:
    """Do the calls that arrive until the connection ``handle`` is closed.

    ``parent`` is the id of the parent process, ``crash_log`` the file for the cause of a crash.
    """
    _end_with(parent)
    connection = Connection(handle)
    try:
        connection.recv().impose(crash_log)
        while True:
            function, *args = connection.recv()
            answer = answer_of(function, *args)
            connection.send((answer, memory_is_short()))
    except (EOFError, OSError):
        return


def _end_with(parent: int) -> None:
    """End this process when its parent ends, for whatever reason."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the line above
        sys.exit(1)
