"""Randomised pursuit is a loop over runs, OMP when it is cold, and never short of columns."""

import numpy as np
import pytest
from oracles_pursuit import drawn, greedy, looped_pursuits, looped_support, pursuit
from sklearn.linear_model import OrthogonalMatchingPursuit

from projstg import RandomizedOMP
from projstg._core.data.batch import centred_rows
from projstg._core.data.frame import in_range
from projstg._core.data.standard_table import as_tables
from projstg._core.greedy import randomized_pursuit as randomized
from projstg._core.greedy.matching_pursuit import (
    Candidates,
    SoftmaxCorrelation,
    largest_correlation,
    matching_pursuits,
)
from projstg._core.greedy.randomized_pursuit import averaged_pursuits, randomized_omp


def planted(rng, n_rows=25, n_columns=30, k=4, noise=0.5, n_problems=None):
    """X and y of one problem, or of many; the first k columns count."""
    batch = () if n_problems is None else (n_problems,)
    X = rng.normal(size=(*batch, n_rows, n_columns)) * rng.uniform(0.5, 2.0, n_columns)
    signal = np.sum(X[..., :k] * rng.choice([-1.0, 1.0], k), axis=-1)
    return X, signal + noise * rng.normal(size=(*batch, n_rows))


def softmax(temperature, draws):
    return SoftmaxCorrelation(np.full((len(draws), 1), temperature), draws)


def problem_of(X, y):
    return centred_rows(X[None], y[None], centre=False)[0]


def solved(tables, k, temperature, n_runs, seeds):
    """Supports (B, k), the averages of the coefficients in the units of the data, and the shares.

    The temperature is in the units of y².
    """
    units = tables.units
    scaled = temperature / units.y_scale**2
    support, runs = randomized_omp(tables.batch, k, scaled, n_runs, seeds)
    return support, in_range(runs.mean_coef, units.scale, units.y_scale[:, None]), runs.frequency


# The kernel


@pytest.mark.parametrize("temperature", [0.01, 0.75, 30.0])
@pytest.mark.parametrize("shape", [(12, 20), (40, 15)])
def test_runs_side_by_side_are_a_loop_over_runs(shape, temperature, door, rng):
    X, y = planted(rng, *shape)
    draws = rng.random((20, 5))
    found = matching_pursuits(door(problem_of(X, y)), 5, 20, softmax(temperature, draws))
    orders, mean_coef = looped_pursuits(X, y, temperature, draws)
    np.testing.assert_array_equal(found.order, orders)
    assert np.all(found.counts)
    averaged = np.zeros(shape[1])
    for order, coef in zip(found.order, found.coef, strict=True):
        averaged[order] += coef / 20
    np.testing.assert_allclose(averaged, mean_coef, rtol=1e-9, atol=1e-12)


def test_the_greedy_rule_is_refitting(full_table, door):
    X, y = full_table
    k = min(X.shape) - 1
    found = matching_pursuits(door(problem_of(X, y)), k, 1, largest_correlation)
    order, beta = pursuit(X, y, k, greedy)
    assert found.order[0].tolist() == order
    np.testing.assert_allclose(found.coef[0], beta, rtol=1e-7, atol=1e-9)


def test_a_run_stops_where_no_column_has_anything_left(table, door, rng):
    X, y = table
    n_steps, rank = X.shape[1], np.linalg.matrix_rank(X)
    found = matching_pursuits(
        door(problem_of(X, y)), n_steps, 7, softmax(5.0, rng.random((7, n_steps)))
    )
    assert found.counts.tolist() == [[step < rank for step in range(n_steps)]] * 7
    fitted = X @ np.linalg.lstsq(X, y)[0]
    for order, counts, coef in zip(found.order, found.counts, found.coef, strict=True):
        assert len(set(order[counts])) == rank
        assert not coef[~counts].any()
        np.testing.assert_allclose(X[:, order] @ coef, fitted, atol=1e-7 * np.linalg.norm(y))


def candidates(score, usable=None):
    """Columns of unit norm with these squared correlations."""
    score = np.asarray(score, dtype=float)
    left = np.ones_like(score) if usable is None else np.where(usable, 1.0, np.inf)
    return Candidates(np.sqrt(score), left, np.ones_like(score))


def test_columns_are_drawn_with_the_probability_of_their_correlation(rng):
    score, n, temperature = np.asarray([0.0, 1.0, 2.0, 3.0]), 40_000, 0.75
    usable = np.asarray([True, True, False, True])
    rule = softmax(temperature, rng.random((n, 1)))
    j = rule(0, candidates(np.tile(score, (n, 1)), np.tile(usable, (n, 1))))
    weight = np.where(usable, np.exp(score / (2 * temperature)), 0.0)
    expected = weight / weight.sum()
    error = np.sqrt(expected * (1 - expected) / n)
    assert np.all(np.abs(np.bincount(j[:, 0], minlength=4) / n - expected) <= 4 * error)


@pytest.mark.parametrize("temperature", [0.0, 5e-324, 1e-300, 1.0, 1e300, np.inf])
@pytest.mark.parametrize("size", [0.0, 1e-300, 1.0, 1e300])
def test_no_exponent_overflows(temperature, size, rng):
    n = 200
    score = size * np.tile([0.0, 0.5, 1.0], (n, 1))
    usable = np.tile([True, True, True], (n, 1))
    j = softmax(temperature, rng.random((n, 1)))(0, candidates(score, usable))[:, 0]
    if size / max(temperature, 5e-324) > 1e3:
        assert set(j) == {2}
    elif size == 0.0 or size / temperature < 1e-3:
        assert set(j) == {0, 1, 2}


@pytest.mark.parametrize("uniform", [0.0, 1.0 - 2.0**-53])
def test_the_ends_of_the_draws_take_the_first_and_the_last_usable_column(uniform):
    usable = np.asarray([[False, True, True, False]])
    rule = softmax(1.0, np.asarray([[uniform]]))
    j = rule(0, candidates([[0.3, 0.2, 0.1, 0.9]], usable))
    weights = np.where(usable[0], np.exp(np.asarray([0.3, 0.2, 0.1, 0.9]) / 2), 0.0)
    assert j.item() == drawn(weights, uniform) == (1 if uniform == 0.0 else 2)


# The average


def test_the_support_is_that_of_the_loop(rng):
    for seed in range(5):
        X, y = planted(rng)
        tables = as_tables(X[None], y[None], centre=False)
        (support,), (coef,), (shares,) = solved(tables, 4, 0.75, 30, [seed])
        draws = np.random.default_rng([seed, 4]).random((30, 4))
        expected = looped_support(X, y, 0.75, draws)
        np.testing.assert_array_equal(tables.frame(0).mask(support), expected)
        orders, mean_coef = looped_pursuits(X, y, 0.75, draws)
        np.testing.assert_allclose(coef, mean_coef, rtol=1e-9, atol=1e-12)
        frequency = np.bincount(orders.ravel(), minlength=X.shape[1]) / 30
        np.testing.assert_allclose(shares, frequency, rtol=1e-12)


@pytest.mark.parametrize("n_rows", [12, 40])
def test_a_batch_is_its_problems_one_by_one(n_rows, rng):
    X, y = planted(rng, n_rows, n_problems=7)
    many = solved(as_tables(X, y), 3, 0.75, 150, range(7))
    for i in range(7):
        one = solved(as_tables(X[i : i + 1], y[i : i + 1]), 3, 0.75, 150, [i])
        np.testing.assert_array_equal(one[0][0], many[0][i])
        for left, right in zip(one, many, strict=True):
            np.testing.assert_allclose(left[0], right[i], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "sizes", [{"_CACHED": 1}, {"_CACHED": 2**40}, {"_IN_MEMORY": 1}, {"_IN_MEMORY": 400}]
)
def test_blocks_are_the_whole(sizes, rng, monkeypatch):
    X, y = planted(rng, n_problems=3)
    batch = as_tables(X, y).batch
    whole = averaged_pursuits(batch, 3, np.ones(3), 11, range(3))
    for name, value in sizes.items():
        monkeypatch.setattr(randomized, name, value)
    parts = averaged_pursuits(batch, 3, np.ones(3), 11, range(3))
    np.testing.assert_allclose(parts.mean_coef, whole.mean_coef, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(parts.frequency, whole.frequency, rtol=1e-12)


def test_rows_are_the_sums(rng, monkeypatch):
    X, y = planted(rng, 10, 40)
    tables = as_tables(X[None], y[None])
    seen = []
    for largest, by_sums in ((10**6, True), (1, False)):
        monkeypatch.setattr(randomized, "_LARGEST_GRAM", largest)
        quicker = randomized._quicker(tables.batch, np.zeros((1, 30, 4)))
        assert (quicker.X is None) == by_sums
        seen.append(solved(tables, 4, 0.75, 30, [0]))
    for left, right in zip(*seen, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
@pytest.mark.parametrize("temperature", [0.0, 0.75])
def test_other_libraries_agree(library, temperature, rng):
    xp = pytest.importorskip(library)  # torch is an extra
    X, y = planted(rng, n_problems=2)
    plain, other = (
        solved(as_tables(convert(X), convert(y)), 3, temperature, 20, [5, 6])
        for convert in (np.asarray, xp.asarray)
    )
    for left, right in zip(plain, other, strict=True):
        assert isinstance(right, type(xp.asarray(X)))
        np.testing.assert_allclose(np.asarray(right), left, rtol=1e-8, atol=1e-12)


def test_single_precision_never_rounds_a_draw_to_one():
    draws = np.full((1, 1, 1), 1.0 - 2.0**-53)
    rule = randomized._rule(np.zeros((1, 2), dtype=np.float32), np.ones(1, np.float32), draws)
    usable = np.asarray([[True, True, False]])
    three = Candidates(*(part.astype(np.float32) for part in candidates([[0.1] * 3], usable)))
    assert rule(0, three).item() == 1


# The estimator


@pytest.mark.parametrize("temperature", [0.0, 1e-12])
def test_a_cold_pursuit_is_scikit_learns(temperature, rng):
    for _ in range(100):
        n_rows, n_columns = rng.integers(8, 40, 2)
        k = int(rng.integers(1, min(n_rows, n_columns) // 2))
        X, y = planted(rng, n_rows, n_columns, min(k, 4))
        X = X - X.mean(axis=0)
        X /= np.linalg.norm(X, axis=0)
        cold = RandomizedOMP(k, temperature=temperature, n_runs=3).fit(X, y)
        omp = OrthogonalMatchingPursuit(n_nonzero_coefs=k).fit(X, y)
        np.testing.assert_array_equal(cold.support_, omp.coef_ != 0.0)
        np.testing.assert_allclose(cold.coef_, omp.coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(cold.mean_coef_, omp.coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(cold.selection_frequency_, cold.support_, rtol=1e-12)


def test_what_it_stores(rng):
    X, y = planted(rng)
    model = RandomizedOMP(4, n_runs=17).fit(X, y)
    assert model.selection_frequency_.sum() == pytest.approx(4)
    assert np.all(np.rint(17 * model.selection_frequency_) / 17 == model.selection_frequency_)
    chosen = np.column_stack([np.ones(len(y)), X[:, model.support_]])
    solution = np.linalg.lstsq(chosen, y)[0]
    np.testing.assert_allclose(model.coef_[model.support_], solution[1:], rtol=1e-9)
    assert not model.coef_[~model.support_].any()
    assert model.intercept_ == pytest.approx(solution[0])
    assert not model.mean_coef_[model.selection_frequency_ == 0.0].any()
    size = np.abs(model.mean_coef_) * np.std(X, axis=0)
    assert size[model.support_].min() >= size[~model.support_].max()


@pytest.mark.parametrize("n_columns", [4, 10, 39])
def test_a_tenth_of_the_columns_unless_told(n_columns, rng):
    X, y = planted(rng, n_columns=n_columns, k=1)
    assert RandomizedOMP().fit(X, y).support_.sum() == max(n_columns // 10, 1)


def test_units_do_not_matter(rng):
    X, y = planted(rng)
    factor, unit = 10.0 ** rng.uniform(-9, 9, X.shape[1]), 1e5
    plain = RandomizedOMP(4).fit(X, y)
    other = RandomizedOMP(4, temperature=0.75 * unit**2).fit(X * factor, unit * y)
    np.testing.assert_array_equal(plain.support_, other.support_)
    np.testing.assert_allclose(other.mean_coef_ * factor / unit, plain.mean_coef_, rtol=1e-7)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shape", [(15, 30), (40, 12)])
def test_weights_are_repeated_rows(shape, fit_intercept, rng):
    X, y = planted(rng, *shape)
    weights = rng.integers(0, 4, len(y))
    weighted, repeated = (
        RandomizedOMP(3, fit_intercept=fit_intercept) for _ in ("weighted", "repeated")
    )
    weighted.fit(X, y, sample_weight=weights)
    repeated.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    np.testing.assert_allclose(weighted.mean_coef_, repeated.mean_coef_, rtol=1e-8, atol=1e-12)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, abs=1e-9)


def test_one_seed_one_answer_and_another_seed_other_draws(rng):
    X, y = planted(rng, noise=3.0)
    first, again, other = (RandomizedOMP(4, random_state=s).fit(X, y) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.mean_coef_, again.mean_coef_)
    assert np.any(first.mean_coef_ != other.mean_coef_)


DEGENERATE = {
    "y is zero": lambda X, y: (X, 0.0 * y),
    "y is constant": lambda X, y: (X, 0.0 * y + 0.1),
    "y is a column": lambda X, y: (X, X[:, 2]),
    "y is tiny": lambda X, y: (X, 1e-200 * y),
    "y is huge": lambda X, y: (X, 1e150 * y),
    "zero columns": lambda X, y: (X * (np.arange(X.shape[1]) % 2), y),
    "all columns alike": lambda X, y: (np.repeat(X[:, :1], X.shape[1], axis=1), y),
    "columns twice": lambda X, y: (np.hstack([X[:, :5], -3.0 * X[:, :5]]), y),
    "few rows": lambda X, y: (X[:3], y[:3]),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("temperature", [0.0, 1e-300, 0.75, 1e300])
def test_exactly_k_columns_come_back(name, temperature, rng):
    X, y = DEGENERATE[name](*planted(rng, 12, 10, 2))
    for k in (1, 5):
        model = RandomizedOMP(k, temperature=temperature, n_runs=9).fit(X, y)
        assert model.support_.sum() == k
        assert not model.support_[np.ptp(X, axis=0) == 0.0].any()
        assert np.all(np.isfinite([model.coef_, model.mean_coef_]))
        assert np.all((model.selection_frequency_ >= 0) & (model.selection_frequency_ <= 1 + 1e-12))
        chosen = np.column_stack([np.ones(len(y)), X[:, model.support_]])
        scale = max(np.max(np.abs(y)), 1e-300)
        fitted = chosen @ np.linalg.lstsq(chosen, y / scale)[0]
        np.testing.assert_allclose(model.predict(X) / scale, fitted, atol=1e-7)


def test_a_table_of_constants_selects_nothing_unless_told():
    X, y = np.full((6, 30), 2.0), np.arange(6.0)
    model = RandomizedOMP().fit(X, y)
    assert not model.support_.any()
    np.testing.assert_allclose(model.predict(X), 2.5)
    with pytest.raises(ValueError, match="0 columns of X that vary"):
        RandomizedOMP(1).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", np.nan),
        ("temperature", np.inf),
        ("n_runs", 0),
        ("n_runs", 2.5),
        ("n_features_to_select", 0),
    ],
)
def test_parameters_out_of_range_say_the_range(name, value, rng):
    with pytest.raises(ValueError, match=rf"'{name}' parameter .* must be .*Got {value!r} instead"):
        RandomizedOMP(**{name: value}).fit(*planted(rng))


def test_more_columns_than_there_are(rng):
    with pytest.raises(ValueError, match="n_features_to_select=31 is more than the 30 columns"):
        RandomizedOMP(31).fit(*planted(rng))


def test_the_average_is_nearer_the_truth_than_the_greedy_run(rng):
    """Elad and Yavneh's point: in mean square, many representations are better than one."""
    beta = 1.0 * (np.arange(40) < 3)
    X = rng.normal(size=(300, 20, 40))
    tables = as_tables(X, X @ beta + rng.normal(size=(300, 20)), centre=False)
    cold, warm = (
        np.sum((solved(tables, 3, t, 50, range(300))[1] - beta) ** 2, axis=-1) for t in (0.0, 0.75)
    )
    assert np.mean(cold - warm) > 3 * np.std(cold - warm) / np.sqrt(300)
