"""How long `projstg select` takes as a whole process: wide and long files, and the first line.

    python benchmarks/select_times.py

Files of normal numbers are written to a temporary folder: 1000 rows of 2000 columns and 200 of
1000, twelve of which matter; a million rows of 8, with four decimals and with all digits; 200 rows
of 8. Each command runs `--repetitions` times, those that are compared by turns, and medians are
shown. On a pseudo-terminal the first line is what first appears there, and the answer the sentence
that says what the target depends on. Nothing else should run meanwhile.
"""

import argparse
import os
import pty
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd

PROJSTG = [sys.executable, "-m", "projstg", "select"]
PANDAS = "import sys, pandas; pandas.read_csv(sys.argv[1])"
ANSWER = b"depends on"


def table(n_rows, n_columns, n_true, seed, decimals=None):
    """Columns c0, c1, … and y, which depends on some of them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    true = rng.choice(n_columns, n_true, replace=False)
    y = X[:, true] @ rng.standard_normal(n_true) + rng.standard_normal(n_rows)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(n_columns)]).assign(y=y)
    return frame if decimals is None else frame.round(decimals)


def seconds(command):
    """How long a command takes."""
    start = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return perf_counter() - start


def on_terminal(command):
    """When the first line and the answer appear on a terminal."""
    start, (pid, screen) = perf_counter(), pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    first, answer, seen = None, None, b""
    while True:
        try:
            part = os.read(screen, 1 << 16)
        except OSError:  # the other end is closed
            break
        first = first or perf_counter() - start
        seen += part
        if answer is None and ANSWER in seen:
            answer = perf_counter() - start
    os.waitpid(pid, 0)
    os.close(screen)
    return first, answer


def wide(folder, repetitions):
    """Wide tables, with the page."""
    for n_rows, n_columns in ((1000, 2000), (200, 1000)):
        path = folder / f"{n_rows}x{n_columns}.csv"
        table(n_rows, n_columns, 12, 1).to_csv(path, index=False)
        command = [*PROJSTG, str(path), "-t", "y"]
        plain, paged = zip(
            *(
                (seconds(command), seconds([*command, "--out", str(folder / "answer")]))
                for _ in range(repetitions)
            ),
            strict=True,
        )
        print(f"{n_rows} x {n_columns}: {median(plain):.1f} s, with --out {median(paged):.1f} s")


def long(folder, repetitions):
    """A million rows, beside reading them with pandas."""
    for words, decimals in (("four decimals", 4), ("all digits", None)):
        path = folder / "long.csv"
        table(10**6, 8, 2, 2, decimals).to_csv(path, index=False)
        command = [*PROJSTG, str(path), "-t", "y"]
        commands = {
            "pandas": [sys.executable, "-c", PANDAS, str(path)],
            "only what both import": [sys.executable, "-c", "import pandas, sklearn.base"],
            "select": command,
            "select --out": [*command, "--out", str(folder / "answer")],
        }
        found = {name: [] for name in commands}
        for _ in range(repetitions):
            for name, one in commands.items():
                found[name].append(seconds(one))
        base = median(found["pandas"])
        print(f"10^6 x 8, {words} ({path.stat().st_size / 1e6:.0f} MB):", end=" ")
        told = (f"{n} {median(v):.2f} s = {median(v) / base:.1f}x" for n, v in found.items())
        print("; ".join(told))


def small(folder, repetitions):
    """A small file, on a terminal."""
    path = folder / "small.csv"
    table(200, 8, 2, 3, 4).to_csv(path, index=False)
    command = [*PROJSTG, str(path), "-t", "y"]
    first, answer = zip(*(on_terminal(command) for _ in range(repetitions)), strict=True)
    print(f"200 x 8: first line {median(first):.2f} s, answer {median(answer):.2f} s")


PARTS = {"wide": wide, "long": long, "small": small}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        for name in given.parts:
            PARTS[name](Path(folder), given.repetitions)


if __name__ == "__main__":
    main()
