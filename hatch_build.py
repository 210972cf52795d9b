"""Compile the kernel where there is a C compiler; without one the package is pure Python.

``PROJSTG_PURE=1`` leaves the kernel out. ``PROJSTG_CFLAGS`` adds flags (``make sanitize``).
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any
from zlib import crc32

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("src/projstg/_core/kernel")
# Nothing is reordered or contracted: the numbers are the same on every machine.
FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden"


class KernelHook(BuildHookInterface):
    """Adds the compiled kernel to a wheel, and the tag of the platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are collected; an editable install keeps it in the sources."""
        folder = Path(self.root) / FOLDER
        library = folder / f"projstg_kernel{_suffix()}"
        if os.environ.get("PROJSTG_PURE") == "1":
            return
        if not _compile(folder, library):
            library.unlink(missing_ok=True)
            return
        build_data["artifacts"].append(library.relative_to(self.root).as_posix())
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"


def _suffix() -> str:
    return ".dll" if sys.platform == "win32" else ".so"


def _checksum(folder: Path, pattern: str) -> int:
    """Return that of files, as ``library.py`` computes it."""
    return crc32(b"".join(path.read_bytes() for path in sorted(folder.glob(pattern))))


def _compile(folder: Path, library: Path) -> bool:
    """Return whether there is a compiler that made the library."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        print("projstg: no C compiler; the package is pure Python", file=sys.stderr)
        return False
    shared = ["-shared"] if sys.platform == "win32" else ["-shared", "-fPIC"]
    # The library belongs to the loader that calls it, and to the sources beside it in a checkout.
    made_of = {"PROJSTG_LOADER": "library.py", "PROJSTG_SOURCES": "*.[ch]"}
    sums = [f"-D{name}={_checksum(folder, pattern)}" for name, pattern in made_of.items()]
    flags = [*shlex.split(FLAGS), *shared, *sums]
    flags += shlex.split(os.environ.get("PROJSTG_CFLAGS", ""))
    sources = sorted(str(path) for path in folder.glob("*.c"))
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # A process that has loaded the old library keeps it.
        new = Path(scratch) / library.name
        # Not every system can choose between versions of a function when it loads a library.
        for more in ([], ["-DPROJSTG_ONE_PATH"]):
            command = [*compiler, *flags, *more, *sources, "-o", str(new), "-lm"]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode == 0:
                new.replace(library)
                return True
    print(f"projstg: no kernel, since {compiler[0]} said:\n{made.stderr}", file=sys.stderr)
    return False
