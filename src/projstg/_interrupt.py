"""Ctrl-C: one line and the exit status 130, at any moment.

Python raises Ctrl-C as an exception at the line that is running. During an import, of NumPy for
example, that exception can be lost or turned into another one. So the command ends the process at
once, except in blocks that must clean up first; those are ``interruptible``.
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
"""The exit status after Ctrl-C: 128 plus the number of the signal."""


def stop_at_once() -> None:
    """Let Ctrl-C end the process from now on; where it is ignored, it stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def _stop(number: int, frame: Any) -> None:
    os.write(2, b"projstg: stopped\n")
    os._exit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` for Ctrl-C and for the signal TERM inside the block."""
    usual: dict[signal.Signals, Any] = {signal.SIGINT: _stop, signal.SIGTERM: signal.SIG_DFL}
    if threading.current_thread() is not threading.main_thread():
        usual = {}  # only the main thread may handle signals
    replaced = {
        number: handler for number, handler in usual.items() if signal.getsignal(number) == handler
    }
    for number in replaced:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
