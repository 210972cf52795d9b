"""Run the command on files under a limit of memory and time; print what came of each, as JSON.

A program of its own, for the limits hold for the whole process: ``bombs.py FILE...``
"""

import contextlib
import io
import json
import resource
import signal
import sys
from pathlib import Path

from made import QUESTION

from projstg.cli import main
from projstg.tables import select_columns as choosing  # noqa: F401 - what is imported late, before the limit
from projstg.tables.files.read_table import read_table

SECONDS = 60
# To read under no tight limit, told to take so much; and to ask under one that is.
LIMIT, MOST, TIGHT = 2000, 50, 400


def limited(megabytes):
    """Let the process take so much more than it has taken so far."""
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]
    used = int(pages) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20, hard))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def taken(path):
    """Megabytes that reading takes when it is told how much it may."""
    before = peak()
    limited(LIMIT)
    with contextlib.suppress(ValueError, MemoryError):
        read_table(path, most_bytes=MOST * 2**20)
    return peak() - before


def answer(path):
    out, err = io.StringIO(), io.StringIO()
    signal.alarm(SECONDS)  # whose default is to end the process
    megabytes = taken(path)
    limited(TIGHT)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["select", path, *QUESTION])
    signal.alarm(0)
    return {"status": status, "err": err.getvalue(), "megabytes": megabytes}


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(json.dumps({Path(path).name: answer(path)}), flush=True)
