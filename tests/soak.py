"""The long run: ``make soak`` tries properties, hostile files and faults for up to 20 minutes.

Each stage is a run of pytest with the long settings of ``tests/soaking.py``. What it tried is
added to ``.soak/runs.jsonl`` with the commit, so that counts add up over runs; a run that was
stopped goes on with the stage it was in. The exit status is 1 if anything was violated.

    python tests/soak.py                        run all stages, or those that are left of a run
    python tests/soak.py --stages properties    run some, again
    python tests/soak.py --table                the counts of all runs, as a table
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".soak"
# What is run, how many times longer than in `make test`, and how often each fault happens.
STAGES = {
    "properties": (["tests/properties"], 40.0, 1),
    "hostile": (
        ["tests/hostile", "tests/tables/test_number_marks.py", "tests/experiments/test_spec.py"],
        30.0,
        10,
    ),
    "faults": (["tests/faults", "tests/experiments/test_store.py"], 1.0, 20),
}
_TITLES = {"problem": "generated problems", "fault": "faults", "fit": "fits repeated elsewhere"}


def commit():
    """The commit of the tree, with a mark where it was changed since."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def run_stage(name, workers):
    """Run one stage and return what it tried and whether all held."""
    paths, times, rounds = STAGES[name]
    tally = FOLDER / f"{name}.tally"
    tally.unlink(missing_ok=True)
    environment = os.environ | {
        "PROJSTG_SOAK_TIMES": str(times),
        "PROJSTG_SOAK_ROUNDS": str(rounds),
        "PROJSTG_SOAK_TALLY": str(tally),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider"]
    start = time.monotonic()
    ended = subprocess.run([*command, *paths], cwd=ROOT, env=environment, check=False)
    counts = defaultdict(lambda: defaultdict(int))
    if tally.exists():
        for line in tally.read_text(encoding="utf-8").splitlines():
            kind, what, n = line.split("\t")
            counts[kind][what] += int(n)
    return {
        "commit": commit(),
        "stage": name,
        "seconds": round(time.monotonic() - start),
        "held": ended.returncode == 0,
        "counts": counts,
    }


def runs():
    """All stages that have been run, the last one last."""
    path = FOLDER / "runs.jsonl"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )


def left(done):
    """The stages that a run begun on this commit and not ended has yet to do."""
    own, now = [], commit()
    for one in done:
        own = [*own, one["stage"]] if one["commit"] == now and one["held"] else []
        own = [] if set(own) >= set(STAGES) else own
    return [name for name in STAGES if name not in own]


def table(done):
    """The counts of all runs, added up, as Markdown."""
    totals = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    last = {one["stage"]: number for number, one in enumerate(done)}
    for number, one in enumerate(done):
        for kind, counts in one["counts"].items():
            for what, n in counts.items():
                totals[kind][what][1] += n
                totals[kind][what][0] += n if last[one["stage"]] == number else 0
    lines = []
    for kind, title in _TITLES.items():
        rows = sorted(totals[kind].items())
        sums = [sum(pair[i] for _, pair in rows) for i in (0, 1)]
        lines += [f"| {title} | last run | in all |", "| --- | ---: | ---: |"]
        lines += [f"| {what} | {one} | {every} |" for what, (one, every) in rows]
        lines += [f"| **together** | **{sums[0]}** | **{sums[1]}** |", ""]
    violated = [f"{one['stage']} on {one['commit']}" for one in done if not one["held"]]
    commits = list(dict.fromkeys(one["commit"] for one in done))
    lines.append(f"Runs on {', '.join(commits)}; violated: {', '.join(violated) or 'none'}.")
    return "\n".join(lines)


def main():
    """Run what is left, and say what was tried."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="only print the counts of all runs")
    parser.add_argument("--stages", nargs="+", choices=list(STAGES), help="only these, in any case")
    parser.add_argument("--workers", type=int, default=2, help="processes; default 2")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if options.table:
        print(table(runs()))
        return 0
    held = True
    for name in options.stages or left(runs()):
        found = run_stage(name, options.workers)
        with (FOLDER / "runs.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        held = held and found["held"]
        print(f"{name}: {found['seconds']} s, {'all held' if found['held'] else 'VIOLATED'}")
    print(table(runs()))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
