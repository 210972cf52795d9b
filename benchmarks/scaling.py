"""How time and memory grow with N, D, K and the number of responses T: runs, and draws it.

    python benchmarks/scaling.py run rows.json           about 10 minutes
    python benchmarks/scaling.py draw rows.json docs/scaling.png

Each point runs in a process of its own, on one thread: the time of the sums and of the fit, without
that of making the table, and the memory beyond the table. `draw` also prints the table of
docs/scale.md. Slopes are those between the last two points, of the logarithms.
"""

import argparse
import json
import subprocess
import sys
from itertools import pairwise
from time import perf_counter

import numpy as np
from scale import measured, wide_problem

from projstg import ProjectedSTG, Statistics, fit_many
from projstg.experiments.machine import commit
from projstg.render.palette import BLUE, GREEN, GRID, INK, ORANGE, VERMILION

MEGABYTE = 1e-3  # of a gigabyte


def rows(n_rows):
    """N: chunks of 50 columns, then a fit to their sums."""
    rng, found, size = np.random.default_rng(0), Statistics(), 10_000
    seconds = 0.0
    with measured() as memory:
        for _ in range(n_rows // size):
            X = rng.standard_normal((size, 50))
            y = X[:, 3] - X[:, 17] + rng.standard_normal(size)
            start = perf_counter()
            found.update(X, y)
            seconds += perf_counter() - start
        start = perf_counter()
        ProjectedSTG().fit(found)
    return seconds + perf_counter() - start, memory.gigabytes


def columns(kind, k, n_columns):
    """D: 500 dense rows in single precision, or 2000 sparse ones."""
    X, y, _ = wide_problem(kind, n_columns)
    with measured() as found:
        ProjectedSTG(k).fit(X, y)
    return found.seconds, found.gigabytes


def sizes(k):
    """K: 2000 rows of 1000 columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 1000))
    signal = X[:, :k] @ rng.choice([-1.0, 1.0], k)
    y = signal + np.sqrt(k / 10.0) * rng.standard_normal(2000)
    with measured() as found:
        ProjectedSTG(k).fit(X, y)
    return found.seconds, found.gigabytes


def responses(n_problems):
    """T: responses of one table of 1000 rows and 200 columns, ten columns each."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 200))
    beta = np.zeros((n_problems, 200))
    for own in beta:
        own[rng.choice(200, 10, replace=False)] = rng.choice([-1.0, 1.0], 10)
    Y = beta @ X.T + rng.standard_normal((n_problems, 1000))
    with measured() as found:
        fit_many(X, Y, 10)
    return found.seconds, found.gigabytes


def dense(n_columns):
    return columns("dense", 20, n_columns)


def dense_auto(n_columns):
    return columns("dense", "auto", n_columns)


def sparse(n_columns):
    return columns("sparse", 20, n_columns)


SWEEPS = {
    "rows": (rows, [10**4, 10**5, 10**6, 10**7]),
    "dense": (dense, [10**3, 10**4, 10**5, 10**6]),
    "dense_auto": (dense_auto, [10**3, 10**4, 10**5, 10**6]),
    "sparse": (sparse, [10**4, 10**5, 10**6]),
    "sizes": (sizes, [5, 10, 20, 40, 80]),
    "responses": (responses, [10, 100, 1000, 10_000]),
}
PANELS = {
    "N, rows (50 columns)": {"rows": ("in chunks", BLUE)},
    "D, columns": {
        "dense": ("500 dense rows, K = 20", BLUE),
        "dense_auto": ("the same, K from the data", VERMILION),
        "sparse": ("2000 sparse rows, K = 20", GREEN),
    },
    "K, columns selected (2000 × 1000)": {"sizes": ("K given", BLUE)},
    "T, responses (1000 × 200, K = 10)": {"responses": ("one table", ORANGE)},
}


LIMITS = {"seconds": (0.02, 3000.0), "gigabytes": (0.003, 30.0)}
"""The same in all pictures, with room for what is said above the curves."""


def run(target):
    found = {"commit": commit(), "points": []}
    for name, (_, values) in SWEEPS.items():
        for value in values:
            command = [sys.executable, __file__, "one", name, str(value)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            seconds, gigabytes = json.loads(said)
            row = {"sweep": name, "value": value, "seconds": seconds, "gigabytes": gigabytes}
            print(json.dumps(row), flush=True)
            found["points"].append(row)
    with open(target, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)


def one(name, value):
    if name in ("dense", "dense_auto", "sparse"):  # libraries, before anything is measured
        ProjectedSTG(1).fit(np.eye(9)[:, :5], np.arange(9.0))
    print(json.dumps(SWEEPS[name][0](int(value))))


def slope(values, heights):
    return float(np.diff(np.log(heights[-2:]))[0] / np.diff(np.log(values[-2:]))[0])


def curve(points, name, field):
    own = [point for point in points if point["sweep"] == name]
    values = np.array([point["value"] for point in own], dtype=float)
    return values, np.maximum([point[field] for point in own], MEGABYTE)


def draw(source, target):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with open(source, encoding="utf-8") as file:
        found = json.load(file)
    figure, axes = plt.subplots(2, 4, figsize=(13.5, 6.4), layout="constrained", sharex="col")
    for column, (title, curves) in enumerate(PANELS.items()):
        for axis, (field, limits) in zip(axes[:, column], LIMITS.items(), strict=True):
            for name, (label, colour) in curves.items():
                values, heights = curve(found["points"], name, field)
                told = f"{label}: slope {slope(values, heights):.2f}"
                axis.loglog(values, heights, "o-", color=colour, label=told)
            axis.grid(color=GRID)
            axis.legend(fontsize=8, frameon=False)
            axis.spines[["top", "right"]].set_visible(False)
            axis.set_ylabel(field if column == 0 else "", color=INK)
            axis.set_ylim(*limits)
            ticks = [10**power for power in range(8) if axis.get_xlim()[1] >= 10**power]
            axis.set_xticks(
                ticks, [f"{one}" if one < 1000 else f"$10^{np.log10(one):.0f}$" for one in ticks]
            )
            axis.minorticks_off()
            axis.set_xlim(0.7 * values[0] if column != 1 else 700, 1.4 * values[-1])
        axes[1, column].set_xlabel(title, color=INK)
    figure.savefig(target, dpi=130)
    print(f"commit {found['commit']}")
    for name in SWEEPS:
        values, seconds = curve(found["points"], name, "seconds")
        _, gigabytes = curve(found["points"], name, "gigabytes")
        cells = [
            f"{value:g}: {s:.2g} s, {g:.2g} GB"
            for value, s, g in zip(values, seconds, gigabytes, strict=True)
        ]
        steps = [f"{b / a:.1f}" for a, b in pairwise(seconds)]
        slopes = f"slopes {slope(values, seconds):.2f} and {slope(values, gigabytes):.2f}"
        print(f"{name}: {'; '.join(cells)}; {slopes}; times as long as before: {', '.join(steps)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "draw", "one"])
    parser.add_argument("given", nargs="+", help="the rows, and for draw the picture to write")
    asked = parser.parse_args()
    {"run": run, "draw": draw, "one": one}[asked.what](*asked.given)


if __name__ == "__main__":
    main()
