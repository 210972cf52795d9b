"""Many problems at once are so many single fits."""

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from knobs import nested
from oracles import nested_problems
from rounding import assert_same_numbers
from scipy.sparse import csr_array

from projstg import ProjectedSTG, Statistics, fit_many

SHAPES = {"long": (30, 6), "wide": (12, 20)}
MODES = {
    "exact": {},
    "plain": {"warm_up": False, "tau": 0.3},
    "monte-carlo": {"expectation": "monte-carlo", "max_iter": 30, "learning_rate": 0.05},
    "monte-carlo, fixed": {
        "expectation": "monte-carlo",
        "max_iter": 30,
        "learning_rate": 0.05,
        "optimizer": "fixed",
        "n_gate_samples": (7, 3),
    },
}
N_PROBLEMS = 5
SEEDS = [11, 3, 5, 3, 8]


def many(*data, **params):
    """The one place where these tests call fit_many."""
    return fit_many(*data, **nested(**params))


def single(n_features_to_select="auto", **params):
    """The one place where these tests make a ProjectedSTG."""
    return ProjectedSTG(n_features_to_select, **nested(**params))


@pytest.fixture(params=SHAPES)
def data(request, rng):
    return nested_problems(rng, N_PROBLEMS, *SHAPES[request.param])


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


@pytest.fixture(params=[None, 2])
def k(request):
    return request.param


def assert_are_single_fits(fits, X, y, weights=None, **params):
    for i in range(N_PROBLEMS):
        alone = single(random_state=fits.seeds[i], **params)
        alone.fit(X[i], y[i], None if weights is None else weights[i])
        np.testing.assert_array_equal(fits.support[i], alone.support_)
        for name in ("mu", "gate_mean", "coef", "gated_coef", "intercept", "alpha", "risk"):
            # Each of many steps passes on what rounding has changed, and may enlarge it.
            known = getattr(alone, f"{name}_")
            assert_same_numbers(getattr(fits, name)[i], known, tolerance=1e-6, name=name)
        assert fits.n_iter[i] == alone.n_iter_
        assert fits.converged[i]
        if alone.noise_std_ is None:
            assert fits.noise_std is None
        else:
            assert fits.noise_std[i] == pytest.approx(alone.noise_std_, rel=1e-9)


def test_many_are_single_fits(X, y, mode, k):
    fits = many(X, y, n_features_to_select=k, random_state=SEEDS, **mode)
    assert fits.seeds == tuple(SEEDS)
    assert_are_single_fits(fits, X, y, n_features_to_select=k, **mode)
    if k is None and "expectation" not in mode:
        assert len(set(np.sum(fits.support, axis=1).tolist())) > 1


@pytest.mark.parametrize(
    "params",
    [{"fit_intercept": False}, {"alpha": 0.1}, {"alpha": 0.0}, {"noise_std": 0.5}],
    ids=str,
)
def test_many_are_single_fits_whatever_is_asked(X, y, mode, k, params):
    params = {"n_features_to_select": k} | mode | params
    assert_are_single_fits(many(X, y, random_state=SEEDS, **params), X, y, **params)


def drawn_weights(rng, shape):
    """In each problem as much in all as there are rows."""
    weights = rng.uniform(0.5, 2.0, size=shape)
    return weights * shape[1] / np.sum(weights, axis=1, keepdims=True)


TOTALS = np.asarray([[0.3], [1.0], [3.0], [0.5], [1.0]])  # times the number of rows
WEIGHTS = {
    "drawn": drawn_weights,
    "other totals": lambda rng, shape: np.ones(shape) * TOTALS,
    "rows without": lambda rng, shape: np.ones(shape) * (np.arange(shape[1]) % 6 > 0),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_many_weights_are_single_weights(X, y, mode, k, kind, rng):
    weights = WEIGHTS[kind](rng, y.shape)
    params = {"n_features_to_select": k} | mode
    fits = many(X, y, sample_weight=weights, random_state=SEEDS, **params)
    assert_are_single_fits(fits, X, y, weights, **params)


def test_off_the_support_coefficients_are_zero(X, y, mode, k):
    fits = many(X, y, n_features_to_select=k, random_state=SEEDS, **mode)
    assert not fits.coef[~fits.support].any()
    if k is not None:
        assert np.sum(fits.support, axis=1).tolist() == [k] * N_PROBLEMS


def test_prediction_is_least_squares_on_the_support(X, y, k, rng):
    fits = many(X, y, n_features_to_select=k)
    new = rng.normal(size=(N_PROBLEMS, 4, X.shape[-1]))
    found = fits.predict(new)
    for i in range(N_PROBLEMS):
        chosen = np.flatnonzero(fits.support[i])
        best = np.linalg.lstsq(np.column_stack([X[i][:, chosen], np.ones(len(y[i]))]), y[i])[0]
        expected = np.column_stack([new[i][:, chosen], np.ones(4)]) @ best
        np.testing.assert_allclose(found[i], expected, rtol=1e-8, atol=1e-9)


def test_counts_are_whole_and_statements_are_boolean(data, mode):
    fits = many(*data, 2, random_state=SEEDS, **mode)
    assert fits.n_iter.dtype.kind == "i"
    assert fits.support.dtype == fits.converged.dtype == bool
    assert fits.n_iter.shape == fits.converged.shape == (N_PROBLEMS,)


SAMPLED = MODES["monte-carlo"] | {"n_features_to_select": 2}


def test_seeds_are_numbers_that_can_be_used_again(X, y):
    fits = many(X, y, random_state=4, **SAMPLED)
    assert len(set(fits.seeds)) == N_PROBLEMS
    for seeds in (4, fits.seeds, list(fits.seeds), np.asarray(fits.seeds)):
        again = many(X, y, random_state=seeds, **SAMPLED)
        assert again.seeds == fits.seeds
        np.testing.assert_array_equal(again.mu, fits.mu)
    for other in (5, None):
        assert many(X, y, random_state=other, **SAMPLED).seeds != fits.seeds
    assert_are_single_fits(fits, X, y, **SAMPLED)


def test_problems_with_one_seed_have_one_answer(data):
    X, y = (np.stack([part[0]] * 2) for part in data)
    same = many(X, y, random_state=[1, 1], **SAMPLED)
    assert_same_numbers(same.mu[0], same.mu[1])
    other = many(X, y, random_state=[1, 2], **SAMPLED)
    assert np.max(np.abs(other.mu[0] - other.mu[1])) > 1e-3


@pytest.mark.parametrize("seeds", [[1, 2], [], np.arange(N_PROBLEMS + 1)])
def test_a_wrong_number_of_seeds_is_refused(data, seeds):
    with pytest.raises(ValueError, match=f"{len(seeds)} seeds for {N_PROBLEMS} problems"):
        many(*data, random_state=seeds)


SHAPE_ERRORS = {
    "one problem": lambda X, y: (X[0], y[0]),
    "one y": lambda X, y: (X, y[0]),
    "rows missing": lambda X, y: (X, y[:, 1:]),
    "problems missing": lambda X, y: (X[1:], y),
    "y with a column": lambda X, y: (X, y[:, :, None]),
}


@pytest.mark.parametrize("name", SHAPE_ERRORS)
def test_wrong_shapes_say_what_was_seen_and_what_to_do(data, name):
    X, y = SHAPE_ERRORS[name](*data)
    with pytest.raises(ValueError, match="add an axis") as error:
        many(X, y)
    assert str(X.shape) in str(error.value)
    assert str(y.shape) in str(error.value)


def test_wrong_shape_of_weights_says_what_it_should_be(X, y):
    with pytest.raises(ValueError, match="sample_weight") as error:
        many(X, y, sample_weight=np.ones(y.shape[1] + 1))
    assert str(y.shape) in str(error.value)


def test_parameters_are_checked_like_the_class_s(data):
    with pytest.raises(ValueError, match="tau"):
        many(*data, tau=-1.0)
    with pytest.raises(TypeError, match="lambda_"):
        many(*data, lambda_=1.0)


def test_lists_and_integers_are_arrays_of_floats(data):
    X, y = ((10 * part).astype(int) for part in data)
    expected = many(X.astype(float), y.astype(float), 2).coef
    assert expected.dtype == np.float64
    for found in (many(X, y, 2), many(X.tolist(), y.tolist(), 2), many(X, y.tolist(), 2)):
        assert_same_numbers(found.coef, expected)


def test_single_precision_is_computed_in_double(data):
    X, y = (part.astype(np.float32) for part in data)
    X = np.float32(1e6) + X  # the spread is a few units in the last place of the mean
    found, double = many(X, y, 2), many(X.astype(np.float64), y.astype(np.float64), 2)
    assert_same_numbers(found.coef, double.coef)
    alone = single(2, random_state=found.seeds[0]).fit(X[0], y[0])
    np.testing.assert_array_equal(found.support[0], alone.support_)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["exact", "plain"])
def test_the_strictest_library_gives_numpy_s_answers(X, y, name, k, weighted, rng):
    weights = rng.uniform(0.5, 2.0, size=y.shape) if weighted else None
    params = {"n_features_to_select": k} | MODES[name]
    expected = many(X, y, sample_weight=weights, **params)
    others = (strict.asarray(part) for part in (X, y))
    weights = None if weights is None else strict.asarray(weights)
    found = many(*others, sample_weight=weights, **params)
    names = ("coef", "intercept", "gated_coef", "gate_mean", "mu", "alpha", "noise_std", "risk")
    for name in (*names, "support", "converged", "n_iter"):
        computed = getattr(found, name)
        assert isinstance(computed, type(strict.asarray(0.0))), name
        plain = getattr(expected, name)
        assert np.asarray(computed).dtype == plain.dtype
        np.testing.assert_allclose(np.asarray(computed), plain, rtol=1e-6, atol=1e-8, err_msg=name)
    predicted = found.predict(strict.asarray(X))
    np.testing.assert_allclose(np.asarray(predicted), expected.predict(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "a"])
def test_a_number_of_threads_is_a_whole_number(n_jobs):
    X, y = np.zeros((2, 5, 3)), np.zeros((2, 5))
    with pytest.raises(ValueError, match="give a whole number of threads"):
        fit_many(X, y, 1, n_jobs=n_jobs)


@pytest.mark.parametrize("k", [3, "auto", None])
def test_threads_and_blocks_change_nothing(k, rng):
    X = rng.standard_normal((70, 20, 8))
    y = X[..., :3].sum(axis=-1) + 0.3 * rng.standard_normal((70, 20))
    one, two = (fit_many(X, y, k, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.support, two.support)
    assert_same_numbers(one.coef, two.coef)
    if k is not None:
        assert_same_numbers(one.inclusion_probability, two.inclusion_probability)
    first = ProjectedSTG(k, random_state=one.seeds[69]).fit(X[69], y[69])
    np.testing.assert_array_equal(first.support_, one.support[69])


def responses(n_rows, n_columns, n_problems=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) + 1.0
    Y = np.stack([X[:, i] - X[:, i + 2] for i in range(n_problems)])
    return X, Y + 0.3 * rng.standard_normal(Y.shape)


@pytest.mark.parametrize(
    ("k", "shape", "weighted"),
    [
        *((k, (60, 12), weighted) for k in (2, "auto", None) for weighted in (False, True)),
        *((2, (60, 80), weighted) for weighted in (False, True)),
        ("auto", (24, 30), False),
    ],
)
def test_many_responses_of_one_table_are_single_fits(k, shape, weighted):
    X, Y = responses(*shape, n_problems=3)
    X[:, 7] = 2.0
    weights = np.random.default_rng(1).integers(1, 4, len(X)) if weighted else None
    many = fit_many(X, Y, k, sample_weight=weights)
    assert many.support.shape == (3, shape[1])
    for i, seed in enumerate(many.seeds):
        alone = ProjectedSTG(k, random_state=seed).fit(X, Y[i], weights)
        np.testing.assert_array_equal(many.support[i], alone.support_)
        np.testing.assert_allclose(many.coef[i], alone.coef_, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(many.intercept[i], alone.intercept_, rtol=1e-8, atol=1e-9)
        if k is not None:
            np.testing.assert_allclose(
                many.inclusion_probability[i], alone.inclusion_probability_, atol=1e-7
            )


def test_a_list_of_tables_is_their_stack():
    X, Y = responses(30, 6, n_problems=3)
    tables = [X, X + 1.0, X[::-1]]
    expected = fit_many(np.stack(tables), Y, 2)
    for rows in (tables, tuple(pd.DataFrame(one) for one in tables)):
        assert_same_numbers(fit_many(rows, list(Y), 2).coef, expected.coef)
    one = fit_many(X.tolist(), Y.tolist(), 2)
    assert_same_numbers(one.coef, fit_many(X, Y, 2).coef)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda X, y: ([X, X[:20]], [y, y[:20]]),
            r"X has arrays of shapes \(30, 6\) and \(20, 6\)",
        ),
        (lambda X, y: ([X, X[:, :4]], [y, y]), r"\(30, 6\) and \(30, 4\); fit_many takes"),
        (lambda X, y: ([X, X], [y, y[:20]]), r"y has arrays of shapes \(30,\) and \(20,\)"),
        (lambda X, y: ([], []), r"got \(0,\) and \(0,\)"),
    ],
)
def test_a_list_of_other_shapes_is_refused(change, message):
    X, Y = responses(30, 6, n_problems=1)
    with pytest.raises(ValueError, match=message):
        fit_many(*change(X, Y[0]), 2)


def test_a_list_of_sums_or_of_sparse_tables_is_refused():
    X, Y = responses(30, 6, n_problems=1)
    for one in (Statistics().update(X, Y[0]), csr_array(X)):
        with pytest.raises(TypeError, match=f"X is a list of {type(one).__name__}; fit_many takes"):
            fit_many([one, one], [Y[0], Y[0]], 2)


def test_statistics_with_several_targets_are_many_problems():
    X, Y = responses(60, 12)
    found = fit_many(Statistics().update(X, Y.T), n_features_to_select=2)
    np.testing.assert_array_equal(found.support, fit_many(X, Y, 2).support)
    with pytest.raises(TypeError, match="leave out y"):
        fit_many(Statistics().update(X, Y.T), Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, Y: (X, Y.T), r"transpose it: y\.T"),
        (lambda X, Y: (X, Y[0]), r"got \(60,\)"),
        (lambda X, Y: (X, np.where(Y > 3.0, np.nan, Y)), "NaN or infinity"),
        (lambda X, Y: (X, Y, 2, np.ones(5)), r"sample_weight has shape \(5,\)"),
    ],
)
def test_responses_of_another_shape_are_refused(change, message):
    X, Y, *rest = change(*responses(60, 12))
    weights = rest[1] if rest else None
    with pytest.raises(ValueError, match=message):
        fit_many(X, Y, 2, sample_weight=weights)


@pytest.mark.parametrize("unit", [1e200, 1e-170])
def test_one_table_in_any_units(unit):
    X, Y = responses(60, 12)
    expected = fit_many(X, Y, 2)
    X = X * np.where(np.arange(12) == 0, unit, 1.0)
    np.testing.assert_array_equal(fit_many(X, Y, 2).support, expected.support)
    np.testing.assert_array_equal(fit_many(pd.DataFrame(X), Y, 2).support, expected.support)


@pytest.mark.parametrize("what", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("is_shared", [True, False])
def test_complex_numbers_lose_no_part_in_silence(what, is_shared):
    X, Y = responses(60, 12)
    sides = {"X": X, "y": Y, "sample_weight": np.ones(60)}
    if not is_shared:
        sides |= {"X": np.stack([X] * len(Y)), "sample_weight": np.ones(Y.shape)}
    sides[what] = sides[what] + 1j
    with pytest.raises(ValueError, match=f"{what} has dtype complex128; fit_many takes real"):
        fit_many(**sides, n_features_to_select=2)


@pytest.mark.parametrize("shape", [(60, 12), (9, 12)])
def test_responses_whose_squares_overflow_are_refused_without_a_warning(shape):
    X, Y = responses(*shape)
    for unit in (1e155, 1e307):
        for centre in (True, False):
            with pytest.raises(ValueError, match="squares of values in y overflow; divide y"):
                fit_many(X, Y * unit, 2, fit_intercept=centre)


@pytest.mark.parametrize("side", ["X", "y"])
def test_squares_about_zero_overflow_before_those_about_the_mean(side):
    X, Y = responses(60, 12)
    expected = fit_many(X, Y, 2).support
    if side == "y":
        Y = 5e152 * (Y + 20.0)
    else:
        X[:, 3] = 1e153 * (X[:, 3] + 10.0)
    np.testing.assert_array_equal(fit_many(X, Y, 2).support, expected)
    with pytest.raises(ValueError, match=f"squares of values in {side} overflow; divide"):
        fit_many(X, Y, 2, fit_intercept=False)
