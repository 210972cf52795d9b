"""How many times as long does a fit take as with older code, on the same problems?

    git worktree add OLD COMMIT
    python benchmarks/paired_times.py OLD/src

One process has the older sources, one those of this checkout. Each problem of the bag is fitted by
one and then by the other, in turn, so that a slow minute of the machine slows both. Run it alone.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from worlds import FRESH, drawn

from projstg.experiments.machine import commit

HERE = Path(__file__).resolve()
KINDS = {"K from the data": False, "K given": True}


def serve():
    """Fit what is asked for, one line a problem, and say how many seconds it took."""
    from projstg import ProjectedSTG

    for line in sys.stdin:
        columns, index, is_given = (int(part) for part in line.split())
        most = columns - 1 if columns else 12
        _, problem = drawn("bag", index, is_given, most, columns or None)
        size = int(problem.support.sum()) if is_given else "auto"
        began = time.perf_counter()
        ProjectedSTG(size).fit(problem.X, problem.y)
        print(time.perf_counter() - began, problem.X.shape[1], flush=True)


def worker(sources):
    """A process with these sources."""
    threads = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(sources)}
    return subprocess.Popen(
        [sys.executable, str(HERE), "--serve", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | threads,
        text=True,
    )


def asked(process, *question):
    """The seconds and the columns of one fit."""
    process.stdin.write(" ".join(str(int(part)) for part in question) + "\n")
    process.stdin.flush()
    seconds, columns = process.stdout.readline().split()
    return float(seconds), int(columns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path, help="of the older code")
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    pair = [worker(options.sources.resolve()), worker(HERE.parents[1] / "src")]
    print(f"commit {commit()}; seconds before and after, the ratio of the sums, of the medians")
    for columns in (10, 0):
        for kind, is_given in KINDS.items():
            rows = []
            for index in range(FRESH, FRESH + options.problems):
                order = pair if index % 2 else pair[::-1]
                found = {id(one): asked(one, columns, index, is_given) for one in order}
                (before, d), (after, _) = (found[id(one)] for one in pair)
                if index >= FRESH + 2:  # the first fits import what they need
                    rows.append((d, before, after))
            rows = np.asarray(rows)
            for d in np.unique(rows[:, 0]):
                before, after = rows[rows[:, 0] == d, 1:].T
                print(
                    f"{kind}, D = {d:.0f}, {before.size} problems: {before.sum():.1f}, "
                    f"{after.sum():.1f}; {after.sum() / before.sum():.2f}, "
                    f"{np.median(after) / np.median(before):.2f}",
                    flush=True,
                )
    for one in pair:
        one.stdin.close()


if __name__ == "__main__":
    main()
