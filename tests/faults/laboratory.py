"""A small experiment, the command that runs it, and what must hold of its folder."""

import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import TIMINGS, read_rows

SPEC = """
root = 7
alpha_scale = "per-setting"
methods = ["omp", "lasso", "projected-stg-exact", "limit-evidence"]
problem = { n_features = 12, n_informative = 3, noise_std = 1.0 }
[sizes.smoke]
settings = [{ n_samples = [15, 25] }]
repetitions = 4
block = 1
pilots = 2
"""
N_TASKS = 32

# Processes are looked up in /proc, and stopped or limited by signals that Windows does not have.
needs_processes = pytest.mark.skipif(
    not Path("/proc/self/stat").exists() or not hasattr(signal, "SIGALRM"),
    reason="no /proc, or no alarm, on this system",
)


def small():
    return parse_spec(SPEC, "small")


def rows_of(folder, method=None):
    """All rows, or those of a method, as text, timings aside."""
    rows = read_rows(folder).drop(columns=list(TIMINGS))
    rows = rows if method is None else rows[rows["method"] == method]
    return rows.to_csv(index=False)


@cache
def undisturbed():
    """The rows of a run that nothing happened to."""
    with TemporaryDirectory() as folder:
        run([small()], folder)
        return rows_of(folder)


def start(folder, jobs, *options):
    """Begin ``projstg reproduce`` in a process of its own."""
    path = Path(folder).with_name("small.toml")
    path.write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "projstg", "reproduce", str(path), "--out", str(folder)]
    command += ["--jobs", str(jobs), "--no-report", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def n_parts(folder):
    return len(list((Path(folder) / "parts").glob("*.parquet")))


def leftovers(folder):
    """Files that are neither rows nor what stands beside them."""
    return [path for path in Path(folder).rglob(".*") if path.name != ".lock"]


def children(pid):
    """The processes that a process has started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (
                    (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
                )
            except OSError:
                continue
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found


def runs(pid):
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:  # it is gone, perhaps since the line before
        return False
    return state != "Z"
