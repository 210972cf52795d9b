"""What ProjectedSTG finds and what it costs, through the public class, beside abess.

    python benchmarks/search.py cells [--repetitions 200]    the cells of the paper's figures
    python benchmarks/search.py ablation                     what gates, search and evidence add
    python benchmarks/search.py path                         K alone against K along a path
    python benchmarks/search.py amplitudes                   coefficients that are not ±1
    python benchmarks/search.py wide | tall                  D = 1000, 10⁵ columns, 10⁵ rows

(needs the extra `peers`: make setup). A *statistical* failure returns a support that scores
better than the truth, an *optimisation* failure one that scores worse. The limit is the share of
problems in which no support found in the run, by any method in it, scores better than the truth.
No method fits an intercept.
"""

import argparse
from dataclasses import replace
from time import perf_counter

import numpy as np
from problems import draw

from projstg import Gates, ProjectedSTG, fit_many
from projstg._core.data.standard_table import as_tables
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.search.best_support import refine
from projstg._core.search.search_settings import SEARCH

ROOT = 404
SMALL = [
    *(("gaussian", s, n, 10) for s in (0.5, 1.0) for n in (25, 30, 35, 40, 45, 50, 60)),
    *(("gaussian", s, 40, k) for s in (0.5, 1.0) for k in (2, 4, 6, 8, 12)),
    *((d, s, n, 10) for d in ("bernoulli", "toeplitz") for s in (0.5, 1.0) for n in (30, 40, 50)),
]
LARGE_K = [("gaussian", s, 40, k) for s in (0.5, 1.0) for k in (14, 16, 20, 25)]
HOPELESS = [("gaussian", s, 20, 10) for s in (0.5, 1.0)]


def abess_support(X, y, k):
    from abess import LinearRegression

    return np.flatnonzero(LinearRegression(support_size=k, fit_intercept=False).fit(X, y).coef_)


def fitted(X, y, k, criterion="common-size", **params):
    params["criterion"] = criterion
    return ProjectedSTG(k, fit_intercept=False, **params).fit(X, y).get_support(indices=True)


def scores(X, y, supports, criterion):
    """The criterion's score of each support, lower is better; infinite for one of a wrong size."""
    problem = as_tables(X[None], y[None], centre=False).problem(0)
    k = len(supports[0])
    valid = np.asarray([len(support) == k for support in supports])
    kept = np.asarray([s for s, is_valid in zip(supports, valid, strict=True) if is_valid])
    found = np.full(len(supports), np.inf)
    found[valid] = support_scores(problem, kept, CRITERIA[criterion])
    return found


class Tally:
    """Counts of one method under the criterion it is judged by."""

    def __init__(self, criterion):
        self.criterion, self.right, self.worse, self.better, self.seconds = (
            criterion,
            [],
            [],
            [],
            [],
        )

    def add(self, support, truth, score, true_score, seconds):
        tolerance = 1e-7 * (1.0 + abs(true_score))
        self.right.append(np.array_equal(support, truth))
        self.worse.append(score > true_score + tolerance)
        self.better.append(score < true_score - tolerance)
        self.seconds.append(seconds)


def compare(problems, k, methods):
    """Run methods, name → (criterion, fit), on the same problems; tallies and limits."""
    tallies = {name: Tally(criterion) for name, (criterion, _) in methods.items()}
    at_best = {criterion: [] for criterion in CRITERIA}
    for X, y, mask in problems:
        truth = np.flatnonzero(mask)
        found, seconds = {}, {}
        for name, (_, fit) in methods.items():
            start = perf_counter()
            found[name] = fit(X, y, k)
            seconds[name] = perf_counter() - start
        for criterion, best in at_best.items():
            true_score, *others = scores(X, y, [truth, *found.values()], criterion)
            best.append(min(others) >= true_score - 1e-7 * (1.0 + abs(true_score)))
            for name, score in zip(found, others, strict=True):
                if tallies[name].criterion == criterion:
                    tallies[name].add(found[name], truth, score, true_score, seconds[name])
    return tallies, {criterion: np.mean(best) for criterion, best in at_best.items()}


PUBLIC = {
    "abess": ("least-squares", abess_support),
    "common-size": ("common-size", fitted),
    "evidence": ("evidence", lambda X, y, k: fitted(X, y, k, criterion="evidence")),
    "least-squares": (
        "least-squares",
        lambda X, y, k: fitted(X, y, k, criterion="least-squares"),
    ),
}


def show(label, tallies, limits):
    base = np.median(tallies["abess"].seconds) if "abess" in tallies else None
    print(label)
    for name, tally in tallies.items():
        times = f"{1e3 * np.median(tally.seconds):8.2f} ms"
        if base is not None and name != "abess":
            times += f" = {np.median(tally.seconds) / base:5.1f}× abess"
        print(
            f"    {name:42s} right {np.mean(tally.right):.3f}  "
            f"limit {limits[tally.criterion]:.3f}  statistical {np.mean(tally.better):.3f}  "
            f"optimisation {np.mean(tally.worse):.3f}  {times}",
            flush=True,
        )


def cells(repetitions):
    """For each group of cells: pooled optimisation failures and the distance to the limit."""
    for title, group in (("K ≤ 12, N ≥ 25", SMALL), ("K ≥ 14", LARGE_K), ("N = 20", HOPELESS)):
        pooled = {name: [] for name in PUBLIC}
        gaps = {name: [] for name in PUBLIC}
        for design, sigma, n, k in group:
            problems = (draw(ROOT, sigma, n, k, r, design=design) for r in range(repetitions))
            tallies, limits = compare(problems, k, PUBLIC)
            show(f"{design} sigma={sigma} N={n} K={k}", tallies, limits)
            for name, tally in tallies.items():
                pooled[name].append(np.mean(tally.worse))
                gaps[name].append(limits[tally.criterion] - np.mean(tally.right))
        print(f"== {title}: optimisation failures pooled, worst cell; mean distance to the limit")
        for name in PUBLIC:
            print(
                f"    {name:32s} {np.mean(pooled[name]):.4f}  {max(pooled[name]):.3f}  "
                f"{np.mean(gaps[name]):.3f}",
                flush=True,
            )


def path(repetitions):
    """Whether K asked alone and K at the end of 1..K give the same support."""
    from abess import LinearRegression

    for sigma, n in ((0.5, 40), (1.0, 40)):
        differ = {"projstg": 0, "abess": 0}
        for r in range(repetitions):
            X, y, _ = draw(ROOT + 1, sigma, n, 10, r)
            model = ProjectedSTG(1)
            for k in range(1, 11):
                along = model.set_params(n_features_to_select=k).fit(X, y)
            differ["projstg"] += not np.array_equal(
                along.support_, ProjectedSTG(10).fit(X, y).support_
            )
            sizes = list(range(1, 11))
            by_path = LinearRegression(path_type="seq", support_size=sizes, ic_type="aic").fit(X, y)
            if np.count_nonzero(by_path.coef_) == 10:
                alone = LinearRegression(support_size=10).fit(X, y)
                differ["abess"] += not np.array_equal(by_path.coef_ != 0, alone.coef_ != 0)
        print(
            f"sigma={sigma} N={n}, {repetitions} problems: different supports {differ}", flush=True
        )


def amplitudes(repetitions):
    """Evidence against least squares where coefficients are not ±1."""
    methods = {name: PUBLIC[name] for name in ("common-size", "evidence", "least-squares")}
    for signal, options in (("decaying", {"decay": 0.9}), ("normal", {})):
        for sigma in (0.1, 0.25, 0.5, 1.0):
            for n in (30, 40, 60):
                problems = (
                    draw(ROOT + 2, sigma, n, 10, r, signal=signal, **options)
                    for r in range(repetitions)
                )
                tallies, limits = compare(problems, 10, methods)
                rates = {name: np.mean(tally.right) for name, tally in tallies.items()}
                hits = {name: np.asarray(tally.right) for name, tally in tallies.items()}
                only = {
                    f"{one} and not {other}": int(np.sum(hits[one] & ~hits[other]))
                    for one in hits
                    for other in hits
                    if one != other
                }
                print(f"{signal} sigma={sigma} N={n}: {rates} {only} limits {limits}", flush=True)


def wide(repetitions):
    """D = 1000 and a hundred thousand columns."""
    settings = [
        ("iid, SNR 10", (100, 15, 1000), {"snr": 10}),
        ("AR(1) 0.9, SNR 10", (150, 20, 1000), {"snr": 10, "design": "toeplitz", "rho": 0.9}),
    ]
    methods = {name: PUBLIC[name] for name in ("abess", "evidence")}
    for label, (n, k, d), options in settings:
        problems = (draw(ROOT + 3, None, n, k, r, d, **options) for r in range(repetitions))
        show(f"D={d} N={n} K={k} {label}", *compare(problems, k, methods))
    problems = (draw(ROOT + 4, None, 500, 30, r, 100_000, snr=10) for r in range(3))
    show("D=100000 N=500 K=30 iid, SNR 10", *compare(problems, 30, methods))


def tall(repetitions):
    """A hundred thousand rows."""
    correlated = {"design": "toeplitz", "rho": 0.5}
    for r in range(min(repetitions, 2)):
        X, y, mask = draw(ROOT + 5, None, 100_000, 50, r, 1000, snr=1, **correlated)
        for name in ("abess", "evidence"):
            start = perf_counter()
            found = PUBLIC[name][1](X, y, 50)
            right = np.array_equal(found, np.flatnonzero(mask))
            print(f"N=100000 D=1000 K=50 {name}: right {right}, {perf_counter() - start:.1f} s")


ABLATION = [
    *(("gaussian", 0.5, n, 10) for n in (25, 30, 40)),
    *(("gaussian", 1.0, n, 10) for n in (30, 40)),
    ("gaussian", 0.5, 40, 16),
]


def ablation(repetitions):
    """What the gates, the search and the evidence add, each under both criteria."""
    for design, sigma, n, k in ABLATION:
        problems = [draw(ROOT + 6, sigma, n, k, r, design=design) for r in range(repetitions)]
        X, y, _ = (np.stack(part) for part in zip(*problems, strict=True))
        gates = Gates(expectation="monte-carlo")
        sampled = fit_many(X, y, k, gates=gates, refine=False, fit_intercept=False)
        of = {
            rows.tobytes(): np.flatnonzero(own)
            for rows, own in zip(X, sampled.support, strict=True)
        }
        methods = {
            "abess": PUBLIC["abess"],
            "gates, Algorithm 1": ("evidence", lambda X, y, k, of=of: of[X.tobytes()]),
            "gates, plain exact": (
                "evidence",
                lambda X, y, k: fitted(X, y, k, refine=False, gates=Gates(warm_up=False)),
            ),
            "gates, exact": ("evidence", lambda X, y, k: fitted(X, y, k, refine=False)),
        }
        for criterion in CRITERIA:
            methods |= searches(criterion)
        show(f"{design} sigma={sigma} N={n} K={k}", *compare(problems, k, methods))


def searches(criterion):
    """From one descent to the whole search, under one criterion."""

    def one_start(X, y, k):
        return fitted(X, y, k, criterion=criterion, n_starts=1)

    def random_starts(X, y, k, n=100):
        problem = as_tables(X[None], y[None], centre=False).problem(0)
        generator, settings = np.random.default_rng([0, k]), replace(SEARCH, first_round=n)
        options = {"criterion": criterion, "n_starts": n, "settings": settings}
        return refine(problem, k, generator=generator, **options).support

    def no_gates(X, y, k):
        problem = as_tables(X[None], y[None], centre=False).problem(0)
        generator = np.random.default_rng([0, k])
        return refine(problem, k, generator=generator, criterion=criterion).support

    def everything(X, y, k):
        return fitted(X, y, k, criterion=criterion)

    stages = {
        "gates + descent": one_start,
        "100 random starts + descent": random_starts,
        "search without gates": no_gates,
        "everything": everything,
    }
    return {f"{name}, {criterion}": (criterion, fit) for name, fit in stages.items()}


def main():
    jobs = {job.__name__: job for job in (cells, ablation, path, amplitudes, wide, tall)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=jobs)
    parser.add_argument("--repetitions", type=int, default=200)
    options = parser.parse_args()
    jobs[options.job](options.repetitions)


if __name__ == "__main__":
    main()
