"""ProjectedSTG: what its docstring promises, on long and on wide tables, in both modes."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from knobs import many_columns, nested
from oracles import exact_moments, explicit_risk, theorem_1
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from projstg import Gates, ProjectedSTG

MODES = {
    "exact": {},
    "plain": {"warm_up": False},
    "monte-carlo": {
        "expectation": "monte-carlo",
        "max_iter": 40,
        "learning_rate": 0.05,
        "random_state": 0,
    },
}
SHAPES = {"long": (60, 8), "wide": (20, 30)}


def model(n_features_to_select=None, **params):
    """The one place where these tests make a ProjectedSTG."""
    return ProjectedSTG(n_features_to_select, **nested(**params))


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


@pytest.fixture(params=SHAPES)
def data(request, rng):
    """X and y with three true columns: 1, 4 and 6; neither is centred."""
    X = rng.normal(size=SHAPES[request.param]) + 0.5
    return X, 2.0 * X[:, 1] - X[:, 4] + 1.5 * X[:, 6] + 0.3 * rng.normal(size=len(X)) + 4.0


def assert_same_gates(left, right, order=slice(None), **tolerance):
    """Gates, λ and risk of one fit are those of another whose columns were moved."""
    tolerance = {"rtol": 1e-6, "atol": 1e-8} | tolerance
    np.testing.assert_array_equal(left.support_[order], right.support_)
    for name in ("mu_", "gate_mean_"):
        np.testing.assert_allclose(getattr(left, name)[order], getattr(right, name), **tolerance)
    for name in ("alpha_", "risk_", "intercept_"):
        assert getattr(right, name) == pytest.approx(getattr(left, name), rel=1e-6)


# The support


@pytest.mark.parametrize("k", [1, 2, 7, 8])
def test_exactly_k_columns(X, y, mode, k):
    for table in (X, X[:, :8]):
        fitted = model(k, **mode).fit(table, y)
        assert fitted.support_.sum() == k
        assert fitted.transform(table).shape == (len(y), k)
        assert np.count_nonzero(fitted.coef_) == k


@pytest.mark.parametrize("k", [3, None])
def test_the_true_columns_are_found(X, y, k):
    assert model(k).fit(X, y).get_support(indices=True).tolist() == [1, 4, 6]


@pytest.mark.parametrize("price", [1e6, 1e100])
def test_a_huge_price_selects_nothing_or_exactly_k(X, y, mode, price):
    mode = mode | {"max_iter": 200} if mode.get("expectation") else mode
    nothing = model(alpha=price, **mode).fit(X, y)
    assert not nothing.support_.any()
    assert not nothing.coef_.any()
    np.testing.assert_allclose(nothing.predict(X), np.mean(y))
    assert model(3, alpha=price, **mode).fit(X, y).support_.sum() == 3


def test_no_price_selects_all_or_the_largest_of_least_squares(X, y):
    assert model(alpha=0).fit(X, y).support_.all()
    if X.shape[0] > X.shape[1]:
        best = LinearRegression().fit(X, y).coef_ * X.std(axis=0)
        expected = np.sort(np.argsort(-np.abs(best))[:4])
        assert model(4, alpha=0).fit(X, y).get_support(indices=True).tolist() == expected.tolist()


def test_none_selects_the_open_gates(X, y, mode):
    fitted = model(**mode).fit(X, y)
    np.testing.assert_array_equal(fitted.support_, fitted.mu_ > 0)
    assert fitted.support_.any()


# Invariances


@pytest.mark.parametrize("k", [3, None])
def test_units_of_the_columns_do_not_matter(X, y, mode, k, rng):
    plain = model(k, **mode).fit(X, y)
    scale = 10.0 ** rng.permutation(np.linspace(-12, 12, X.shape[1]))
    scaled = model(k, **mode).fit(X * scale, y)
    assert_same_gates(plain, scaled)
    np.testing.assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(scaled.gated_coef_ * scale, plain.gated_coef_, atol=1e-6)


def test_units_that_are_powers_of_two_change_no_bit(X, y, mode, rng):
    plain = model(3, **mode).fit(X, y)
    scale = 2.0 ** rng.integers(-40, 41, X.shape[1])
    scaled = model(3, **mode).fit(X * scale, y)
    for name in ("support_", "mu_", "gate_mean_", "risk_", "alpha_"):
        np.testing.assert_array_equal(getattr(scaled, name), getattr(plain, name))
    np.testing.assert_array_equal(scaled.coef_ * scale, plain.coef_)


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("name", ["exact", "plain"])
def test_order_of_the_columns_does_not_matter(X, y, name, k, rng):
    order = rng.permutation(X.shape[1])
    plain, moved = (model(k, **MODES[name]).fit(table, y) for table in (X, X[:, order]))
    assert_same_gates(plain, moved, order)
    np.testing.assert_allclose(moved.coef_, plain.coef_[order], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-8, 1e-3, 1e8])
@pytest.mark.parametrize("k", [3, None])
def test_everything_follows_the_unit_of_y(X, y, k, unit):
    plain, scaled = model(k).fit(X, y), model(k).fit(X, unit * y)
    np.testing.assert_array_equal(plain.support_, scaled.support_)
    np.testing.assert_allclose(scaled.mu_, plain.mu_, rtol=1e-6)
    for name, power in {
        "coef_": 1,
        "gated_coef_": 1,
        "intercept_": 1,
        "noise_std_": 1,
        "alpha_": 2,
        "risk_": 2,
    }.items():
        expected = getattr(plain, name) * unit**power
        found = getattr(scaled, name)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * unit**power)


@pytest.mark.parametrize("k", [3, None])
def test_a_weight_is_so_many_rows(X, y, mode, k, rng):
    weights = rng.integers(1, 4, size=len(y))
    weighted = model(k, **mode).fit(X, y, sample_weight=weights)
    repeated = model(k, **mode).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same_gates(weighted, repeated, atol=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(weighted.gated_coef_, repeated.gated_coef_, atol=1e-5)


@pytest.mark.parametrize("k", [3, None])
def test_a_row_without_weight_is_no_row(X, y, mode, k, rng):
    weights = rng.uniform(0.5, 2.0, size=len(y))
    weights[::4] = 0.0
    kept = weights > 0
    X[~kept] *= 1e6  # whatever it holds
    weighted = model(k, **mode).fit(X, y, sample_weight=weights)
    dropped = model(k, **mode).fit(X[kept], y[kept], sample_weight=weights[kept])
    for name in ("support_", "coef_", "intercept_", "mu_", "gated_coef_", "risk_", "alpha_"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(dropped, name))


@pytest.mark.parametrize("k", [3, None])
def test_an_intercept_is_centring(X, y, mode, k):
    with_intercept = model(k, alpha=0.05, **mode).fit(X, y)
    centred = model(k, alpha=0.05, fit_intercept=False, **mode).fit(X - X.mean(0), y - y.mean())
    assert centred.intercept_ == 0.0
    centred.intercept_ = y.mean() - X.mean(0) @ centred.coef_
    assert_same_gates(with_intercept, centred)
    np.testing.assert_allclose(with_intercept.coef_, centred.coef_, rtol=1e-9)


def test_without_an_intercept_the_mean_counts(X, y):
    fitted = model(3, fit_intercept=False).fit(X, y)
    assert fitted.intercept_ == 0.0
    best = np.linalg.lstsq(X[:, fitted.support_], y)[0]
    np.testing.assert_allclose(fitted.coef_[fitted.support_], best, rtol=1e-8)


# What is learned


@pytest.mark.parametrize("k", [1, 3, None])
def test_coefficients_are_least_squares_on_the_support(X, y, mode, k, rng):
    fitted = model(k, **mode).fit(X[:, :9], y)
    chosen = fitted.get_support(indices=True)
    design = np.column_stack([X[:, chosen], np.ones(len(y))])
    best = np.linalg.lstsq(design, y)[0]
    np.testing.assert_allclose([*fitted.coef_[chosen], fitted.intercept_], best, rtol=1e-8)
    assert not fitted.coef_[~fitted.support_].any()
    new = rng.normal(size=(5, fitted.n_features_in_))
    expected = np.column_stack([new[:, chosen], np.ones(5)]) @ best
    np.testing.assert_allclose(fitted.predict(new), expected, rtol=1e-8)


def standardised(X, y):
    X, y = X - X.mean(0), y - y.mean()
    scale = np.sqrt(np.mean(X**2, axis=0))
    return X / scale, y, scale


def test_gates_and_risk_are_what_they_are_called(X, y, mode):
    options = mode if "expectation" in mode else {"tol": 1e-9} | mode
    fitted = model(3, alpha=0.1, tau=0.4, **options).fit(X, y)
    q, v, is_open = exact_moments(np.clip(fitted.mu_, -2.4, 3.4), 0.4)  # six τ beyond the stops
    np.testing.assert_allclose(fitted.gate_mean_, q, atol=1e-9)
    Z, target, scale = standardised(X, y)
    theta = theorem_1(Z, target, q, v)
    expected = explicit_risk(Z, target, theta, q, v, is_open, 0.1)
    assert fitted.risk_ == pytest.approx(expected, rel=1e-6)
    if "expectation" not in mode:
        best = theta * np.clip(fitted.mu_, 0, 1) / scale
        np.testing.assert_allclose(fitted.gated_coef_, best, atol=1e-5)


def log(count):
    return math.log(max(count, 2))


@many_columns
@pytest.mark.parametrize("k", [1, 2, 3, "D-1", "D"])
@pytest.mark.parametrize("factor", [0.2, 1.0])
def test_theory_with_a_noise_is_the_paper_s_formula(X, y, mode, k, factor):
    n, d = X.shape
    k = {"D-1": d - 1, "D": d}.get(k, k)
    options = {"alpha_scale": factor, "noise_std": 0.7, "probabilities": False, **mode}
    fitted = model(k, alpha="theory", **options).fit(X, y)
    expected = factor * math.sqrt(2 * 0.7**2 * log(d - k) * log(k) / n)
    assert fitted.alpha_ == pytest.approx(expected, rel=1e-14)
    assert fitted.noise_std_ == 0.7


@pytest.mark.parametrize(
    ("shape", "k"), [((40, 64), 10), ((100, 64), 10), ((20, 64), 5), ((3, 5), 1), ((9, 1), 1)]
)
def test_theory_without_k_takes_the_nominal_sparsity(shape, k, rng):
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    n, d = shape
    expected = 0.2 * math.sqrt(2 * 0.5**2 * log(d - k) * log(k) / n)
    assert model(noise_std=0.5).fit(X, y).alpha_ == pytest.approx(expected, rel=1e-14)


def test_theory_counts_weights_as_rows(X, y):
    weights = np.full(len(y), 3.0)
    fitted = model(3, noise_std=0.5).fit(X, y, sample_weight=weights)
    once = model(3, noise_std=0.5).fit(X, y)
    assert fitted.alpha_ == pytest.approx(once.alpha_ / math.sqrt(3))


def test_theory_without_a_noise_estimates_it_and_the_signal(rng):
    X = rng.normal(size=(60, 8))
    y = 2.0 * X[:, 0] - X[:, 3] + rng.normal(size=60) + 9.0
    fitted = model(2).fit(X, y)
    left = y - LinearRegression().fit(X, y).predict(X)
    variance = np.sum(left**2) / (60 - 1 - 8)
    assert fitted.noise_std_ == pytest.approx(math.sqrt(variance), rel=1e-9)
    signal = math.sqrt((np.var(y) - variance) / 2)
    expected = 0.2 * signal * math.sqrt(2 * variance * log(6) * log(2) / 60)
    assert fitted.alpha_ == pytest.approx(expected, rel=1e-9)


def test_a_price_that_is_given_is_used(X, y, mode):
    fitted = model(3, alpha=0.03, **mode).fit(X, y)
    assert fitted.alpha_ == 0.03
    assert fitted.noise_std_ is None


# Tables and scikit-learn


FRAMES = {
    "pandas": (lambda X, names: pd.DataFrame(X, columns=names), pd.DataFrame),
    "polars": (lambda X, names: pl.DataFrame(X, schema=names), pl.DataFrame),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_in_and_out(X, y, library):
    names = [f"column {d}" for d in range(X.shape[1])]
    make, kind = FRAMES[library]
    frame = make(X, names)
    fitted = model(3).set_output(transform=library).fit(frame, y)
    plain = model(3).fit(X, y)
    np.testing.assert_allclose(fitted.coef_, plain.coef_, rtol=1e-12)  # columns lie otherwise
    chosen = ["column 1", "column 4", "column 6"]
    assert fitted.get_feature_names_out().tolist() == chosen
    assert fitted.feature_names_in_.tolist() == names
    out = fitted.transform(frame)
    assert isinstance(out, kind)
    assert list(out.columns) == chosen
    np.testing.assert_array_equal(out.to_numpy(), X[:, [1, 4, 6]])
    np.testing.assert_allclose(fitted.predict(frame), plain.predict(X), rtol=1e-12)
    assert plain.get_feature_names_out().tolist() == ["x1", "x4", "x6"]


def test_in_a_pipeline_scaling_makes_no_difference(X, y):
    plain = model(3).fit(X, y)
    scaled = make_pipeline(StandardScaler(), model(3)).fit(X, y)
    np.testing.assert_array_equal(scaled[-1].support_, plain.support_)
    np.testing.assert_allclose(scaled.predict(X), plain.predict(X), rtol=1e-9)
    selected = make_pipeline(model(3), LinearRegression()).fit(X, y)
    np.testing.assert_allclose(selected.predict(X), plain.predict(X), rtol=1e-9)


def test_in_a_grid_search(rng):
    X = rng.normal(size=(60, 8))
    y = X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=60)
    pipeline = make_pipeline(StandardScaler(), model(gates=Gates()))
    grid = {
        "projectedstg__n_features_to_select": [1, 2],
        "projectedstg__gates__alpha_scale": [0.1, 0.4],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["projectedstg__n_features_to_select"] == 2
    assert search.best_estimator_[-1].get_support(indices=True).tolist() == [0, 3]
    assert search.best_score_ > 0.9


def test_clone_and_pickle(X, y, mode):
    fitted = model(3, tau=0.3, **mode).fit(X, y)
    fresh = clone(fitted)
    left, right = fresh.get_params(), fitted.get_params()
    assert left.pop("gates") is not right.pop("gates")
    assert left == right
    assert not hasattr(fresh, "coef_")
    np.testing.assert_array_equal(fresh.fit(X, y).coef_, fitted.coef_)
    again = pickle.loads(pickle.dumps(fitted))
    assert vars(again).keys() == vars(fitted).keys()
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_other_numbers_are_computed_in_double(X, y, mode, dtype):
    X, y = (10 * X).astype(dtype), (10 * y).astype(dtype)
    found = model(3, **mode).fit(X, y)
    expected = model(3, **mode).fit(X.astype(float), y.astype(float))
    for name in ("support_", "coef_", "mu_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.coef_.dtype == found.predict(X).dtype == np.float64


# Progress


def test_too_few_steps_warn_and_say_what_to_type(X, y):
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        fitted = model(3, max_iter=1, **MODES["plain"]).fit(X, y)
    assert fitted.n_iter_ == 1
    assert fitted.support_.sum() == 3


def test_sampled_gates_take_every_step(X, y):
    assert model(3, **MODES["monte-carlo"]).fit(X, y).n_iter_ == 40


def test_nothing_is_printed(X, y, mode, capsys):
    model(3, **mode).fit(X, y).predict(X)
    assert capsys.readouterr() == ("", "")


# Sampled gates


def sampled(**params):
    return model(3, **MODES["monte-carlo"] | params)


def test_one_seed_is_one_answer(X, y):
    first = sampled(random_state=3).fit(X, y)
    for again in (3, np.int64(3)):
        np.testing.assert_array_equal(sampled(random_state=again).fit(X, y).mu_, first.mu_)
    for other in (4, None, np.random.RandomState(3)):
        assert np.max(np.abs(sampled(random_state=other).fit(X, y).mu_ - first.mu_)) > 1e-3
    states = [sampled(random_state=np.random.RandomState(3)).fit(X, y).mu_ for _ in range(2)]
    np.testing.assert_array_equal(*states)


def test_the_exact_mode_draws_nothing(X, y):
    left, right = (model(3, random_state=seed).fit(X, y) for seed in (0, 1))
    np.testing.assert_array_equal(left.mu_, right.mu_)


@pytest.mark.parametrize("pair", [(20, 20), [20, 20]])
def test_one_number_of_samples_is_both(X, y, pair):
    expected = sampled(n_gate_samples=20).fit(X, y).mu_
    np.testing.assert_array_equal(sampled(n_gate_samples=pair).fit(X, y).mu_, expected)
    apart = [sampled(n_gate_samples=p).fit(X, y).mu_ for p in ((4, 36), (36, 4))]
    assert np.max(np.abs(apart[0] - apart[1])) > 1e-3


@pytest.mark.parametrize("samples", [0, -1, 2.5, "20", (), (5,), (5, 5, 5), (0, 5), (5, 0.5)])
def test_other_numbers_of_samples_are_refused(data, samples):
    with pytest.raises(ValueError, match="n_gate_samples"):
        sampled(n_gate_samples=samples).fit(*data)


def test_a_fixed_step_is_the_rate_times_the_gradient(X, y):
    moves = [
        sampled(optimizer="fixed", learning_rate=rate, max_iter=1).fit(X, y).mu_ - 0.5
        for rate in (0.01, 0.02)
    ]
    assert np.max(np.abs(moves[0])) > 1e-4
    np.testing.assert_allclose(2 * moves[0], moves[1], atol=1e-14)
    first = sampled(optimizer="adam", learning_rate=0.01, max_iter=1).fit(X, y).mu_ - 0.5
    np.testing.assert_allclose(first, 0.01 * np.sign(moves[0]), rtol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_median_decision_selects_the_columns_that_are_likelier_than_not(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 25))
    y = X[:, :6] @ rng.standard_normal(6) + 1.5 * rng.standard_normal(40)
    model = ProjectedSTG(decision="median").fit(X, y)
    first = [group.features[0] for group in model.credible_groups(0.5)]
    np.testing.assert_array_equal(model.support_, np.isin(np.arange(25), first))
    assert np.all(model.support_[model.inclusion_probability_ > 0.5 + 1e-6])
    likeliest = ProjectedSTG().fit(X, y)
    np.testing.assert_allclose(
        model.inclusion_probability_, likeliest.inclusion_probability_, atol=1e-12
    )
    if likeliest.support_probability_ > 0.5:
        np.testing.assert_array_equal(model.support_, likeliest.support_)
    expected, *_ = np.linalg.lstsq(np.column_stack([X[:, model.support_], np.ones(40)]), y)
    np.testing.assert_allclose(model.coef_[model.support_], expected[:-1], rtol=1e-8)


@pytest.mark.parametrize(
    "params", [{"n_features_to_select": 2}, {"selection": "ebic"}, {"criterion": "least-squares"}]
)
def test_a_decision_that_would_not_be_used_is_refused(params):
    X = np.random.default_rng(0).standard_normal((20, 5))
    with pytest.raises(ValueError, match="decision='median' says how probabilities choose"):
        ProjectedSTG(**params, decision="median").fit(X, X[:, 0])


def test_of_columns_that_stand_for_each_other_the_median_decision_selects_one():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 14))
    for copy in (11, 12, 13):
        X[:, copy] = X[:, 2] + 0.03 * rng.standard_normal(60)
    y = 2.0 * X[:, 2] + X[:, 7] + rng.standard_normal(60)
    model = ProjectedSTG(decision="median").fit(X, y)
    assert np.all(model.inclusion_probability_[[2, 11, 12, 13]] < 0.5)
    assert model.support_[[2, 11, 12, 13]].sum() == 1
    assert model.support_[7]


def test_columns_of_few_factors_are_selected_together_only_if_that_is_likely():
    """Of ten columns with six factors any six explain y: more depend on each other."""
    for seed in range(15, 21):
        rng = np.random.default_rng(seed)
        Z = rng.standard_normal((60, 6))
        X, y = Z @ rng.standard_normal((6, 10)), Z @ np.ones(6) + 1e-3 * rng.standard_normal(60)
        model = ProjectedSTG(decision="median").fit(X, y)
        assert np.linalg.matrix_rank(X[:, model.support_]) == model.support_.sum() <= 6
        assert model.score(X, y) > 0.999


def test_columns_that_are_right_one_by_one_and_not_together_are_not_selected():
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((60, 8))
    X = Z @ rng.standard_normal((8, 20))
    y = Z @ np.ones(8) + 0.1 * rng.standard_normal(60)
    median, likeliest = (ProjectedSTG(decision=name).fit(X, y) for name in ("median", "likeliest"))
    assert median.support_probability_ >= 0.01 * likeliest.support_probability_
    assert median.score(X, y) > likeliest.score(X, y) - 0.01
