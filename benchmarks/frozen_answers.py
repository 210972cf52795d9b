"""406 recorded answers, to check that a change of the code changes none of them.

    python benchmarks/frozen_answers.py write FILE      answers of this code
    python benchmarks/frozen_answers.py compare FILE    exit status 1 where this code's are others
    PYTHONPATH=OLD/src python benchmarks/frozen_answers.py write FILE      answers of other sources

300 are of small tables: four kinds of coefficients on four designs, wide and tall, K given and from
the data, every criterion, constraints, weights, no intercept. The others are of wide and sparse X,
sums, weights, columns that must or must not be selected, awkward tables, gates that decide, paths,
cross-validation, stability selection and many responses. Supports must be equal, and numbers agree
to 10⁻⁹ of the largest of their field; probabilities that were drawn agree within two stated errors.
About a minute each. Only names that users see are read, so the sources may be of any commit.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array, csr_array
from threadpoolctl import threadpool_limits

from projstg import (
    STG,
    Gates,
    ProjectedSTG,
    ProjectedSTGCV,
    StabilitySelector,
    Statistics,
    fit_many,
    projected_stg_path,
)
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
ROOT = 9
EXACT = ("objective_", "coef_", "intercept_", "alpha_", "noise_std_", "coef_std_error_")
GATES = ("mu_", "gate_mean_", "gated_coef_", "risk_")
DRAWN = (
    "inclusion_probability_", "size_probability_", "support_probability_",
    "all_belong_probability_",
)  # fmt: skip


def drawn(n, d, k, repetition=0, **options):
    """A simulated problem."""
    options = {"noise_std": 0.5} | options
    return make_sparse_regression(n, d, k, root=ROOT, repetition=repetition, **options)


def numbers_of(model, names):
    """The attributes that the model has, as lists; one that is not known is no number."""
    known = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return {
        name: np.ravel(np.nan if value is None else value).astype(float).tolist()
        for name, value in known.items()
    }


def answer(model, gates=False, rows=None):
    """What is kept of a fit: what must be the same, and what may differ by what is stated."""
    found = {"support": model.get_support(indices=True).tolist()}
    found["numbers"] = numbers_of(model, EXACT + GATES * gates)
    if hasattr(model, "equivalent_features_"):
        others = model.equivalent_features_
        found["others"] = [
            [int(one), *map(int, same)] for one, same in sorted((others or {}).items())
        ]
    accuracy = getattr(model, "accuracy_", None)
    if accuracy is None:
        return found
    stated = numbers_of(model, DRAWN)
    if rows is not None:
        stated["averaged"] = model.predict(rows, averaged=True).tolist()
    if accuracy.method == "sampled":
        found["drawn"] = stated
        found["errors"] = np.nan_to_num(model.inclusion_error_, nan=np.inf).tolist()
    else:
        found["numbers"] |= stated
    return found


def small_tables():
    """300 fits of small tables."""
    cells = list(product(SIGNALS, DESIGNS, SHAPES))
    for number in range(300):
        signal, design, (n, d, k) = cells[number % len(cells)]
        question = dict(QUESTIONS[number % len(QUESTIONS)])
        if question["n_features_to_select"] == "K":
            question["n_features_to_select"] = k
        one = drawn(n, d, k, number, design=design, signal=signal)
        weights = None
        if number % 7 == 0:
            weights = np.random.default_rng(number).integers(1, 4, n).astype(float)
        model = ProjectedSTG(**question).fit(one.X, one.y, weights)
        yield f"{number} {signal} {design} {question}", answer(model, gates=number % 10 == 0)


def wide_tables():
    """Working sets, X as it came, sparse X, single precision."""
    for number, (n, d, k) in enumerate(((60, 400, 5), (60, 1000, 5), (80, 2000, 6), (60, 3000, 4))):
        for design, size in product(("gaussian", "block"), (k, "auto")):
            one = drawn(n, d, k, number, design=design)
            yield f"wide {d} {design} {size}", answer(ProjectedSTG(size).fit(one.X, one.y))
    for number, size in product(range(3), (4, "auto")):
        one = drawn(70, 2500, 4, number)
        X = np.where(np.random.default_rng(number).random(one.X.shape) < 0.1, one.X, 0.0)
        y = X @ one.coef + 0.1 * (one.y - one.X @ one.coef)
        for kind in (csc_array, csr_array):
            yield (
                f"sparse {kind.__name__} {number} {size}",
                answer(ProjectedSTG(size).fit(kind(X), y)),
            )
    one = drawn(60, 6000, 5)
    for size in (5, "auto"):
        yield (
            f"wide, single precision {size}",
            answer(ProjectedSTG(size).fit(one.X.astype(np.float32), one.y)),
        )
    tall = drawn(300, 40, 5)
    X = np.where(np.random.default_rng(0).random(tall.X.shape) < 0.2, tall.X, 0.0)
    yield "sparse and tall", answer(ProjectedSTG().fit(csr_array(X), X @ tall.coef + tall.y * 0.1))


def sums():
    """What is known by sums alone, with weights and copies."""
    for number, (n, d, k) in enumerate(((200, 30, 5), (40, 20, 3), (500, 60, 6), (30, 45, 3))):
        one, random = drawn(n, d, k, number), np.random.default_rng(number)
        weights = random.integers(0, 4, n).astype(float)
        for size in (k, "auto"):
            parts = np.array_split(np.arange(n), 3)
            gathered = sum(
                Statistics().update(one.X[own], one.y[own], weights[own]) for own in parts
            )
            yield f"sums {d} {size}", answer(ProjectedSTG(size).fit(gathered))
            model = ProjectedSTG(size)
            for own in parts:
                model.partial_fit(one.X[own], one.y[own])
            yield f"partial_fit {d} {size}", answer(model)
        weighted = ProjectedSTG().fit(one.X, one.y, random.random(n) ** 6)
        yield f"weights {d}", answer(weighted)


def constraints():
    """Columns that must and must not be selected, some of which depend on each other."""
    one = drawn(60, 40, 5)
    X = np.column_stack([one.X, one.X[:, 3] + one.X[:, 4], one.X[:, 7], np.ones(60)])
    for size, always, never in (
        (8, [3, 4, 40], []), (6, [7, 41], [0, 1]), ("auto", [3, 4, 40], [7]), ("auto", [], [5, 41]),
        (5, [], list(range(20, 40))), ("auto", [0, 1, 2], list(range(30, 43))),
    ):  # fmt: skip
        model = ProjectedSTG(size, always_select=always, never_select=never)
        yield f"constraints {size} {always} {never}", answer(model.fit(X, one.y))


def awkward_tables():
    """Copies, few columns, few rows, other units, no error, decisions, exact and drawn averages."""
    one = drawn(50, 12, 3)
    yield "enumerated", answer(ProjectedSTG().fit(one.X, one.y), rows=one.X)
    yield "enumerated, K given", answer(ProjectedSTG(3).fit(one.X, one.y), rows=one.X)
    one = drawn(80, 30, 6, signal="decaying")
    X = np.column_stack([one.X, one.X[:, :3], one.X[:, 3] + 1e-7 * one.X[:, 20]])
    for options in ({}, {"decision": "median"}, {"criterion": "evidence"}, {"selection": "bic"}):
        yield f"copies {options}", answer(ProjectedSTG(**options).fit(X, one.y), rows=X)
    yield "units", answer(ProjectedSTG().fit(one.X * 10.0 ** np.arange(-60, 60, 4), one.y * 1e40))
    yield "no error", answer(ProjectedSTG().fit(one.X, one.X @ one.coef))
    yield "no error, K given", answer(ProjectedSTG(6).fit(one.X, one.X @ one.coef))
    for n in (3, 4, 6, 9):
        few = drawn(n, 20, 1, n)
        yield f"{n} rows", answer(ProjectedSTG().fit(few.X, few.y))
    for size in (0, 1, 12, 20):
        hard = drawn(25, 64, 10)
        if size:
            yield f"25 rows, {size}", answer(ProjectedSTG(size).fit(hard.X, hard.y))
        else:
            yield "25 rows", answer(ProjectedSTG().fit(hard.X, hard.y), rows=hard.X)


def gates():
    """Gates that decide, exact and sampled, and the original STG."""
    for number, (n, d, k) in enumerate(((40, 64, 5), (90, 20, 4))):
        one = drawn(n, d, k, number)
        settings = (
            Gates(), Gates(tau=0.3, alpha_scale=0.5), Gates(alpha=0.05, warm_up=False),
            Gates(expectation="monte-carlo", max_iter=200),
        )  # fmt: skip
        for place, (own, size) in enumerate(product(settings, (k, None))):
            model = ProjectedSTG(size, refine=False, gates=own).fit(one.X, one.y)
            yield f"gates {d} {place} {size}", answer(model, gates=True)
        yield f"STG {d}", answer(STG(k).fit(one.X, one.y), gates=True)


def paths():
    """Paths along λ and along sizes, and cross-validation."""
    one = drawn(60, 40, 5)
    by_gates = {"sizes": 5, "refine": False}
    asked = {"lambda": {"n_alphas": 12}, "sizes": {"sizes": 9}, "gates": by_gates}
    for name, options in asked.items():
        path = projected_stg_path(one.X, one.y, **options)
        yield (
            f"path {name}",
            {
                "support": path.support_path_.astype(int).tolist(),
                "numbers": numbers_of(path, ("coef_path_", "intercept_path_", "objective_path_")),
            },
        )
    for name, model in (
        ("sizes", ProjectedSTGCV(sizes=range(1, 9))), ("scales", ProjectedSTGCV(rule="1se")),
        ("sums", ProjectedSTGCV(sizes=6)),
    ):  # fmt: skip
        model.fit(
            *((Statistics(folds=4).update(one.X, one.y),) if name == "sums" else (one.X, one.y))
        )
        found = answer(model)
        found["numbers"] |= numbers_of(model, ("cv_error_path_", "best_index_"))
        yield f"cross-validation {name}", found
    selector = StabilitySelector(ProjectedSTG(5), n_pairs=10, random_state=0)
    yield (
        "stability",
        {
            "support": selector.fit(one.X, one.y).get_support(indices=True).tolist(),
            "numbers": numbers_of(selector, ("selection_probability_", "threshold_")),
        },
    )


def many():
    """Many problems, and many responses of one table."""
    problems = [drawn(30, 40, 4, number, noise_std=1.0) for number in range(8)]
    X, y = (np.stack([getattr(one, side) for one in problems]) for side in "Xy")
    X[3, :, 5] = 1.0
    responses = np.stack([problems[0].X @ one.coef for one in problems]) + y * 0.2
    asked = (
        ("K", (X, y, 4), {}), ("auto", (X, y), {}), ("gates", (X, y, 4), {"refine": False}),
        ("one table", (X[0], responses, 4), {}), ("one table, auto", (X[0], responses), {}),
        ("sums", (Statistics().update(X[0], responses.T), None, 4), {}),
        ("weights", (X, y, 4), {"sample_weight": np.tile([1.0, 2.0, 0.5], (8, 10))}),
    )  # fmt: skip
    for name, rows, options in asked:
        found = fit_many(*rows, **options)
        names = ("coef", "intercept", "alpha", "gate_mean", "gated_coef")
        names += ("objective", "n_starts") * (found.objective is not None)
        yield (
            f"fit_many {name}",
            {
                "support": np.asarray(found.support).astype(int).tolist(),
                "numbers": numbers_of(found, names),
            },
        )


KINDS = (small_tables, wide_tables, sums, constraints, awkward_tables, gates, paths, many)


def answers(kinds) -> Iterator[tuple[str, dict]]:
    """Give the name of each question, and the answer of this code."""
    warnings.simplefilter("ignore")  # what is awkward is said to be
    for kind in kinds:
        yield from kind()


def differences(then, now):
    """Give what differs in an answer."""
    for field in ("support", "others"):
        if then.get(field) != now.get(field):
            yield f"{field} {now.get(field)} was {then.get(field)}"
            return
    for field, values in then["numbers"].items():
        old, new = (np.asarray(one, dtype=float) for one in (values, now["numbers"][field]))
        size = max(1.0, np.max(np.abs(old), initial=0.0, where=np.isfinite(old)))
        if not np.allclose(new, old, rtol=0.0, atol=1e-9 * size, equal_nan=True):
            with np.errstate(invalid="ignore"):  # infinite less infinite
                gap = np.nanmax(np.abs(new - old))
            yield f"{field} differs by {gap:.1e}, of {size:.1e}"
    for field, values in then.get("drawn", {}).items():
        old, new = (np.asarray(one, dtype=float) for one in (values, now["drawn"][field]))
        errors = np.hypot(then["errors"], now["errors"])
        if old.shape != errors.shape:
            errors = np.max(errors, initial=0.0, where=np.isfinite(errors))
        size = max(1.0, np.max(np.abs(old), initial=0.0))
        if not np.all((np.abs(new - old) <= 2.0 * errors * size + 1e-9) | (new == old)):
            yield f"{field}, drawn, differs by {np.nanmax(np.abs(new - old)):.1e}"


def main():
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--kinds", nargs="+", choices=[kind.__name__ for kind in KINDS], help="default all"
    )
    options = parser.parse_args()
    kinds = [kind for kind in KINDS if not options.kinds or kind.__name__ in options.kinds]
    with threadpool_limits(1):
        if options.what == "write":
            found = dict(answers(kinds))
            options.file.write_text(json.dumps(found), encoding="utf-8")
            print(f"{len(found)} answers written")
            return 0
        known, n_other, n = json.loads(options.file.read_text(encoding="utf-8")), 0, 0
        for name, now in answers(kinds):
            others = list(differences(known[name], json.loads(json.dumps(now))))
            n_other, n = n_other + bool(others), n + 1
            for text in others:
                print(f"{name}: {text}", flush=True)
    print(f"{n_other} of {n} answers differ")
    return 1 if n_other else 0


if __name__ == "__main__":
    sys.exit(main())
