"""Is the sampled posterior the exact one? All supports of 16 columns are scored to compare.

    python benchmarks/posterior_accuracy.py --jobs 2 --problems 400

Fresh problems of ``worlds.py`` with D = 16, from hopeless to easy, with K given and with K from the
data (``--choosing``: those on which settings may be chosen).
The posterior is computed twice: from all supports (up to 65 536), and as on larger tables, from the
supports a search finds, those around them, and chains of draws. Shown are the largest error of an
inclusion probability in each problem, and how often the stated Monte Carlo error, doubled, covers
the true one, over columns whose probability is between 0.01 and 0.99.
"""

import argparse
from dataclasses import replace
from time import perf_counter

import numpy as np
from worlds import FRESH, drawn, in_parallel

from projstg._core.data.standard_table import as_tables
from projstg._core.pipeline.largest_size import largest_size
from projstg._core.pipeline.size_ladder import ladder
from projstg._core.posterior.drawing import drawn as with_draws
from projstg._core.posterior.exploration import counted_around, every_support
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.posterior.target import target
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.prior import size_prior
from projstg._core.search.best_support import refine
from projstg._core.search.search_settings import SEARCH

D = 16
# The search may not score all supports either: then there would be nothing to sample.
SEARCHED = replace(SEARCH, n_enumerable=0)


def trial(kind, index, settings):
    """Exact and sampled probabilities of one problem."""
    _, problem = drawn("bag", index, least=1 if kind == "given" else 0, most=8, n_features=D)
    k, data = int(problem.support.sum()), as_tables(problem.X[None], problem.y[None]).problem(0)
    none = np.zeros(D, dtype=bool)
    least, most = (k, k) if kind == "given" else (0, largest_size(data, D))
    most = min(most, len(problem.y) - 3)
    limits = {"always": none, "settings": settings}
    if k > most:
        return None
    prior = size_prior(min(least, most), most, D)
    criterion = CRITERIA["common-size"]
    own = target(data, criterion, prior, **limits)
    exact = every_support(own)
    if kind == "given":
        generator = np.random.default_rng([0, k])
        found = refine(data, k, generator=generator, criterion="common-size", settings=SEARCHED)
        found = [found.ranked]
    else:
        found = ladder(own, 0).found
    start = perf_counter()
    sampled = counted_around(own, found)
    counted = perf_counter()
    sampled = with_draws(sampled, index)
    end = perf_counter()
    best = exact.likeliest
    truth, stated = exact.about(best), sampled.about(best)
    off, error = stated.inclusion - truth.inclusion, stated.inclusion_error
    open_ = (truth.inclusion > 0.01) & (truth.inclusion < 0.99)
    return {
        "worst": float(np.abs(off).max()),
        "covered": float(np.mean(np.abs(off[open_]) < 2.0 * error[open_])) if open_.any() else None,
        "n": int(open_.sum()),
        "exactly": stated.exactly - truth.exactly,
        "belong": stated.all_belong - truth.all_belong,
        "sizes": float(np.abs(stated.sizes - truth.sizes).max()),
        "same": bool(np.array_equal(best, sampled.likeliest)),
        "stated": stated.accuracy.largest_error,
        "seconds": (counted - start, end - counted),
        "draws": stated.accuracy.n_draws,
        "index": index,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--choosing", action="store_true", help="problems for choosing settings")
    parser.add_argument("--worst", action="store_true", help="name the worst problems")
    options = parser.parse_args()
    first = 0 if options.choosing else FRESH
    for kind in ("given", "free"):
        questions = [(kind, first + i, POSTERIOR) for i in range(options.problems)]
        rows = in_parallel(trial, questions, options.jobs)
        rows = [row for row in rows if row is not None]
        worst = np.asarray([row["worst"] for row in rows])
        n = np.asarray([row["n"] for row in rows])
        covered = np.asarray([row["covered"] or 0.0 for row in rows])
        seconds = np.asarray([row["seconds"] for row in rows])
        print(f"K {kind}: {len(rows)} problems")
        print(f"  largest error at most 0.03 in {np.mean(worst <= 0.03):.3f} of them;", end=" ")
        print("quantiles", np.quantile(worst, [0.5, 0.9, 0.95, 0.99, 1.0]).round(3))
        print(f"  two stated errors cover the true one in {np.sum(covered * n) / n.sum():.3f}")
        for name in ("exactly", "belong", "sizes"):
            off = np.abs([row[name] for row in rows])
            print(f"  {name}: off by", np.quantile(off, [0.5, 0.95, 1.0]).round(3))
        print(f"  likeliest support the same in {np.mean([row['same'] for row in rows]):.3f}")
        print("  seconds to count, to sample:", seconds.mean(axis=0).round(4), end="; ")
        print("draws", np.quantile([row["draws"] for row in rows], [0.5, 0.9, 1.0]))
        if options.worst:
            for i in np.argsort(-worst)[:8]:
                print("   ", {key: rows[i][key] for key in ("index", "worst", "stated", "draws")})


if __name__ == "__main__":
    main()
