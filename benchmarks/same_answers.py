"""Are the answers those of before, or those without the kernel? 300 problems, compared one by one.

    python benchmarks/same_answers.py run after.json
    PROJSTG_KERNEL=0 python benchmarks/same_answers.py run numpy.json
    PYTHONPATH=OLD/src python benchmarks/same_answers.py run before.json
    python benchmarks/same_answers.py compare before.json after.json

OLD is a checkout of the commit to compare with, with its kernel if it has one. An objective that is
lower by more than rounding is better.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from problems import draw_many

from projstg import ProjectedSTG

GIVEN = [(s, n, k) for s in (0.5, 1.0) for n in (25, 30, 40, 60) for k in (5, 10, 16)]
FREE = [(0.5, 40), (1.0, 60), (1.0, 100)]


def answers():
    """Yield the cell and the fitted model of each problem."""
    for sigma, n, k in GIVEN:
        X, y, _ = draw_many(11, sigma, n, k, 10)
        for one, target in zip(X, y, strict=True):
            yield (sigma, n, k), ProjectedSTG(k).fit(one, target)
    for sigma, n in FREE:
        X, y, _ = draw_many(12, sigma, n, 10, 20)
        for one, target in zip(X, y, strict=True):
            yield (sigma, n, "auto"), ProjectedSTG().fit(one, target)


def run(path):
    rows = [
        {
            "cell": cell,
            "objective": model.objective_,
            "support": model.get_support(indices=True).tolist(),
            "exactly": model.support_probability_,
            "inclusion": model.inclusion_probability_.tolist(),
        }
        for cell, model in answers()
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    print(f"{len(rows)} problems")


def compare(before, after):
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    change = np.asarray([b["objective"] - a["objective"] for a, b in zip(old, new, strict=True)])
    same = np.asarray([a["support"] == b["support"] for a, b in zip(old, new, strict=True)])
    rounding = 1e-6
    worse = [old[i]["cell"] for i in np.flatnonzero(~same & (change > rounding))]
    better = [old[i]["cell"] for i in np.flatnonzero(~same & (change < -rounding))]
    print(f"{same.size} problems, {int(same.sum())} supports the same")
    print(f"objectives worse: {len(worse)} {worse}")
    print(f"objectives better: {len(better)} {better}")
    probability = [abs(a["exactly"] - b["exactly"]) for a, b in zip(old, new, strict=True)]
    inclusion = [
        np.max(np.abs(np.subtract(a["inclusion"], b["inclusion"])))
        for a, b in zip(old, new, strict=True)
    ]
    print(
        f"where the support is the same, the largest difference of objectives is "
        f"{np.max(np.abs(change[same])):.1e}, of its probability "
        f"{np.max(np.asarray(probability)[same]):.1e}, of inclusion {np.max(inclusion):.1e}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "compare"])
    parser.add_argument("files", nargs="+", type=Path)
    asked = parser.parse_args()
    run(*asked.files) if asked.what == "run" else compare(*asked.files)


if __name__ == "__main__":
    main()
