"""Prepare, then solve: the way of ``fit`` is open to those who have many tables."""

import numpy as np
import pytest
from rounding import assert_same_numbers
from scipy.sparse import csr_array
from sklearn.exceptions import DataDimensionalityWarning

from projstg import STG, Gates, ProjectedSTG, ProjectedSTGCV, Statistics
from projstg._core.pipeline.kept_gates import in_order, without_rows
from projstg.estimators import AveragedCoef, ManyFits, fit_many
from projstg.estimators.many_fits import fit_together
from projstg.estimators.questions import fit_of, prepare, request_of, solve
from projstg.model_selection import FalseSelections, SupportPath, projected_stg_path

MODELS = {
    "auto": ProjectedSTG(random_state=3),
    "ebic": ProjectedSTG(selection="ebic"),
    "given": ProjectedSTG(2, always_select=[5], never_select=[1], criterion="evidence"),
    "open": ProjectedSTG(None, gates=Gates(alpha=0.1)),
    "gates": ProjectedSTG(2, refine=False, fit_intercept=False),
    "sampled": ProjectedSTG(
        2, refine=False, gates=Gates(expectation="monte-carlo", max_iter=20), random_state=5
    ),
    "stg": STG(2, gates=Gates(max_iter=30), random_state=5),
}


@pytest.fixture
def data(rng):
    X = rng.normal(size=(40, 8)) + 1.0
    return X, 2.0 * X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=40)


@pytest.mark.parametrize("name", MODELS)
def test_the_answer_is_that_of_fit(X, y, name):
    model = MODELS[name]
    question = prepare(request_of(model), X[None], y[None])
    (group,), (solution,) = question.groups, solve(question, [model.random_state])
    found, fitted = fit_of(group.tables, solution, 0, None), model.fit(X, y)
    np.testing.assert_array_equal(found.frame.mask(found.answer.support), fitted.support_)
    np.testing.assert_array_equal(found.coef, fitted.coef_)
    gates = in_order(without_rows([(group.numbers, solution.gates)]))
    np.testing.assert_array_equal(gates.mu[0], fitted.mu_)


@pytest.mark.parametrize("name", MODELS)
def test_problems_together_are_problems_alone(data, name):
    X, y = (np.stack([part, part[::-1]]) for part in data)
    y[1] = np.roll(y[1], 3)
    model = MODELS[name]
    fits = fit_together(model, X, y, random_state=[model.random_state] * 2)
    assert isinstance(fits, ManyFits)
    for i in range(2):
        alone = model.fit(X[i], y[i])
        np.testing.assert_array_equal(fits.support[i], alone.support_)
        assert_same_numbers(fits.gated_coef[i], alone.gated_coef_)


def test_the_question_does_not_touch_the_model(X, y):
    model = ProjectedSTG(2, gates=Gates(tau=0.3))
    before = dict(vars(model))
    question = prepare(request_of(model), X[None], y[None])
    assert vars(model) == before
    model.set_params(gates__tau=0.9)
    assert question.groups[0].options.gates.tau == 0.3


def test_what_comes_back_can_be_imported_from_where_it_comes(X, y):
    assert isinstance(fit_many(X[None], y[None], 2), ManyFits)
    assert isinstance(ProjectedSTG(2).fit(X, y).averaged_coef(), AveragedCoef)
    assert isinstance(projected_stg_path(X, y, n_alphas=2), SupportPath)
    assert FalseSelections.__doc__


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("door", ["rows", "sums", "sparse", "responses"])
def test_where_no_column_may_be_selected_none_is(door, fit_intercept, rng):
    X = rng.standard_normal((30, 3)) + 1.0
    y = 5.0 * X[:, 0] + 0.1 * rng.standard_normal(30)
    params = {"never_select": [0, 1, 2], "fit_intercept": fit_intercept}
    if door == "responses":
        assert not fit_many(X, np.stack([y, y]), **params).support.any()
        return
    rows = {
        "rows": (X, y),
        "sums": (Statistics().update(X, y),),
        "sparse": (csr_array(X), y),
    }[door]
    model = ProjectedSTG(**params).fit(*rows)
    assert not model.support_.any()
    assert model.support_probability_ == 1.0
    with pytest.raises(ValueError, match="the 0 columns of X that vary and are not in never"):
        ProjectedSTG(1, **params).fit(*rows)


def test_what_is_said_of_many_problems_is_said_of_the_first(rng):
    X, y = rng.standard_normal((2, 10, 4)), rng.standard_normal((2, 10))
    X[0, :, 3] = X[1, :, 0] = X[1, :, 1] = 1.0
    with pytest.raises(ValueError, match=r"than the 3 columns .*constant: 3"):
        fit_many(X, y, 4)
    X, y = rng.standard_normal((2, 10, 6)), rng.standard_normal((2, 10))
    X[0, :, 4:] = X[0, :, :2]
    X[1, :, 0] = 1.0
    X[1, :, 4:] = X[1, :, 1:3]
    with pytest.warns(DataDimensionalityWarning, match="in 2 of 2 problems .* rank of X, 4"):
        fit_many(X, y, 4)


def test_no_size_of_a_path_is_below_the_columns_that_must_be_selected(rng):
    X, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
    said = "n_features_to_select=1 is less than the 2 columns of always_select"
    with pytest.raises(ValueError, match=said):
        projected_stg_path(X, y, sizes=3, always_select=[0, 1])
    with pytest.raises(ValueError, match=said):
        ProjectedSTGCV(ProjectedSTG(always_select=[0, 1]), sizes=3).fit(X, y)


def test_of_a_very_wide_table_few_columns_of_many_rows_may_be_left(rng):
    X = rng.standard_normal((300, 2600)).astype(np.float32)
    y = X[:, 3] - X[:, 7] + 0.5 * rng.standard_normal(300)
    wide = ProjectedSTG(6, never_select=np.arange(40, 2600)).fit(X, y)
    few = ProjectedSTG(6).fit(X[:, :40].astype(np.float64), y)
    assert wide.get_support(indices=True).tolist() == few.get_support(indices=True).tolist()
    assert_same_numbers(wide.coef_[:40], few.coef_, 1e-7)
    assert_same_numbers(wide.mu_[:40], few.mu_, 1e-4)
