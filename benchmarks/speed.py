"""How long one fit takes beside one abess fit: medians of interleaved runs, as ratios.

python benchmarks/speed.py [--monte-carlo]      (needs the extra `peers`: make setup)
"""

import argparse
from time import perf_counter

import numpy as np
from problems import draw_many

from projstg import STG, Gates, ProjectedSTG, fit_many

CELLS = [(0.5, 45), (0.5, 60), (1.0, 60), (0.5, 40), (1.0, 40), (0.5, 25), (1.0, 25), (1.0, 20)]


def abess_fit(X, y, k):
    from abess import LinearRegression

    return LinearRegression(support_size=k).fit(X, y)


def interleaved(methods, problems, repeats=1):
    """Median seconds of each method over problems, the methods taking turns."""
    seconds = {name: [] for name in methods}
    for X, y in problems * repeats:
        for name, fit in methods.items():
            start = perf_counter()
            fit(X, y)
            seconds[name].append(perf_counter() - start)
    return {name: float(np.median(times)) for name, times in seconds.items()}


def single_fits(k=10, n_problems=60):
    methods = {
        "abess": lambda X, y: abess_fit(X, y, k),
        "gates, exact": lambda X, y: ProjectedSTG(k, refine=False).fit(X, y),
        "evidence": lambda X, y: ProjectedSTG(k).fit(X, y),
        "least squares": lambda X, y: ProjectedSTG(k, criterion="least-squares").fit(X, y),
    }
    print(f"one fit, D=64, K={k}: median ms of abess, then multiples of it")
    for sigma, n in CELLS:
        X, y, _ = draw_many(5, sigma, n, k, n_problems)
        pairs = list(zip(X, y, strict=True))
        interleaved(methods, pairs[:3])  # tables are made and caches filled
        medians = interleaved(methods, pairs)
        base = medians.pop("abess")
        ratios = "  ".join(f"{name} {value / base:6.1f}×" for name, value in medians.items())
        print(f"  sigma={sigma} N={n}:  abess {1e3 * base:.2f} ms  {ratios}", flush=True)


def sampled_fits(k=10):
    X, y, _ = draw_many(5, 0.5, 40, k, 3)
    sampled = {"gates": Gates(expectation="monte-carlo"), "refine": False}
    methods = {
        "abess": lambda X, y: abess_fit(X, y, k),
        "Algorithm 1": lambda X, y: ProjectedSTG(k, **sampled).fit(X, y),
        "STG": lambda X, y: STG(k, random_state=0).fit(X, y),
    }
    pairs = list(zip(X, y, strict=True))
    medians = interleaved(methods, pairs, repeats=3)
    alone = interleaved({"abess": methods["abess"]}, pairs, repeats=20)
    print(
        "one sampled fit at N=40, multiples of abess taking turns with it, and of abess on its own:"
    )
    for name in ("Algorithm 1", "STG"):
        ratios = [medians[name] / base["abess"] for base in (medians, alone)]
        print(f"  {name}: {ratios[0]:.0f}×, {ratios[1]:.0f}×", flush=True)


def many_fits(k=10, n_problems=100):
    X, y, _ = draw_many(5, 0.5, 40, k, n_problems)
    print(f"fit_many on {n_problems} problems at N=40, times faster than single fits:")
    for name, params in {
        "gates, exact": {"refine": False},
        "evidence": {},
        "Algorithm 1, 200 steps": {
            "refine": False,
            "gates": Gates(expectation="monte-carlo", max_iter=200),
        },
    }.items():
        times = {"many": [], "single": []}
        for _ in range(3):
            start = perf_counter()
            fit_many(X, y, k, **params)
            times["many"].append(perf_counter() - start)
            start = perf_counter()
            for one, target in zip(X, y, strict=True):
                ProjectedSTG(k, **params).fit(one, target)
            times["single"].append(perf_counter() - start)
        ratio = np.median(times["single"]) / np.median(times["many"])
        print(f"  {name}: {ratio:.1f}×", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--monte-carlo", action="store_true", help="also Algorithm 1 and STG")
    options = parser.parse_args()
    single_fits()
    many_fits()
    if options.monte_carlo:
        sampled_fits()


if __name__ == "__main__":
    main()
