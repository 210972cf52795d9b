"""K columns that the rows cannot tell apart are warned of, and only those."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import DataDimensionalityWarning

from projstg import STG, Gates, ProjectedSTG, ProjectedSTGCV, fit_many, projected_stg_path
from projstg._core.data.standard_table import as_table
from projstg.estimators._too_many_columns import too_many_columns

SHAPES = [(12, 5), (6, 12), (9, 9), (7, 8), (30, 12)]


def said(X, k, **options):
    y = np.arange(X.shape[-2], dtype=float) ** 2
    return too_many_columns(as_table(X[None], y[None], **options), k)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [1, 2, 4, None])
def test_the_warning_is_about_the_rank(shape, rank, centre, rng):
    X = rng.normal(size=shape)
    if rank is not None:
        X = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    rows = X - X.mean(axis=0) if centre else X
    own, freedom = np.linalg.matrix_rank(rows, tol=1e-8), shape[0] - centre
    for k in range(1, shape[1] + 1):
        expected = k >= own and not own == shape[1] < freedom
        text = said(X, k, centre=centre)
        assert (text is not None) == expected, (k, own)
        if text is not None:
            assert ("without error" in text) == (own == freedom)
            assert ("at most" in text) == (own > 1)


def test_all_of_independent_columns_may_be_asked_for(rng):
    X = rng.normal(size=(20, 4))
    assert said(X, 4) is None
    assert "rank of X, 4: any 4" in said(np.column_stack([X, X[:, 0]]), 5)


def test_units_and_columns_that_cannot_be_selected_do_not_matter(rng):
    X = rng.normal(size=(20, 6)) * 10.0 ** np.arange(-9, 9, 3)
    assert said(X, 5) is None
    never = np.arange(6) >= 3
    assert said(X, 3, never=never) is None  # all that may be selected
    copies = np.column_stack([X[:, :3], X[:, :3]])
    assert said(copies, 3) is not None
    assert said(copies, 3, never=never) is None


def test_rows_that_are_repeated_do_not_add_to_the_rank(rng):
    X = rng.normal(size=(6, 10))
    assert said(np.repeat(X, 4, axis=0), 5) is not None
    assert said(np.repeat(X, 4, axis=0), 4) is None
    weights = np.full((1, 6), 4.0)
    assert said(X, 5, weights=weights) is not None
    assert said(X, 4, weights=weights) is None


def test_many_problems_are_counted(rng):
    X, y = rng.normal(size=(3, 20, 6)), rng.normal(size=(3, 20))
    X[1, :, 3:] = X[1, :, :3]
    with pytest.warns(DataDimensionalityWarning, match="^in 1 of 3 problems n_features_to_sel"):
        fit_many(X, y, 4)


@pytest.mark.parametrize("model", [ProjectedSTG(10), STG(10, gates=Gates(max_iter=50))])
def test_the_warning_is_the_caller_s_and_the_answer_comes(model, rng):
    X, y = rng.normal(size=(10, 64)), rng.normal(size=10)
    model.set_params(fit_intercept=False)
    with pytest.warns(DataDimensionalityWarning, match="on 10 rows .* at most 9, or give") as seen:
        model.fit(X, y)
    assert seen[0].filename == __file__
    assert model.support_.sum() == 10
    with pytest.warns(DataDimensionalityWarning) as seen:
        fit_many(X[None], y[None], 10)
    assert seen[0].filename == __file__


def test_a_path_warns_once_and_cross_validation_of_its_choice_alone(rng):
    X = rng.normal(size=(10, 12))
    y = X[:, 0] + 0.1 * rng.normal(size=10)
    with pytest.warns(DataDimensionalityWarning, match="=12 columns fit any y") as seen:
        projected_stg_path(X, y, sizes=[1, 12], refine=False)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert ProjectedSTGCV(sizes=[1, 8], cv=5).fit(X, y).n_features_to_select_ == 1


def test_k_from_the_data_and_open_gates_are_not_warned_of(rng):
    X, y = rng.normal(size=(4, 9)), rng.normal(size=4)
    with warnings.catch_warnings(action="error"):
        ProjectedSTG().fit(X, y)
        ProjectedSTG(None).fit(X, y)
