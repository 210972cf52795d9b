"""Are the stated probabilities what they say? Of supports stated at 70 %, are 70 % right?

    python benchmarks/reliability.py --jobs 2 --json docs/how_sure.json
    python benchmarks/reliability.py --json docs/how_sure.json --draw docs/how_sure.png

The second command prints the tables and draws the figure from the file alone. A run that was
stopped goes on from the problems in its file.

2000 problems, from hopeless to easy, with K given, and 2000 others with K left to the data. Each
draws N from 20 … 80, log σ uniformly between log 0.3 and log 2, K from 2 … 16 (0 … 16 where it is
left to the data), and one of the paper's three designs; D = 64, no intercept. Coefficients are ±1,
or with ``--signal`` normal, or decaying (±0.8^k).

Probabilities are sorted into ten bins. A bin is right if what was observed is within 0.05 plus two
standard errors of what was stated; bins with fewer than 50 problems are shown and not judged. The
columns of one problem are not independent, so their standard errors are computed over problems,
too.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_config
from worlds import BINS, bin_gap, binned

from projstg import ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import about_machine, commit, now
from projstg.render.palette import BLUE, SKY, VERMILION

ROOT, D, FEWEST = 20261118, 64, 50
DESIGNS = ("gaussian", "bernoulli", "toeplitz")
KINDS = {"known": "K given", "unknown": "K from the data"}
QUANTITIES = {"support": "the whole support", "inclusion": "single columns"}
SAVED_EVERY, BLOCK = 400, 5


def setting(kind, index, rows):
    """The setting of one problem, drawn from (root, kind, index) and the range of N alone."""
    rng = np.random.default_rng([ROOT, list(KINDS).index(kind), index])
    return {
        "n_samples": int(rng.integers(rows[0], rows[1] + 1)),
        "n_features": D,
        "n_informative": int(rng.integers(2 if kind == "known" else 0, 17)),
        "design": DESIGNS[rng.integers(len(DESIGNS))],
        "noise_std": round(float(np.exp(rng.uniform(np.log(0.3), np.log(2.0)))), 4),
    }


def trial(kind, index, signal, rows):
    """One problem: its setting, the support's probability, whether it was right, and the columns'.

    Columns come as a list of (bin, columns in it, sum of their probabilities, how many are true).
    """
    own = setting(kind, index, rows)
    problem = make_sparse_regression(**own, signal=signal, root=ROOT, repetition=index)
    size = own["n_informative"] if kind == "known" else "auto"
    start = time.perf_counter()
    model = ProjectedSTG(size, fit_intercept=False).fit(problem.X, problem.y)
    seconds = time.perf_counter() - start
    stated, where = model.inclusion_probability_, binned(model.inclusion_probability_)
    return {
        "n": own["n_samples"],
        "K": own["n_informative"],
        "design": own["design"],
        "sigma": own["noise_std"],
        "stated": round(model.support_probability_, 5),
        "right": int(np.array_equal(model.support_, problem.support)),
        "size": int(model.support_.sum()),
        "columns": [
            [int(b), int(np.sum(where == b)), round(float(stated[where == b].sum()), 5),
             int(problem.support[where == b].sum())]
            for b in np.unique(where)
        ],
        "seconds": round(seconds, 4),
    }  # fmt: skip


def trials(kind, indices, signal, rows):
    return [trial(kind, index, signal, rows) for index in indices]


def commits(found):
    """The commits that a file's outcomes are from: those named in it, and the present one."""
    named = found["commit"].split(" + ") if "commit" in found else []
    return " + ".join(dict.fromkeys([*named, str(commit())]))


def run(path, repetitions, jobs, signal, rows):
    """Measure the problems that are not in the file, which is written every few hundred."""
    asked = {"root": ROOT, "signal": signal, "rows": list(rows)}
    found = json.loads(path.read_text("utf-8")) if path and path.exists() else {}
    if found and any(found[name] != value for name, value in asked.items()):
        raise SystemExit(
            f"{path} holds another run (signal {found['signal']}, rows {found['rows']}); move it."
        )
    found = {kind: [] for kind in KINDS} | found | asked
    found |= {"commit": commits(found), "time": now(), **about_machine()}
    with parallel_config("loky", inner_max_num_threads=1), Parallel(n_jobs=jobs) as parallel:
        for kind, first in [(k, i) for i in range(0, repetitions, SAVED_EVERY) for k in KINDS]:
            wanted = range(max(first, len(found[kind])), min(first + SAVED_EVERY, repetitions))
            blocks = [wanted[i : i + BLOCK] for i in range(0, len(wanted), BLOCK)]
            parts = parallel(delayed(trials)(kind, block, signal, rows) for block in blocks)
            found[kind] += [one for part in parts for one in part]
            if path and wanted:
                path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
                print(f"{KINDS[kind]}: {len(found[kind])} problems", flush=True)
    return found


def as_rows(problems, quantity):
    """(problem, bin, how many, sum stated, how many right), one for each bin a problem is in."""
    if quantity == "support":
        return np.asarray(
            [(i, binned(p["stated"]), 1, p["stated"], p["right"]) for i, p in enumerate(problems)]
        )
    return np.asarray([(i, *part) for i, p in enumerate(problems) for part in p["columns"]])


def reliability(problems, quantity):
    """One line a bin: problems, items, mean stated, observed, standard error, judged and right."""
    rows, lines = as_rows(problems, quantity), []
    for b in range(BINS):
        _, _, items, stated, right = rows[rows[:, 1] == b].T
        m, total = len(items), items.sum()
        line = {"low": b / BINS, "problems": m, "items": int(total)}
        if m:
            line |= bin_gap(items, stated, right)
            gap = abs(line["observed"] - line["stated"])
            line |= {"judged": m >= FEWEST, "ok": gap <= 0.05 + 2 * line["error"]}
        lines.append(line)
    return lines


def tables(found):
    """Print a table for each quantity and each kind of K, and what they come to."""
    print(
        f"signal {found['signal']}, N in {found['rows']}, commit {found['commit']}, {found['time']}"
    )
    for kind, title in KINDS.items():
        problems = found[kind]
        share = np.mean([p["right"] for p in problems])
        seconds = np.asarray([p["seconds"] for p in problems])
        print(
            f"\n{title}: {len(problems)} problems, {share:.3f} right; a fit took "
            f"{np.median(seconds):.2f} s (median), {seconds.max():.1f} s (most)"
        )
        for quantity in QUANTITIES:
            table(reliability(problems, quantity), QUANTITIES[quantity])


def table(lines, title):
    print(f"\n| {title} stated at | problems | stated | observed | standard error | within |")
    print("| --- | --- | --- | --- | --- | --- |")
    for line in lines:
        head = f"| {line['low']:.1f} … {line['low'] + 0.1:.1f} | {line['problems']} |"
        if line["problems"] == 0:
            print(f"{head}  |  |  |  |")
            continue
        verdict = ("yes" if line["ok"] else "NO") if line["judged"] else "few"
        print(
            f"{head} {line['stated']:.3f} | {line['observed']:.3f} | {line['error']:.3f} "
            f"| {verdict} |"
        )
    judged = [line for line in lines if line.get("judged")]
    gaps = [line["observed"] - line["stated"] for line in judged] or [float("nan")]
    print(
        f"\n{title}: {sum(not line['ok'] for line in judged)} of {len(judged)} judged bins are "
        f"off by more than 0.05 and two standard errors; the largest gap, observed less stated, "
        f"is {max(gaps, key=abs):+.3f}"
    )


def draw(found, target):
    """The reliability diagram: observed against stated, four panels, counts below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        4, 2, figsize=(8.6, 9.4), layout="constrained", height_ratios=(4, 1, 4, 1), sharex=True
    )
    for i, (quantity, what) in enumerate(QUANTITIES.items()):
        for j, (kind, title) in enumerate(KINDS.items()):
            lines = [e for e in reliability(found[kind], quantity) if e["problems"]]
            panel(axes[2 * i, j], lines)
            axes[2 * i, j].set_title(f"{what}, {title}", fontsize=10)
            counts(axes[2 * i + 1, j], lines)
    for axis in axes[::2, 0]:
        axis.set_ylabel("share that was right")
    for axis in axes[1::2, 0]:
        axis.set_ylabel("problems", fontsize=9)
    for axis in axes[3]:
        axis.set_xlabel("probability stated")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    figure.savefig(target, dpi=130)


def panel(axis, lines):
    axis.fill_between([0, 1], [-0.05, 0.95], [0.05, 1.05], color=SKY, alpha=0.25,
                      linewidth=0, label="stated ± 0.05")  # fmt: skip
    axis.plot([0, 1], [0, 1], color="0.35", linewidth=0.8)
    for is_judged, face in ((True, VERMILION), (False, "white")):
        own = [line for line in lines if line["judged"] == is_judged]
        name = f"{FEWEST} problems or more" if is_judged else "fewer problems"
        axis.errorbar([e["stated"] for e in own], [e["observed"] for e in own],
                      [2 * e["error"] for e in own], fmt="o", color=VERMILION,
                      markerfacecolor=face, markersize=6, elinewidth=1.2,
                      label=f"{name}, ± 2 standard errors")  # fmt: skip
    axis.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=np.linspace(0, 1, 6))
    axis.spines[["top", "right"]].set_visible(False)


def counts(axis, lines):
    middle, height = [e["low"] + 0.05 for e in lines], [e["problems"] for e in lines]
    axis.bar(middle, height, width=0.092, color=BLUE)
    for x, n in zip(middle, height, strict=True):
        axis.text(x, n, f"{n}", ha="center", va="bottom", fontsize=7.5)
    axis.set_ylim(0, 1.3 * max(height))
    axis.set_yticks([])
    axis.spines[["top", "right", "left"]].set_visible(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=2000, help="problems of each kind")
    parser.add_argument("--signal", choices=("signs", "normal", "decaying"), default="signs")
    parser.add_argument("--rows", type=int, nargs=2, default=(20, 80), help="range of N")
    parser.add_argument("--json", type=Path, help="where the outcomes are written, and read again")
    parser.add_argument("--draw", type=Path, help="only read the file, print, and draw this figure")
    options = parser.parse_args()
    if options.draw:
        found = json.loads(options.json.read_text("utf-8"))
        draw(found, options.draw)
    else:
        found = run(options.json, options.repetitions, options.jobs, options.signal, options.rows)
    tables(found)


if __name__ == "__main__":
    main()
