"""Files written and read whole.

Writing: a reader finds the old content or the new one, never half of either. The new content goes
to a temporary name in the same folder, is forced to the disk, and takes the final name by a rename.
A link at the final name is replaced, not followed; what is neither a file nor a link is refused. A
process that is killed leaves at most files that :data:`LEFTOVERS` matches; they are not read. Of
two processes that write the same files at once, all files are those of the one that ends last.

Reading (:func:`file_contents`, :func:`regular_file`): regular files only, so that it always ends.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO

__all__ = [
    "LEFTOVERS",
    "file_contents",
    "kind_of_file",
    "regular_file",
    "replacing",
    "replacing_all",
]

LEFTOVERS = "." + 16 * "[0-9a-f]" + ".tmp"
"""Pattern of the temporary names; no name that a person chooses matches it."""
# Seconds. A few renames take far less: who is at them for longer has been stopped.
_PATIENCE, _PAUSE = 10.0, 0.01


def file_contents(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file.

    Refused are a pipe (reading would wait for a writer), a device (it may have no end), a folder,
    and a file of more than ``most`` bytes. The error does not name the path; the caller does.

    Examples
    --------
    >>> file_contents(os.devnull, 100)
    Traceback (most recent call last):
    ValueError: it is a device; give a file
    """
    with regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ValueError(f"it has {size} bytes, more than the {most} that are read")
        return file.read(most)


@contextmanager
def regular_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a regular file for reading; what else there is at the path is refused, and not read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        kind = kind_of_file(os.fstat(handle).st_mode)
        if kind != "file":
            raise ValueError(f"it is a {kind}; give a file")
        with open(handle, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(handle)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to, and rename it to ``path`` if nothing was raised.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "answer.txt")) as temporary:
    ...         _ = temporary.write_text("42")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('answer.txt', '42')]
    """
    with replacing_all([path]) as (temporary,):
        yield temporary


@contextmanager
def replacing_all(paths: Sequence[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Give a temporary path for each of ``paths``; rename all of them, or none.

    A path that cannot be replaced is refused at the start. Nothing is renamed before everything is
    on the disk. Where a rename fails, or Ctrl-C comes between two renames, the old files are put
    back.
    """
    targets = [Path(path) for path in paths]
    for path in targets:
        _check_replaceable(path)
    temporaries, asides = [_unused(path) for path in targets], [_unused(path) for path in targets]
    try:
        for temporary in temporaries:
            temporary.open("xb").close()  # fails where a file or a link has that name
        yield list(temporaries)
        for temporary in temporaries:
            _to_disk(temporary, os.O_RDWR)
        with _alone_in([path.parent for path in targets] if len(targets) > 1 else []):
            _rename_all(temporaries, targets, asides)
        with suppress(OSError):  # the files are in place; some systems cannot open a folder
            for folder in {path.parent for path in targets}:
                _to_disk(folder, os.O_RDONLY)
    finally:
        for temporary, path, aside in zip(temporaries, targets, asides, strict=True):
            temporary.unlink(missing_ok=True)
            if os.path.lexists(path):  # else the aside is the only copy of the old file
                aside.unlink(missing_ok=True)


def kind_of_file(mode: int) -> str:
    """Return the word for what has this mode (``st_mode``): file, folder, pipe, socket or device.

    Examples
    --------
    >>> kind_of_file(os.stat(os.curdir).st_mode)
    'folder'
    """
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe"}
    return {**kinds, stat.S_IFSOCK: "socket"}.get(stat.S_IFMT(mode), "device")


def _check_replaceable(path: Path) -> None:
    """Raise where the path is neither free, nor a file, nor a link."""
    if path.is_symlink() or not path.exists():
        return
    kind = kind_of_file(path.stat().st_mode)
    if kind == "folder":
        raise IsADirectoryError(f"{path} is a folder; a file of that name is to be written")
    if kind != "file":
        raise OSError(f"{path} is a {kind}; give a file")


def _unused(path: Path) -> Path:
    return path.with_name(f".{secrets.token_hex(8)}.tmp")


@contextmanager
def _alone_in(folders: Sequence[Path]) -> Iterator[None]:
    """Wait until nobody else renames several files in these folders, and keep others waiting.

    Where the system has no locks on folders nobody waits.
    """
    handles: list[int] = []
    try:
        for folder in sorted(set(folders)):
            with suppress(PermissionError):  # Windows opens no folder
                handles.append(os.open(folder, os.O_RDONLY))
        for handle in handles:
            _lock(handle)
        yield
    finally:
        for handle in handles:
            os.close(handle)


def _lock(handle: int) -> None:
    """Wait for the lock of an open folder; it is free again when the folder is closed."""
    try:
        import fcntl
    except ImportError:
        return
    end = monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= end:
                raise OSError(errno.EAGAIN, "another process is writing there") from None
        except OSError:  # a file system without locks
            return None
        sleep(_PAUSE)


def _rename_all(
    temporaries: Sequence[Path], targets: Sequence[Path], asides: Sequence[Path]
) -> None:
    """Rename; until the last rename is done the old files are kept under the names ``asides``."""
    try:
        for temporary, path, aside in zip(temporaries, targets, asides, strict=True):
            if temporary != temporaries[-1]:
                _keep(path, aside)
            os.replace(temporary, path)
    except BaseException:
        if temporaries[-1].exists():
            for temporary, path, aside in zip(temporaries, targets, asides, strict=True):
                with suppress(OSError):  # the others can still be put back
                    _put_back(temporary, path, aside)
        raise


def _keep(path: Path, aside: Path) -> None:
    """Give the old file, if there is one, a second name; on a disk without links move it."""
    if not os.path.lexists(path):
        return
    try:
        os.link(path, aside, follow_symlinks=False)
    except (OSError, NotImplementedError):
        os.replace(path, aside)


def _put_back(temporary: Path, path: Path, aside: Path) -> None:
    """Give the old file its name again, or remove the new file where there was no old one."""
    if os.path.lexists(aside):
        os.replace(aside, path)
    elif not temporary.exists():  # the new file is in place, and there was no old one
        path.unlink(missing_ok=True)


def _to_disk(path: Path, mode: int) -> None:
    """Wait until the content of a file or folder is on the disk."""
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
