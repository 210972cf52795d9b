"""Ctrl-C: one line and the status 130, whatever is under way.

Python turns Ctrl-C into an exception where the code happens to be. In the middle of an import, of
NumPy say, that exception is lost, or comes out as another one. So the command ends the process at
once, but for the places that have something to put in order first; those are ``interruptible``.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["INTERRUPTED", "interruptible", "stop_at_once"]

INTERRUPTED = 130
"""The exit status after Ctrl-C, 128 and the number of the signal."""


def stop_at_once() -> None:
    """Let Ctrl-C end the process from now on; where it is ignored it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def _stop(number: int, frame: Any) -> None:
    os.write(2, b"projstg: stopped\n")
    os._exit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and the signal TERM be the exception ``KeyboardInterrupt`` in the block."""
    ending: dict[signal.Signals, Any] = {signal.SIGINT: _stop, signal.SIGTERM: signal.SIG_DFL}
    if threading.current_thread() is not threading.main_thread():
        ending = {}  # signals are for the main thread alone
    ending = {number: how for number, how in ending.items() if signal.getsignal(number) == how}
    for number in ending:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, how in ending.items():
            signal.signal(number, how)
