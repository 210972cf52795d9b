"""What a fit may use; how limits end faulty methods is in ``tests/faults``."""

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="memory is limited where the system can")

LEAK = """
import numpy as np
from projstg.experiments.limits import Limits, limited

Limits(seconds=None, memory=2**29).impose(2)
kept = []
try:
    with limited():
        while True:
            kept.append(np.empty(2**20))
except MemoryError:
    print("too much")
X = np.ones((600, 600))
print((X @ X)[0, 0])
"""


def test_what_follows_a_fit_without_memory_has_some(monkeypatch):
    """The first matrix product of a process takes memory, and BLAS ends the process without it."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    ended = subprocess.run(
        [sys.executable, "-c", LEAK], capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["too", "much", "600.0"], ended.stderr
