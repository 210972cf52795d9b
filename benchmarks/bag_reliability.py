"""Do stated probabilities hold over a bag of worlds, and in each world?

    python benchmarks/bag_reliability.py --jobs 2 --json bag.jsonl
    python benchmarks/bag_reliability.py --json bag.jsonl --draw how_sure.png

The second command prints the tables and draws the figure from the file alone.

    python benchmarks/bag_reliability.py --world signs --common-size 1 --json signs.jsonl

measures one world alone, here with another weight of effects of a common size.

    python benchmarks/bag_reliability.py --repetitions 100 --json after.jsonl
    PYTHONPATH=OLD/src python benchmarks/bag_reliability.py --repetitions 100 --json before.jsonl
    python benchmarks/bag_reliability.py --json after.jsonl --before before.jsonl

compares the times of the fits with those of a checkout of an earlier commit, on the same problems
(``--columns 10``: narrow tables).

Every problem of ``worlds.py`` is asked twice: with K given, and with K from the data, where there
may be no effect at all. Three statements are judged: that a column belongs (``inclusion``, a miss
beyond 0.07), that the support is exactly this (``exactly``, beyond 0.10), and that all selected
columns belong (``all belong``, beyond 0.07; where the model states it). Problems are fresh: none
was used to choose a setting. ``--choosing`` takes the others instead, for trying settings, such as
another weight of effects of a common size. Outcomes are added to the file as they come, with the
commit, and a run that was stopped goes on.
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from worlds import (
    BAGS,
    FRESH,
    STATEMENTS,
    add_outcomes,
    drawn,
    in_bins,
    in_one_bin,
    print_table,
    reliability,
    rows_in,
    weigh_common_size,
    world_of,
)

from projstg import ProjectedSTG
from projstg.render.palette import BLUE, GREY_7, OTHER, SKY, VERMILION

KINDS = ("given", "free")
WORLDS = [world.__name__ for worlds, _ in BAGS.values() for world in worlds]
DESIGNS = [design["design"] for _, designs in BAGS.values() for design in designs]
PANELS = {
    ("inclusion", "given"): "a column,\nK given",
    ("exactly", "given"): "exactly these,\nK given",
    ("inclusion", "free"): "a column,\nK from the data",
    ("exactly", "free"): "exactly these,\nK from the data",
    ("all belong", "free"): "all of these belong,\nK from the data",
}


def trial(bag, kind, index, columns, common_size):
    """One problem: what was stated, in bins, and what was true."""
    if common_size is not None:
        weigh_common_size(common_size)
    most = 12 if columns is None else columns // 2
    least = 1 if kind == "given" else 0
    world, problem = drawn(bag, index, least, most, n_features=columns)
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


def run(path, indices, world, jobs, columns, common_size):
    """Measure what is not in the file yet; of the held-back bag half as many problems.

    Problems are those of one world, or of all if it is None.
    """
    done = {(r["bag"], r["kind"], r["index"]) for r in rows_in(path)}
    asked = [
        (bag, kind, index, columns, common_size)
        for i, index in enumerate(indices)
        for bag in BAGS
        for kind in KINDS
        if (bag, kind, index) not in done
        and (bag == "bag" or i < len(indices) // 2)
        and world in (None, world_of(bag, index).__name__)
    ]
    add_outcomes(path, trial, asked, jobs)


def show(rows):
    """Print a table for each bag, kind and statement, and two lines about each world."""
    print("commits:", ", ".join(sorted({row["commit"] for row in rows})))
    for bag in BAGS:
        for kind in KINDS:
            own = [row for row in rows if (row["bag"], row["kind"]) == (bag, kind)]
            if not own:
                continue
            seconds = np.median([row["seconds"] for row in own])
            print(f"\n{bag}, K {kind}: {len(own)} problems, a fit took {seconds:.3f} s (median)")
            print(f"  exactly right: {_right(own)}")
            for name in STATEMENTS:
                if name in own[0]:
                    print_table(name, reliability([row[name] for row in own], name))
                    _by_group(name, own, "world", WORLDS)
                    _by_group(name, own, "design", DESIGNS)
            if kind == "free":
                _none_and_some(own)


def grouped(rows, key, names):
    """The rows of each world or design."""
    own = {name: [row for row in rows if row[key] == name] for name in names}
    return {name: found for name, found in own.items() if found}


def _right(rows):
    groups = {"all": rows} | grouped(rows, "world", WORLDS)
    return ", ".join(
        f"{name} {np.mean([row['exactly'][0][3] for row in own]):.3f}"
        for name, own in groups.items()
    )


def _by_group(name, rows, key, names):
    words = []
    for one, own in grouped(rows, key, names).items():
        judged = [line for line in reliability([r[name] for r in own], name) if line["judged"]]
        gaps = [line["stated"] - line["observed"] for line in judged] or [float("nan")]
        words.append(f"{one} {max(gaps):+.2f} {min(gaps):+.2f}")
    print(f"   most over- and understated in one {key}: {', '.join(words)}")


def _none_and_some(rows):
    """Print how sure "exactly" is apart for where no column was selected."""
    some = [row for row in rows if row["size"]]
    for word, own in (("none", [row for row in rows if not row["size"]]), ("some", some)):
        lines = reliability([row["exactly"] for row in own], "exactly")
        print_table(f"exactly, where {word} were selected", lines)
    _sure_by_world(some)


def _sure_by_world(rows):
    """Print how sure "exactly" is in each world, between 0.6 and 0.9, where bins have few cases."""
    for world, own in grouped(rows, "world", WORLDS).items():
        said = np.asarray([row["exactly"][0][2:] for row in own])
        said = said[(said[:, 0] >= 0.6) & (said[:, 0] < 0.9)]
        if len(said):
            stated, right = said.mean(axis=0)
            print(f"   {world}: {len(said)} stated at {stated:.2f}, right {right:.2f}")


def show_times(before, after):
    """Print how many times as long the fits of ``after`` took, on the problems of both."""
    earlier = {(r["bag"], r["kind"], r["index"]): r["seconds"] for r in before}
    for kind in KINDS:
        own = [r for r in after if r["kind"] == kind and (r["bag"], kind, r["index"]) in earlier]
        for d in sorted({r["d"] for r in own}):
            new = np.asarray([r["seconds"] for r in own if r["d"] == d])
            old = np.asarray([earlier[r["bag"], kind, r["index"]] for r in own if r["d"] == d])
            print(
                f"K {kind}, D = {d}: {new.size} problems, {old.sum():.1f} s before, "
                f"{new.sum():.1f} s after: {new.sum() / old.sum():.2f} times; "
                f"medians {np.median(old):.3f} s, {np.median(new):.3f} s"
            )


def draw(rows, target):
    """What was stated against what was right: a row of panels for each bag and each world."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    groups = {}
    for bag in BAGS:
        own = [row for row in rows if row["bag"] == bag]
        groups |= {f"all of {bag}": own} | grouped(own, "world", WORLDS)
    figure, axes = plt.subplots(
        len(groups), len(PANELS), figsize=(9.5, 1.75 * len(groups)),
        sharex=True, sharey=True, layout="constrained",
    )  # fmt: skip
    for i, (group, own) in enumerate(groups.items()):
        for axis, (name, kind) in zip(axes[i], PANELS, strict=True):
            asked = [row[name] for row in own if row["kind"] == kind]
            _panel(axis, reliability(asked, name), STATEMENTS[name][0])
        axes[i, 0].set_ylabel(group.replace("_", " "), fontsize=10)
    for axis, title in zip(axes[0], PANELS.values(), strict=True):
        axis.set_title(title, fontsize=10)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    figure.supxlabel("probability stated", fontsize=10)
    figure.supylabel("share that was right", fontsize=10)
    figure.savefig(target, dpi=130)


def _panel(axis, lines, tolerance):
    """A point for each bin, with two standard errors; hollow where there are few cases."""
    inside = np.asarray([0.0, 1.0])
    axis.fill_between(
        inside, inside - tolerance, inside + tolerance, color=SKY, alpha=0.25, linewidth=0,
        label="tolerance",
    )  # fmt: skip
    axis.plot(inside, inside, color=GREY_7, linewidth=0.8)
    kinds = {
        "enough cases": ([one for one in lines if one["judged"] and not one["miss"]], BLUE, BLUE),
        "a miss": ([one for one in lines if one["miss"]], VERMILION, VERMILION),
        "few cases": ([one for one in lines if not one["judged"]], OTHER, "white"),
    }
    for label, (own, colour, face) in kinds.items():
        axis.errorbar(
            [one["stated"] for one in own], [one["observed"] for one in own],
            yerr=[2.0 * one["error"] for one in own], fmt="o", markersize=3.6, color=colour,
            markerfacecolor=face, linewidth=0.9, label=label,
        )  # fmt: skip
    axis.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="outcomes, one line a problem")
    parser.add_argument("--repetitions", type=int, default=2400, help="problems of the bag")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--choosing", action="store_true", help="problems for choosing settings")
    parser.add_argument("--world", help="only problems of this world")
    parser.add_argument("--columns", type=int, help="of each table, instead of 24 or 64")
    parser.add_argument("--before", type=Path, help="only compare the times with this file's")
    parser.add_argument("--common-size", type=float, help="weight of effects of a common size")
    parser.add_argument("--draw", type=Path, help="only read the file, print, and draw this figure")
    options = parser.parse_args()
    if options.draw is None and options.before is None:
        n = options.repetitions
        indices = range(FRESH)[:n] if options.choosing else range(FRESH, FRESH + n)
        run(
            options.json,
            indices,
            options.world,
            options.jobs,
            options.columns,
            options.common_size,
        )
    rows = rows_in(options.json)
    if options.before is not None:
        show_times(rows_in(options.before), rows)
        return
    show(rows)
    if options.draw is not None:
        draw(rows, options.draw)


if __name__ == "__main__":
    main()
