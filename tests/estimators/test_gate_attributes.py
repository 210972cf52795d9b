"""Gates of a model whose answer a search gave: fitted when asked for, from what fit kept."""

import copy
import inspect
import io
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from knobs import displays
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from projstg import Gates, ProjectedSTG, ProjectedSTGCV, fit_many
from projstg._core.data.standard_table import as_tables
from projstg._core.gates.gate_fit import GateOptions
from projstg._core.pipeline import gate_problem as stage
from projstg._core.pipeline.options import Options

NAMES = ("mu_", "gate_mean_", "gated_coef_", "risk_", "n_iter_")
SHAPES = {"long": (60, 8), "wide": (20, 30)}


@pytest.fixture(params=SHAPES)
def data(request, rng):
    """X and y; the third column does not vary."""
    X = rng.normal(size=SHAPES[request.param]) + 0.5
    X[:, 2] = 1.0
    X[:, 6] = X[:, 5] + 3e-6 * rng.normal(size=len(X))  # sums of squares have few digits here
    return X, 2.0 * X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=len(X)) + 4.0


@pytest.fixture
def no_fit(monkeypatch):
    """Any fit of gates in full fails."""

    def refuse(*args, **kwargs):
        raise RuntimeError("gates were fitted")

    monkeypatch.setattr(stage, "fit_gates", refuse)


QUESTIONS = {
    "K": {},
    "forced": {"always_select": [5]},
    "excluded": {"never_select": [0, 7]},
    "both": {"always_select": [7, 1], "never_select": [3]},
    "no intercept": {"fit_intercept": False},
    "lambda given": {"gates": Gates(alpha=0.3, tau=0.4)},
    "near copies forced": {"always_select": [5, 6]},
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_they_are_those_of_a_fit_by_gates_alone(X, y, question, weighted, rng):
    weights = rng.integers(1, 4, len(y)).astype(float) if weighted else None
    searched = ProjectedSTG(3, **question).fit(X, y, weights)
    alone = ProjectedSTG(3, refine=False, **question).fit(X, y, weights)
    for name in (*NAMES, "alpha_"):
        np.testing.assert_allclose(
            getattr(searched, name), getattr(alone, name), rtol=1e-7, atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("k", [3, "auto"])
def test_no_gates_are_fitted_before_they_are_asked_for(data, k, no_fit):
    model = ProjectedSTG(k).fit(*data)
    assert model.predict(data[0]).shape == data[1].shape
    assert model.alpha_ > 0.0
    for name in NAMES:
        with pytest.raises(RuntimeError, match="gates were fitted"):
            getattr(model, name)


@displays
def test_nor_by_looking_at_the_model(data, no_fit):
    model = ProjectedSTG(3).fit(*data)
    assert set(NAMES) <= set(dir(model))
    assert "gate_mean_" not in model._repr_html_()
    assert "support_" in model._repr_html_()
    with pytest.raises(RuntimeError, match="gates were fitted"):
        inspect.getmembers(model)


@displays
def test_once_asked_for_they_are_shown(data):
    model = ProjectedSTG(3).fit(*data)
    assert model.n_iter_ > 0
    assert "gate_mean_" in model._repr_html_()
    assert set(NAMES) <= set(dir(model))


def test_batches_fit_none_either(data, no_fit):
    X, y = (np.stack([side, side]) for side in data)
    fits = fit_many(X, y, 3)
    assert fits.is_settled.all()
    with pytest.raises(RuntimeError, match="gates were fitted"):
        _ = fits.converged


@pytest.mark.parametrize("k", [3, "auto"])
def test_what_is_asked_later_changes_nothing(data, k):
    first, later = (ProjectedSTG(k).fit(*data) for _ in range(2))
    expected = {name: getattr(first, name) for name in NAMES}
    later.set_params(gates=Gates(tau=2.0, alpha=1.0), random_state=9, n_features_to_select=1)
    again = pickle.loads(pickle.dumps(later))
    for name in NAMES:
        np.testing.assert_array_equal(getattr(later, name), expected[name])
        np.testing.assert_array_equal(getattr(again, name), expected[name])


def test_too_few_steps_warn_whoever_asks_first(data):
    model = ProjectedSTG(2, gates=Gates(max_iter=1)).fit(*data)  # a warning would be an error
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol") as caught:
        assert model.n_iter_ == 1
    assert caught[0].filename == __file__
    assert model.gate_mean_.shape == (data[0].shape[1],)


def test_before_fit_there_are_none(data):
    failed = ProjectedSTG(200)
    with pytest.raises(ValueError, match="n_features_to_select"):
        failed.fit(*data)
    for model in (ProjectedSTG(2), ProjectedSTGCV(), failed):
        assert not hasattr(model, "gate_mean_")
        with pytest.raises(NotFittedError, match="not fitted"):
            _ = model.mu_
        assert "gate_mean_" not in dir(model)


def test_threads_that_ask_at_once_get_the_same(data):
    model = ProjectedSTG(3).fit(*data)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: model.mu_, range(24)))
    for one in found:
        np.testing.assert_array_equal(one, found[0])


@pytest.mark.parametrize("gates", [Gates(warm_up=False, max_iter=1), Gates(max_iter=1)])
def test_a_batch_says_of_its_gates_what_single_fits_say(X, y, gates):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ProjectedSTG(2, gates=gates).fit(X, y)
    warned = any(issubclass(one.category, ConvergenceWarning) for one in caught)
    fits = fit_many(X[None], y[None], 2, gates=gates)
    assert fits.is_settled.tolist() == [not warned]
    assert not fits.converged.any()
    assert not fits.is_settled.any()  # now that somebody has asked


def numbers_in(model):
    """All arrays of floats in the pickle."""
    kept = []

    class Spy(pickle.Pickler):
        def reducer_override(self, value):
            if isinstance(value, np.ndarray):
                kept.append(value)
            return NotImplemented

    Spy(io.BytesIO()).dump(model)
    return [array for array in kept if array.dtype == float]


def without_gates(model):
    """The size of the pickle of all but the gates."""
    rest = copy.copy(model)
    del rest._fitted_gates
    return len(pickle.dumps(rest))


SIZES = {"long": (500, 40), "very long": (5000, 40), "wide": (20, 300), "triangle": (20, 30)}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_no_row_is_kept_and_memory_does_not_grow_with_rows(name, fit_intercept, rng):
    n, d = SIZES[name]
    X = rng.normal(size=(n, d))
    if name == "triangle":
        X = np.triu(X)
    y = X[:, 1] - X[:, 2] + 0.1 * rng.normal(size=n)
    model = ProjectedSTG(2, fit_intercept=fit_intercept).fit(X, y)
    size, rest = len(pickle.dumps(model)), without_gates(model)
    assert size - rest < 8 * min(n, d) * (d + 1) + 48 * d + 3000
    centred = X - X.mean(axis=0) * fit_intercept
    standard = centred / np.sqrt(np.mean(centred**2, axis=0))
    rows = np.concatenate([X, centred, standard])
    for array in numbers_in(model):
        flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array[None]
        if flat.shape[1] == d:
            for own in (flat, -flat):
                apart = min(np.abs(rows - one).max(axis=-1).min() for one in own)
                assert apart > 1e-3
    _ = model.mu_
    assert len(pickle.dumps(model)) - rest < 60 * d + 3000


AT_ONCE = {
    "gates decide": Options(n_selected=2),
    "open gates": Options(refine=True),
    "sampled": Options(
        n_selected=2, refine=True, gates=GateOptions(expectation="monte-carlo", max_iter=3)
    ),
    "no first steps": Options(n_selected=2, refine=True, gates=GateOptions(warm_up=False)),
}


@pytest.mark.parametrize("options", AT_ONCE.values(), ids=AT_ONCE)
def test_what_cannot_wait(data, options):
    tables = as_tables(*(side[None] for side in data))
    assert not stage.can_wait(stage.gate_problem(tables, options, [0]))


def test_gates_of_more_columns_than_can_be_kept_are_fitted_at_once(rng):
    X = rng.normal(size=(1, 600, 2300))
    tables = as_tables(X, X[:, :, 0])
    few, many = (
        stage.gate_problem(tables, Options(n_selected=k, refine=True), [0]) for k in (3, 510)
    )
    assert stage.can_wait(few)
    assert not stage.can_wait(many)


@pytest.mark.parametrize("forced", [(), (2299, 17)])
def test_of_many_columns_the_likeliest_get_gates(rng, forced):
    X = rng.normal(size=(1, 30, 2300))
    tables = as_tables(X, X[:, :, 5] - X[:, :, 1000])
    options = Options(n_selected=4, refine=True, always=forced)
    problem = stage.gate_problem(tables, options, [0])
    columns = problem.columns[0]
    assert columns[: len(forced)].tolist() == list(forced)
    assert np.unique(columns).size == columns.size == 1000 + len(forced)
    assert {5, 1000} <= set(columns.tolist())
    gates, kept = stage.fitted(problem), stage.fitted(problem.without_rows())
    assert gates.mu.shape == (1, 2300)
    np.testing.assert_allclose(kept.mean, gates.mean, atol=1e-7)
    assert np.all(gates.mean[0, list(forced)] == 1.0)
    assert not gates.mean[0, np.setdiff1d(np.arange(2300), columns)].any()
    first = stage.first_steps(problem)[0]
    assert set(np.argsort(-np.abs(first))[:2].tolist()) == {5, 1000}
