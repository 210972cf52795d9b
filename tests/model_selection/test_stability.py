"""Complementary pairs: what is counted, what is promised, and that batches change nothing."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_regression
from sklearn.linear_model import (
    Lasso,
    LogisticRegression,
    OrthogonalMatchingPursuit,
    Ridge,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from projstg import Gates, ProjectedSTG, StabilitySelector
from projstg.model_selection import subsampling as halves_module
from projstg.model_selection.stability_bounds import false_selections, largest_tail
from projstg.model_selection.subsampling import complementary_halves

# --- bounds -----------------------------------------------------------------------------------

# D = 100, π = 0.6, B = 50: the numbers that the R package stabs prints for q = 1, …, 10, unimodal
# and r-concave. Its search for the latter stops early, so it may fall short of the supremum.
PUBLISHED = [
    (1, 0.02631579, 0.006971364),
    (2, 0.1052632, 0.03342845),
    (4, 0.4210526, 0.1637231),
    (7, 1.289474, 0.5295188),
    (10, 2.631579, 1.141338),
]


@pytest.mark.parametrize(("q", "unimodal", "r_concave"), PUBLISHED)
def test_bounds_are_the_published_ones(q, unimodal, r_concave):
    found = false_selections(100, q, 0.6, 50)
    assert found.worst_case == pytest.approx(q**2 / (0.2 * 100))
    assert found.unimodal == pytest.approx(unimodal, rel=1e-6)
    assert r_concave * (1 - 1e-6) <= found.r_concave <= r_concave * 1.005


def test_bounds_beyond_three_quarters():
    assert false_selections(10, 3, 0.96, 50).unimodal == pytest.approx(0.1764706)
    assert false_selections(200, 7, 0.62, 50).r_concave == pytest.approx(0.196, abs=5e-4)


def largest_unimodal_tail(mean, place, n_steps):
    """The same by linear programming, one mode after the other."""
    i = np.arange(n_steps + 1)
    best = 0.0
    for mode in i:
        step = np.eye(n_steps + 1, k=1)[:-1] - np.eye(n_steps + 1)[:-1]  # f(i+1) − f(i)
        signs = np.where(i[:-1] < mode, -1.0, 1.0)
        done = linprog(
            -(i >= place).astype(float),
            A_ub=np.vstack([signs[:, None] * step, i]),
            b_ub=np.append(np.zeros(n_steps), mean * n_steps),
            A_eq=np.ones((1, n_steps + 1)),
            b_eq=[1.0],
        )
        best = max(best, 0.0 if done.fun is None else -done.fun)  # none has that mean and mode
    return best


@pytest.mark.parametrize("n_pairs", [6, 11])
@pytest.mark.parametrize("theta", [0.05, 0.2, 0.4])
def test_the_unimodal_bound_is_markov_s_for_unimodal_shares(n_pairs, theta):
    """θ² is the largest share of agreement; its tail may not pass θ² C(π, B)."""
    checked = 0
    for steps in range(n_pairs + 2, 2 * n_pairs + 1):
        found = false_selections(1, theta, steps / (2 * n_pairs), n_pairs)
        least = min(0.5 + theta**2, 0.5 + 0.5 / n_pairs + 0.75 * theta**2)
        supremum = largest_unimodal_tail(theta**2, steps - n_pairs, n_pairs)
        assert supremum <= found.unimodal * (1 + 1e-9)
        if steps / (2 * n_pairs) > least:  # where the theorem speaks it is not much larger
            assert found.unimodal <= 1.6 * supremum
            checked += 1
    assert checked >= 3


@pytest.mark.parametrize("r", [-0.5, -0.25])
def test_no_r_concave_share_has_a_larger_tail(rng, r):
    n_steps = 10
    i = np.arange(n_steps + 1)
    closest = 0.0
    for _ in range(80):
        lines = rng.uniform(-1, 1, size=(2, 1)) * i + rng.uniform(0, 3, size=(2, 1))
        convex = np.max(lines, axis=0)
        f = np.maximum(convex - convex.min() + rng.exponential(0.3), 1e-9) ** (1 / r)
        f[rng.integers(1, n_steps + 1) + 1 :] = 0.0
        f /= f.sum()
        mean = f @ i / n_steps
        for place in range(int(np.ceil(2 * mean * n_steps)) + 1, n_steps + 1):
            bound = largest_tail(mean, place, n_steps, r)
            assert f[place:].sum() <= bound + 1e-9
            closest = max(closest, f[place:].sum() / bound)
    assert closest > 0.9  # some come near


def test_bounds_are_ordered_and_tighten_with_the_threshold():
    thresholds = np.arange(0.3, 1.001, 0.05)
    for q in (0.0, 1.0, 5.5, 19.0, 20.0):
        found = np.asarray([false_selections(20, q, t, 25) for t in thresholds])
        assert np.all(np.diff(found, axis=1) <= 1e-12)
        assert np.all(np.diff(found, axis=0) <= 1e-12)
        assert np.all(found <= 20)
    assert false_selections(20, 5, 0.5, 25).worst_case == 20  # at a half nothing is promised


def test_a_threshold_between_two_shares_is_the_next_share():
    assert false_selections(30, 4, 0.801, 10) == false_selections(30, 4, 0.85, 10)
    assert false_selections(30, 4, 0.7, 10) == false_selections(30, 4, 0.7 + 1e-12, 10)


# --- halves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [10, 11])
def test_halves_are_disjoint_and_equal(rng, n_samples):
    halves = complementary_halves(n_samples, 20, rng)
    assert len(halves) == 40
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert first.size == second.size == n_samples // 2
        assert not np.intersect1d(first, second).size
    assert len({tuple(half) for half in halves}) > 30
    often = np.bincount(np.concatenate(halves), minlength=n_samples)
    assert often.min() >= 15  # of 20: no row is left out for good


def test_groups_are_not_torn(rng):
    groups = np.asarray(["a", "b", "c", "d", "e"])[[0, 0, 1, 2, 2, 2, 3, 4, 4, 0]]
    for first, second in np.reshape(
        np.asarray(complementary_halves(10, 30, rng, groups), dtype=object), (30, 2)
    ):
        of_first, of_second = set(groups[first]), set(groups[second])
        assert len(of_first) == len(of_second) == 2
        assert not of_first & of_second
        assert first.size == np.isin(groups, list(of_first)).sum()


# --- the selector -----------------------------------------------------------------------------


@pytest.fixture
def data(rng):
    X = rng.normal(size=(41, 12))
    return X, 1.5 * X[:, 2] - X[:, 7] + 0.8 * X[:, 9] + rng.normal(size=41)


def shares(selector, X, y, select, groups=None):
    """The definition: fit ``select`` to each half with its seed, and count."""
    for_halves, for_fits = np.random.SeedSequence(selector.random_state).spawn(2)
    rng = np.random.default_rng(for_halves)
    halves = complementary_halves(len(y), selector.n_pairs, rng, groups)
    seeds = for_fits.generate_state(len(halves))
    masks = [select(X[half], y[half], int(seed)) for half, seed in zip(halves, seeds, strict=True)]
    masks = np.asarray(masks)
    both = np.mean(masks[::2] & masks[1::2], axis=0)
    return np.mean(masks, axis=0), both, masks.sum() / len(masks)


BASES = {
    "default": ProjectedSTG(3, n_starts=5),
    "gates": ProjectedSTG(None, refine=False),
    "sampled": ProjectedSTG(2, gates=Gates(expectation="monte-carlo", max_iter=30), refine=False),
    "forced": ProjectedSTG(
        3, n_starts=5, always_select=[4], never_select=[2], gates=Gates(tau=0.4)
    ),
}


@pytest.mark.parametrize("groups", [None, np.arange(41) // 3])
@pytest.mark.parametrize("name", BASES)
def test_a_batch_counts_what_single_fits_select(data, name, groups):
    selector = StabilitySelector(BASES[name], n_pairs=6, random_state=3).fit(*data, groups=groups)

    def select(X, y, seed):
        return clone(BASES[name]).set_params(random_state=seed).fit(X, y).support_

    probability, both, q = shares(selector, *data, select, groups)
    np.testing.assert_array_equal(selector.selection_probability_, probability)
    np.testing.assert_array_equal(selector.simultaneous_probability_, both)
    assert selector.mean_selected_ == pytest.approx(q)
    assert 0 < probability.max() <= 1


def test_batches_of_several_sizes_and_of_little_memory(data, monkeypatch):
    groups = np.minimum(np.arange(41) // 4, 7)
    selector = StabilitySelector(ProjectedSTG(3, n_starts=5), n_pairs=5)
    whole = selector.fit(*data, groups=groups).selection_probability_
    monkeypatch.setattr(halves_module, "_MOST_NUMBERS", 500)
    again = clone(selector).fit(*data, groups=groups)
    np.testing.assert_array_equal(again.selection_probability_, whole)


ANY = {
    "coef_": Lasso(alpha=0.3),
    "get_support": SelectKBest(f_regression, k=3),
    "from model": SelectFromModel(Ridge(), max_features=2, threshold=-np.inf),
    "pipeline": make_pipeline(StandardScaler(), Lasso(alpha=0.3)),
    "search": GridSearchCV(Lasso(), {"alpha": [0.1, 0.4]}, cv=2),
}


@pytest.mark.parametrize("name", ANY)
def test_any_selector_will_do(data, name):
    selector = StabilitySelector(ANY[name], n_pairs=10, threshold=0.6).fit(*data)

    def select(X, y, seed):
        model = clone(ANY[name]).fit(X, y)
        if hasattr(model, "get_support"):
            return model.get_support()
        model = getattr(model, "best_estimator_", model)
        return (model[-1] if name == "pipeline" else model).coef_ != 0

    probability, _, _ = shares(selector, *data, select)
    np.testing.assert_array_equal(selector.selection_probability_, probability)
    assert selector.support_[2]
    np.testing.assert_array_equal(selector.support_, probability >= 0.6)


def test_classes_and_sparse_tables(rng):
    X = rng.normal(size=(60, 5))
    y = np.where(X[:, 1] > 0, "up", "down")
    model = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.2)
    assert StabilitySelector(model, n_pairs=4).fit(X, y).get_support(indices=True).tolist() == [1]
    dense = StabilitySelector(Lasso(0.1), n_pairs=4).fit(X, X[:, 1])
    sparse = StabilitySelector(Lasso(0.1), n_pairs=4).fit(csr_array(X), X[:, 1])
    np.testing.assert_array_equal(sparse.selection_probability_, dense.selection_probability_)


@pytest.mark.parametrize("base", [ProjectedSTG(3, n_starts=5), Lasso(0.3)])
def test_processes_change_nothing(data, base):
    selector = StabilitySelector(base, n_pairs=3)
    one, two = (clone(selector).set_params(n_jobs=n).fit(*data) for n in (None, 2))
    np.testing.assert_array_equal(one.selection_probability_, two.selection_probability_)
    other = clone(selector).set_params(random_state=1).fit(*data)
    assert np.any(one.selection_probability_ != other.selection_probability_)


def test_the_threshold_and_what_it_promises(data):
    selector = StabilitySelector(ProjectedSTG(3, refine=False), n_pairs=10, threshold=0.72)
    selector.fit(*data)
    assert selector.threshold_ == 0.75
    np.testing.assert_array_equal(selector.support_, selector.selection_probability_ >= 0.75)
    assert selector.mean_selected_ == 3.0
    assert selector.expected_false_selections_ == false_selections(12, 3.0, 0.75, 10)
    for k in (1, 4, 12):
        few = clone(selector).set_params(n_features_to_select=k).fit(*data)
        share = few.selection_probability_
        assert few.support_.sum() == k
        if k < 12:
            assert share[few.support_].min() >= share[~few.support_].max()
        assert few.threshold_ == share[few.support_].min()
        assert few.transform(data[0]).shape == (41, k)


def test_ties_of_shares_go_to_agreement_then_to_the_first():
    """Three pairs: columns selected twice in one pair, once in each, twice apart, twice apart."""
    selected = np.asarray(
        [[0, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]
    )
    for k, expected in [(1, [1]), (2, [0, 1]), (3, [0, 1, 2])]:
        selector = StabilitySelector(Lasso(), n_pairs=3, n_features_to_select=k)
        selector._store(selected.astype(bool))
        assert np.flatnonzero(selector.support_).tolist() == expected


def test_the_path_is_a_fit_for_each_size(data):
    for base, other in [
        (ProjectedSTG(2, n_starts=5), "n_features_to_select"),
        (OrthogonalMatchingPursuit(n_nonzero_coefs=2), "n_nonzero_coefs"),
        (SelectKBest(f_regression, k=2), "k"),
    ]:
        selector = StabilitySelector(base, n_pairs=4, sizes=[1, 2, 5]).fit(*data)
        path = selector.stability_path_
        assert path.sum(axis=1) == pytest.approx([1, 2, 5])
        np.testing.assert_array_equal(path[1], selector.selection_probability_)
        alone = clone(base).set_params(**{other: 5})
        expected = StabilitySelector(alone, n_pairs=4).fit(*data).selection_probability_
        np.testing.assert_array_equal(path[2], expected)
    assert StabilitySelector(base, n_pairs=2).fit(*data).stability_path_ is None


def test_weights_travel_with_their_rows(X, y):
    weights = np.random.default_rng(0).integers(1, 4, size=41).astype(float)
    for base in (ProjectedSTG(3, refine=False), Lasso(0.3)):
        selector = StabilitySelector(base, n_pairs=5)
        weighted = clone(selector).fit(X, y, sample_weight=weights)
        # Whole weights are repetitions, and repetitions of a row are a group.
        again = np.repeat(np.arange(41), weights.astype(int))
        repeated = clone(selector).fit(X[again], y[again], groups=again)
        np.testing.assert_allclose(weighted.selection_probability_, repeated.selection_probability_)
        plain, none = (clone(selector).fit(X, y, **own) for own in ({}, {"sample_weight": None}))
        assert np.any(weighted.selection_probability_ != plain.selection_probability_)
        np.testing.assert_array_equal(none.selection_probability_, plain.selection_probability_)


def test_rows_without_weight_are_no_rows(data):
    weights = np.ones(41)
    weights[::5] = 0.0
    selector = StabilitySelector(ProjectedSTG(3, refine=False), n_pairs=3)
    selector.fit(*data, sample_weight=weights)

    def select(X, y, seed):
        kept = np.flatnonzero(X[:, -1] > 0)
        return ProjectedSTG(3, refine=False).fit(X[kept, :-1], y[kept]).support_

    probability, _, _ = shares(selector, np.column_stack([data[0], weights]), data[1], select)
    np.testing.assert_array_equal(selector.selection_probability_, probability)


def test_names_go_in_and_come_out(data):
    pd = pytest.importorskip("pandas")
    names = [f"gene {i}" for i in range(12)]
    X, y = pd.DataFrame(data[0], columns=names), data[1]
    forced = ProjectedSTG(3, refine=False, always_select=["gene 4"])
    for base in (forced, make_pipeline(forced)):
        selector = StabilitySelector(base, n_pairs=3).set_output(transform="pandas").fit(X, y)
        assert selector.selection_probability_[4] == 1.0
        assert "gene 4" in selector.get_feature_names_out()
        assert list(selector.transform(X).columns) == list(selector.get_feature_names_out())


def test_metadata_are_routed(data):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=41)
    groups = np.arange(41) // 2
    base = ProjectedSTG(3, refine=False)
    plain = StabilitySelector(base, n_pairs=4).fit(*data, groups, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        asks = clone(base).set_fit_request(sample_weight=True)
        inner = StabilitySelector(asks, n_pairs=4)
        outer = make_pipeline(inner)
        outer.fit(*data, sample_weight=weights, groups=groups)
        with pytest.raises(ValueError, match="sample_weight"):
            StabilitySelector(base, n_pairs=4).fit(*data, sample_weight=weights)
    np.testing.assert_array_equal(outer[-1].selection_probability_, plain.selection_probability_)


def test_one_warning_for_all_that_did_not_converge(data):
    selector = StabilitySelector(ProjectedSTG(3, refine=False, gates=Gates(max_iter=1)), n_pairs=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(*data)
    (warning,) = caught
    assert warning.category is ConvergenceWarning
    assert "6 of 6 fits" in str(warning.message)


def test_mistakes_say_what_to_type(data):
    with pytest.raises(TypeError, match="has no fit"):
        StabilitySelector(ProjectedSTG).fit(*data)
    with pytest.raises(TypeError, match="SelectFromModel"):
        StabilitySelector(DecisionTreeRegressor(), n_pairs=1).fit(*data)
    narrow = make_pipeline(SelectKBest(f_regression, k=3), Lasso())
    with pytest.raises(ValueError, match="sees every column"):
        StabilitySelector(narrow, n_pairs=1).fit(*data)
    with pytest.raises(ValueError, match="n_nonzero_coefs"):
        StabilitySelector(Lasso(), n_pairs=1, sizes=[1]).fit(*data)
    with pytest.raises(ValueError, match="at most 12"):
        StabilitySelector(Lasso(), n_features_to_select=13).fit(*data)
    with pytest.raises(ValueError, match="one group"):
        StabilitySelector(Lasso()).fit(*data, groups=np.zeros(41))
