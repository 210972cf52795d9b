"""Which columns do other methods find on the same problems, when nobody says how many there are?

    python benchmarks/beside_others.py --jobs 2 --json docs/beside_others.jsonl
    python benchmarks/beside_others.py --show docs/beside_others.jsonl

The second command prints the table of the README from the file alone. A run that was stopped goes
on where it was. All methods see the same 200 problems of each world, fitted one after the other:

    few rows      50 rows, 64 independent columns, ten effects ±1, σ = 1: Figure 1 of the paper
    many effects  300 rows, 100 columns, Toeplitz 0.5, 25 normal effects, of which many are too
                  small to see; SNR 6. (Knockoffs select none or at least ten columns.)
    neighbours    100 rows, 1000 columns, Toeplitz 0.7, the first five effects 1; SNR 6: a design of
                  Hastie, Tibshirani and Tibshirani on which the lasso is hard to beat

Each method chooses the number of columns as its package does by default, but for abess's range:

    projstg        ProjectedSTG()
    abess          LinearRegression(): EBIC; over all sizes up to half as many as rows, since those
                   it takes by itself end at eight where there are few rows
    LassoCV        LassoCV(): five folds
    relaxed lasso  λ and the share of the lasso by five folds, as in correlated.py; λ down to a
                   hundredth of the highest
    skglm, MCP     GeneralizedLinearEstimatorCV with MCPenalty, γ = 3: four folds, the same λ
    knockoffs      KnockoffSelector(LassoCV(), fdr=0.1): hidimstat's Gaussian knockoffs, differences
                   of lasso coefficients
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from correlated import relaxed_lasso_cv
from sklearn.linear_model import LassoCV
from table_peers import abess
from threadpoolctl import threadpool_limits
from worlds import add_outcomes, rows_in

from projstg import KnockoffSelector, ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.render.number_text import percent

ROOT, REPETITIONS, SURE = 20261118, 200, 0.95
# With a smaller λ a fit of skglm can take half a minute, and folds hardly ever choose it.
LEAST = 0.01
WORLDS = {
    "few rows": {"n_samples": 50, "noise_std": 1.0},
    "many effects": {
        "n_samples": 300, "n_features": 100, "n_informative": 25, "design": "toeplitz", "rho": 0.5,
        "signal": "normal", "snr": 6.0,
    },
    "neighbours": {
        "n_samples": 100, "n_features": 1000, "n_informative": 5, "design": "toeplitz", "rho": 0.7,
        "signal": "ones", "positions": "first", "snr": 6.0,
    },
}  # fmt: skip


def by_abess(X, y, seed):
    return abess("ebic", X.shape).fit(X, y).coef_ != 0.0


def by_mcp(X, y, seed):
    from skglm import GeneralizedLinearEstimatorCV
    from skglm.datafits import Quadratic
    from skglm.penalties import MCPenalty
    from skglm.solvers import AndersonCD

    parts = Quadratic(), MCPenalty(alpha=1.0, gamma=3.0), AndersonCD()
    return GeneralizedLinearEstimatorCV(*parts, eps=LEAST, random_state=seed).fit(X, y).coef_ != 0.0


def by_knockoffs(X, y, seed):
    return KnockoffSelector(LassoCV(), fdr=0.1, random_state=seed).fit(X, y).support_


# Name → (X, y and a seed to a mask of columns, what is said of how sure the answer is).
METHODS = {
    "projstg": (None, "each column, and the whole"),
    "abess": (by_abess, "no"),
    "LassoCV": (lambda X, y, seed: LassoCV().fit(X, y).coef_ != 0.0, "no"),
    "relaxed lasso": (lambda X, y, seed: relaxed_lasso_cv(X, y, least=LEAST), "no"),
    "skglm, MCP": (by_mcp, "no"),
    "knockoffs": (by_knockoffs, "false ≤ 10 % on average"),
}


def trial(world, repetition):
    """For every method the columns missed, the false ones, and seconds; and what was stated."""
    warnings.simplefilter("ignore")  # methods that do not converge are judged by what they return
    threadpool_limits(1)
    problem = make_sparse_regression(**WORLDS[world], root=ROOT, repetition=repetition)
    model = ProjectedSTG()
    found = {}
    for name, (method, _) in METHODS.items():
        start = time.perf_counter()
        if method is None:
            support = model.fit(problem.X, problem.y).support_
        else:
            support = method(problem.X, problem.y, repetition)
        seconds = time.perf_counter() - start
        missed, false = problem.support & ~support, support & ~problem.support
        found[name] = [int(missed.sum()), int(false.sum()), round(seconds, 4)]
    stated = round(float(model.all_belong_probability_), 4)
    return {"world": world, "repetition": repetition, "found": found, "stated": stated}


def by_world(rows):
    """{world: an array (problems, methods, 3) of columns missed, false ones, and seconds}."""
    return {
        world: np.asarray(
            [[row["found"][name] for name in METHODS] for row in rows if row["world"] == world]
        )
        for world in WORLDS
    }


def table(rows):
    """The lines of the README's table."""
    results = by_world(rows)
    heads = ["exact, missed, false", *WORLDS, "says how sure", "time"]
    lines = [row_of(heads), row_of(["---"] * len(heads))]
    for i, (name, (method, sure)) in enumerate(METHODS.items()):
        cells = [summed_up(found[:, i]) for found in results.values()]
        shown = name if method else f"**{name}**"
        lines.append(row_of([shown, *cells, sure, times(results, i)]))
    return lines


def times(results, i):
    """How many times as long as LassoCV the i-th method takes, in the fastest and slowest world."""
    lasso = list(METHODS).index("LassoCV")
    medians = [np.median(found[:, i, 2] / found[:, lasso, 2]) for found in results.values()]
    ends = [f"{float(f'{end(medians):.1g}'):g}" for end in (min, max)]
    return " to ".join(dict.fromkeys(ends))


def row_of(cells):
    return f"| {' | '.join(cells)} |"


def summed_up(found):
    """How often the support was exactly right, the mean of columns missed and of false ones."""
    missed, false = found[:, :2].mean(axis=0)
    return f"{percent(exact(found).mean())}, {missed:.1f}, {false:.1f}"


def exact(found):
    return found[..., :2].sum(axis=-1) == 0


def show(rows):
    """Print the table, and for each world what may be chance and how true the stated ones are."""
    print("\n".join(table(rows)))
    for world, found in by_world(rows).items():
        right = exact(found).astype(float)
        error = (right[:, :1] - right[:, 1:]).std(axis=0, ddof=1).max() / np.sqrt(len(right))
        print(
            f"\n{world}, {len(right)} problems: the standard error of a difference between projstg "
            f"and another in being exactly right is {error:.1%} at most"
        )
        print(how_true([row for row in rows if row["world"] == world]))
    print(f"\ntogether, {len(rows)} problems: {how_true(rows)}")
    print(f"commit {', '.join(sorted({row['commit'] for row in rows}))}")


def how_true(rows):
    """What was stated of all chosen columns of projstg, and how often it was true."""
    stated = np.asarray([row["stated"] for row in rows])
    true = np.asarray([row["found"]["projstg"][1] == 0 for row in rows])
    sure = stated >= SURE
    return (
        f"all belong, stated at {percent(SURE)} or more {sure.sum()} times, true "
        f"{(true & sure).sum()} times; on average {percent(stated.mean())} stated, "
        f"{percent(true.mean())} true"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--json", type=Path, help="where the outcomes are written, one a line")
    choice.add_argument("--show", type=Path, help="only read this file and print")
    options = parser.parse_args()
    path = options.show or options.json
    if not options.show:
        done = {(row["world"], row["repetition"]) for row in rows_in(path)}
        asked = [(world, r) for r in range(options.repetitions) for world in WORLDS]
        add_outcomes(path, trial, [one for one in asked if one not in done], options.jobs)
    show(rows_in(path))


if __name__ == "__main__":
    main()
