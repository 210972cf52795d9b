"""How well is a new response predicted: by the columns selected, by an average, by the lasso?

    python benchmarks/prediction.py --jobs 2 --json prediction.jsonl
    python benchmarks/prediction.py --json prediction.jsonl --show

Problems of the bags of :mod:`worlds`, and 1000 new rows of each. The *risk* is the mean square of
what was predicted less the signal, as a share of the signal's variance (problems without a signal
are left out). Shown beside it: how often the true columns were selected exactly, and F1, for either
decision, and how many new responses lie within the intervals at 90 %.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.linear_model import LassoCV
from worlds import EVERY_BAG, FRESH, add_outcomes, drawn, rows_in

from projstg import ProjectedSTG

N_NEW, LEVEL = 1000, 0.9
METHODS = ("likeliest", "median", "averaged", "lasso")


def f1(found, truth):
    """The harmonic mean of precision and recall; one where nothing is to be found, nor found."""
    total = found.sum() + truth.sum()
    return float(2.0 * np.sum(found & truth) / total) if total else 1.0


def trial(bag, index):
    """What each method makes of one problem."""
    world, problem = drawn(bag, index, least=0, n_new=N_NEW)
    X, y, new = problem.X[:-N_NEW], problem.y[:-N_NEW], problem.X[-N_NEW:]
    signal, truth = new @ problem.coef, problem.support
    row = {"bag": bag, "world": world, "index": index, "n": len(X), "d": X.shape[1]}
    noise = np.var(problem.y[-N_NEW:] - signal)
    row |= {"k": int(truth.sum()), "snr": float(np.var(signal) / noise)}
    models = {name: ProjectedSTG(decision=name).fit(X, y) for name in ("likeliest", "median")}
    first = models["likeliest"]
    predicted = {name: model.predict(new) for name, model in models.items()}
    predicted["averaged"] = first.predict(new, averaged=True)
    predicted["lasso"] = LassoCV(cv=5).fit(X, y).predict(new)
    variance = float(np.var(signal)) or np.nan
    row |= {name: float(np.mean((y_ - signal) ** 2) / variance) for name, y_ in predicted.items()}
    for name, model in models.items():
        row[f"{name} exact"] = bool(np.array_equal(model.support_, truth))
        row[f"{name} F1"] = f1(model.support_, truth)
    low, high = first.predict_interval(new, LEVEL).T
    row["covered"] = float(np.mean((low < problem.y[-N_NEW:]) & (problem.y[-N_NEW:] < high)))
    return row


def difference(rows, one, other):
    """The mean of a difference in risk, and in how many standard errors of pairs."""
    gap = np.asarray([row[one] - row[other] for row in rows])
    error = np.std(gap, ddof=1) / np.sqrt(gap.size) if gap.size > 1 else np.inf
    return f"{gap.mean():+.4f} ({gap.mean() / error:+.1f})"


def show(rows):
    """Print a line for each world, and for all of a bag."""
    for bag in EVERY_BAG:
        own = [row for row in rows if row["bag"] == bag]
        if not own:
            continue
        print(f"\n{bag}: {len(own)} problems; risk {', '.join(METHODS)}; averaged less the others")
        for world in (*(kind.__name__ for kind in EVERY_BAG[bag][0]), None):
            every = [row for row in own if world in (None, row["world"])]
            for word, least in (("", 0.0), (", ratio ≥ 2", 2.0)):
                few = [r for r in every if r["k"] and r["snr"] >= least]
                risks = "  ".join(f"{np.mean([r[name] for r in few]):.4f}" for name in METHODS)
                gaps = "  ".join(difference(few, "averaged", name) for name in METHODS if
                                 name != "averaged")  # fmt: skip
                print(f"  {world or 'all'}{word} ({len(few)}): {risks}   {gaps}")
            exact = ", ".join(
                f"{name} {np.mean([r[f'{name} exact'] for r in every]):.3f} exact, "
                f"F1 {np.mean([r[f'{name} F1'] for r in every]):.3f}"
                for name in ("likeliest", "median")
            )
            print(f"     {exact}; covered {np.mean([r['covered'] for r in every]):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="outcomes, one line a problem")
    parser.add_argument("--problems", type=int, default=1200, help="of the bag; half of each other")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--choosing", action="store_true", help="problems for choosing settings")
    parser.add_argument("--show", action="store_true", help="only read the file")
    options = parser.parse_args()
    if not options.show:
        known = {(row["bag"], row["index"]) for row in rows_in(options.json)}
        first = 0 if options.choosing else FRESH
        bags = [bag for bag in EVERY_BAG if bag != "held-back" or not options.choosing]
        questions = [
            (bag, first + index)
            for bag in bags
            for index in range(options.problems // (1 if bag == "bag" else 2))
            if (bag, first + index) not in known
        ]
        add_outcomes(options.json, trial, questions, options.jobs)
    show(rows_in(options.json))


if __name__ == "__main__":
    main()
