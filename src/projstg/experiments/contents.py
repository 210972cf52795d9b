"""Reading files that anybody may have put there: at once, whole, and never without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["contents"]


def contents(path: str | Path, most: int) -> bytes:
    """Return what a regular file holds.

    Refused are what would keep a reader waiting (a pipe that nobody writes to), what has no end (a
    device), folders, and files of more than ``most`` bytes. Whoever asked says which path it was.

    Examples
    --------
    >>> contents(os.devnull, 100)
    Traceback (most recent call last):
    ValueError: not a regular file
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("not a regular file")
        if about.st_size > most:
            raise ValueError(f"{about.st_size} bytes, more than the {most} that are read")
        with open(handle, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(handle)
