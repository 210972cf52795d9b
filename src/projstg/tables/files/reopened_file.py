"""A regular file that is open only while it is read, so that thousands can be in use at once."""

from __future__ import annotations

import errno
import io
import os
from typing import Any

from .pieces import FileState

__all__ = ["ReopenedFile"]


class ReopenedFile(io.RawIOBase):
    """The bytes of a file; it raises where the file is not the same any more."""

    def __init__(self, path: str | os.PathLike[str], name: str) -> None:
        super().__init__()
        self._state, self._place = FileState(path, name), 0

    def readable(self) -> bool:
        """Return that it can be read from."""
        return True

    def seekable(self) -> bool:
        """Return that it can be read again."""
        return True

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to another place."""
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._state.size}[whence]
        if start + offset < 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._place = start + offset
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer."""
        self._state.check()
        with open(self._state.path, "rb", buffering=0) as file:
            file.seek(self._place)
            n_read = file.readinto(buffer) or 0
        self._place += n_read
        return n_read
