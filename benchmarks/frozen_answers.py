"""302 recorded answers, to check that a change of the code changes none of them.

    python frozen_answers.py write FILE       answers of this code
    python frozen_answers.py compare FILE     exit status 1 where this code answers differently

Four kinds of coefficients on four designs, wide and tall, K given and from the data, every
criterion, constraints, weights and no intercept; supports must be equal, objectives, coefficients
and probabilities agree to 10⁻⁹. About 2 minutes each.
"""

import argparse
import json
import sys
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from projstg import ProjectedSTG, fit_many
from projstg.datasets import make_sparse_regression

SIGNALS = ("signs", "ones", "decaying", "normal")
DESIGNS = ("gaussian", "toeplitz", "block", "bernoulli")
SHAPES = ((40, 64, 6), (25, 30, 4), (120, 24, 5))
QUESTIONS = (
    {"n_features_to_select": "K"},
    {"n_features_to_select": "auto"},
    {"n_features_to_select": "K", "criterion": "evidence", "always_select": [0]},
    {"n_features_to_select": "K", "criterion": "least-squares", "fit_intercept": False},
    {"n_features_to_select": "auto", "selection": "ebic", "never_select": [1, 2]},
)
FIELDS = ("objective_", "coef_", "intercept_", "inclusion_probability_", "size_probability_")


def answer(model):
    """What is kept of a fit."""
    numbers = {name: np.ravel(getattr(model, name)).tolist() for name in FIELDS}
    numbers["support_probability_"] = [model.support_probability_]
    return {"support": model.get_support(indices=True).tolist(), "numbers": numbers}


def problems():
    """Give a name, X, y, weights and a question, 300 times."""
    cells = list(product(SIGNALS, DESIGNS, SHAPES))
    for number in range(300):
        signal, design, (n, d, k) = cells[number % len(cells)]
        question = dict(QUESTIONS[number % len(QUESTIONS)])
        if question["n_features_to_select"] == "K":
            question["n_features_to_select"] = k
        drawn = make_sparse_regression(
            n, d, k, design=design, signal=signal, noise_std=0.5, root=9, repetition=number
        )
        weights = None
        if number % 7 == 0:
            weights = np.random.default_rng(number).integers(1, 4, n).astype(float)
        yield f"{number} {signal} {design} {question}", drawn.X, drawn.y, weights, question


def answers():
    """The record of this code."""
    found = {}
    for name, X, y, weights, question in problems():
        found[name] = answer(ProjectedSTG(**question).fit(X, y, weights))
    drawn = [make_sparse_regression(30, 40, 4, noise_std=1.0, root=9, repetition=i) for i in (0, 1)]
    many = fit_many(*(np.stack([getattr(one, side) for one in drawn]) for side in "Xy"), 4)
    for i in range(2):
        numbers = {"coef": many.coef[i].tolist(), "gates": many.gate_mean[i].tolist()}
        found[f"fit_many {i}"] = {"support": np.flatnonzero(many.support[i]).tolist()} | {
            "numbers": numbers
        }
    return found


def differences(known, found):
    """Give the name of each answer that differs, and what does."""
    for name, then in known.items():
        now = found[name]
        if then["support"] != now["support"]:
            yield name, f"{now['support']} was {then['support']}"
            continue
        for field, values in then["numbers"].items():
            old, new = (np.asarray(one, dtype=float) for one in (values, now["numbers"][field]))
            if not np.allclose(new, old, rtol=1e-9, atol=1e-9):
                yield name, f"{field} differs by {np.max(np.abs(new - old)):.1e}"


def main():
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with threadpool_limits(1):
        found = answers()
    if options.what == "write":
        options.file.write_text(json.dumps(found), encoding="utf-8")
        print(f"{len(found)} answers written")
        return 0
    known = json.loads(options.file.read_text(encoding="utf-8"))
    others = list(differences(known, found))
    for name, text in others:
        print(f"{name}: {text}")
    print(f"{len({name for name, _ in others})} of {len(known)} answers differ")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
