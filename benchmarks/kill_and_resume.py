"""Kill a run with ``kill -9`` at random moments, resume it, and compare with an undisturbed one.

    python benchmarks/kill_and_resume.py [--kills 20] [--jobs 2] [--seed 0]

The two tables must be equal byte for byte once timings are left out. Each run is killed when a
random number of new parts has appeared, none included, and a random moment has passed since. When
nothing is left to do another folder is begun, until so many runs have been killed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

SPEC = """
root = 7
alpha_scale = "per-setting"
methods = [
    "omp",
    "lasso",
    "projected-stg-exact",
    "projected-stg-refined",
    { method = "projected-stg", label = "few steps", parameters = { max_iter = 50 } },
    "limit-evidence",
]
[problem]
n_features = 24
n_informative = 4
[sizes.smoke]
repetitions = 8
block = 2
pilots = 3
[[sizes.smoke.settings]]
n_samples = [15, 20, 25, 30, 40]
noise_std = [0.5, 1.0]
"""


def start(spec, out, jobs, log):
    command = [sys.executable, "-m", "projstg", "reproduce", str(spec), "--out", str(out)]
    command += ["--jobs", str(jobs), "--no-report"]
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def finished(spec, out, jobs):
    """Run to the end; what it printed."""
    with tempfile.TemporaryFile("w+") as log:  # a pipe would wait for orphaned workers
        status = start(spec, out, jobs, log).wait()
        log.seek(0)
        output = log.read()
    if status != 0:
        raise RuntimeError(output)
    return output


def killed(spec, out, jobs, new_parts, seconds):
    """Kill once so many parts more are there, and a moment later; whether it still ran then."""
    wanted = n_parts(out) + new_parts
    process = start(spec, out, jobs, subprocess.DEVNULL)
    while n_parts(out) < wanted and process.poll() is None:
        sleep(0.001)
    sleep(seconds)
    was_running = process.poll() is None
    if was_running:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return was_running


def contents(out):
    """All rows as text, timings aside."""
    from projstg.experiments.store import TIMINGS, read_rows

    return read_rows(out).drop(columns=list(TIMINGS)).to_csv()


def n_parts(out):
    return len(list((out / "parts").glob("*.parquet"))) if (out / "parts").exists() else 0


def kill_and_resume(folder, *, spec=SPEC, kills, jobs=2, seed=0, say=print):
    """Return the rows of an undisturbed run and of runs killed so often."""
    path = Path(folder) / "trial.toml"
    path.write_text(spec, encoding="utf-8")
    finished(path, folder / "undisturbed", jobs)
    expected, total = contents(folder / "undisturbed"), n_parts(folder / "undisturbed")
    chance, found, done, attempt = random.Random(seed), [], 0, 0
    while done < kills:
        out = folder / f"attempt-{attempt}"
        attempt += 1
        while done < kills and n_parts(out) < total:
            done += killed(path, out, jobs, chance.randrange(total // 6), chance.uniform(0.0, 0.2))
            say(f"{done} killed; {n_parts(out)} of {total} parts", flush=True)
        say(finished(path, out, jobs).strip(), flush=True)
        found.append(contents(out))
    return expected, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        expected, found = kill_and_resume(Path(folder), **vars(options))
        other = Path(folder) / "other-jobs"
        finished(Path(folder) / "trial.toml", other, 1)
        print(f"{len(found)} folders, {expected.count(chr(10)) - 1} rows each")
        print("equal to an undisturbed run:", all(text == expected for text in found))
        print("equal with --jobs 1:", contents(other) == expected)


if __name__ == "__main__":
    main()
