"""How often is the support right when nobody knows its size? The default beside other methods.

    python benchmarks/unknown_size.py --jobs 2 --json docs/choosing_k.json
    python benchmarks/unknown_size.py --json docs/choosing_k.json --draw docs/choosing_k.png

The second command prints the tables and draws the figure from the file alone. A run that was
stopped goes on from the cells in its file.

The paper's designs, D = 64: K = 10 coefficients ±1, N = 40 … 100, σ = 0.5 and 1; and K = 0, where y
is noise and the right answer is no column. No method fits an intercept, all see the same problems.

    auto         ProjectedSTG(), nothing else said
    auto, EBIC   the same search, the size by EBIC
    abess EBIC   abess's default criterion; over the sizes 0 … 18 and over the sizes it takes by
    abess GIC    itself, the better of the two in each cell
    LassoCV      five folds
    LARS BIC     LassoLarsIC(criterion="bic"), told the true σ² (with N ≤ D it asks for one)
    OMP-CV       OrthogonalMatchingPursuitCV, five folds, up to 18 columns (by itself it stops at 6)
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_config

from projstg import ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import about_machine, commit, now
from projstg.render.palette import BLACK, BLUE, GREEN, GREY_7, ORANGE, ROSE, VERMILION

ROOT, D, K, MOST = 20261117, 64, 10, 18
DESIGNS = ("gaussian", "bernoulli", "toeplitz")
OURS = ("auto", "auto, EBIC")
PEERS = ("abess EBIC", "abess GIC", "LassoCV", "LARS BIC", "OMP-CV")
BLOCK = 5


def cells():
    """(design, K, σ, N), the noise alone last."""
    signal = [(d, K, s, n) for d in DESIGNS for s in (0.5, 1.0) for n in (40, 50, 60, 80, 100)]
    return signal + [(d, 0, 1.0, n) for d in DESIGNS for n in (40, 100)]


def by_projstg(**settings):
    return lambda sigma: ProjectedSTG(fit_intercept=False, **settings)


def by_abess(criterion, sizes):
    def make(sigma):
        from abess import LinearRegression

        return LinearRegression(support_size=sizes, ic_type=criterion, fit_intercept=False)

    return make


def by_sklearn(name, **settings):
    def make(sigma):
        import sklearn.linear_model

        if name == "LassoLarsIC":
            settings["noise_variance"] = sigma**2
        return getattr(sklearn.linear_model, name)(fit_intercept=False, **settings)

    return make


SIZES = list(range(MOST + 1))
METHODS = {
    "auto": by_projstg(),
    "auto, EBIC": by_projstg(selection="ebic"),
    "abess EBIC, 0 … 18": by_abess("ebic", SIZES),
    "abess EBIC, its sizes": by_abess("ebic", None),
    "abess GIC, 0 … 18": by_abess("gic", SIZES),
    "abess GIC, its sizes": by_abess("gic", None),
    "LassoCV": by_sklearn("LassoCV", cv=5, max_iter=10_000),
    "LARS BIC": by_sklearn("LassoLarsIC", criterion="bic"),
    "OMP-CV": by_sklearn("OrthogonalMatchingPursuitCV", cv=5, max_iter=MOST),
}


def trials(cell, repetitions, methods):
    """{method: [(exact, size, seconds), ...]} for some repetitions of a cell."""
    warnings.simplefilter("ignore")  # methods that do not converge are judged by what they return
    design, k, sigma, n = cell
    rows = {name: [] for name in methods}
    for r in repetitions:
        problem = make_sparse_regression(
            n, D, k, design=design, noise_std=sigma, root=ROOT, repetition=r
        )
        for name in methods:
            start = time.perf_counter()
            coef = METHODS[name](sigma).fit(problem.X, problem.y).coef_
            seconds = time.perf_counter() - start
            mask = np.ravel(coef) != 0.0
            rows[name].append((np.array_equal(mask, problem.support), int(mask.sum()), seconds))
    return rows


def measured(cell, repetitions, methods, parallel):
    """The record of a cell: for each method who was right, as a word of 0 and 1, and the sizes."""
    blocks = [range(i, min(i + BLOCK, repetitions)) for i in range(0, repetitions, BLOCK)]
    parts = parallel(delayed(trials)(cell, block, methods) for block in blocks)
    record = dict(zip(("design", "K", "sigma", "n"), cell, strict=True), methods={})
    for name in methods:
        exact, size, seconds = zip(*(row for part in parts for row in part[name]), strict=True)
        record["methods"][name] = {
            "exact": "".join(str(int(right)) for right in exact),
            "size": size,
            "seconds": round(float(np.median(seconds)), 5),
        }
    return record


def commits(found):
    """The commits that a file's outcomes are from: those named in it, and the present one."""
    named = found["commit"].split(" + ") if "commit" in found else []
    return " + ".join(dict.fromkeys([*named, str(commit())]))


def run(path, repetitions, jobs, methods, only):
    """Measure the cells that are not in the file, which is written after each."""
    asked = {"root": ROOT, "repetitions": repetitions, "methods": methods}
    found = json.loads(path.read_text("utf-8")) if path and path.exists() else {"cells": []} | asked
    if any(found[name] != value for name, value in asked.items()):
        raise SystemExit(f"{path} holds another run ({found['repetitions']} repetitions); move it.")
    found |= {"commit": commits(found), "time": now(), **about_machine()}
    done = {(c["design"], c["K"], c["sigma"], c["n"]) for c in found["cells"]}
    with parallel_config("loky", inner_max_num_threads=1), Parallel(n_jobs=jobs) as parallel:
        for cell in cells():
            if cell in done or (only and f"{cell[0]}-{cell[1]}-{cell[2]:g}-{cell[3]}" not in only):
                continue
            start = time.perf_counter()
            found["cells"].append(measured(cell, repetitions, methods, parallel))
            print(f"{cell} {time.perf_counter() - start:.0f} s", flush=True)
            if path:
                path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    return found


def outcomes(record):
    """{method: (exact, sizes)}; of abess's two ranges the one that was right more often."""
    own = {
        name: (np.asarray(list(m["exact"]), dtype=float), np.asarray(m["size"]))
        for name, m in record["methods"].items()
    }
    shown = {name: own[name] for name in OURS if name in own}
    for name in PEERS:
        ranges = [own[full] for full in own if full == name or full.startswith(f"{name}, ")]
        if ranges:
            shown[name] = max(ranges, key=lambda pair: pair[0].mean())
    return shown


def paired_z(ours, theirs):
    """The mean difference and how many of its standard errors it is away from zero."""
    gap = ours - theirs
    error = gap.std(ddof=1) / np.sqrt(gap.size)
    if gap.mean() == 0.0:
        return 0.0, 0.0
    return gap.mean(), gap.mean() / error if error > 0.0 else np.copysign(np.inf, gap.mean())


def tables(found):
    """Print both tables and their summaries."""
    records = sorted(found["cells"], key=lambda c: (c["K"] == 0, DESIGNS.index(c["design"])))
    signal, noise = ([c for c in records if (c["K"] == 0) == none] for none in (False, True))
    print(f"{found['repetitions']} problems a cell, commit {found['commit']}, {found['time']}")
    if signal:
        print(f"\nK = {K}: exact recovery of auto, and of the best peer in the cell")
        overview(signal)
        print(f"\nK = {K}: exact recovery (mean size)")
        comparison(signal)
    if noise:
        print("\nK = 0: share of runs that select anything (mean size)")
        pure_noise(noise)
    times = {name: [c["methods"][name]["seconds"] for c in records] for name in found["methods"]}
    shown = ", ".join(f"{name} {1e3 * np.median(t):.0f}" for name, t in times.items())
    print(f"\nmilliseconds a fit, median over the cells: {shown}")


def overview(records):
    """A line for each design and σ, a column for each N."""
    every_n = sorted({cell["n"] for cell in records})
    print(row(["design", "σ", *(f"N = {n}" for n in every_n)]))
    print(row(["---"] * (len(every_n) + 2)))
    lines = {}
    for cell in records:
        rates = {name: exact.mean() for name, (exact, _) in outcomes(cell).items()}
        best = max(rates[name] for name in PEERS if name in rates)
        line = lines.setdefault((cell["design"], f"{cell['sigma']:g}"), {})
        line[cell["n"]] = f"{rates['auto']:.2f}, {best:.2f}"
    for head, line in lines.items():
        print(row([*head, *(line.get(n, "") for n in every_n)]))


def comparison(records):
    names = list(outcomes(records[0]))
    peers = [name for name in names if name in PEERS]
    print(row(["design", "σ", "N", *names, "best peer", "auto less it", "z"]))
    print(row(["---"] * (len(names) + 6)))
    every = []
    for cell in records:
        shown = outcomes(cell)
        rates = [f"{exact.mean():.2f} ({size.mean():.1f})" for exact, size in shown.values()]
        against = {name: paired_z(shown["auto"][0], shown[name][0]) for name in peers}
        best = max(peers, key=lambda name: shown[name][0].mean())
        gap, z = against[best]
        every += [(z, name, cell) for name, (_, z) in against.items()]
        head = [cell["design"], f"{cell['sigma']:g}", str(cell["n"])]
        print(row([*head, *rates, best, f"{gap:+.2f}", f"{z:+.1f}"]))
    below = [entry for entry in every if entry[0] < -2.0]
    z, name, cell = min(every, key=lambda entry: entry[0])
    print(
        f"\nauto is more than two standard errors below a peer in {len(below)} of {len(every)} "
        f"comparisons ({len(records)} cells, {len(peers)} peers); the lowest z is {z:+.1f} "
        f"({name}; {cell['design']}, σ = {cell['sigma']:g}, N = {cell['n']})"
    )


def pure_noise(records):
    names = list(outcomes(records[0]))
    print(row(["design", "N", *names]))
    print(row(["---"] * (len(names) + 2)))
    for cell in records:
        shown = outcomes(cell).values()
        rates = [f"{1 - exact.mean():.2f} ({size.mean():.1f})" for exact, size in shown]
        print(row([cell["design"], str(cell["n"]), *rates]))
    shares = np.asarray([1.0 - outcomes(cell)["auto"][0].mean() for cell in records])
    print(
        f"\nauto selects something in {shares.mean():.1%} of the runs, "
        f"in the worst cell in {shares.max():.1%} (at most 5 % wanted)"
    )


def row(entries):
    return f"| {' | '.join(entries)} |"


# Okabe and Ito's colours, which the colour-blind can tell apart, and a marker each.
LOOKS = {
    "auto": (VERMILION, "o", "-", 2.4),
    "auto, EBIC": (ORANGE, "D", "--", 1.4),
    "abess EBIC": (BLACK, "P", "-", 1.2),
    "abess GIC": (GREY_7, "s", "--", 1.2),
    "LassoCV": (GREEN, "<", "-", 1.2),
    "LARS BIC": (BLUE, "v", "-", 1.2),
    "OMP-CV": (ROSE, "X", "-", 1.2),
}


def draw(found, target):
    """Recovery against N, a panel for each design and σ."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, 3, figsize=(9.5, 5.6), sharex=True, sharey=True, layout="constrained"
    )
    for axis, (sigma, design) in zip(
        axes.flat, [(s, d) for s in (0.5, 1.0) for d in DESIGNS], strict=True
    ):
        curves(axis, [c for c in found["cells"] if c["K"] and (c["sigma"], c["design"])
                      == (sigma, design)])  # fmt: skip
        axis.set_title(f"{design}, σ = {sigma:g}", fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="0.9")
        axis.set_ylim(-0.03, 1.03)
    figure.supxlabel("N", fontsize=10)
    figure.supylabel(f"exact recovery, {found['repetitions']} problems, ± one standard error",
                     fontsize=10)  # fmt: skip
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False,
                  fontsize=9)  # fmt: skip
    figure.savefig(target, dpi=130)


def curves(axis, records):
    records = sorted(records, key=lambda c: c["n"])
    n = [c["n"] for c in records]
    for name in outcomes(records[0]) if records else []:
        exact = np.asarray([outcomes(c)[name][0] for c in records])
        rate = exact.mean(axis=1)
        error = np.sqrt(rate * (1.0 - rate) / exact.shape[1])
        colour, marker, line, width = LOOKS[name]
        axis.errorbar(n, rate, error, color=colour, marker=marker, linestyle=line, label=name,
                      linewidth=width, markersize=5, elinewidth=0.8,
                      zorder=5 if name == "auto" else 3)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=150)
    parser.add_argument("--json", type=Path, help="where the outcomes are written, and read again")
    parser.add_argument("--draw", type=Path, help="only read the file, print, and draw this figure")
    parser.add_argument("--leave-out", nargs="+", choices=METHODS, default=[], metavar="METHOD")
    parser.add_argument("--only", nargs="+", help="cells such as gaussian-10-0.5-40", default=[])
    options = parser.parse_args()
    if options.draw:
        found = json.loads(options.json.read_text("utf-8"))
        draw(found, options.draw)
    else:
        methods = [name for name in METHODS if name not in options.leave_out]
        found = run(options.json, options.repetitions, options.jobs, methods, options.only)
    tables(found)


if __name__ == "__main__":
    main()
