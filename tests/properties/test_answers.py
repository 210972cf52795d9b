"""Whatever the table: as many columns as were asked for, numbers that are numbers, one fit."""

import warnings

import numpy as np
import pytest
from coherent import check_probabilities
from drawn import MODES, Recipe, asked, problems
from hypothesis import example, given
from hypothesis import strategies as st
from soaking import count, examples

from projstg import STG, Gates, ProjectedSTG, fit_many
from projstg._core.score.criterion import CRITERIA


def checked(drawn, model):
    """Assert what every answer has to fulfil, and return it."""
    X, params = drawn.X, drawn.params
    support, k = model.get_support(indices=True), params["n_features_to_select"]
    if isinstance(k, int):
        assert support.size == k
    assert set(params.get("always_select", [])) <= set(support)
    assert set(support) <= set(drawn.allowed)
    assert model.coef_.shape == (X.shape[1],)
    assert np.all(np.isfinite(model.coef_))
    assert np.all(model.coef_[~model.support_] == 0.0)
    assert np.isfinite(model.intercept_)
    assert np.all(np.isfinite(model.predict(X)))
    assert np.all(np.isfinite(model.gated_coef_))
    assert np.all((model.gate_mean_ >= 0.0) & (model.gate_mean_ <= 1.0))
    return model


@examples(60)
@given(problems())
def test_an_answer_is_what_was_asked_for(drawn):
    count("problem", "an answer is what was asked for")
    given = [drawn.X, drawn.y] + ([] if drawn.weights is None else [drawn.weights])
    before = [array.copy() for array in given]
    model = checked(drawn, drawn.fit())
    check_probabilities(model)
    assert np.isfinite(model.objective_)
    for then, now in zip(before, given, strict=True):
        np.testing.assert_array_equal(then, now)


@examples(40)
@given(problems(sizes=("given", "auto", "open gates")), st.sampled_from(MODES))
def test_every_mode_has_an_answer(drawn, mode):
    count("problem", "every mode has an answer")
    if drawn.params["n_features_to_select"] == "auto":  # needs both, and says so
        mode = {key: mode[key] for key in mode if key not in ("refine", "probabilities")}
    if "refine" in mode:
        mode = mode | {"criterion": "common-size"}  # another is for the search
    drawn = drawn._replace(params=drawn.params | mode)
    model = checked(drawn, drawn.fit())
    if model.alternatives_ is not None:
        check_probabilities(model)


@examples(30)
@given(problems())
def test_what_a_column_could_be_exchanged_for_costs_nothing(drawn):
    model = drawn.fit()
    support = model.get_support(indices=True)
    exchanged = [
        (member, other)
        for member, others in model.equivalent_features_.items()
        for other in others
        if abs(correlation(drawn, member, other)) < 0.9999
    ]
    if not exchanged:
        return
    count("problem", "exchanges at no loss")
    supports = [np.sort(np.append(support[support != one], two)) for one, two in exchanged]
    known, *scores = drawn.scores([support, *supports])
    assert max(scores) <= known + 10.0 * drawn.rounding(known)


@examples(20)
@given(problems(sizes=("open gates",)))
def test_open_gates_are_an_answer(drawn):
    count("problem", "open gates are an answer")
    model = checked(drawn, drawn.fit())
    assert model.support_probability_ is None


@examples(8)
@given(problems(sizes=("given",)), st.sampled_from(["monte-carlo", "stg"]))
def test_sampled_gates_are_an_answer(drawn, kind):
    count("problem", "sampled gates are an answer")
    params = {key: drawn.params[key] for key in ("n_features_to_select", "fit_intercept")}
    if kind == "stg":
        model = STG(**params, gates=Gates(max_iter=30))
    else:
        gates = Gates(expectation="monte-carlo", max_iter=30)
        model = ProjectedSTG(**params, refine=False, gates=gates)
    drawn = drawn._replace(params=params)
    checked(drawn, model.fit(drawn.X, drawn.y, drawn.weights))


def standard_rows(drawn):
    """Rows centred, weighted and scaled to columns of mean square one, and y; in plain steps."""
    X, y = drawn.X / np.max(np.abs(drawn.X) + 1e-300, axis=0), drawn.y / np.max(np.abs(drawn.y))
    w = np.ones(len(y)) if drawn.weights is None else drawn.weights
    if drawn.params["fit_intercept"]:
        for _ in range(2):
            X, y = X - np.average(X, axis=0, weights=w), y - np.average(y, weights=w)
    X, y = X * np.sqrt(w)[:, None], y * np.sqrt(w)
    size = np.sqrt(np.sum(X * X, axis=0) / w.sum())
    return X / np.where(size > 0, size, 1.0), y


def correlation(drawn, one, two):
    """Of two columns, about zero where there is no intercept."""
    X, _ = standard_rows(drawn)
    return X[:, one] @ X[:, two] / np.sqrt(np.sum(X[:, one] ** 2) * np.sum(X[:, two] ** 2))


def residual(X, y, support):
    """The residual sum of squares as a share of yᵀy, and how safely the rank is what it is."""
    if not len(support):
        return 1.0, 1.0
    U, roots, _ = np.linalg.svd(X[:, support], full_matrices=False)
    share = (roots / roots[0]) ** 2
    onto = U[:, share > 1e-12].T @ y
    left = y - U[:, share > 1e-12] @ onto
    nearness = np.min(np.abs(np.log10(np.maximum(share, 1e-30) / 1e-12)))
    return (left @ left) / (y @ y), nearness


@examples(50)
@given(problems())
def test_prediction_is_least_squares_on_the_columns(drawn):
    X, y = standard_rows(drawn)
    if not y @ y > 0:
        return
    model = drawn.fit()
    support = model.get_support(indices=True)
    best, nearness = residual(X, y, support)
    if nearness < 0.1:
        return
    count("problem", "prediction is least squares on the columns")
    w = 1.0 if drawn.weights is None else drawn.weights
    size = np.max(np.abs(drawn.y))
    left = (drawn.y - model.predict(drawn.X)) / size
    found = np.sum(w * left * left) / (y @ y)
    # Predictions far from zero, or of columns that nearly cancel, carry fewer digits.
    parts = np.max(np.abs(drawn.X * model.coef_), initial=0.0) + abs(model.intercept_)
    rounding = (1e-14 * (parts / size + 1.0)) ** 2 * np.sum(w * np.ones(len(y))) / (y @ y)
    assert found <= best * (1 + 1e-6) + 1e-20 + 10 * rounding
    # The score is that of this fit.
    if drawn.params["criterion"] == "least-squares" and best > 1e-12:
        n = len(y) if drawn.weights is None else drawn.weights.sum()
        dof = n - drawn.params["fit_intercept"]
        told = np.exp((model.objective_ - dof * 2 * np.log(size)) / dof) / (y @ y)
        assert told == pytest.approx(best, rel=1e-5)


def swapped(support, allowed, locked):
    """All supports one exchange away."""
    for place, member in enumerate(support):
        if member not in locked:
            for other in allowed:
                if other not in support:
                    yield [*support[:place], other, *support[place + 1 :]]


# Columns far from zero, without an intercept, differ in their fifth digit. A ridge would hide it.
NEARLY_ALIKE = asked(
    Recipe(
        n_rows=34,
        kinds=(
            *("far from zero", "normal", "normal", "sum of others", "normal", "normal", "normal"),
            *("copy", "sum of others", "far from zero", "normal", "normal", "normal", "normal"),
            *("scaled copy", "normal", "copy", "copy", "sum of others", "normal", "whole numbers"),
            *("zero", "near copy", "far from zero", "normal"),
        ),
        response="noise",
        has_units=True,
        seed=4000,
    ),
    {
        "criterion": "least-squares",
        "fit_intercept": False,
        "random_state": 3,
        "n_features_to_select": 10,
    },
)


# As many columns as rows, one of them forced: the weights of the ridges decide, and these depend on
# which columns must be selected.
FORCED_AMONG_THREE_ROWS = asked(
    Recipe(
        n_rows=3,
        kinds=(
            "whole numbers",
            "heavy tails",
            "far from zero",
            "normal",
            "normal",
            "whole numbers",
        ),
        response="without error",
        seed=1844748,
    ),
    {
        "criterion": "evidence",
        "fit_intercept": False,
        "random_state": 0,
        "always_select": [5],
        "never_select": [1],
        "n_features_to_select": 3,
    },
)
# Weights that sum to a million: a difference of 10⁻¹⁰ in the residual is one of 10⁻⁴ in the score.
HEAVY_ROWS = asked(
    Recipe(
        n_rows=5,
        kinds=(
            *("copy", "scaled copy", "normal", "constant", "constant", "heavy tails"),
            "sum of others",
        ),
        response="sparse",
        weights="wide",
        seed=4173839430,
    ),
    {
        "criterion": "least-squares",
        "fit_intercept": False,
        "random_state": 0,
        "n_features_to_select": 4,
    },
)


@examples(6)
@given(problems(sizes=("given",), most_rows=40, most_columns=30))
@example(NEARLY_ALIKE)
def test_no_single_swap_is_better_among_many_columns(drawn):
    check_swaps(drawn)


@examples(40)
@given(problems(sizes=("given",)))
@example(FORCED_AMONG_THREE_ROWS)
@example(HEAVY_ROWS)
def test_no_single_swap_is_better(drawn):
    check_swaps(drawn)


def check_swaps(drawn):
    """Assert that no exchange of one column lowers the score."""
    model = drawn.fit()
    support = model.get_support(indices=True).tolist()
    locked = drawn.params.get("always_select", [])
    others = [sorted(other) for other in swapped(support, drawn.allowed, locked)]
    if not others:
        return
    count("problem", "no single swap is better")
    own, *rest = drawn.scores([support, *others])
    assert own <= min(rest) + drawn.rounding(own)
    X, y = standard_rows(drawn)
    if drawn.params["criterion"] == "least-squares" and y @ y > 0:
        mine, nearness = residual(X, y, support)
        for other in others:
            theirs, near = residual(X, y, other)
            assert mine <= theirs * (1 + 1e-5) + 1e-11 or min(nearness, near) < 0.1


def greedy(X, y, allowed, locked, k):
    """Orthogonal matching pursuit, in plain steps."""
    support = list(locked)
    while len(support) < k:
        A = X[:, support]
        left = y - A @ np.linalg.lstsq(A, y)[0] if support else y
        score = np.abs(X.T @ left)
        free = [j for j in allowed if j not in support]
        support.append(max(free, key=lambda j: score[j]))
    return sorted(support)


def lasso(X, y, k):
    """The supports of k columns that the lasso path passes."""
    from sklearn.linear_model import lars_path

    _, _, coefs = lars_path(X, y, method="lasso", max_iter=3 * X.shape[1])
    found = {tuple(np.flatnonzero(column)) for column in coefs.T}
    return [list(support) for support in found if len(support) == k]


@examples(12)
@given(problems(sizes=("given",), most_rows=40, most_columns=24, weighted=False))
def test_the_answer_is_not_worse_than_greedy_s_or_the_lasso_s(drawn):
    count("problem", "not worse than greedy's or the lasso's")
    model, (X, y) = drawn.fit(), standard_rows(drawn)
    k, allowed = drawn.params["n_features_to_select"], drawn.allowed
    locked = drawn.params.get("always_select", [])
    others = [greedy(X, y, allowed, locked, k)]
    if y @ y > 0:
        with warnings.catch_warnings(action="ignore"):
            paths = lasso(X, y, k)
        others += [s for s in paths if set(locked) <= set(s) <= set(allowed)]
    own, *rest = drawn.scores([model.get_support(indices=True).tolist(), *others])
    assert own <= min(rest) + drawn.rounding(own)


def rounding_of_effects(X, y, weights, model, largest):
    """What rounding of the rows may move the effects of the columns selected by.

    That is the condition of these columns times the largest effect, and its square times the
    residual (Golub and Van Loan, 5.3.7).
    """
    counts = np.full(len(X), True) if weights is None else weights > 0.0
    few = X[counts][:, model.support_]
    few = few - few.mean(axis=0) if model.fit_intercept else few
    if not few.shape[1]:
        return 0.0
    roots = np.linalg.svd(few / np.linalg.norm(few, axis=0), compute_uv=False)
    condition = roots[0] / np.min(roots[roots > 1e-6 * roots[0]])  # others are not determined
    left = np.std(y[counts] - model.predict(X[counts]))
    return 100.0 * np.finfo(float).eps * condition * (largest + condition * left)


def size_of_columns(X, weights):
    """Root mean squares over the rows that weigh anything."""
    counts = np.full(len(X), True) if weights is None else weights > 0.0
    return np.sqrt(np.mean(X[counts] ** 2, axis=0))


@examples(16)
@given(st.data(), st.integers(1, 3), st.sampled_from([None, "zeros", "counts"]))
def test_many_problems_are_single_problems(data, n_problems, weighing):
    first = data.draw(problems(weighted=False, far=False))
    shape = {"n_rows": first.recipe.n_rows, "weights": "none", "has_units": False}
    drawn = [first]
    for _ in range(n_problems - 1):
        kinds = tuple(data.draw(st.permutations(first.recipe.kinds)))
        seed = data.draw(st.integers(0, 2**32 - 1))
        recipe = first.recipe._replace(kinds=kinds, seed=seed, **shape)
        drawn.append(asked(recipe, first.params))
    k = first.params["n_features_to_select"]
    must = set(first.params.get("always_select", []))
    drawn = [
        one for one in drawn if must <= set(one.allowed) and (k == "auto" or k <= len(one.allowed))
    ]
    X, y = (np.stack([getattr(one, name) for one in drawn]) for name in "Xy")
    weights = None
    if weighing is not None:
        weights = np.random.default_rng(first.seed).integers(1, 4, y.shape).astype(float)
    if weighing == "zeros" and y.shape[1] > 6:
        weights[:, 5] = 0.0
        X[:, 5] *= 1e200  # what weighs nothing may be anything
    params = {key: value for key, value in first.params.items() if key != "random_state"}
    fits = fit_many(X, y, sample_weight=weights, **params)
    for i, seed in enumerate(fits.seeds):
        own = None if weights is None else weights[i]
        alone = ProjectedSTG(**params, random_state=seed).fit(X[i], y[i], own)
        np.testing.assert_array_equal(fits.support[i], alone.support_)
        # Alone, rows that weigh nothing are left out: sums are rounded otherwise.
        effects, known = (beta * size_of_columns(X[i], own) for beta in (fits.coef[i], alone.coef_))
        largest = max(np.max(np.abs(known)), np.std(y[i]))
        moved = rounding_of_effects(X[i], y[i], own, alone, largest)
        np.testing.assert_allclose(effects, known, rtol=0, atol=1e-9 * largest + moved)
    count("problem", "fit_many is single fits", len(drawn))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_nearly_dependent_columns_are_scored_and_fitted_as_one_model(criterion, rng):
    x, z = rng.standard_normal((2, 40))
    y = z + 0.1 * rng.standard_normal(40)
    for apart in (1e-3, 1e-5, 3e-6, 5e-7, 1e-8, 1e-12):
        X = np.column_stack([x, x + apart * z])
        model = ProjectedSTG(2, criterion=criterion).fit(X, y)
        left = np.sum((y - model.predict(X)) ** 2)
        if criterion == "least-squares":
            assert model.objective_ == pytest.approx(39 * np.log(left), rel=1e-6)
        # Columns that agree to six digits are one column; of others least squares is the answer.
        best = np.linalg.lstsq(np.column_stack([X, np.ones(40)]), y)[1]
        assert (left == pytest.approx(best, rel=1e-5)) == (apart > 1e-6)
