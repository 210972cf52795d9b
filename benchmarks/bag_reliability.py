"""Do stated probabilities hold over a bag of worlds, and in each world?

    python benchmarks/bag_reliability.py --jobs 2 --json bag.jsonl
    python benchmarks/bag_reliability.py --json bag.jsonl --show      tables of what was measured

Every problem of ``worlds.py`` is asked twice: with K given, and with K from the data, where there
may be no effect at all. Three statements are judged: that a column belongs (``inclusion``, a miss
beyond 0.07), that the support is exactly this (``exactly``, beyond 0.10), and that all selected
columns belong (``all belong``, beyond 0.07; where the model states it). Outcomes are added to the
file as they come, with the commit, and a run that was stopped goes on.
"""

import argparse
import json
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed, parallel_config
from worlds import BAGS, STATEMENTS, drawn, in_bins, in_one_bin, print_table, reliability

from projstg import ProjectedSTG
from projstg.experiments.machine import commit

KINDS = ("given", "free")
BLOCK = 20


def trial(bag, kind, index):
    """One problem: what was stated, in bins, and what was true."""
    world, problem = drawn(bag, index, least=1 if kind == "given" else 0)
    truth = problem.support
    start = perf_counter()
    model = ProjectedSTG(int(truth.sum()) if kind == "given" else "auto").fit(problem.X, problem.y)
    seconds = perf_counter() - start
    chosen, (n, d) = model.support_, problem.X.shape
    found = {
        "inclusion": in_bins(model.inclusion_probability_, truth),
        "exactly": in_one_bin(model.support_probability_, np.array_equal(chosen, truth)),
    }
    if hasattr(model, "all_belong_probability_"):
        found["all belong"] = in_one_bin(model.all_belong_probability_, not np.any(chosen & ~truth))
    about = {"n": n, "d": d, "k": int(truth.sum()), "size": int(chosen.sum())}
    about |= {"design": problem.setting["design"], "seconds": round(seconds, 4)}
    return {"bag": bag, "kind": kind, "index": index, "world": world} | about | found


def rows_in(path):
    """The outcomes of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def run(path, repetitions, jobs):
    """Measure what is not in the file yet."""
    done = {(r["bag"], r["kind"], r["index"]) for r in rows_in(path)} if path.exists() else set()
    asked = [
        (bag, kind, index)
        for index in range(repetitions)
        for bag in BAGS
        for kind in KINDS
        if (bag, kind, index) not in done and (bag == "bag" or index < repetitions // 2)
    ]
    own = str(commit())
    with parallel_config("loky", inner_max_num_threads=1), Parallel(n_jobs=jobs) as parallel:
        for first in range(0, len(asked), BLOCK * jobs):
            block = asked[first : first + BLOCK * jobs]
            rows = parallel(delayed(trial)(*one) for one in block)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row | {"commit": own}) + "\n" for row in rows)
            print(f"{first + len(block)} of {len(asked)}", flush=True)


def show(rows):
    """Print a table for each bag, kind and statement, and the largest overstatement by world."""
    print("commits:", ", ".join(sorted({row["commit"] for row in rows})))
    for bag in BAGS:
        for kind in KINDS:
            own = [row for row in rows if (row["bag"], row["kind"]) == (bag, kind)]
            if not own:
                continue
            seconds = np.median([row["seconds"] for row in own])
            print(f"\n{bag}, K {kind}: {len(own)} problems, a fit took {seconds:.3f} s (median)")
            for name in STATEMENTS:
                if name in own[0]:
                    print_table(name, reliability([row[name] for row in own], name))
                    _by_world(name, own)


def _by_world(name, rows):
    words = []
    for world in dict.fromkeys(row["world"] for row in rows):
        own = [row[name] for row in rows if row["world"] == world]
        judged = [line for line in reliability(own, name) if line["judged"]]
        most = max((line["stated"] - line["observed"] for line in judged), default=float("nan"))
        words.append(f"{world} {most:+.2f}")
    print(f"   most overstated in one world: {', '.join(words)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="outcomes, one line a problem")
    parser.add_argument("--repetitions", type=int, default=2400, help="problems of the bag")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="only read the file")
    options = parser.parse_args()
    if not options.show:
        run(options.json, options.repetitions, options.jobs)
    show(rows_in(options.json))


if __name__ == "__main__":
    main()
