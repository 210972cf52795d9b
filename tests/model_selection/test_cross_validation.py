"""ProjectedSTGCV against a plain loop over folds, and what its parameters promise."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from knobs import nested
from rounding import assert_same_numbers
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from projstg import STG, Gates, ProjectedSTG
from projstg import ProjectedSTGCV as Selector
from projstg.model_selection import cross_validation as module

OWN = ("estimator", "alpha_scales", "rule", "cv", "n_jobs")
C, PRICE = (ProjectedSTG(gates=Gates(**one)) for one in ({"alpha_scale": 0.3}, {"alpha": 0.1}))
SHAPES = {"long": (52, 8), "wide": (23, 30)}  # folds of two lengths
GRIDS = {
    "scales": {"alpha_scales": [0.01, 0.03, 20.0, 1.0]},
    "sizes": {"sizes": [3, 1, 5]},
    "both": {"sizes": [2, 5], "alpha_scales": [0.01, 30.0], "refine": False},
    "sampled": {
        "alpha_scales": [0.2, 2.0],
        "expectation": "monte-carlo",
        "max_iter": 30,
        "learning_rate": 0.05,
    },
}


def ProjectedSTGCV(sizes=None, **params):
    """The one place where these tests make one: other parameters go to its estimator."""
    own = {name: params.pop(name) for name in list(params) if name in OWN}
    return Selector(ProjectedSTG(**nested(**params)) if params else None, sizes=sizes, **own)


@pytest.fixture(params=SHAPES)
def data(request, rng):
    """X and y with three true columns: 1, 4 and 6; neither is centred."""
    X = rng.normal(size=SHAPES[request.param]) + 0.5
    return X, 2.0 * X[:, 1] - X[:, 4] + 1.5 * X[:, 6] + 0.3 * rng.normal(size=len(X)) + 4.0


@pytest.fixture
def weights(data, rng):
    return rng.integers(0, 4, size=len(data[1])).astype(float)


def plain_loop(X, y, splits, sizes=None, alpha_scales=None, sample_weight=None, **params):
    """Errors (n_candidates, n_folds) of one ProjectedSTG after another, the sparsest first."""
    w = np.ones(len(y)) if sample_weight is None else sample_weight
    errors = []
    for k in sorted(sizes or [None], key=lambda k: k or 0):
        for c in sorted(alpha_scales or [0.2], reverse=True):
            row = []
            for train, test in splits:
                fitted = ProjectedSTG(k, **nested(alpha_scale=c, **params))
                fitted.fit(X[train], y[train], sample_weight=w[train])
                left = mean_squared_error(y[test], fitted.predict(X[test]), sample_weight=w[test])
                row.append(left)
            errors.append(row)
    return np.asarray(errors)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("grid", GRIDS)
def test_errors_and_choice_are_those_of_a_plain_loop(X, y, grid, rule):
    fitted = ProjectedSTGCV(**GRIDS[grid], rule=rule).fit(X, y)
    expected = plain_loop(X, y, list(KFold(5).split(X)), **GRIDS[grid])
    np.testing.assert_allclose(fitted.cv_error_path_, expected, rtol=1e-8)
    assert len(np.unique(expected.round(8), axis=0)) >= min(len(expected), 3)  # wide enough
    mean, spread = expected.mean(axis=1), expected.std(axis=1, ddof=1)
    best = int(np.argmin(mean))
    if rule == "1se":
        best = next(i for i, m in enumerate(mean) if m <= mean[best] + spread[best] / np.sqrt(5))
    assert fitted.best_index_ == best
    np.testing.assert_allclose(fitted.cv_error_mean_, mean)
    np.testing.assert_allclose(fitted.cv_error_std_, spread, rtol=1e-6)


def test_weights_count_in_fits_and_errors(X, y, weights):
    grid = {"sizes": [1, 2, 3, 4]}
    fitted = ProjectedSTGCV(**grid).fit(X, y, sample_weight=weights)
    expected = plain_loop(X, y, list(KFold(5).split(X)), sample_weight=weights, **grid)
    np.testing.assert_allclose(fitted.cv_error_path_, expected, rtol=1e-8)
    single = ProjectedSTG(fitted.n_features_to_select_).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(fitted.coef_, single.coef_)


def test_rows_of_weight_zero_are_as_if_they_were_not_there(X, y):
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = np.flatnonzero(weights)
    place = np.cumsum(weights > 0) - 1
    splits = list(KFold(4).split(X))
    shorter = [tuple(place[part[weights[part] > 0]] for part in split) for split in splits]
    weighted = ProjectedSTGCV(alpha_scales=4, cv=splits).fit(X, y, sample_weight=weights)
    without = ProjectedSTGCV(alpha_scales=4, cv=shorter).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.cv_error_path_, without.cv_error_path_, rtol=1e-8)
    np.testing.assert_allclose(weighted.coef_, without.coef_, rtol=1e-8)


@pytest.mark.parametrize("grid", GRIDS)
def test_the_fit_is_that_of_the_choice_to_all_rows(X, y, grid):
    fitted = ProjectedSTGCV(**GRIDS[grid]).fit(X, y)
    params = {name: value for name, value in GRIDS[grid].items() if name not in (*OWN, "sizes")}
    params = nested(alpha_scale=fitted.alpha_scale_, **params)
    single = ProjectedSTG(fitted.n_features_to_select_, **params).fit(X, y)
    learned = [name for name in vars(single) if name.endswith("_") and name[0] != "_"]
    assert {"support_", "coef_", "alpha_", "noise_std_", "objective_"} <= set(learned)
    for name in [*learned, "mu_", "gate_mean_", "gated_coef_", "risk_", "n_iter_"]:
        np.testing.assert_equal(getattr(fitted, name), getattr(single, name))
    np.testing.assert_array_equal(fitted.predict(X), single.predict(X))
    np.testing.assert_array_equal(fitted.transform(X), single.transform(X))


def test_the_true_columns_are_found(X, y):
    for params in ({}, {"sizes": range(1, 7)}):
        fitted = ProjectedSTGCV(rule="1se", **params).fit(X, y)
        assert fitted.get_support(indices=True).tolist() == [1, 4, 6]
    assert fitted.n_features_to_select_ == 3


def test_candidates_are_listed_the_sparsest_first(data):
    plain = ProjectedSTGCV(cv=3, max_iter=200).fit(*data)
    assert plain.sizes_ is None
    assert plain.n_features_to_select_ is None
    np.testing.assert_allclose(plain.alpha_scales_, np.geomspace(10.0, 0.1, 20))
    sized = ProjectedSTGCV(3, cv=3).fit(*data)
    assert sized.sizes_.tolist() == [1, 2, 3]
    assert sized.alpha_scales_.tolist() == [0.2] * 3
    both = ProjectedSTGCV([2, 1], alpha_scales=[0.5, 1.0], refine=False, cv=3).fit(*data)
    assert both.sizes_.tolist() == [1, 1, 2, 2]
    assert both.alpha_scales_.tolist() == [1.0, 0.5, 1.0, 0.5]
    assert both.cv_error_path_.shape == (4, 3)
    assert both.alpha_scale_ == both.alpha_scales_[both.best_index_]


@pytest.mark.parametrize(
    ("rule", "errors", "expected"),
    [
        ("min", [[5.0, 5.0], [2.0, 2.0], [1.0, 2.0]], 2),
        ("1se", [[5.0, 5.0], [2.0, 2.0], [1.0, 2.0]], 1),  # 1.5 + 0.5
        ("1se", [[5.0, 5.0], [2.1, 2.0], [1.0, 2.0]], 2),
        ("min", [[3.0, 1.0], [1.0, 3.0], [2.0, 2.0]], 0),  # of equals the sparsest
        ("1se", [[2.0], [1.0], [1.0]], 1),  # one fold says nothing about its error
    ],
)
def test_rules_on_errors_made_up(rule, errors, expected):
    model = Selector(rule=rule)
    model._choose(np.asarray(errors), [1, 2, 3], [0.2])
    assert model.n_features_to_select_ == expected + 1


def same_path(left, right):
    assert_same_numbers(left.cv_error_path_, right.cv_error_path_)
    np.testing.assert_array_equal(left.support_, right.support_)
    assert_same_numbers(left.coef_, right.coef_)
    assert left.best_index_ == right.best_index_


@pytest.mark.parametrize("grid", ["scales", "sizes"])
def test_jobs_and_batches_change_no_answer(X, y, grid, monkeypatch):
    model = ProjectedSTGCV(**GRIDS[grid])
    whole = clone(model).fit(X, y)
    with parallel_config(backend="threading"):
        same_path(clone(model).set_params(n_jobs=2).fit(X, y), whole)
    monkeypatch.setattr(module, "_MOST_NUMBERS", 1)
    same_path(clone(model).fit(X, y), whole)


@pytest.mark.parametrize("is_number", [True, False])
def test_one_seed_for_every_fit(X, y, is_number):
    seed = 3 if is_number else np.random.RandomState(3)
    used = 3 if is_number else np.random.RandomState(3).randint(2**31 - 1)
    model = ProjectedSTGCV([3], **GRIDS["sampled"], refine=False, cv=3, random_state=seed)
    expected = plain_loop(
        X, y, list(KFold(3).split(X)), [3], **GRIDS["sampled"], refine=False, random_state=used
    )
    np.testing.assert_allclose(model.fit(X, y).cv_error_path_, expected, rtol=1e-8)
    assert model.best_estimator_.random_state == used


# What goes to the splitter


def test_groups_are_kept_together_with_and_without_routing(X, y, rng):
    groups = rng.integers(0, 6, size=len(y))
    model = ProjectedSTGCV(alpha_scales=3, cv=GroupKFold(3))
    splits = list(GroupKFold(3).split(X, y, groups))
    expected = ProjectedSTGCV(alpha_scales=3, cv=splits).fit(X, y)
    same_path(clone(model).fit(X, y, groups=groups), expected)
    with config_context(enable_metadata_routing=True):
        same_path(clone(model).fit(X, y, groups=groups), expected)
        weighted = clone(model).set_fit_request(sample_weight=True)
        scaled = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), weighted)
        scaled.fit(X, y, groups=groups, sample_weight=np.ones(len(y)))
        np.testing.assert_allclose(scaled[-1].cv_error_path_, expected.cv_error_path_, rtol=1e-6)


def test_any_splitter_will_do(X, y):
    fitted = ProjectedSTGCV([1, 3], cv=ShuffleSplit(1, test_size=5, random_state=0)).fit(X, y)
    assert fitted.cv_error_path_.shape == (2, 1)
    assert fitted.cv_error_std_.tolist() == [0.0, 0.0]


def test_without_routing_other_metadata_are_refused(data):
    with pytest.raises(TypeError, match="fit got colour; without metadata routing"):
        ProjectedSTGCV().fit(*data, colour=1)


# Constraints and mistakes


def test_names_of_columns_are_understood(X, y):
    frame = pd.DataFrame(X, columns=[f"x{d}" for d in range(X.shape[1])])
    fitted = ProjectedSTGCV([2, 3], always_select=["x0"], never_select=["x1"], cv=3).fit(frame, y)
    assert fitted.support_[0]
    assert not fitted.support_[1]
    assert fitted.get_feature_names_out()[0] == "x0"
    expected = plain_loop(
        X, y, list(KFold(3).split(X)), [2, 3], always_select=[0], never_select=[1]
    )
    np.testing.assert_allclose(fitted.cv_error_path_, expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sizes": [0]}, "from 1 on"),
        ({"sizes": [100]}, "n_features_to_select=100 is more than"),
        ({"alpha_scales": []}, "give positive numbers"),
        ({"alpha_scales": [1.0, 0.0]}, "give positive numbers"),
        ({"alpha_scales": [1.0, np.nan]}, "give positive numbers"),
        ({"rule": "2se"}, "rule"),
        ({"cv": []}, r"cv=\[\] has no splits; give how many folds there are to be, such as cv=5"),
        ({"cv": iter([]), "sizes": [2]}, "has no splits; give how many"),
    ],
)
def test_mistakes_are_told(data, params, message):
    with pytest.raises(ValueError, match=message):
        ProjectedSTGCV(**params).fit(*data)


@pytest.mark.parametrize(
    ("estimator", "params", "message"),
    [
        (ProjectedSTG(5), {}, r"n_features_to_select=5, .*; pass sizes=\[5\]\."),
        (ProjectedSTG(5), {"sizes": [1, 2]}, "n_features_to_select=5, .*; leave it out"),
        (ProjectedSTG(None), {"sizes": [1, 2]}, "n_features_to_select=None"),
        (C, {}, r"alpha_scale=0.3, .* pass alpha_scales=\[0.3\]\."),
        (C, {"sizes": [2], "alpha_scales": [1.0]}, "alpha_scale=0.3, which"),
        (PRICE, {}, r"alpha=0.1, so there is no C .*sizes=range\(1, 21\)"),
        (PRICE, {"sizes": [2], "alpha_scales": 3}, "alpha=0.1, so there is no C"),
        (ProjectedSTG(n_starts=5, refine=False), {"sizes": [2]}, "n_starts=5 is for the search"),
        (ProjectedSTG(criterion="residual"), {"sizes": [2]}, "'criterion' parameter of Projected"),
        (ProjectedSTG(gates=Gates(tau=-1.0)), {}, "'tau' parameter of Gates"),
        (STG(), {}, "'estimator' parameter of ProjectedSTGCV must be an instance of"),
    ],
)
def test_what_the_estimator_must_not_say_is_told(data, estimator, params, message):
    with pytest.raises(ValueError, match=message):
        Selector(estimator, **params).fit(*data)


def test_k_can_be_chosen_with_a_c_or_a_price_of_the_estimator_s(X, y):
    splits = list(KFold(3).split(X))
    for gates, scale in ((C.gates, 0.3), (PRICE.gates, None)):
        model = ProjectedSTG(gates=gates, refine=False)
        found = Selector(model, sizes=[1, 3], cv=3).fit(X, y)
        expected = [
            [
                mean_squared_error(y[test], one.fit(X[train], y[train]).predict(X[test]))
                for train, test in splits
            ]
            for one in (clone(model).set_params(n_features_to_select=k) for k in (1, 3))
        ]
        np.testing.assert_allclose(found.cv_error_path_, expected, rtol=1e-8)
        assert found.alpha_scale_ == scale
        assert (found.alpha_scales_ is None) == (scale is None)


def test_the_estimator_is_left_as_it_is(data):
    estimator = ProjectedSTG(gates=Gates(tau=0.4), random_state=np.random.RandomState(0))
    before = repr(estimator)
    found = Selector(estimator, alpha_scales=[0.1, 1.0], cv=3).fit(*data)
    assert repr(estimator) == before
    assert not hasattr(estimator, "coef_")
    assert found.best_estimator_.gates.alpha_scale == found.alpha_scale_
    assert found.best_estimator_.gates.tau == 0.4


def test_parameters_of_the_estimator_can_be_searched(data):
    grid = {"estimator__gates__tau": [0.3, 0.5], "rule": ["min", "1se"]}
    model = Selector(ProjectedSTG(gates=Gates()), alpha_scales=[0.1, 1.0], cv=3)
    assert GridSearchCV(model, grid, cv=3).fit(*data).best_score_ > 0.8


def test_a_fold_without_weight_is_told(X, y):
    weights = np.ones(len(y))
    weights[: len(y) // 4 + 2] = 0.0
    with pytest.raises(ValueError, match=r"fold 0 of cv has .* and 0 to judge"):
        ProjectedSTGCV().fit(X, y, sample_weight=weights)


def test_gates_that_still_move_are_told(data):
    with pytest.warns(ConvergenceWarning) as caught:
        ProjectedSTGCV(alpha_scales=[0.3, 0.1], max_iter=1).fit(*data)
    assert any("of 10 fits to folds" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("params", [{}, {"sizes": [2]}])
def test_a_column_that_is_constant_in_one_fold(params, rng):
    X = rng.standard_normal((40, 6))
    X[:, 5] = np.arange(40) == 3
    y = X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(40)
    found = ProjectedSTGCV(**params).fit(X, y)
    assert found.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_masks_are_their_row_numbers(X, y, is_weighted, weights):
    w = weights if is_weighted else None
    judged = np.arange(len(y)) % 3 == 0
    masks = ProjectedSTGCV(sizes=2, cv=[(~judged, judged.tolist())]).fit(X, y, w)
    rows = [(np.flatnonzero(~judged), np.flatnonzero(judged))]
    numbers = ProjectedSTGCV(sizes=2, cv=rows).fit(X, y, w)
    np.testing.assert_array_equal(masks.cv_error_path_, numbers.cv_error_path_)


HALF = np.arange(10)


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        ([1, 2], "fold 0 of cv is 1; give pairs"),
        ([(1, 2, 3)], r"fold 0 of cv is \(1, 2, 3\); give pairs"),
        ([(HALF, HALF + 10), (HALF + 0.9, HALF)], "fold 1 of cv has .* no row numbers; give"),
        ([(HALF, [HALF, [1]])], "fold 0 of cv has .* no row numbers; give"),
        ([(HALF, ["a"])], "fold 0 of cv has .* no row numbers; give"),
        ([(HALF, [99])], "has the row number 99, and there are .* rows; give numbers from 0 to"),
        ([(HALF, [-99])], "has the row number -99"),
        ([(HALF > 3, HALF <= 3)], "a mask of 10 values for .* rows; give one for each row"),
        ([(HALF, [])], "fold 0 of cv has 10 rows to fit and 0 to judge"),
    ],
)
def test_splits_that_name_no_rows_are_refused_in_one_line(data, cv, said):
    with pytest.raises(ValueError, match=said) as caught:
        ProjectedSTGCV(sizes=2, cv=cv).fit(*data)
    assert "\n" not in str(caught.value)
