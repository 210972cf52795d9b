"""What must not matter does not matter: order, units, layout, containers, copies, threads."""

import mmap
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from drawn import Recipe, asked, made, problems, recipes
from hypothesis import example, given
from hypothesis import strategies as st
from rounding import assert_same_numbers
from soaking import count, examples
from threadpoolctl import threadpool_limits

from projstg import ProjectedSTG
from projstg._core.data import standard_table as table
from projstg._core.data.centred_sums import CentredSums
from projstg._core.score.score_settings import SCORE


def renamed(params, new_of_old):
    """The question about columns that have moved."""
    named = {
        key: [int(new_of_old[j]) for j in params[key]]
        for key in ("always_select", "never_select")
        if key in params
    }
    return params | named


def dof_of(drawn):
    n = len(drawn.y) if drawn.weights is None else drawn.weights.sum()
    return n - drawn.params["fit_intercept"]


def rounding_of(drawn, model):
    """What rounding may change of log(rss), however it is computed.

    A residual is what is left of y and of each column times its coefficient, all rounded. At the
    floor under the residual nothing is left to be rounded.
    """
    X, y = drawn.X, drawn.y
    weights = np.ones(len(y)) if drawn.weights is None else drawn.weights
    mean = np.average(y, weights=weights) if drawn.params["fit_intercept"] else 0.0

    def size(values):
        return np.sqrt(weights @ values**2)

    residual = size(y - model.predict(X))
    if residual**2 <= 2.0 * SCORE.residual_floor * size(y - mean) ** 2:
        return 0.0
    terms = size(y) + sum(size(X[:, j] * model.coef_[j]) for j in range(X.shape[1]))
    return 2.0 * np.finfo(float).eps * terms / residual


def tolerance_of(drawn, model):
    """How far scores may be apart: 10⁻⁹ of their size and of the degrees of freedom; rounding."""
    by_rounding = dof_of(drawn) * rounding_of(drawn, model)
    return 1e-9 * (abs(model.objective_) + dof_of(drawn)) + 1e-6 + by_rounding


def assert_same_answer(drawn, model, other, column_of=None):
    """Equal scores and equal columns, unless another support is as good.

    ``column_of[j]`` is where column j of the first table stands in the second.
    """
    known, found = model.get_support(indices=True), other.get_support(indices=True)
    if column_of is not None:
        found = np.sort(np.argsort(column_of)[found])
    if known.size != found.size:
        assert drawn.params["selection"] == "evidence", "another size by a criterion of numbers"
        told = [probability for _, probability in model.alternatives_]
        assert told[1] >= (1 - 1e-3) * told[0], "another size, though it is less likely"
        return
    tolerance = tolerance_of(drawn, model)
    assert other.objective_ == pytest.approx(model.objective_, abs=tolerance)
    if not np.array_equal(known, found):
        here, there = drawn.scores([known, found])
        assert there == pytest.approx(here, abs=tolerance)


def assert_same_bits(model, other):
    for name in ("coef_", "inclusion_probability_", "mu_", "support_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))
    assert other.objective_ == model.objective_
    assert other.alternatives_ == model.alternatives_


# Tables of neighbours have no digits here: the likeliest support must not be sorted out by them.
WITHOUT_DIGITS = asked(
    Recipe(
        n_rows=11,
        kinds=(
            "constant",
            "whole numbers",
            "scaled copy",
            "near copy",
            "normal",
            "normal",
            "whole numbers",
        ),
        response="without error",
        weights="wide",
        seed=622447,
    ),
    {
        "criterion": "evidence",
        "fit_intercept": False,
        "random_state": 2,
        "n_features_to_select": "auto",
        "selection": "evidence",
    },
)

# The residual is 10⁻⁷ of y, and the effects of two near copies are a thousand times y.
NEARLY_CANCEL = asked(
    Recipe(
        n_rows=14,
        kinds=("near copy", "near copy", "whole numbers", "near copy", "near copy"),
        response="nearly so",
        weights="wide",
        seed=5,
    ),
    {
        "criterion": "least-squares",
        "fit_intercept": True,
        "random_state": 0,
        "always_select": [4],
        "n_features_to_select": 5,
    },
)
# A forced column has no effect at all.
NO_EFFECT = asked(
    Recipe(
        n_rows=17,
        kinds=(
            "whole numbers",
            "sum of others",
            "sum of others",
            "heavy tails",
            "sum of others",
            "far from zero",
        ),
        response="without error",
        weights="counts",
        has_units=True,
        seed=533,
    ),
    {
        "criterion": "least-squares",
        "fit_intercept": False,
        "random_state": 2,
        "never_select": [4],
        "always_select": [5],
        "n_features_to_select": 4,
    },
)


@examples(25)
@given(problems())
@example(WITHOUT_DIGITS)
@example(NEARLY_CANCEL)
def test_the_order_of_rows(drawn):
    count("problem", "invariance: order of rows")
    order = np.random.default_rng(drawn.seed).permutation(len(drawn.y))
    weights = None if drawn.weights is None else drawn.weights[order]
    other = drawn.fit(X=drawn.X[order], y=drawn.y[order], weights=weights)
    assert_same_answer(drawn, drawn.fit(), other)


@examples(25)
@given(problems())
def test_the_order_of_columns(drawn):
    count("problem", "invariance: order of columns")
    order = np.random.default_rng(drawn.seed).permutation(drawn.X.shape[1])
    column_of = np.argsort(order)
    question = renamed(drawn.params, column_of)
    other = drawn._replace(params=question).fit(X=drawn.X[:, order])
    assert_same_answer(drawn, drawn.fit(), other, column_of)


@examples(25)
@given(problems(), st.sampled_from([1, 30, 150]))
@example(NO_EFFECT, 1)
def test_units_and_signs_of_columns(drawn, decades):
    count("problem", "invariance: units of columns")
    rng = np.random.default_rng(drawn.seed)
    largest = np.max(np.abs(drawn.X), axis=0)
    room = np.where(largest > 0, np.abs(np.log10(np.where(largest > 0, largest, 1.0))), 0.0)
    power = rng.uniform(-decades, decades, drawn.X.shape[1]) * (room < 5)
    unit = np.exp2(np.round(power / np.log10(2.0))) * rng.choice([-1.0, 1.0], power.size)
    model, other = drawn.fit(), drawn.fit(X=drawn.X * unit)
    assert_same_answer(drawn, model, other)
    if np.array_equal(model.support_, other.support_):
        # One that is zero but for rounding has no digits: 10⁻¹² of y is nothing.
        effect, other_effect = model.coef_ * largest, other.coef_ * unit * largest
        nothing = 1e-12 * np.max(np.abs(drawn.y))
        np.testing.assert_allclose(other_effect, effect, rtol=1e-6, atol=nothing)


@examples(20)
@given(problems(far=False), st.sampled_from([1, 30, 150]))
def test_the_unit_of_y(drawn, decades):
    count("problem", "invariance: unit of y")
    power = np.random.default_rng(drawn.seed).uniform(-decades, decades)
    unit = float(np.exp2(np.round(power / np.log10(2.0))))
    model, other = drawn.fit(), drawn.fit(y=drawn.y * unit)
    shift = 2.0 * dof_of(drawn) * np.log(unit)
    other.objective_ -= shift
    tolerance = 1e-9 * abs(shift)
    assert other.objective_ == pytest.approx(model.objective_, rel=1e-9, abs=tolerance + 1e-6)
    np.testing.assert_array_equal(other.support_, model.support_)
    np.testing.assert_allclose(other.coef_, model.coef_ * unit, rtol=1e-9, atol=0)
    assert_same_numbers(other.inclusion_probability_, model.inclusion_probability_, 1e-6)


@examples(30)
@given(problems(), st.sampled_from(["zero", "constant", "excluded"]), st.integers(1, 60))
def test_columns_that_cannot_be_selected(drawn, kind, n_more):
    count("problem", "invariance: columns that cannot be selected")
    rng = np.random.default_rng(drawn.seed)
    n, d = drawn.X.shape
    more = np.zeros((n, n_more))
    if kind == "constant" and drawn.params["fit_intercept"]:
        more += rng.standard_normal(n_more)
    elif kind == "excluded":
        more = rng.standard_normal((n, n_more))
    # Somewhere among the others, which keep their order.
    places = np.sort(rng.permutation(d + n_more)[:d])
    X = np.empty((n, d + n_more))
    X[:, places] = drawn.X
    others = np.setdiff1d(np.arange(d + n_more), places)
    X[:, others] = more
    params = renamed(drawn.params, places)
    if kind == "excluded":
        params["never_select"] = [*params.get("never_select", []), *others.tolist()]
    model, other = drawn.fit(), drawn._replace(params=params).fit(X=X)
    np.testing.assert_array_equal(other.support_[places], model.support_)
    assert not other.support_[others].any()
    for name in ("coef_", "gated_coef_", "gate_mean_", "inclusion_probability_"):
        found, expected = getattr(other, name), getattr(model, name)
        assert_same_numbers(found if expected is None else found[places], expected, name=name)
        assert expected is None or not found[others].any()
    for name in ("size_probability_", "support_probability_"):
        assert_same_numbers(getattr(other, name), getattr(model, name), name=name)
    assert other.objective_ == pytest.approx(model.objective_, abs=tolerance_of(drawn, model))


def with_layout(X, layout):
    """The same numbers laid out differently in memory."""
    if layout == "Fortran":
        return np.asfortranarray(X)
    if layout == "strided":
        wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if layout == "reversed":
        return X[::-1].copy()[::-1]
    if layout == "read-only":
        X = X.copy()
        X.flags.writeable = False
        return X
    if layout == "unaligned":
        raw = bytearray(X.nbytes + 1)
        view = np.frombuffer(raw, dtype=np.float64, count=X.size, offset=1).reshape(X.shape)
        view[...] = X
        return view
    if layout == "swapped bytes":
        return X.astype(">f8")
    if layout == "memory-mapped":
        shared = np.frombuffer(mmap.mmap(-1, X.nbytes), dtype=np.float64).reshape(X.shape)
        shared[...] = X
        return shared
    return X.tolist()


LAYOUTS = (
    "Fortran",
    "strided",
    "reversed",
    "read-only",
    "unaligned",
    "swapped bytes",
    "memory-mapped",
    "list",
)


@examples(16)
@given(problems(), st.sampled_from(LAYOUTS))
def test_layout_in_memory(drawn, layout):
    count("problem", "invariance: layout in memory")
    assert_same_bits(drawn.fit(), drawn.fit(X=with_layout(drawn.X, layout)))


@examples(12)
@given(problems(far=False, weighted=False), st.sampled_from([np.float32, np.int64, np.int8, bool]))
def test_types_of_numbers(drawn, kind):
    X = np.clip(drawn.X, -100, 100).astype(kind)
    params = {key: value for key, value in drawn.params.items() if "_select" not in key}
    drawn = drawn._replace(X=X.astype(np.float64), params=params | {"selection": "evidence"})
    if not drawn.allowed:
        return
    count("problem", "invariance: types of numbers")
    assert_same_answer(drawn, drawn.fit(), drawn.fit(X=X))


@examples(12)
@given(problems(far=False), st.sampled_from([pd.DataFrame, pl.DataFrame]))
def test_tables_with_names(drawn, kind):
    count("problem", "invariance: data frames")
    names = [f"x{j}" for j in range(drawn.X.shape[1])]
    frame = kind({name: drawn.X[:, j] for j, name in enumerate(names)})
    named = {
        key: [names[j] for j in drawn.params[key]]
        for key in ("always_select", "never_select")
        if key in drawn.params
    }
    model = drawn.fit()
    other = drawn._replace(params=drawn.params | named).fit(X=frame)
    assert_same_answer(drawn, model, other)
    assert [names.index(name) for name in other.get_feature_names_out()] == list(
        other.get_support(indices=True)
    )


@examples(25)
@given(problems(weighted=False, far=False), st.integers(2, 4))
def test_weights_are_repeated_rows(drawn, most):
    times = np.random.default_rng(drawn.seed).integers(0, most, len(drawn.y))
    times[:3] = 1
    weighted = drawn._replace(weights=times.astype(float))
    repeated = drawn._replace(X=np.repeat(drawn.X, times, axis=0), y=np.repeat(drawn.y, times))
    if len(repeated.allowed) < len(drawn.allowed):
        return
    count("problem", "weights are repeated rows")
    assert_same_answer(weighted, weighted.fit(), repeated.fit())


@examples(20)
@given(recipes(far=False), st.lists(st.integers(0, 24), max_size=4))
def test_chunks_are_the_whole(recipe, cuts):
    count("problem", "chunks are the whole")
    X, y, weights = made(recipe)
    # Sums far from zero, as sensors and timestamps have them.
    X = X + 10.0 ** np.random.default_rng(0).uniform(0, 6, X.shape[1])
    edges = [0, *sorted(min(cut, len(y)) for cut in cuts), len(y)]
    parts = None
    for first, last in pairwise(edges):
        if first < last:
            own = slice(first, last)
            some = (X[None, own], y[None, own], None if weights is None else weights[None, own])
            more = CentredSums.from_rows(*some)
            parts = more if parts is None else parts.merge(more)
    whole = CentredSums.from_rows(X[None], y[None], None if weights is None else weights[None])
    # Means have sixteen digits, of which a column far from zero leaves its spread fewer.
    spread = np.sqrt(np.diag(whole.G[0]))
    rounding = 1e-15 * (np.sqrt(whole.n) * np.abs(whole.x_mean[0]) + spread)
    allowed = np.outer(spread + rounding, rounding)
    assert parts.n == pytest.approx(whole.n)
    # A mean near zero has the digits of the column, not its own.
    size = np.sqrt(np.mean(X * X, axis=0))
    assert np.all(np.abs(parts.x_mean - whole.x_mean) <= 1e-14 * (np.abs(whole.x_mean) + size))
    assert np.all(np.abs(parts.G - whole.G) <= 4 * (allowed + allowed.T))


@examples(12)
@given(problems(), st.integers(1, 7))
def test_rows_come_in_blocks(drawn, size):
    count("problem", "invariance: blocks of rows")
    model = drawn.fit()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table, "BLOCK_ROWS", size)
        other = drawn.fit()
    assert_same_answer(drawn, model, other)


@examples(6)
@given(problems(far=False))
def test_threads(drawn):
    count("problem", "invariance: threads")
    model = drawn.fit()
    with threadpool_limits(2), ThreadPoolExecutor(4) as pool:
        others = list(pool.map(lambda _: drawn.fit(), range(4)))
    for other in others:
        assert_same_answer(drawn, model, other)
        np.testing.assert_array_equal(other.support_, model.support_)


@examples(8)
@given(problems())
def test_the_same_question_has_the_same_answer_to_the_last_bit(drawn):
    count("problem", "repeats to the last bit")
    assert_same_bits(drawn.fit(), drawn.fit())


@pytest.mark.parametrize("selection", ["evidence", "ebic", "bic", "gic"])
@pytest.mark.parametrize("kind", ["excluded", "constant", "copies"])
def test_more_columns_than_rows_do_not_limit_how_many_are_chosen(selection, kind, rng):
    X = rng.standard_normal((40, 60))
    y = X[:, 0] - X[:, 1] + X[:, 2] + 0.1 * rng.standard_normal(40)
    params = {"selection": selection}
    if kind == "excluded":
        params["never_select"] = list(range(3, 60))
    elif kind == "constant":
        X[:, 4:] = 1.0
    else:
        X = np.tile(X[:, :4], (1, 15))
    model = ProjectedSTG(**params).fit(X, y)
    assert sorted(set(model.get_support(indices=True) % 4)) == [0, 1, 2]
    if kind != "copies":
        assert model.support_probability_ > 0.99


def test_a_response_without_error_is_explained_by_all_its_columns(rng):
    X = rng.standard_normal((40, 3))
    assert ProjectedSTG().fit(X, X[:, 0] - X[:, 1] + X[:, 2]).support_.all()


@pytest.mark.parametrize("unit", [1e-170, 1e-250, 1e-307, 1e170, 1e300])
def test_no_unit_makes_a_column_unselectable(unit, rng):
    X = rng.standard_normal((30, 4))
    y = X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(30)
    X[:, 0] *= unit
    model = ProjectedSTG().fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1]
    assert model.coef_[0] * unit == pytest.approx(1.0, abs=0.1)


def test_weights_beyond_counting_are_refused(rng):
    X = rng.standard_normal((30, 4))
    with pytest.raises(ValueError, match="a weight is a number of rows: multiply them by 30"):
        ProjectedSTG().fit(X, X[:, 0], np.full(30, 1e160))


@pytest.mark.parametrize(("unit", "of_y"), [(1e-250, 1e100), (1e250, 1e-100)])
def test_a_coefficient_beyond_all_numbers_is_refused(unit, of_y, rng):
    X = rng.standard_normal((30, 4))
    y = of_y * (X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(30))
    X[:, 1] *= unit
    with pytest.raises(ValueError, match="the coefficient of 1 is too large or too small"):
        ProjectedSTG().fit(X, y)
