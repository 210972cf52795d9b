"""How many times as long does work take as with older code, on the same problems?

    git worktree add OLD COMMIT           and, for its kernel: make -C OLD setup
    python benchmarks/paired_times.py OLD/src                      every kind of work
    python benchmarks/paired_times.py OLD/src given stability      some of them

One process has the older sources, one those of this checkout. Each problem is worked on by one and
then by the other, in turn: a slow minute of the machine slows both. Run it alone. Only names
that users see are used, so the older sources may be of any commit that has them.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from problems import draw_many
from worlds import FRESH, drawn

from projstg.experiments.machine import commit

HERE = Path(__file__).resolve()


def of_bag(columns, is_given):
    """A problem of the bag of worlds, with its K or none."""

    def made(index):
        from projstg import ProjectedSTG

        most = columns - 1 if columns else 12
        _, problem = drawn("bag", FRESH + index, is_given, most, columns or None)
        size = int(problem.support.sum()) if is_given else "auto"
        return lambda: ProjectedSTG(size).fit(problem.X, problem.y)

    return made


def of_paper(n, **options):
    """A problem of the paper's (D = 64, ten effects of ±1, σ = 0.5)."""

    def made(index):
        from projstg import ProjectedSTG

        X, y, _ = draw_many(5, 0.5, n, 10, 1, start=index)
        return lambda: ProjectedSTG(**options).fit(X[0], y[0])

    return made


def wide(index):
    """1000 columns of 100 rows, K from the data."""
    from projstg import ProjectedSTG
    from projstg.datasets import make_sparse_regression

    problem = make_sparse_regression(100, 1000, 10, noise_std=0.5, repetition=index)
    return lambda: ProjectedSTG().fit(problem.X, problem.y)


def sparse(columns, n, k, **options):
    """Many columns for each row, four designs in turn, K from the data or given."""

    def made(index):
        from witness import DESIGNS, SNRS
        from witness import drawn as drawn_sparse

        from projstg import ProjectedSTG

        design = list(DESIGNS)[index % len(DESIGNS)]
        snr = SNRS[index // len(DESIGNS) % len(SNRS)]
        X, y, _ = drawn_sparse("tune", (n, columns, k, design, snr), index)
        return lambda: ProjectedSTG(**options).fit(X, y)

    return made


def many(n_problems, n_jobs, **options):
    """A block of problems in one call."""

    def made(index):
        from projstg import fit_many

        X, y, _ = draw_many(5, 0.5, 40, 10, n_problems, start=index * n_problems)
        return lambda: fit_many(X, y, 10, n_jobs=n_jobs, **options)

    return made


def responses(index):
    """1000 responses of one X of 100 columns."""
    from projstg import fit_many

    rng = np.random.default_rng(index)
    X = rng.standard_normal((200, 100))
    chosen = np.argsort(rng.random((1000, 100)), axis=1)[:, :5]
    Y = X[:, chosen].sum(axis=2).T + rng.standard_normal((1000, 200))
    return lambda: fit_many(X, Y, 5)


def cross_validation(index):
    """C of twenty by five folds."""
    from projstg import ProjectedSTGCV

    X, y, _ = draw_many(7, 1.0, 100, 10, 1, start=index)
    return lambda: ProjectedSTGCV(alpha_scales=20, cv=5).fit(X[0], y[0])


def path(**parameter):
    """All sizes up to twenty, or the weights of the penalty."""

    def made(index):
        from projstg import projected_stg_path

        X, y, _ = draw_many(7, 1.0, 100, 10, 1, start=index)
        return lambda: projected_stg_path(X[0], y[0], **parameter)

    return made


def averaged(index):
    """A fit and predictions averaged over supports."""
    from projstg import ProjectedSTG

    X, y, _ = draw_many(7, 1.0, 100, 10, 1, start=index)
    return lambda: ProjectedSTG().fit(X[0], y[0]).predict(X[0])


def stability(index):
    """100 halves of the rows, as 50 complementary pairs."""
    from projstg import ProjectedSTG, StabilitySelector

    X, y, _ = draw_many(7, 1.0, 100, 10, 1, start=index)
    return lambda: StabilitySelector(ProjectedSTG(10), n_pairs=50).fit(X[0], y[0])


# What is done, by the name to type: makes the problem, and how many of them.
WORK = {
    "bag": (of_bag(0, False), 100),
    "bag-given": (of_bag(0, True), 100),
    "bag-small": (of_bag(10, False), 100),
    "bag-small-given": (of_bag(10, True), 100),
    "given": (of_paper(40, n_features_to_select=10, probabilities=False), 60),
    "given-55": (of_paper(55, n_features_to_select=10, probabilities=False), 60),
    "probabilities": (of_paper(40, n_features_to_select=10), 60),
    "probabilities-55": (of_paper(55, n_features_to_select=10), 60),
    "auto": (of_paper(55), 40),
    "auto-wide": (wide, 10),
    "auto-200": (sparse(200, 40, 7), 48),
    "auto-1000": (sparse(1000, 60, 6), 36),
    "auto-2000": (sparse(2000, 60, 8), 36),
    "auto-10000": (sparse(10_000, 150, 12), 6),
    "given-2000": (sparse(2000, 60, 8, n_features_to_select=8), 36),
    "given-10000": (sparse(10_000, 150, 12, n_features_to_select=12), 6),
    "many": (many(1000, 1, probabilities=False), 7),
    "many-two": (many(1000, 2, probabilities=False), 7),
    "responses": (responses, 5),
    "cross-validation": (cross_validation, 5),
    "path-sizes": (path(sizes=20), 15),
    "path-alphas": (path(n_alphas=30), 15),
    "averaged": (averaged, 15),
    "stability": (stability, 9),
    "numpy-given": (of_paper(40, n_features_to_select=10, probabilities=False), 15),
    "numpy-auto": (of_paper(55), 6),
    "numpy-many": (many(100, 1, probabilities=False), 5),
}


def serve():
    """Do what is asked for, one line a problem, and say how many seconds it took."""
    for line in sys.stdin:
        name, index = line.split()
        work = WORK[name][0](int(index))
        began = time.perf_counter()
        work()
        print(time.perf_counter() - began, flush=True)


def worker(sources, kernel):
    """A process with these sources."""
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(sources)}
    return subprocess.Popen(
        [sys.executable, str(HERE), "--serve", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | threads | {"PROJSTG_KERNEL": kernel},
        text=True,
    )


def asked(process, name, index):
    """The seconds of one piece of work."""
    process.stdin.write(f"{name} {index}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compared(pair, name):
    """Seconds before and after, a row a problem."""
    rows = []
    for index in range(WORK[name][1] + 1):
        order = pair if index % 2 else pair[::-1]
        seconds = {id(one): asked(one, name, index) for one in order}
        rows.append([seconds[id(one)] for one in pair])
    return np.asarray(rows[1:])  # the first fits import what they need


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path, help="of the older code")
    parser.add_argument("work", nargs="*", help=", ".join(WORK))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    sources = [options.sources.resolve(), HERE.parents[1] / "src"]
    print(f"commit {commit()}; medians of seconds before and after; ratios of medians, of sums")
    pairs = {}
    for name in options.work or list(WORK):
        kernel = "0" if name.startswith("numpy") else "1"
        if kernel not in pairs:
            pairs[kernel] = [worker(one, kernel) for one in sources]
        before, after = compared(pairs[kernel], name).T
        print(
            f"{name:18} {before.size:3} problems {np.median(before):8.4f} {np.median(after):8.4f}"
            f"  {np.median(after) / np.median(before):5.2f} {after.sum() / before.sum():5.2f}",
            flush=True,
        )
    for pair in pairs.values():
        for one in pair:
            one.stdin.close()


if __name__ == "__main__":
    main()
