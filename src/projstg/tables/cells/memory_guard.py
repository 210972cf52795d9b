"""Whether a table fits into memory: what is free, what a table takes, a stream that stops in time.

A file may unpack to far more than its size or its header says, so the bytes are counted while they
are read.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from ..._messages import Message
from ..words.notes import TableError

__all__ = ["Metered", "TooLarge", "check_memory", "free_memory"]

# Measured: reading, preparing, the fit and its check hold the numbers about six times at the peak.
_COPIES = 7
# Measured: pandas holds a text up to three times while it cuts it into cells.
_COPIES_OF_TEXT = 3
_CGROUP = Path("/sys/fs/cgroup")


class TooLarge(TableError):
    """A table, or what must be held of it at once, that does not fit into memory.

    ``seen`` says what it takes, ``remedy`` what to do.
    """

    def __init__(self, seen: str, remedy: str) -> None:
        super().__init__(Message(f"{seen}; ", remedy, "."))
        self.seen, self._remedy = seen, remedy

    def __reduce__(self) -> tuple[type[TooLarge], tuple[str, str]]:
        return TooLarge, (self.seen, self._remedy)


class Metered(io.RawIOBase):
    """A binary stream that raises where it holds more than fits, or is not text.

    ``delimiter`` is what cells are counted by; None before it is known.
    """

    def __init__(self, stream: Any, name: str, most_bytes: int | None) -> None:
        super().__init__()
        self._stream, self._name = stream, name
        self._free = free_memory() if most_bytes is None else most_bytes
        self.delimiter: bytes | None = None
        self.may_have_zeros = True
        self.count_again()

    def count_again(self) -> None:
        """Forget what came out before: it is not held any more."""
        self._n_bytes, self._n_cells = 0, 0

    def readable(self) -> bool:
        """Return that it can be read from."""
        return True

    def seekable(self) -> bool:
        """Return that it can be read again."""
        return True

    def tell(self) -> int:
        """Return how many bytes have come out."""
        return self._stream.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to another place; the count starts again."""
        self.count_again()
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, count, and raise where it is too much."""
        part = self._stream.read(len(buffer))
        buffer[: len(part)] = part
        self._n_bytes += len(part)
        if self.delimiter == b" ":  # several in a row are one
            self._n_cells += len(part.split())
        elif self.delimiter is not None:
            self._n_cells += part.count(self.delimiter) + part.count(b"\n")
        if not self.may_have_zeros and b"\0" in part:
            raise TableError(
                f"{self._name} has zero bytes after the first {self._n_bytes - len(part)} bytes; "
                "it is damaged, or no text table."
            )
        check_memory(self._name, self._n_cells, self._free, self._n_bytes)
        return len(part)


def check_memory(
    name: str,
    n_cells: int,
    free: int | None,
    n_bytes: int = 0,
    shape: str = "",
    remedy: str = "give a sample of the rows, or fewer columns",
) -> None:
    """Raise where so many cells, and so many bytes of text, take more memory than is free."""
    needed = _COPIES * 8 * n_cells + _COPIES_OF_TEXT * n_bytes
    if free is not None and needed > free:
        raise TooLarge(
            f"{name} has {shape or 'so many cells'}, which take {needed / 2**30:.1f} GB of memory "
            f"or more, and {free / 2**30:.1f} GB are free",
            remedy,
        )


def free_memory() -> int | None:
    """Return the bytes of memory that are free, where the system says."""
    every = (_free_here(), _free_by_limit(), _free_in_container())
    known = [free for free in every if free is not None]
    return min(known) if known else None


def _free_here() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        return 1024 * free["MemAvailable"]
    except (OSError, KeyError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _free_by_limit() -> int | None:
    """Return what ``ulimit -v`` leaves to this process."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    return (
        None if limit == resource.RLIM_INFINITY else max(limit - used * resource.getpagesize(), 0)
    )


def _free_in_container() -> int | None:
    """Return what the limit of a container leaves; files it keeps in memory make room."""
    try:
        limit, used = (
            int((_CGROUP / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
        lines = (_CGROUP / "memory.stat").read_text(encoding="ascii").splitlines()
        kept = dict(line.split() for line in lines)
        kept_files = int(kept["active_file"]) + int(kept["inactive_file"])
    except (OSError, KeyError, ValueError):  # there is none, or it is "max"
        return None
    return max(limit - used + kept_files, 0)
