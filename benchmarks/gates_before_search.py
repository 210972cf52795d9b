"""What the gates' proposal adds to the search: none, their first steps, or gates at rest.

    python gates_before_search.py [--repetitions 200]

Every search also begins from the greedy columns and goes on from its own starts, as in
``ProjectedSTG(K, probabilities=False)``. Printed are the share of problems whose support is the
true one, how many supports differ from those with gates at rest, and the time of the proposal and
of the search in milliseconds.
"""

import argparse
from time import perf_counter

import numpy as np
from problems import draw, recovery

from projstg._core.data.standard_table import as_tables
from projstg._core.greedy.matching_pursuit import forward_selection
from projstg._core.pipeline.gate_problem import first_steps, fitted, gate_problem
from projstg._core.pipeline.options import Options
from projstg._core.search.best_support import refine

# σ, N, K at D = 64: from easy to hard.
CELLS = ((0.5, 40, 10), (0.5, 25, 10), (1.0, 40, 10), (0.5, 40, 20))


def nothing(problem):
    """No proposal."""
    return None


def at_first(problem):
    """The coefficients after the first steps."""
    return first_steps(problem)


def at_rest(problem):
    """The paper's coefficients."""
    return fitted(problem).coef


PROPOSALS = {"none": nothing, "first steps": at_first, "at rest": at_rest}


def searched(X, y, k, propose):
    """Return the support, and the seconds of the proposal and of the search."""
    tables = as_tables(X[None], y[None])
    options = Options(n_selected=k, refine=True)
    start = perf_counter()
    coef = propose(gate_problem(tables, options, [0]))
    between = perf_counter()
    starts = [np.sort(forward_selection(tables.batch, k).order[0])]
    if coef is not None:
        starts.insert(0, np.sort(np.argsort(-np.abs(coef[0]), kind="stable")[:k]))
    found = refine(
        tables.problem(0),
        k,
        starts=np.stack(starts),
        generator=np.random.default_rng([0, k]),
        criterion=options.criterion,
    )
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[found.support] = True
    return mask, between - start, perf_counter() - between


def main():
    """Print one line for each cell and proposal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200)
    repetitions = parser.parse_args().repetitions
    print("sigma   N   K  proposal     recovered  differ  proposal ms  search ms")
    for sigma, n, k in CELLS:
        drawn = [draw(7, sigma, n, k, r) for r in range(repetitions)]
        truth = np.stack([one[2] for one in drawn])
        found = {
            name: list(zip(*(searched(X, y, k, propose) for X, y, _ in drawn), strict=True))
            for name, propose in PROPOSALS.items()
        }
        known = np.stack(found["at rest"][0])
        for name, (masks, proposing, searching) in found.items():
            differ = int(np.sum(np.any(np.stack(masks) != known, axis=1)))
            times = 1e3 * np.median(proposing), 1e3 * np.median(searching)
            share = recovery(np.stack(masks), truth)
            print(
                f"{sigma:5} {n:3} {k:3}  {name:11}  {share:9.2f} {differ:7} "
                f"{times[0]:12.1f} {times[1]:10.1f}"
            )


if __name__ == "__main__":
    main()
