"""Prepare, then solve: the way of ``fit`` is open to those who have many tables."""

import numpy as np
import pytest
from rounding import assert_same_numbers

from projstg import STG, Gates, ProjectedSTG
from projstg.estimators import AveragedCoef, ManyFits, fit_many
from projstg.estimators.batch import fit_together
from projstg.estimators.questions import asked_of, prepare, solve
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
def test_the_answer_is_that_of_fit(data, name):
    X, y = data
    model = MODELS[name]
    question = prepare(asked_of(model), X[None], y[None])
    found = solve(question, [model.random_state])
    fitted = model.fit(X, y)
    np.testing.assert_array_equal(found.support[0], fitted.support_)
    np.testing.assert_array_equal(found.coef[0], fitted.coef_)
    np.testing.assert_array_equal(found.gates.answer().fit.mu[0], fitted.mu_)


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


def test_the_question_does_not_touch_the_model(data):
    X, y = data
    model = ProjectedSTG(2, gates=Gates(tau=0.3))
    before = dict(vars(model))
    question = prepare(asked_of(model), X[None], y[None])
    assert vars(model) == before
    model.set_params(gates__tau=0.9)
    assert question.options.gates.tau == 0.3


def test_what_comes_back_can_be_imported_from_where_it_comes(data):
    X, y = data
    assert isinstance(fit_many(X[None], y[None], 2), ManyFits)
    assert isinstance(ProjectedSTG(2).fit(X, y).averaged_coef(), AveragedCoef)
    assert isinstance(projected_stg_path(X, y, n_alphas=2), SupportPath)
    assert FalseSelections.__doc__
