"""What does a background of small effects, in the posterior, change in what is stated and found?

    python benchmarks/background.py --jobs 2 --json background.jsonl
    python benchmarks/background.py --json background.jsonl --show

Problems of the bags of :mod:`worlds`, the dense world among them (where the columns to be found are
those with large effects), K from the data; each is fitted without and with ``background=True``.
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from prediction import f1
from worlds import (
    EVERY_BAG,
    FRESH,
    STATEMENTS,
    add_outcomes,
    drawn,
    in_bins,
    in_one_bin,
    print_table,
    reliability,
    rows_in,
)

from projstg import ProjectedSTG

SIDES = ("out", "in")


def trial(bag, index):
    """What is stated and true of one problem, without and with a background."""
    world, problem = drawn(bag, index, least=0)
    row = {"bag": bag, "world": world, "index": index}
    return row | {side: _one(problem, side == "in") for side in SIDES}


def _one(problem, background):
    truth = problem.support
    start = perf_counter()
    model = ProjectedSTG(background=background).fit(problem.X, problem.y)
    seconds, chosen = perf_counter() - start, model.support_
    right = bool(np.array_equal(chosen, truth))
    return {
        "inclusion": in_bins(model.inclusion_probability_, truth),
        "exactly": in_one_bin(model.support_probability_, right),
        "all belong": in_one_bin(model.all_belong_probability_, not np.any(chosen & ~truth)),
        "exact": right,
        "F1": f1(chosen, truth),
        "seconds": seconds,
    }


def show(rows):
    """Print exact recovery in pairs, for each world, and what held, for each bag."""
    print("commits:", ", ".join(sorted({row["commit"] for row in rows})))
    for bag in EVERY_BAG:
        own = [row for row in rows if row["bag"] == bag]
        if not own:
            continue
        print(f"\n{bag}: {len(own)} problems; exact and F1, out and in; exact, in less out (z)")
        for world in (*(kind.__name__ for kind in EVERY_BAG[bag][0]), None):
            few = [row for row in own if world in (None, row["world"])]
            gap = np.asarray([float(r["in"]["exact"]) - r["out"]["exact"] for r in few])
            z = gap.mean() / max(np.std(gap, ddof=1) / np.sqrt(gap.size), 1e-12)
            means = [np.mean([r[s][what] for r in few]) for what in ("exact", "F1") for s in SIDES]
            print(f"  {world or 'all'}: {np.round(means, 3)} {gap.mean():+.4f} ({z:+.1f})")
        seconds = [sum(row[side]["seconds"] for row in own) for side in SIDES]
        print(f"  a fit takes {seconds[1] / seconds[0]:.2f} times as long")
        for name in STATEMENTS:
            for side in SIDES:
                lines = reliability([row[side][name] for row in own], name)
                print_table(f"{name}, background {side}", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="outcomes, one line a problem")
    parser.add_argument("--problems", type=int, default=2400, help="of the bag; half of each other")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="only read the file")
    options = parser.parse_args()
    if not options.show:
        known = {(row["bag"], row["index"]) for row in rows_in(options.json)}
        questions = [
            (bag, FRESH + index)
            for index in range(options.problems)
            for bag in EVERY_BAG
            if (bag == "bag" or index < options.problems // 2) and (bag, FRESH + index) not in known
        ]
        add_outcomes(options.json, trial, questions, options.jobs)
    show(rows_in(options.json))


if __name__ == "__main__":
    main()
