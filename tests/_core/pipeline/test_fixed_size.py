"""The search as users meet it: same answer however asked, constraints that hold, ties reported."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_problems import problem_of
from oracles import few_examples
from rounding import assert_same_numbers
from sklearn.exceptions import ConvergenceWarning

from projstg import STG, Gates, ProjectedSTG, fit_many
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores


def drawn(seed, n=30, n_features=20, k=5, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    truth = np.sort(rng.choice(n_features, k, replace=False))
    return X, X[:, truth].sum(axis=1) + noise * rng.standard_normal(n), truth


def score(X, y, support, criterion):
    return support_scores(problem_of(X, y), np.asarray(support)[None], CRITERIA[criterion])[0]


@pytest.mark.parametrize("criterion", ["evidence", "least-squares"])
@pytest.mark.parametrize("seed", range(5))
def test_the_search_is_never_worse_than_the_gates_or_the_truth(seed, criterion):
    X, y, truth = drawn(seed)
    found = ProjectedSTG(5, criterion=criterion).fit(X, y)
    gates = ProjectedSTG(5, refine=False).fit(X, y)
    assert found.objective_ == pytest.approx(
        score(X, y, found.get_support(indices=True), criterion), rel=1e-9
    )
    for other in (gates.get_support(indices=True), truth):
        assert found.objective_ <= score(X, y, other, criterion) + 1e-9


def test_without_the_search_nothing_is_said_of_it():
    X, y, _ = drawn(0)
    gates = ProjectedSTG(5, refine=False).fit(X, y)
    assert (gates.objective_, gates.equivalent_features_, gates.n_starts_) == (None, None, 0)
    open_gates = ProjectedSTG(None).fit(X, y)
    np.testing.assert_array_equal(open_gates.support_, open_gates.mu_ > 0)


def test_counts_say_what_happened():
    X, y, _ = drawn(0, n=60, noise=0.1)
    easy = ProjectedSTG(5).fit(X, y)
    assert 1 <= easy.n_agreeing_starts_ <= easy.n_starts_ < 60
    assert ProjectedSTG(5, n_starts=1).fit(X, y).n_starts_ == 1


def test_k_alone_and_k_along_a_path_are_one_answer_for_the_default_seed_is_a_number():
    X, y, _ = drawn(0, n=25, n_features=30, k=6, noise=1.0)
    along = ProjectedSTG(1)
    for k in range(1, 8):
        alone = ProjectedSTG(k).fit(X, y)
        along.set_params(n_features_to_select=k).fit(X, y)
        np.testing.assert_array_equal(along.support_, alone.support_)
        assert along.n_starts_ == alone.n_starts_


MODES = {"gates": {"refine": False}, "search": {}, "least squares": {"criterion": "least-squares"}}


@settings(few_examples, max_examples=25)
@given(st.data())
@pytest.mark.parametrize("mode", MODES)
def test_constraints_hold(mode, data):
    seed = data.draw(st.integers(0, 50))
    n_features = data.draw(st.integers(3, 12))
    n = data.draw(st.sampled_from([8, 40]))
    k = data.draw(st.integers(1, n_features - 1))
    columns = data.draw(st.permutations(range(n_features)))
    n_always = data.draw(st.integers(0, k))
    n_never = data.draw(st.integers(0, n_features - k))
    always, never = columns[:n_always], columns[n_always : n_always + n_never]
    X, y, _ = drawn(seed, n=n, n_features=n_features, k=2)
    model = ProjectedSTG(k, always_select=always, never_select=never, **MODES[mode]).fit(X, y)
    chosen = set(model.get_support(indices=True).tolist())
    assert len(chosen) == k
    assert set(always) <= chosen
    assert not set(never) & chosen


def test_a_forced_column_gets_its_least_squares_coefficient_beside_the_gates():
    X, y, _ = drawn(1, n=50, n_features=8, k=2, noise=0.1)
    model = ProjectedSTG(3, always_select=[7], refine=False, gates=Gates(alpha=1e-4)).fit(X, y)
    rest = y - X @ np.where(np.arange(8) == 7, 0.0, model.gated_coef_)
    centred = X[:, 7] - X[:, 7].mean()
    assert model.gated_coef_[7] == pytest.approx(centred @ rest / (centred @ centred), abs=1e-8)
    assert model.gate_mean_[7] == 1.0


def test_forced_columns_by_name_index_and_mask():
    X, y, _ = drawn(2)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    by_name = ProjectedSTG(5, always_select=["x19"], never_select=["x0"]).fit(frame, y)
    by_index = ProjectedSTG(5, always_select=[-1], never_select=[0]).fit(X, y)
    mask = np.arange(X.shape[1]) == 19
    by_mask = ProjectedSTG(5, always_select=mask, never_select=[0]).fit(X, y)
    np.testing.assert_array_equal(by_name.support_, by_index.support_)
    np.testing.assert_array_equal(by_name.support_, by_mask.support_)
    many = fit_many(X[None], y[None], 5, always_select=[19], never_select=[0], random_state=[0])
    np.testing.assert_array_equal(many.support[0], by_index.support_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"always_select": ["x2x"]}, r"no column of X; did you mean 'x2'\?"),
        ({"always_select": [20]}, "indices from 0 to 19"),
        ({"always_select": [1], "never_select": [1]}, "leave it out of one of them"),
        ({"always_select": [0, 1, 2], "n_features_to_select": 2}, "ask for at least 3"),
        ({"never_select": list(range(17))}, "ask for at most 3, or shorten never_select"),
        ({"never_select": np.zeros(3, dtype=bool)}, "a mask of 3 values for 20 columns"),
    ],
)
def test_constraints_that_cannot_be_met_say_so(params, message):
    X, y, _ = drawn(0)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(20)])
    with pytest.raises(ValueError, match=message):
        ProjectedSTG(**({"n_features_to_select": 5} | params)).fit(frame, y)


def test_twins_are_reported_and_the_first_is_chosen():
    X, y, truth = drawn(4, n=60, noise=0.1)
    twin = np.column_stack([X, X[:, truth[0]], 2.0 * X[:, truth[1]]])
    frame = pd.DataFrame(twin, columns=[f"x{i}" for i in range(22)])
    model = ProjectedSTG(5).fit(frame, y)
    np.testing.assert_array_equal(model.get_support(indices=True), truth)
    expected = {f"x{truth[0]}": ["x20"], f"x{truth[1]}": ["x21"]}
    assert model.equivalent_features_ == expected


def test_many_searches_are_single_searches():
    problems = [drawn(seed, n=20, n_features=25, k=6, noise=1.0)[:2] for seed in range(3)]
    X, y = (np.stack(part) for part in zip(*problems, strict=True))
    many = fit_many(X, y, 6, random_state=7)
    for i, seed in enumerate(many.seeds):
        alone = ProjectedSTG(6, random_state=seed).fit(X[i], y[i])
        np.testing.assert_array_equal(many.support[i], alone.support_)
        assert many.objective[i] == pytest.approx(alone.objective_, rel=1e-9)
        assert many.n_starts[i] == alone.n_starts_


@pytest.mark.parametrize("unit", [1e-150, 1e-10, 1e10, 1e150])
@pytest.mark.parametrize("k", [None, 5])
def test_the_unit_of_y_changes_nothing(unit, k):
    X, y, _ = drawn(0)
    plain, scaled = ProjectedSTG(k).fit(X, y), ProjectedSTG(k).fit(X, unit * y)
    np.testing.assert_array_equal(scaled.support_, plain.support_)
    np.testing.assert_allclose(scaled.coef_ / unit, plain.coef_, rtol=1e-9)
    assert scaled.noise_std_ / unit == pytest.approx(plain.noise_std_)
    single = fit_many(X[None].astype("f"), (y[None] * min(max(unit, 1e-12), 1e12)).astype("f"), k)
    np.testing.assert_array_equal(single.support[0], plain.support_)


def test_the_risk_counts_forced_gates_too():
    X, y, truth = drawn(1, n=60, noise=0.05)
    free = ProjectedSTG(5, gates=Gates(alpha=0.01), refine=False).fit(X, y)
    gates = Gates(alpha=0.01)
    forced = ProjectedSTG(5, gates=gates, refine=False, always_select=truth[:2]).fit(X, y)
    np.testing.assert_array_equal(free.mu_ > 0, forced.mu_ > 0)
    assert forced.risk_ == pytest.approx(free.risk_, rel=0.05)


def test_weights_that_are_no_numbers_of_rows_are_refused():
    X, y, _ = drawn(1)
    with pytest.raises(ValueError, match=r"of sample_weight sum to 1; .* multiply them by 30"):
        ProjectedSTG(5).fit(X, y, sample_weight=np.full(30, 1 / 30))
    with pytest.raises(ValueError, match=r"of sample_weight sum to 1; .* multiply them by 30"):
        fit_many(X[None], y[None], 5, sample_weight=np.full((1, 30), 1 / 30))


def test_a_descent_that_diverges_says_so():
    X, y, _ = drawn(1)
    with (
        pytest.warns(ConvergenceWarning, match="lower learning_rate=50"),
        np.errstate(all="ignore"),
    ):
        STG(5, gates=Gates(learning_rate=50)).fit(X, y)


@pytest.mark.parametrize("always", [[], [2400]])
def test_many_columns_are_screened_for_the_gates_and_searched_all(always):
    X, y, truth = drawn(5, n=60, n_features=2500, k=3, noise=0.1)
    model = ProjectedSTG(3 + len(always), always_select=always).fit(X, y)
    np.testing.assert_array_equal(
        model.get_support(indices=True), np.union1d(truth, always).astype(int)
    )
    assert np.isfinite(model.gated_coef_).all()
    assert np.sum(np.isneginf(model.mu_)) >= 1400
    many = fit_many(X[None], y[None], 3 + len(always), always_select=always, random_state=[0])
    np.testing.assert_array_equal(many.support[0], model.support_)
    assert_same_numbers(many.mu[0], model.mu_)


def test_a_y_whose_squares_overflow_is_refused():
    X, y, _ = drawn(0)
    with pytest.raises(ValueError, match="divide y by a constant"):
        ProjectedSTG(5).fit(X, 1e160 * y)
