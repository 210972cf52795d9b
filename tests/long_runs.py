"""What the long runs share: ``make soak``, ``make matrix`` and ``make machines``.

A run has stages; each is a run of pytest, and a record of it is added to a file, with the commit.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def quiet(command, **options):
    """Run a command and keep what it says."""
    said = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    return subprocess.run(command, check=False, **said, **options)


def commit():
    """The commit of the tree, with a mark where it was changed since."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7"]
    return quiet(asked).stdout.strip() or "unknown"


def run_tests(arguments, workers, python=sys.executable, cwd=ROOT, env=None):
    """Run pytest, show what it says, and return its exit status and its lines."""
    command = [python, "-m", "pytest", "-n", str(workers), "-p", "no:cacheprovider", *arguments]
    lines = []
    with subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            for line in process.stdout:
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
                lines.append(line.decode("utf-8", errors="replace").rstrip())
        finally:
            process.wait()  # after Ctrl-C it ends its workers
    return process.returncode, lines


def last_line(lines):
    """Return how pytest ended.

    Examples
    --------
    >>> last_line(["tests/test_a.py .", "=== 1 passed, 2 skipped in 0.50s ==="])
    '1 passed, 2 skipped in 0.50s'
    """
    said = [line.strip("= ") for line in lines if line.strip("= ")]
    return said[-1] if said else "nothing was said"


def counts(lines):
    """Return how many tests passed, failed and so on.

    Examples
    --------
    >>> counts(["=== 2 failed, 1 passed, 2 skipped, 1 error in 0.50s ==="])
    {'failed': 2, 'passed': 1, 'skipped': 2, 'error': 1}
    """
    return {what: int(n) for n, what in re.findall(r"(\d+) ([a-z]+)", last_line(lines))}


def failures(lines):
    """Return the lines that name tests that failed."""
    return [line for line in lines if line.startswith(("FAILED ", "ERROR "))]


def records(path):
    """All stages that have been run, the last one last."""
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )


def add(path, record):
    """Add the record of a stage."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def left(done, stages):
    """The stages that have yet to hold on this commit; all of them once all have.

    Changes that are not committed may be others than those before: then, too, it is all of them.
    """
    held, now = set(), commit()
    for one in done:
        held = held | {one["stage"]} if one["commit"] == now else set()
        held = held if one["held"] else held - {one["stage"]}
        held = set() if held >= set(stages) else held
    return [name for name in stages if name not in held or now.endswith("-dirty")]
