"""The long run: ``make soak`` tries properties, hostile files and faults for up to 20 minutes.

Each stage is a run of pytest with the long settings of ``tests/soaking.py``. What it tried is
added to ``.soak/runs.jsonl`` with the commit, so that counts add up over runs; a run that was
stopped goes on with the stage it was in. The exit status is 1 if anything was violated.

    python tests/soak.py                        run all stages, or those that are left of a run
    python tests/soak.py --stages properties    run some, again
    python tests/soak.py --table                the counts of all runs, as a table
"""

import argparse
import os
import sys
import time
from collections import defaultdict

from long_runs import ROOT, add, commit, left, records, run_tests

FOLDER = ROOT / ".soak"
RECORDS = FOLDER / "runs.jsonl"
# What is run, how many times longer than in `make test`, and how often each fault happens.
STAGES = {
    "properties": (["tests/properties"], 40.0, 1),
    "hostile": (
        [
            "tests/hostile",
            "tests/tables/cells/test_number_marks.py",
            "tests/experiments/test_spec.py",
        ],
        30.0,
        10,
    ),
    "faults": (["tests/faults", "tests/experiments/test_store.py"], 1.0, 20),
}
_TITLES = {"problem": "generated problems", "fault": "faults", "fit": "fits repeated elsewhere"}


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
    start = time.monotonic()
    status, _ = run_tests(["-q", *paths], workers, env=environment)
    counts = defaultdict(lambda: defaultdict(int))
    if tally.exists():
        for line in tally.read_text(encoding="utf-8").splitlines():
            kind, what, n = line.split("\t")
            counts[kind][what] += int(n)
    return {
        "commit": commit(),
        "stage": name,
        "seconds": round(time.monotonic() - start),
        "held": status == 0,
        "counts": counts,
    }


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
        print(table(records(RECORDS)))
        return 0
    held = True
    for name in options.stages or left(records(RECORDS), STAGES):
        found = run_stage(name, options.workers)
        add(RECORDS, found)
        held = held and found["held"]
        print(f"{name}: {found['seconds']} s, {'all held' if found['held'] else 'VIOLATED'}")
    print(table(records(RECORDS)))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
