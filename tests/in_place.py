"""What is in place where the tests run: libraries, threads, the encoding of text, folders.

The header of every run of pytest says it (``conftest.py``), and ``machines.py`` reads it there.
"""

import codecs
import locale
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.linalg  # noqa: F401 - its BLAS is asked about
from threadpoolctl import threadpool_info

import projstg
from projstg.versions import kernel_in_words

TITLE = "in place: "
BLAS = "BLAS of numpy and scipy"
THREADS = "threads of BLAS"
SIMD = "SIMD of numpy"
KERNEL = "kernel"
ENCODING = "encoding"
TEMPORARY = "temporary files"
PACKAGE = "package"
SKGLM = "skglm"


def in_place():
    """Return everything that ``make machines`` changes, as it is in this process."""
    pools = [one for one in threadpool_info() if one["user_api"] == "blas"]
    extensions = np.show_config("dicts")["SIMD Extensions"].get("found", [])
    return {
        BLAS: ", ".join(sorted({_blas(one) for one in pools})) or "unknown",
        THREADS: ", ".join(sorted({str(one["num_threads"]) for one in pools})) or "unknown",
        SIMD: " ".join(["baseline", *extensions]),
        KERNEL: kernel_in_words(),
        ENCODING: codecs.lookup(locale.getencoding()).name,
        TEMPORARY: tempfile.gettempdir(),
        PACKAGE: str(Path(projstg.__file__).parent),
        SKGLM: "installed" if find_spec("skglm") else "not installed",
    }


def _blas(pool):
    """Return a library by its name and by the processor whose kernels it takes."""
    # OpenBLAS says the first name of its kernels for Prescott, which are those for Katmai, too.
    core = pool.get("architecture", "").replace("Katmai", "Prescott")
    return f"{pool['internal_api']} {core}".strip()
