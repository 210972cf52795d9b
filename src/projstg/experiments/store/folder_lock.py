"""One run at a time writes to a folder.

The lock belongs to the process: it is gone when the process ends, also when it was killed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["folder_lock"]


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Lock a folder for the block, or raise where another run holds it."""
    with _lock_file(folder / ".lock") as handle:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(
                f"another run is writing to {folder}; wait for it, or choose another folder "
                "with --out."
            ) from error
        yield


def _lock_file(path: Path) -> IO[bytes]:
    """Return the file that is locked, opened; a link or a pipe in its place is refused."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, 0o644)
    except OSError as error:
        if not path.is_symlink():
            raise
        raise ValueError(f"{path} is a link; remove it, or choose another folder.") from error
    file = open(handle, "r+b", buffering=0)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise ValueError(f"{path} is not a regular file; remove it, or choose another folder.")
    return file
