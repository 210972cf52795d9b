"""From a path to bytes that can be read twice, without endless waiting.

A regular file is used as it is. A pipe (standard input, a named pipe, the shell's ``<(command)``)
is read to its end first. Devices, sockets and folders are refused.
"""

from __future__ import annotations

import io
import os
import re
import select
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..._did_you_mean import nearest_name
from ..._files import kind_of_file
from ..._printable import shortened
from ..cells.memory_guard import check_memory, free_memory
from ..words.notes import TableError
from .reopened_file import ReopenedFile

__all__ = ["opened"]

# A named pipe without a writer would block for ever. Standard input always has a writer, so there
# is no limit there.
_PATIENCE = 30.0
_PIECE, _LONGEST_PATH = 1 << 20, 200
# Opening a pipe in the usual way blocks until there is a writer.
_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# pathlib makes one of two strokes; C: is no scheme.
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/+[^/]", re.IGNORECASE)


def opened(path: Any, most_bytes: int | None, *, stays: bool = True) -> tuple[str, Any]:
    """Return the name and the bytes of a path, or of standard input for ``-``.

    ``stays`` False: a regular file is open only while it is read, however long it is used.
    """
    if str(path) == "-":
        return "standard input", _collected("standard input", _standard_input(), most_bytes)
    if url := _URL.match(str(path)):
        raise TableError(_on_url(str(path), url[1].lower()))
    path = Path(path)
    name = shortened(path.name or path, _LONGEST_PATH)
    try:
        handle = os.open(path, _WITHOUT_WAITING)
    except OSError as error:
        raise TableError(_trouble(path, error)) from None
    try:
        kind = kind_of_file(os.fstat(handle).st_mode)
        if kind == "file" and not stays:
            return name, ReopenedFile(path, name)
        if kind == "file":
            return name, os.fdopen(os.dup(handle), "rb")
        if kind == "pipe":
            return name, _collected(name, _from_pipe(name, handle), most_bytes)
    finally:
        os.close(handle)
    how = "give a file" if kind == "folder" else "give a file, or - for standard input"
    raise TableError(f"{shortened(path, _LONGEST_PATH)} is a {kind}; {how}.")


def _on_url(address: str, scheme: str) -> str:
    """Return what to do where the address of a file in a network is given."""
    shown = shortened(address, _LONGEST_PATH)
    if scheme == "file":
        return f"{shown} is a URL; give the path of the file."
    how = "for example with curl -L URL | projstg select - --target NAME"
    how = how if scheme in {"http", "https", "ftp"} else "and give the path of the file"
    return f"{shown} is a URL, and nothing is read from a network; download it first, {how}."


def _trouble(path: Path, error: OSError) -> str:
    """Return why a path cannot be opened."""
    shown = shortened(path, _LONGEST_PATH)
    if isinstance(error, FileNotFoundError):
        try:
            others = [other.name for other in path.parent.iterdir() if other.is_file()]
        except OSError:
            others = []
        near = nearest_name(path.name, others)
        return f"{shown} is not there" + (f"; did you mean '{shortened(near)}'?" if near else ".")
    try:
        is_socket = stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        is_socket = False
    if is_socket:
        return f"{shown} is a socket; give a file, or - for standard input."
    return f"{shown} cannot be opened: {error.strerror}."


def _standard_input() -> Iterator[bytes]:
    if sys.stdin is None:
        raise TableError("standard input is closed; give a file.")
    while piece := sys.stdin.buffer.read(_PIECE):
        yield piece


def _from_pipe(name: str, handle: int) -> Iterator[bytes]:
    """Yield what comes out of a pipe until its writers are gone."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN | select.POLLHUP)
    while True:
        if not waiting.poll(1000.0 * _PATIENCE):
            raise TableError(
                f"nothing came out of the pipe {name} for {_PATIENCE:g} s; write to it, or pipe "
                "the table into - (standard input)."
            )
        try:
            piece = os.read(handle, _PIECE)
        except BlockingIOError:
            continue
        if not piece:
            return
        yield piece


def _collected(name: str, pieces: Iterable[bytes], most_bytes: int | None) -> io.BytesIO:
    """Return all pieces in memory, where they fit."""
    free, whole = free_memory() if most_bytes is None else most_bytes, io.BytesIO()
    for piece in pieces:
        whole.write(piece)
        check_memory(name, 0, free, whole.tell())
    whole.seek(0)
    return whole
