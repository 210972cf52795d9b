"""How long a fit takes beside abess and LassoCV: medians of runs that take turns, and ratios.

    python benchmarks/speed.py                      every table but the last two
    python benchmarks/speed.py given paths          some of them
    python benchmarks/speed.py large monte-carlo

Needs the extra `peers` (make setup). For one thread set OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=1.
"Again and again" is abess called without turns: what others leave in the caches counts.
"""

import argparse
import os
import subprocess
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from problems import draw_many
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.utils.validation import validate_data

from projstg import STG, Gates, ProjectedSTG, fit_many
from projstg.datasets import make_sparse_regression
from projstg.experiments.machine import commit
from projstg.versions import kernel_in_words

CELLS = [(0.5, 45), (0.5, 55), (0.5, 60), (1.0, 60), (0.5, 40), (1.0, 40), (0.5, 25), (1.0, 25)]


def abess_fit(X, y, support_size, **options):
    from abess import LinearRegression

    return LinearRegression(support_size=support_size, **options).fit(X, y)


def interleaved(methods, problems, repeats=1):
    """Median seconds of each method over problems, the methods taking turns."""
    seconds = {name: [] for name in methods}
    for X, y in problems * repeats:
        for name, fit in methods.items():
            start = perf_counter()
            fit(X, y)
            seconds[name].append(perf_counter() - start)
    return {name: float(np.median(times)) for name, times in seconds.items()}


def show(label, methods, problems, repeats=1):
    """Print the medians as multiples of abess's, taking turns, and again and again."""
    interleaved(methods, problems[:2])  # tables are made and caches filled
    medians = interleaved(methods, problems, repeats)
    alone = interleaved({"abess": methods["abess"]}, problems, repeats)["abess"]
    base = medians.pop("abess")
    ratios = "  ".join(
        f"{name} {1e3 * value:.2f} ms {value / base:.1f}× ({value / alone:.1f}×)"
        for name, value in medians.items()
    )
    print(f"  {label}: abess {1e3 * base:.2f} ms ({1e3 * alone:.2f})  {ratios}", flush=True)


def given(k=10, n_problems=60):
    print(f"K given, D = 64, K = {k}; in brackets: abess again and again, and multiples of that")
    checked = ProjectedSTG(k)
    methods = {
        "abess": lambda X, y: abess_fit(X, y, k),
        "alone": lambda X, y: ProjectedSTG(k, probabilities=False).fit(X, y),
        "with probabilities": lambda X, y: ProjectedSTG(k).fit(X, y),
        "gates": lambda X, y: ProjectedSTG(k, refine=False).fit(X, y),
        "validation": lambda X, y: validate_data(checked, X, y, y_numeric=True),
    }
    for sigma, n in CELLS:
        X, y, _ = draw_many(5, sigma, n, k, n_problems)
        show(f"σ = {sigma}, N = {n}", methods, list(zip(X, y, strict=True)))


def lasso(X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LassoCV(cv=5).fit(X, y)


def paths():
    print("K from the data; abess over 0 … 30 by its default criterion, and LassoCV")
    methods = {
        "abess": lambda X, y: abess_fit(X, y, range(31)),
        "auto": lambda X, y: ProjectedSTG().fit(X, y),
        "LassoCV": lasso,
    }
    for n in (45, 55, 100):
        X, y, _ = draw_many(6, 0.5, n, 10, 20)
        show(f"D = 64, N = {n}", methods, list(zip(X, y, strict=True)))
    for n in (100, 200):
        show(f"D = 1000, N = {n}", methods, wide(n, 8))


def wide(n, n_problems, d=1000, k=10):
    found = [
        make_sparse_regression(n, d, k, noise_std=0.5, repetition=seed)
        for seed in range(n_problems)
    ]
    return [(one.X, one.y) for one in found]


def criteria():
    print("K by an information criterion, beside abess over 0 … 30 by the same")
    for name in ("ebic", "bic", "gic"):
        methods = {
            "abess": lambda X, y, name=name: abess_fit(X, y, range(31), ic_type=name),
            name: lambda X, y, name=name: ProjectedSTG(selection=name).fit(X, y),
        }
        X, y, _ = draw_many(7, 0.5, 55, 10, 10)
        show(f"{name}, D = 64, N = 55", methods, list(zip(X, y, strict=True)))
        show(f"{name}, D = 1000, N = 200", methods, wide(200, 3))


def tables():
    print("every support scored, milliseconds")
    rng = np.random.default_rng(0)
    for d in (5, 8, 10, 12):
        X = rng.standard_normal((20, 100, d))
        y = X[..., :3].sum(axis=-1) + rng.standard_normal((20, 100))
        methods = {
            "abess": lambda X, y, d=d: abess_fit(X, y, range(d + 1)),
            "auto": lambda X, y: ProjectedSTG().fit(X, y),
        }
        show(f"{d} columns", methods, list(zip(X, y, strict=True)))


def large():
    print("large tables, K given")
    rng = np.random.default_rng(0)
    for n, d, k in ((500, 100_000, 30), (100_000, 1000, 50)):
        X = rng.standard_normal((n, d))
        beta = np.zeros(d)
        beta[rng.choice(d, k, replace=False)] = 1.0
        y = X @ beta + 0.5 * rng.standard_normal(n)
        methods = {
            "abess": lambda X, y, k=k: abess_fit(X, y, k),
            "alone": lambda X, y, k=k: ProjectedSTG(k, probabilities=False).fit(X, y),
        }
        show(f"({n}, {d}, {k})", methods, [(X, y)], repeats=3)


FIRST = """
from time import perf_counter
import numpy as np
start = perf_counter()
import projstg
print(1e3 * (perf_counter() - start))
from projstg import ProjectedSTG
rng = np.random.default_rng(0)
X = rng.standard_normal((55, 64))
y = X[:, :10].sum(axis=1) + 0.5 * rng.standard_normal(55)
for _ in range(2):
    start = perf_counter()
    ProjectedSTG(10).fit(X, y)
    print(1e3 * (perf_counter() - start))
"""


def first():
    runs = [
        subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    times = np.median([[float(one) for one in run.stdout.split()] for run in runs], axis=0)
    print(
        f"import projstg {times[0]:.1f} ms; the first fit of a process {times[1]:.1f} ms, the "
        f"second {times[2]:.1f} ms"
    )


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


def many(k=10, n_problems=10_000):
    X, y, _ = draw_many(5, 0.5, 40, k, n_problems)
    few = n_problems // 10

    def rate_of(fit, n):
        start = perf_counter()
        fit()
        return n / (perf_counter() - start)

    def abess_loop():
        for one, target in zip(X[:few], y[:few], strict=True):
            abess_fit(one, target, k)

    # The machine changes its pace: abess runs before, between and after.
    peer, own = [rate_of(abess_loop, few)], {}
    for n_jobs in (1, 2):
        own[n_jobs] = rate_of(
            lambda n_jobs=n_jobs: fit_many(X, y, k, probabilities=False, n_jobs=n_jobs), n_problems
        )
        peer.append(rate_of(abess_loop, few))
    print(
        f"{n_problems} problems (N = 40, D = 64, K = {k}): abess in a loop "
        f"{', '.join(f'{one:.0f}' for one in peer)} a second"
    )
    for turn, (n_jobs, rate) in enumerate(own.items()):
        base = np.mean(peer[turn : turn + 2])
        print(f"  fit_many, n_jobs={n_jobs}: {rate:.0f} a second, {rate / base:.2f}×", flush=True)
    code = NUMPY.format(n_problems=few // 5, k=k)
    environment = {**os.environ, "PROJSTG_KERNEL": "0"}
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    print(f"  without the kernel: {float(found.stdout):.0f} a second", flush=True)


NUMPY = """
from time import perf_counter
from problems import draw_many
from projstg import fit_many
X, y, _ = draw_many(5, 0.5, 40, {k}, {n_problems})
start = perf_counter()
fit_many(X, y, {k}, probabilities=False)
print({n_problems} / (perf_counter() - start))
"""


PARTS = {
    "given": given,
    "paths": paths,
    "criteria": criteria,
    "tables": tables,
    "many": many,
    "first": first,
    "large": large,
    "monte-carlo": sampled_fits,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    wanted = parser.parse_args().parts or list(PARTS)[:-2]
    print(f"commit {commit()}, kernel: {kernel_in_words()}")
    for name in wanted:
        PARTS[name]()


if __name__ == "__main__":
    main()
