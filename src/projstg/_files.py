"""Files written whole: a reader finds the old content or the new one, never half of either.

The new content goes to a temporary name in the same folder, is forced to the disk, and takes the
final name by a rename. A link at the final name is replaced, not followed. A process that is killed
leaves at most a file that :data:`LEFTOVERS` matches, which nobody reads.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["LEFTOVERS", "replacing", "replacing_all"]

LEFTOVERS = "." + 16 * "[0-9a-f]" + ".tmp"
"""Pattern of the temporary names, and of no name that anybody else would choose."""


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

    Nothing is renamed before everything is on the disk, and a path that is a folder is refused at
    once, so that what can fail does so while the old files are still there.
    """
    targets = [Path(path) for path in paths]
    for path in targets:
        if path.is_dir() and not path.is_symlink():
            raise IsADirectoryError(f"{path} is a folder; a file of that name is to be written.")
    temporaries: list[Path] = []
    try:
        for path in targets:
            temporaries.append(path.with_name(f".{secrets.token_hex(8)}.tmp"))
            temporaries[-1].open("xb").close()  # ours alone: neither a file nor a link was there
        yield list(temporaries)
        for temporary in temporaries:
            _to_disk(temporary, os.O_RDWR)
        for temporary, path in zip(temporaries, targets, strict=True):
            os.replace(temporary, path)
        if os.name != "nt":  # where a folder cannot be opened
            for folder in {path.parent for path in targets}:
                _to_disk(folder, os.O_RDONLY)
    finally:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)


def _to_disk(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
