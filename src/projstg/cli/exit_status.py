"""How a command ends: the exit statuses, and one line that says why."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from .._printable import printable

__all__ = ["BAD_INPUT", "FAILED_FITS", "discard_output", "print_line", "refuse"]

FAILED_FITS, BAD_INPUT = 1, 2


def print_line(text: object, file: Any = None) -> None:
    """Print one line in which control characters are escaped."""
    print(printable(text), file=file)


def refuse(why: object, status: int = BAD_INPUT) -> int:
    """Print why the command ends, on standard error, and return the exit status."""
    with suppress(OSError):  # standard error may be full, too
        print_line(f"projstg: {why}", sys.stderr)
    return status


def discard_output() -> None:
    """Discard what standard output still holds, or Python would try to write it at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
