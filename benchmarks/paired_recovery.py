"""Does a change of the code cost recovery? The same problems before and after, compared in pairs.

    python benchmarks/paired_recovery.py run --jobs 2 --json after.jsonl
    PYTHONPATH=OLD/src python benchmarks/paired_recovery.py run --jobs 2 --json before.jsonl
    python benchmarks/paired_recovery.py compare before.jsonl after.jsonl

OLD is a checkout of the commit to compare with (``git worktree add OLD COMMIT``). The cells are
those of ``search.py cells`` (K given), ``unknown_size.py`` (K from the data) and ``correlated.py``
(both). A run that was stopped goes on. ``--common-size`` tries another weight of effects of a
common size.
"""

import argparse
from pathlib import Path

import numpy as np
from worlds import add_outcomes, rows_in, weigh_common_size

from projstg import ProjectedSTG
from projstg.datasets import make_sparse_regression

DESIGNS = ("gaussian", "bernoulli", "toeplitz")
# (design, σ, N, K): the cells of search.py, which is not imported, so that it may change.
GIVEN = [
    *(("gaussian", s, n, 10) for s in (0.5, 1.0) for n in (20, 25, 30, 35, 40, 45, 50, 60)),
    *(("gaussian", s, 40, k) for s in (0.5, 1.0) for k in (2, 4, 6, 8, 12, 14, 16, 20)),
    *((d, s, n, 10) for d in DESIGNS[1:] for s in (0.5, 1.0) for n in (30, 40, 50)),
]
FREE = [
    *((d, s, n, 10) for d in DESIGNS for s in (0.5, 1.0) for n in (40, 50, 60, 80, 100)),
    *((d, 1.0, n, 0) for d in DESIGNS for n in (40, 100)),
]
WIDE = [(rho, snr, k) for rho, snr in ((0.35, 2.07), (0.7, 6.0)) for k in (5, "auto")]


def questions(repetitions, wide):
    """Every question: the benchmark, the cell, the repetition."""
    asked = [("search", cell, r) for cell in GIVEN for r in range(repetitions)]
    asked += [("unknown", cell, r) for cell in FREE for r in range(repetitions // 2)]
    return asked + [("correlated", cell, r) for cell in WIDE for r in range(wide)]


def trial(benchmark, cell, r, common_size):
    """Whether the support was right."""
    if common_size is not None:
        weigh_common_size(common_size)
    if benchmark == "correlated":
        rho, snr, size = cell
        setting = {"design": "toeplitz", "rho": rho, "signal": "ones", "positions": "first"}
        problem = make_sparse_regression(
            100, 1000, 5, snr=snr, **setting, root=20261119, repetition=r
        )
    else:
        design, sigma, n, k = cell
        size, root = (k, 404) if benchmark == "search" else ("auto", 20261117)
        problem = make_sparse_regression(
            n, 64, k, design=design, noise_std=sigma, root=root, repetition=r
        )
    found = ProjectedSTG(size, fit_intercept=False).fit(problem.X, problem.y).support_
    right = bool(np.array_equal(found, problem.support))
    return {"key": f"{benchmark} {cell} {r}", "cell": f"{benchmark} {cell}", "right": right}


def by_key(path):
    """The outcomes of a file by their keys."""
    return {row["key"]: row for row in rows_in(path)}


def run(path, asked, jobs, common_size):
    """Measure what is not in the file yet."""
    done = by_key(path)
    left = [(*one, common_size) for one in asked if f"{one[0]} {one[1]} {one[2]}" not in done]
    add_outcomes(path, trial, left, jobs)


def compare(before, after):
    """Print the difference of recovery by benchmark and cell, with errors of pairs."""
    for name, rows in (("before", before), ("after", after)):
        print(f"{name}: commits", ", ".join(sorted({row["commit"] for row in rows.values()})))
    keys = sorted(before.keys() & after.keys())
    by_cell = {}
    for key in keys:
        change = int(after[key]["right"]) - int(before[key]["right"])
        by_cell.setdefault(after[key]["cell"], []).append((change, before[key]["right"]))
    for benchmark in ("search", "unknown", "correlated"):
        own = [
            one for cell, pairs in by_cell.items() if cell.startswith(benchmark) for one in pairs
        ]
        if own:
            _line(f"{benchmark}: all {len(own)} problems", own)
    _line(f"all {len(keys)} problems", [one for pairs in by_cell.values() for one in pairs])
    worst = sorted(by_cell.items(), key=lambda item: _z(item[1])[1])
    print("lowest cells:")
    for cell, pairs in worst[:6]:
        _line(f"  {cell}", pairs)


def _z(pairs):
    change = np.asarray([one for one, _ in pairs], dtype=float)
    error = change.std(ddof=1) / np.sqrt(change.size) if change.size > 1 else 0.0
    return change.mean(), change.mean() / error if error > 0.0 else 0.0


def _line(name, pairs):
    mean, z = _z(pairs)
    base = np.mean([right for _, right in pairs])
    print(f"{name}: before {base:.3f}, change {mean:+.4f}, z {z:+.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "compare"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repetitions", type=int, default=60, help="of a cell; half with K free")
    parser.add_argument("--wide", type=int, default=60, help="of a cell of correlated.py")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--common-size", type=float, help="weight of effects of a common size")
    options = parser.parse_args()
    if options.what == "compare":
        compare(*(by_key(path) for path in options.files))
    else:
        asked = questions(options.repetitions, options.wide)
        run(options.json, asked, options.jobs, options.common_size)


if __name__ == "__main__":
    main()
