"""Run the command on files under a limit of memory and time; print what came of each, as JSON.

A program of its own, for the limits hold for the whole process. ``bombs.py MEGABYTES FILE...``
"""

import contextlib
import io
import json
import resource
import signal
import sys
import time
from pathlib import Path

from made import QUESTION

from projstg.cli import main
from projstg.tables import choosing  # noqa: F401 - what is imported late, before the limit

SECONDS = 15


def limited(megabytes):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = used + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def answer(path):
    out, err, start = io.StringIO(), io.StringIO(), time.perf_counter()
    signal.alarm(SECONDS)  # whose default is to end the process
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["select", path, *QUESTION])
    signal.alarm(0)
    return {"status": status, "err": err.getvalue(), "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    limited(int(sys.argv[1]))
    for path in sys.argv[2:]:
        print(json.dumps({Path(path).name: answer(path)}), flush=True)
