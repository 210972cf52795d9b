"""Gates: one object for the parameters of gates, searchable, and never silently ignored."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV

import projstg
from projstg import STG, Gates, ProjectedSTG, ProjectedSTGCV, StabilitySelector, fit_many
from projstg.estimators.gate_options import JOINT, PROJECTED, price_and_gates

SAMPLED = {"expectation": "monte-carlo"}


@pytest.fixture
def data(rng):
    X = rng.normal(size=(40, 8))
    return X, 2.0 * X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=40)


def test_no_gates_are_the_default_ones(data):
    for kind in (ProjectedSTG, STG):
        plain, given = kind(2).fit(*data), kind(2, gates=Gates()).fit(*data)
        np.testing.assert_array_equal(plain.mu_, given.mu_)
        np.testing.assert_array_equal(plain.coef_, given.coef_)


@pytest.mark.parametrize(
    ("family", "knobs"),
    [
        (PROJECTED, {"alpha_scale": 0.2, "max_iter": 1000}),
        (
            PROJECTED,
            SAMPLED
            | {
                "alpha_scale": 0.2,
                "n_gate_samples": 20,
                "optimizer": "adam",
                "learning_rate": 1e-3,
                "max_iter": 4000,
            },
        ),
        (
            JOINT,
            {
                "alpha_scale": 0.1,
                "n_gate_samples": 1,
                "optimizer": "fixed",
                "learning_rate": 0.5,
                "max_iter": 8000,
            },
        ),
    ],
)
def test_none_is_the_estimator_s_own_value(family, knobs):
    said = price_and_gates(Gates(**knobs), family)
    mode = {key: value for key, value in knobs.items() if key == "expectation"}
    plain = price_and_gates(Gates(**mode), family)
    assert plain.alpha_scale == said.alpha_scale
    assert plain.gates.n_steps == said.gates.n_steps
    for name in ("n_gradient_samples", "optimizer", "learning_rate", "tau", "tol", "warm_up"):
        assert getattr(plain.gates, name) == getattr(said.gates, name)


# Nested parameters


def test_nested_parameters_are_set_cloned_and_searched(data):
    model = ProjectedSTG(2, gates=Gates())
    assert model.set_params(gates__tau=0.3).gates.tau == 0.3
    copy = clone(model)
    assert copy.gates is not model.gates
    assert copy.gates.tau == 0.3
    grid = {"gates__tau": [0.3, 0.5], "gates__alpha_scale": [0.1, 1.0]}
    search = GridSearchCV(ProjectedSTG(2, gates=Gates()), grid, cv=3).fit(*data)
    assert set(search.best_params_) == set(grid)
    assert search.best_estimator_.get_support(indices=True).tolist() == [1, 4]


@pytest.mark.parametrize(
    ("model", "name", "told"),
    [
        (ProjectedSTG(), "gates__tau", "pass gates=Gates() first, as in ProjectedSTG(gates="),
        (STG(), "gates__tau", "pass gates=Gates() first, as in STG(gates=Gates())"),
        (ProjectedSTGCV(), "estimator__refine", "pass estimator=ProjectedSTG() first, as in"),
    ],
)
def test_without_the_object_one_line_says_what_to_type(model, name, told):
    with pytest.raises(ValueError, match=f"{name} cannot be set while") as error:
        model.set_params(**{name: 0.3})
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_object_and_parameter_can_be_set_in_one_call():
    model = ProjectedSTG().set_params(gates=Gates(), gates__tau=0.3)
    assert model.gates.tau == 0.3
    with pytest.raises(ValueError, match="gates__tau cannot be set"):
        model.set_params(gates=None, gates__tau=0.3)
    with pytest.raises(ValueError, match="Invalid parameter 'theta' for estimator Gates"):
        model.set_params(gates__theta=0.3)


def test_a_search_over_nothing_says_so_too(data):
    with pytest.raises(ValueError, match="gates__tau cannot be set"):
        GridSearchCV(ProjectedSTG(2), {"gates__tau": [0.3]}, cv=3).fit(*data)


def public_estimators():
    found = [getattr(projstg, name) for name in projstg.__all__]
    return [one for one in found if inspect.isclass(one) and issubclass(one, BaseEstimator)]


@pytest.mark.parametrize("kind", public_estimators())
def test_no_estimator_has_more_than_thirteen_parameters(kind):
    assert len(kind._get_param_names()) <= 13


# What would be ignored raises, in fit alone


IGNORED = {
    "C beside λ": (Gates(alpha=0.1, alpha_scale=0.3), "alpha_scale=0.3 is part of the rule"),
    "σ beside λ": (Gates(alpha=0.1, noise_std=0.3), "noise_std=0.3 is part of the rule"),
    "draws": (Gates(n_gate_samples=5), "n_gate_samples=5 is for sampled gates.*monte-carlo"),
    "the default's draws": (Gates(n_gate_samples=20), "n_gate_samples=20 is for sampled gates"),
    "step rule": (Gates(optimizer="fixed"), "optimizer='fixed' is for sampled gates"),
    "rate": (Gates(learning_rate=0.1), "learning_rate=0.1 is for sampled gates"),
    "warm-up": (Gates(**SAMPLED, warm_up=False), 'warm_up=False is for exact.*tation="exact"'),
    "tolerance": (Gates(**SAMPLED, tol=0.1), 'tol=0.1 is for exact gates.*expectation="exact"'),
}
IGNORED_BY_STG = {
    "exact": (Gates(expectation="exact"), "STG samples its gates: leave it out, or use Projected"),
    "C beside λ": IGNORED["C beside λ"],
    "warm-up": (Gates(warm_up=False), r"warm_up=False is for exact gates.*leave it out\."),
    "tolerance": (Gates(tol=0.1), r"tol=0.1 is for exact gates.*leave it out\."),
    "a pair": (Gates(n_gate_samples=(5, 5)), r"n_gate_samples=\(5, 5\); STG has no projection"),
}


@pytest.mark.parametrize("name", IGNORED)
@pytest.mark.parametrize("k", [2, "auto", None])
def test_gates_that_would_be_ignored_raise(data, name, k):
    gates, message = IGNORED[name]
    with pytest.raises(ValueError, match=message) as error:
        ProjectedSTG(k, gates=gates).fit(*data)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=message):
        fit_many(data[0][None], data[1][None], k, gates=gates)


@pytest.mark.parametrize("name", IGNORED_BY_STG)
def test_gates_that_make_no_sense_for_stg_raise(data, name):
    gates, message = IGNORED_BY_STG[name]
    with pytest.raises(ValueError, match=message) as error:
        STG(2, gates=gates).fit(*data)
    assert "\n" not in str(error.value)


def test_what_sampled_gates_use_is_taken(data):
    few = {"max_iter": 20, "n_gate_samples": 3, "optimizer": "adam", "learning_rate": 0.01}
    for knobs in (SAMPLED | few, few):
        assert STG(2, gates=Gates(**knobs)).fit(*data).n_iter_ == 20
    assert ProjectedSTG(2, gates=Gates(**SAMPLED, **few)).fit(*data).n_iter_ == 20


# What is said of a search


SEARCHES = {
    "auto without a search": ({"refine": False}, "pass a number, or None for the columns whose"),
    "criterion": ({"n_features_to_select": 2, "refine": False, "criterion": "evidence"}, "criter"),
    "starts": ({"n_features_to_select": 2, "refine": False, "n_starts": 5}, "n_starts=5 is for"),
    "auto without probabilities": ({"probabilities": False}, 'or selection="ebic"'),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_would_not_be_made_raises(data, name):
    params, message = SEARCHES[name]
    model = ProjectedSTG().set_params(**params)  # not here
    with pytest.raises(ValueError, match=message) as error:
        model.fit(*data)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=message):
        StabilitySelector(model, n_pairs=2).fit(*data)


GRIDS = (
    {"selection": "ebic"},
    {"selection": "ebic", "probabilities": False},
    {"criterion": "evidence"},
    {"n_starts": 5},
)


@pytest.mark.parametrize("params", GRIDS, ids=str)
def test_a_grid_over_k_meets_no_error(data, params):
    grid = {"n_features_to_select": [1, 2, "auto", None]}
    search = GridSearchCV(ProjectedSTG(**params), grid, cv=3, error_score="raise").fit(*data)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("k", [2, None])
def test_what_says_the_same_twice_is_no_mistake(data, k):
    found = ProjectedSTG(k, refine=False, probabilities=False).fit(*data)
    assert found.support_probability_ is None
