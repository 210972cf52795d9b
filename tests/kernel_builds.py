"""The kernel compiled in another way, for tests that need it so."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from projstg._core.kernel import library

# Those of hatch_build.py.
FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC"


def built(folder, *more):
    """The kernel with more flags, or sources; with those of ``make sanitize``, too."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = folder / "kernel.so"
    sources = Path(library.__file__).parent.glob("*.c")
    flags = [*FLAGS.split(), *shlex.split(os.environ.get("PROJSTG_CFLAGS", "")), *more]
    subprocess.run([compiler, *flags, *sources, "-o", path, "-lm"], check=True)
    return library.load(path)
